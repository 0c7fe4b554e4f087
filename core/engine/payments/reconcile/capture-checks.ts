/** Repeats a capture or a release that got no answer. Both are safe to repeat. */
import { attemptOf } from '../../../database/collections/attempt.ts';
import type { PaymentRecord } from '../../../database/collections/payment-request.ts';
import type { Encrypter } from '../../../base/crypto/encryption.ts';
import type { ProviderCalls } from '../../providers/calls.ts';
import type { FeeOf } from '../state/fee.ts';
import type { PaymentStore } from '../store/payment-store.ts';
import { applyFacts } from '../state/apply-facts.ts';
import { leaseExpired } from '../record/call-lease.ts';
import { toCaptureRequest, toVoidRequest } from '../submit/capture-request.ts';
import { keepAdapterState, toStoredPayment } from '../submit/stored-payment.ts';
import { accountRefOf } from '../../providers/account-ref.ts';

export interface CaptureChecks {
  /** Returns the payment as it is then; unchanged if there is nothing to repeat. */
  repeat(record: PaymentRecord, n: number, requestId: string): Promise<PaymentRecord>;
}

export interface CaptureChecksDeps {
  readonly store: Pick<PaymentStore, 'change'>;
  readonly calls: Pick<ProviderCalls, 'capture' | 'void'>;
  readonly encrypter: Encrypter;
  readonly feeOf: FeeOf;
  readonly now: () => Date;
}

export function createCaptureChecks({ store, calls, encrypter, feeOf, now }: CaptureChecksDeps): CaptureChecks {
  return {
    async repeat(record, n, requestId) {
      const attempt = attemptOf(record, n)!;
      const { capture, voidRequestedAt, currency } = attempt;
      // A provider that has accepted the capture works on it: a status fetch shows the result.
      const isCapture = capture !== null && capture.state !== 'pending';
      if (attempt.outcome !== 'open' || !(isCapture || voidRequestedAt)) return record;
      const payment = toStoredPayment(encrypter, record, attempt);
      const ref = accountRefOf(attempt);
      const hold = { deadlinePassed: leaseExpired(record, now) };
      const outcome = isCapture
        ? await calls.capture(ref, payment, toCaptureRequest(attempt, { amount: capture.amount, currency }), hold)
        : await calls.void(ref, payment, toVoidRequest(attempt), hold);
      // A repetition that did not reach the provider says nothing about the first request.
      if (outcome.outcome === 'failed' && (outcome.notSent || outcome.requestRejected)) return record;
      const type = isCapture ? 'capture_outcome' : 'void_outcome';
      const fact = { type, attempt: n, outcome, at: now(), isRepetition: true } as const;
      const changed = await store.change(record._id, requestId, (current) => {
        const { next, notify = [] } = applyFacts(current, [fact], feeOf) ?? { next: current };
        const kept = keepAdapterState(encrypter, next, n, outcome);
        return kept === current ? undefined : { next: kept, notify };
      });
      return changed.record;
    },
  };
}
