/** What a merchant receives as the answer, made from the payment as it is after settling. */
import { declineReasons, type Action, type Outcome, type InterfaceField } from '@paywright/contract';
import { answerRuleOf, answerRuleText } from '@paywright/contract/core';
import { shownValue } from '../../providers/index.ts';
import type { Views } from './view.ts';
import type { PaymentAnswer } from '../types/answer.ts';
import { GatewayError } from '../../../base/errors.ts';
import { latestAttempt, type Attempt } from '../../../database/collections/attempt.ts';
import { status, type PaymentRecord } from '../../../database/collections/payment-request.ts';

type RequestBody = Readonly<Record<string, unknown>>;

export interface Answers {
  /** With the payer's next step, if there is one. */
  current(record: PaymentRecord): PaymentAnswer;
  withoutAction(record: PaymentRecord): PaymentAnswer;
  /**
   * With the payer's next step. Throws if the payment failed. `body`: the request, for the value of a field that the
   * provider refused.
   */
  afterPaying(record: PaymentRecord, body?: RequestBody): PaymentAnswer;
}

export function createAnswers(views: Views, readAction: (attempt: Attempt) => Action | null): Answers {
  const current = (record: PaymentRecord, action = openAction): PaymentAnswer => {
    return {
      id: record._id,
      present: async () => ({ view: await views.present(record), action: action(record, readAction) }),
    };
  };
  return {
    current,
    withoutAction: (record) => current(record, () => null),
    afterPaying(record, body) {
      throwIfFailed(record, body);
      return current(record);
    },
  };
}

/**
 * Throws if the payment failed. Otherwise the call succeeded, and the action, if there is one, is the payer's next
 * step.
 */
export function throwIfFailed(record: PaymentRecord, body: RequestBody = {}): void {
  const attempt = latestAttempt(record);
  if (!attempt || (record.statusId !== status.failed && record.statusId !== status.expired)) return;
  throw failureOf(attempt, record._id, body);
}

/** Why the attempt failed, as an error of the interface. */
function failureOf(attempt: Attempt, paymentRequestId: number, body: RequestBody): GatewayError {
  if (attempt.nothingCharged && attempt.refusedField) return fieldRefusal(attempt.refusedField, paymentRequestId, body);
  if (attempt.nothingCharged) {
    const rule = answerRuleOf(attempt.sandboxRule);
    const cause = rule === undefined ? '' : `. ${answerRuleText(rule)}`;
    const message = `the provider could not process the payment; nothing was charged${cause}`;
    return new GatewayError('PROVIDER_UNAVAILABLE', message, { paymentRequestId });
  }
  const code = attempt.decline ?? '05';
  // The interface has no code for a payment that ended without a decline.
  const reason = attempt.cancelled ? 'the payment was cancelled at the provider' : declineReasons[code];
  if (attempt.method.startsWith('upi_')) {
    const message = attempt.cancelled ? reason : `the UPI payment was declined: ${reason}`;
    return new GatewayError('UPI_TRANSACTION_FAILED', message, {
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
  const message = attempt.cancelled ? reason : `the issuer declined the payment: ${reason}`;
  return new GatewayError('CARD_DECLINED', message, {
    paymentRequestId,
    details: { declineCode: code, declineReason: reason },
  });
}

const refusal = 'the provider refuses this value; nothing was charged';

/** A field that the provider refuses is no outage: the same request fails again. */
function fieldRefusal(field: InterfaceField, paymentRequestId: number, body: RequestBody): GatewayError {
  if (field === 'number' || field === 'expiration' || field === 'cvv') {
    const details = { field, reason: refusal };
    return new GatewayError('INVALID_CARD', `${field}: ${refusal}`, {
      paymentRequestId,
      details,
      isProviderAnswer: true,
    });
  }
  const value = shownValue(body, [field]);
  const details = { field, value, errors: [{ field, value, message: refusal }] };
  return new GatewayError('INVALID_FORMAT', `${field}: ${refusal}`, {
    paymentRequestId,
    details,
    isProviderAnswer: true,
  });
}

export function notPayable(record: PaymentRecord, why: string): GatewayError {
  return new GatewayError('PAYMENT_NOT_PAYABLE', why, { paymentRequestId: record._id });
}

/**
 * The action as the merchant sees it. Null if nothing waits for the payer, and while a step that the payer took is
 * being completed.
 */
export function openAction(record: PaymentRecord, open: (attempt: Attempt) => Action | null): Action | null {
  const attempt = latestAttempt(record);
  if (attempt?.outcome !== 'open') return null;
  const step = attempt.steps.at(-1);
  return step?.takenAt && !step.doneAt ? null : open(attempt);
}

/** Throws PAY005 if the provider was not reached, PAY004 if it refused. A missing answer is no failure. */
export function throwIfRefused(paymentRequestId: number, outcome: Outcome, what: 'capture' | 'release'): void {
  if (outcome.outcome !== 'failed') return;
  if (outcome.notSent) {
    const message = `the provider could not be reached; nothing was ${what}d`;
    throw new GatewayError('PROVIDER_UNAVAILABLE', message, { paymentRequestId });
  }
  const reason = outcome.reason ?? outcome.declineText ?? 'no reason given';
  const message = `the provider refused the ${what}: ${reason}`;
  throw new GatewayError('PAYMENT_NOT_PAYABLE', message, { paymentRequestId, isProviderAnswer: true });
}
