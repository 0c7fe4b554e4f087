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
import { leaseExpired, leaseFor } from '../record/call-lease.ts';
import { withOperation } from '../record/operations.ts';
import { requestFetch } from '../record/request-fetch.ts';
import { isBeingClosed } from '../state/apply-close.ts';
import { applyFacts } from '../state/apply-facts.ts';
import type { Fact } from '../state/fact.ts';
import type { FeeOf } from '../state/fee.ts';
import type { Change, PaymentStore } from '../store/payment-store.ts';
import { GRACE_MS, settlesUntil } from '../submit/settle.ts';
import { toStoredPayment } from '../submit/stored-payment.ts';
import { closeAt, isExpiryOver } from './schedule.ts';
import { accountRefOf } from '../../providers/account-ref.ts';

export interface Closed {
  /** If the order is closed, the caller still holds the lease, and the attempt is still open. */
  readonly record: PaymentRecord;
  readonly outcome: Outcome;
}

/** Why the order is closed. A worker that carries out a cancellation stores its operation with it. */
export type CloseReason =
  { readonly purpose: 'cancel'; readonly operation: string | undefined } | { readonly purpose: 'replace' | 'expire' };

export interface Closing {
  /** Closes the order of the open attempt for a caller. `throwIfNotClosable` is called before the request is stored. */
  close(
    record: PaymentRecord,
    reason: CloseReason,
    requestId: string,
    throwIfNotClosable: (current: PaymentRecord) => void,
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
    const outcome = await calls.close(accountRefOf(attempt), payment, { deadlinePassed: leaseExpired(record, now) });
    log.info({ requestId, paymentRequestId: record._id, attempt: n, outcome: outcome.outcome }, 'close answered');
    return outcome;
  }

  function withAnswer(record: PaymentRecord, n: number, outcome: Outcome): Change {
    const fact: Fact = { type: 'close_outcome', attempt: n, outcome, at: now() };
    const change = applyFacts(record, [fact], feeOf) ?? { next: record };
    const id = attemptOf(record, n)!.close?.operation;
    const isCancelled = record.cancelledAt === null && change.next.cancelledAt !== null;
    if (!isCancelled || id === undefined) return change;
    return { ...change, next: withOperation(change.next, { operation: { id } }) };
  }

  function isDue(record: PaymentRecord, attempt: Attempt): boolean {
    if (isBeingClosed(attempt)) return true;
    const at = closeAt(record, attempt, deps);
    return at !== null && at <= now();
  }

  return {
    isDue,
    async close(record, reason, requestId, throwIfNotClosable) {
      const { n } = latestAttempt(record)!;
      const { record: asked } = await store.change(record, requestId, (current) => {
        throwIfNotClosable(current);
        return { next: leaseFor(withRequest(current, n, reason, now()), config.callTimeoutMs + GRACE_MS, now()) };
      });
      const outcome = await ask(asked, n, requestId);
      if (outcome.outcome === 'succeeded') return { record: asked, outcome };
      const settled = (current: PaymentRecord): Change | undefined => {
        // The lease expired, and a worker repeated the request: its answer counts.
        if (current.lease.token !== asked.lease.token) return undefined;
        const { next, ...change } = withAnswer(current, n, outcome);
        // The order may be paid. Only the provider knows.
        return { ...change, next: requestFetch(next, n), endsLease: true };
      };
      const { record: open } = await store.change(record._id, requestId, settled, settlesUntil(now()));
      return { record: open, outcome };
    },
    async closeDue(record, n, requestId) {
      const attempt = attemptOf(record, n)!;
      if (!isDue(record, attempt) || isExpiryOver(record, attempt)) return record;
      const { record: asked } = isBeingClosed(attempt)
        ? { record }
        : await store.change(record._id, requestId, (current) =>
            isDue(current, attemptOf(current, n)!)
              ? { next: withRequest(current, n, { purpose: 'expire' }, now()) }
              : undefined,
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

function withRequest(record: PaymentRecord, n: number, reason: CloseReason, at: Date): PaymentRecord {
  const attempts = record.attempts.map((attempt) => {
    if (attempt.n !== n) return attempt;
    const { tries = 0, expiryTries = 0 } = attempt.close ?? {};
    const operation = reason.purpose === 'cancel' ? reason.operation : undefined;
    const close: OrderClose = {
      purpose: reason.purpose,
      state: 'requested',
      requestedAt: at,
      tries: tries + 1,
      expiryTries: reason.purpose === 'expire' ? expiryTries + 1 : expiryTries,
      ...(operation !== undefined && { operation }),
    };
    return { ...attempt, close };
  });
  return { ...record, attempts };
}
