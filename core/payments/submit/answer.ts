/** What a merchant is answered, made from the payment as it stands after settling. */
import type { Action } from '@gateway/contract';
import { declineReasons, GatewayError } from '../../errors.ts';
import { latestAttempt, status, type Attempt, type PaymentRecord } from '../facts.ts';

/** Throws where the payment failed; otherwise the call succeeded and the action, if any, is the payer's next step. */
export function throwIfFailed(record: PaymentRecord): void {
  const attempt = latestAttempt(record);
  if (!attempt || (record.statusId !== status.failed && record.statusId !== status.expired)) return;
  throw failureOf(attempt, record._id);
}

/** Why the attempt failed, as an error of the specification. */
export function failureOf(attempt: Attempt, paymentRequestId: number): GatewayError {
  if (attempt.nothingCharged) {
    return new GatewayError('PROVIDER_UNAVAILABLE', 'the provider could not take the payment; nothing was charged', {
      paymentRequestId,
    });
  }
  const code = attempt.decline ?? '05';
  const reason = declineReasons[code];
  if (attempt.method.startsWith('upi_')) {
    return new GatewayError('UPI_TRANSACTION_FAILED', `the UPI payment was declined: ${reason}`, {
      paymentRequestId,
      details: { upiResponse: code, reason },
    });
  }
  if (attempt.threeDsResult !== null) {
    return new GatewayError('THREEDS_FAILED', '3D Secure failed', {
      paymentRequestId,
      details: { threeDsResult: attempt.threeDsResult, acsResponse: attempt.acsResponse ?? '' },
    });
  }
  return new GatewayError('CARD_DECLINED', `the issuer declined the payment: ${reason}`, {
    paymentRequestId,
    details: { declineCode: code, declineReason: reason },
  });
}

export function notPayable(record: PaymentRecord, why: string): GatewayError {
  return new GatewayError('PAYMENT_NOT_PAYABLE', why, { paymentRequestId: record._id });
}

/** The action as the merchant sees it; null once nothing waits for the payer, also while a step of theirs is completed. */
export function openAction(record: PaymentRecord, open: (sealed: Uint8Array) => Action): Action | null {
  const attempt = latestAttempt(record);
  if (attempt?.outcome !== 'open' || !attempt.action) return null;
  const step = attempt.steps.at(-1);
  return step?.takenAt && !step.doneAt ? null : open(attempt.action);
}
