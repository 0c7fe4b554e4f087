/** Repeats a capture or a release whose answer never came: both are safe to repeat. */
import { attemptOf } from '../../../database/collections/attempt.ts';
import type { PaymentRecord } from '../../../database/collections/payment-request.ts';
import type { PaymentsDeps } from '../deps.ts';
import { applyFacts } from '../state/apply-facts.ts';
import { leaseExpired } from '../record/call-lease.ts';
import { toCaptureRequest, toVoidRequest } from '../commands/capture.ts';
import { keepAdapterState, toStoredPayment } from '../submit/stored-payment.ts';

export interface CaptureChecks {
  /** Gives the payment as it then is; the same where nothing is to be repeated. */
  repeat(record: PaymentRecord, n: number, requestId: string): Promise<PaymentRecord>;
}

export function createCaptureChecks({ store, calls, encrypter, feeOf, now }: PaymentsDeps): CaptureChecks {
  return {
    async repeat(record, n, requestId) {
      const attempt = attemptOf(record, n)!;
      const { adapter, capture, voidRequestedAt, currency } = attempt;
      // A provider that has the capture works on it: its status shows what comes of it.
      const isCapture = capture !== null && capture.state !== 'pending';
      if (attempt.outcome !== 'open' || !(isCapture || voidRequestedAt)) return record;
      const payment = toStoredPayment(encrypter, record, attempt);
      const hold = { isOver: leaseExpired(record, now) };
      const outcome = isCapture
        ? await calls.capture(adapter, payment, toCaptureRequest(attempt, { amount: capture.amount, currency }), hold)
        : await calls.void(adapter, payment, toVoidRequest(attempt), hold);
      // That a repetition did not get that far says nothing of the first.
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
