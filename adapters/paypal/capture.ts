/** Captures reserved money, completely or in part, once. PayPal releases the rest. */
import {
  isSameMoney,
  nothingCharged,
  readJsonBody,
  toRefundOutcome,
  unknown,
  urlPath,
  type Ability,
  type Money,
  type Outcome,
  type StoredPayment,
} from '@paywright/contract';
import { toCaptureEvent } from './events.ts';
import { lookAt } from './fetch-status.ts';
import type { Options } from './options.ts';
import { Capture, isCharged, isOfAnotherOrder, knownIds, parentId, partsOf } from './order.ts';
import { mapStatus } from './statuses.ts';
import { errors, post, refuseAmount, send, toPayPalMoney } from './wire.ts';

export const capture: Ability<'capture', Options> = async (payment, { reference, money }, ctx) => {
  const amount = toPayPalMoney(money);
  if (!amount) return nothingCharged(refuseAmount(money)!);
  const { order: id, authorization } = knownIds(payment);
  if (id === undefined || authorization === undefined) return unknown('the authorisation is not known');
  const path = urlPath`/v2/payments/authorizations/${authorization}/capture`;
  const reply = await send(ctx, post(path, { amount, final_capture: true }, reference));
  if (reply.status === 200 || reply.status === 201) {
    const made = readJsonBody(Capture, reply);
    return made ? captureOutcome(made, payment, money) : unknown('the answer is not a capture');
  }
  const { code, named } = errors.read(reply);
  if (code !== 'AUTHORIZATION_ALREADY_CAPTURED') return errors.toRefundOutcome(reply);
  const order = await lookAt(id, payment, ctx);
  const earlier = typeof order === 'string' ? undefined : partsOf(order).capture;
  return earlier ? captureOutcome(earlier, payment, money) : unknown(named);
};

/** True for a capture of this payment. An answer may lack our reference, or the link to the authorisation. */
function isOfOurs(made: Capture, payment: StoredPayment): boolean {
  const { custom_id, links } = made;
  if (isOfAnotherOrder(made, payment)) return false;
  const { authorization } = knownIds(payment);
  const parent = parentId(links, '/v2/payments/authorizations');
  if (custom_id === undefined) return parent === authorization;
  return custom_id === payment.reference && (parent ?? authorization) === authorization;
}

function captureOutcome(made: Capture, payment: StoredPayment, money: Money): Outcome {
  if (!isOfOurs(made, payment) || !isSameMoney(made.amount, money)) {
    return unknown('the answer is not about this capture');
  }
  const { id, status, status_details } = made;
  const outcome = toRefundOutcome(mapStatus(toCaptureEvent(made), 'fetch'), {
    providerStatus: `capture:${status}`,
    reason: `the capture is ${[status, status_details?.reason].join(' ').trim()}`,
  });
  const ids = { ...payment.providerReferences, capture: id };
  return isCharged(made) ? { ...outcome, providerReference: id, providerReferences: ids } : outcome;
}
