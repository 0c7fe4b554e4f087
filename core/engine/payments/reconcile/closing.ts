/**
 * Closes an unpaid order at the provider. The request is stored with a lease before the provider is called. If the
 * process dies before it stores the answer, a worker repeats the request: closing a closed order is safe. Whatever the
 * answer is, money that the provider reports later counts.
 */
import type { Outcome } from '@paywright/contract';
import type { Logger } from 'pino';
import { attemptOf, latestAttempt, type Attempt, type OrderClose } from '../../../database/collections/attempt.ts';
import type { PaymentRecord } from '../../../database/collections/payment-request.ts';
import type { Encrypter } from '../../../base/crypto/encryption.ts';
import type { ProviderCalls } from '../../providers/calls.ts';
import { leaseExpired, leaseUntil } from '../record/call-lease.ts';
import { requestFetch } from '../record/request-fetch.ts';
import { isBeingClosed } from '../state/apply-close.ts';
import { applyFacts } from '../state/apply-facts.ts';
import type { Fact } from '../state/fact.ts';
import type { FeeOf } from '../state/fee.ts';
import type { Change, PaymentStore } from '../store/payment-store.ts';
import { GRACE_MS, settlesUntil } from '../submit/settle.ts';
import { toStoredPayment } from '../submit/stored-payment.ts';
import { closeAt, isExpiryOver } from './schedule.ts';

export interface Closed {
  /** If the order is closed, the caller still holds the lease, and the attempt is still open. */
  readonly record: PaymentRecord;
  readonly outcome: Outcome;
}

export interface Closing {
  /**
   * Closes the order of the open attempt for a caller. `mark` changes the payment in the write before the call, and
   * throws if the order must not be closed. `unmark` changes it back if the order is not closed.
   */
  close(
    record: PaymentRecord,
    purpose: Exclude<OrderClose['purpose'], 'expire'>,
    requestId: string,
    mark: (current: PaymentRecord) => PaymentRecord,
    unmark: (current: PaymentRecord) => PaymentRecord,
  ): Promise<Closed>;
  /**
   * For a worker that holds the lease: repeats a request without an answer, and closes the order of an expired payment.
   * Returns the payment as it is then.
   */
  closeDue(record: PaymentRecord, n: number, requestId: string): Promise<PaymentRecord>;
  /** True if `closeDue` has something to do. */
  isDue(record: PaymentRecord, attempt: Attempt): boolean;
  /** Expires a payment whose order was not closed at the last try. Call it after a status fetch. */
  giveUp(record: PaymentRecord, n: number, requestId: string): Promise<PaymentRecord>;
}

export interface ClosingDeps {
  readonly store: Pick<PaymentStore, 'change'>;
  readonly calls: Pick<ProviderCalls, 'close'>;
  readonly encrypter: Encrypter;
  readonly feeOf: FeeOf;
  readonly canClose: (attempt: Attempt) => boolean;
  readonly config: { readonly callTimeoutMs: number };
  readonly now: () => Date;
  readonly log: Logger;
}

export function createClosing(deps: ClosingDeps): Closing {
  const { store, calls, encrypter, feeOf, config, now, log } = deps;

  async function ask(record: PaymentRecord, n: number, requestId: string): Promise<Outcome> {
    const attempt = attemptOf(record, n)!;
    const payment = toStoredPayment(encrypter, record, attempt);
    const outcome = await calls.close(attempt.adapter, payment, { deadlinePassed: leaseExpired(record, now) });
    log.info({ requestId, paymentRequestId: record._id, attempt: n, outcome: outcome.outcome }, 'close answered');
    return outcome;
  }

  function withAnswer(record: PaymentRecord, n: number, outcome: Outcome): Change {
    const fact: Fact = { type: 'close_outcome', attempt: n, outcome, at: now() };
    return applyFacts(record, [fact], feeOf) ?? { next: record };
  }

  function isDue(record: PaymentRecord, attempt: Attempt): boolean {
    if (isBeingClosed(attempt)) return true;
    const at = closeAt(record, attempt, deps);
    return at !== null && at <= now();
  }

  return {
    isDue,
    async close(record, purpose, requestId, mark, unmark) {
      const { n } = latestAttempt(record)!;
      const { record: asked } = await store.change(record, requestId, (current) => {
        const until = new Date(now().getTime() + config.callTimeoutMs + GRACE_MS);
        return { next: leaseUntil(withRequest(mark(current), n, purpose, now()), until, now()) };
      });
      const outcome = await ask(asked, n, requestId);
      if (outcome.outcome === 'succeeded') return { record: asked, outcome };
      const settled = (current: PaymentRecord): Change | undefined => {
        // The lease expired, and a worker repeated the request: its answer counts.
        if (current.lease.token !== asked.lease.token) return undefined;
        const { next, ...change } = withAnswer(current, n, outcome);
        // The order may be paid. Only the provider knows.
        return { ...change, next: requestFetch(unmark(next), n), endsLease: true };
      };
      const { record: open } = await store.change(record._id, requestId, settled, settlesUntil(now()));
      return { record: open, outcome };
    },
    async closeDue(record, n, requestId) {
      const attempt = attemptOf(record, n)!;
      if (!isDue(record, attempt)) return record;
      const { record: asked } = isBeingClosed(attempt)
        ? { record }
        : await store.change(record._id, requestId, (current) =>
            isDue(current, attemptOf(current, n)!) ? { next: withRequest(current, n, 'expire', now()) } : undefined,
          );
      if (!isBeingClosed(attemptOf(asked, n)!)) return asked;
      const outcome = await ask(asked, n, requestId);
      const settled = await store.change(record._id, requestId, (current) => withAnswer(current, n, outcome));
      return settled.record;
    },
    async giveUp(record, n, requestId) {
      if (!isExpiryOver(record, attemptOf(record, n)!)) return record;
      const fact: Fact = { type: 'expire', at: now(), ends: n };
      const expired = await store.change(record._id, requestId, (current) =>
        isExpiryOver(current, attemptOf(current, n)!) ? applyFacts(current, [fact], feeOf) : undefined,
      );
      return expired.record;
    },
  };
}

function withRequest(record: PaymentRecord, n: number, purpose: OrderClose['purpose'], at: Date): PaymentRecord {
  const attempts = record.attempts.map((attempt) => {
    if (attempt.n !== n) return attempt;
    const { expiryTries = 0 } = attempt.close ?? {};
    const tries = purpose === 'expire' ? expiryTries + 1 : expiryTries;
    return { ...attempt, close: { purpose, state: 'requested', requestedAt: at, expiryTries: tries } as const };
  });
  return { ...record, attempts };
}
