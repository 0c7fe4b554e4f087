/** Settles the answer of a provider: applies it to the payment and stores the result. */
import type { Outcome } from '@paywright/contract';
import type { Logger } from 'pino';
import { attemptOf, type ThreeDsStep } from '../../../database/collections/attempt.ts';
import type { PaymentRecord } from '../../../database/collections/payment-request.ts';
import type { Encrypter } from '../../../base/crypto/encryption.ts';
import type { OutcomeFact } from '../state/apply-outcome.ts';
import { decide } from '../state/decide.ts';
import type { Decision } from '../state/fact.ts';
import type { FeeOf } from '../state/fee.ts';
import type { Change, PaymentStore } from '../store/payment-store.ts';
import { keepAdapterState } from './stored-payment.ts';
import { accountRefOf } from '../../providers/account-ref.ts';

/** Time to settle an answer after the call's own limit, before reconciliation takes over. */
export const GRACE_MS = 30_000;

/** Until then, a call that has its answer retries to store it if the database does not answer. */
export function settlesUntil(now: Date): Date {
  return new Date(now.getTime() + GRACE_MS);
}

export interface SettleDeps {
  readonly store: Pick<PaymentStore, 'change'>;
  readonly encrypter: Encrypter;
  readonly feeOf: FeeOf;
  readonly now: () => Date;
  readonly log: Logger;
}

export interface Settlement {
  /** `endsLease`: the caller holds the payment's lease for this call only. */
  settle(
    asked: PaymentRecord,
    fact: OutcomeFact,
    requestId: string,
    options: { readonly until: Date; readonly endsLease?: boolean },
  ): Promise<PaymentRecord>;
  /**
   * The payer has not finished the step: it waits again, under the token with which it was sent. The log gets no entry,
   * because a payer who opens the page again and again must not make the payment grow.
   */
  reopen(
    id: number,
    n: number,
    nonce: string,
    outcome: Outcome,
    requestId: string,
    endsLease: boolean,
  ): Promise<PaymentRecord>;
}

export function createSettlement({ store, encrypter, feeOf, now, log }: SettleDeps): Settlement {
  async function settle(
    asked: PaymentRecord,
    fact: OutcomeFact,
    requestId: string,
    { until, endsLease = false }: { readonly until: Date; readonly endsLease?: boolean },
  ): Promise<PaymentRecord> {
    const settled = (current: PaymentRecord): Change | undefined => {
      // Several tries to complete one step may get no answer. The log records that once.
      const isKnownAlready = fact.completed !== null && attemptOf(current, fact.attempt)?.unknown === true;
      const decision: Decision =
        isKnownAlready && fact.outcome.outcome === 'unknown'
          ? { kind: 'nothing', reason: 'still no readable answer' }
          : decide(current, fact, feeOf);
      const decided = decision.kind === 'nothing' ? current : decision.next;
      const next = keepAdapterState(encrypter, decided, fact.attempt, fact.outcome);
      if (decision.kind === 'nothing') return endsLease || next !== current ? { next, endsLease } : undefined;
      return { next, notify: decision.kind === 'changed' ? decision.notify : [], endsLease };
    };
    const { record } = await store.change(asked, requestId, settled, until);
    const attempt = attemptOf(record, fact.attempt);
    log.info(
      {
        requestId,
        paymentRequestId: record._id,
        attempt: fact.attempt,
        adapter: attempt && accountRefOf(attempt),
        outcome: fact.outcome.outcome,
        decline: attempt?.decline ?? undefined,
        status: record.statusId,
      },
      'provider answered',
    );
    return record;
  }

  async function reopen(
    id: number,
    n: number,
    nonce: string,
    outcome: Outcome,
    requestId: string,
    endsLease: boolean,
  ): Promise<PaymentRecord> {
    // A result that the browser has posted since completes the step.
    const waitsAgain = (step: ThreeDsStep): ThreeDsStep =>
      step.nonce === nonce && !step.doneAt && !step.posted ? { ...step, takenAt: null } : step;
    const reopened = (current: PaymentRecord): Change => {
      const attempts = current.attempts.map((attempt) =>
        attempt.n === n ? { ...attempt, unknown: false, steps: attempt.steps.map(waitsAgain) } : attempt,
      );
      return { next: keepAdapterState(encrypter, { ...current, attempts }, n, outcome), endsLease };
    };
    const { record } = await store.change(id, requestId, reopened, settlesUntil(now()));
    return record;
  }

  return { settle, reopen };
}
