/** Releases reserved money. */
import {
  isSameMoney,
  readJsonBody,
  unknown,
  urlPath,
  type Ability,
  type HttpReply,
  type Outcome,
  type StoredPayment,
} from '@paywright/contract';
import type { Context, Options } from './options.ts';
import { Authorization, isOfAnotherOrder, knownIds } from './order.ts';
import { errors, get, post, send } from './wire.ts';

const release: Ability<'void', Options> = async (payment, ctx, { reference }) => {
  const { authorization: id } = knownIds(payment);
  if (id === undefined) return unknown('the authorisation is not known');
  const reply = await send(ctx, post(urlPath`/v2/payments/authorizations/${id}/void`, {}, reference));
  if (reply.status === 200) return isReleased(reply, id, payment) ? released : unknown('the answer shows no release');
  // 204 is a release without an answer. A refusal may be about an earlier release of ours.
  const isToCheck = reply.status === 204 || errors.read(reply).code === 'PREVIOUSLY_VOIDED';
  if (!isToCheck) return errors.toRefundOutcome(reply);
  return (await isShownReleased(id, payment, ctx)) ? released : unknown(errors.read(reply).named);
};

const released: Outcome = { outcome: 'succeeded' };

async function isShownReleased(id: string, payment: StoredPayment, ctx: Context): Promise<boolean> {
  const shown = await send(ctx, get(urlPath`/v2/payments/authorizations/${id}`));
  return shown.status === 200 && isReleased(shown, id, payment);
}

function isReleased(reply: HttpReply, id: string, payment: StoredPayment): boolean {
  const { reference, money } = payment;
  const authorization = readJsonBody(Authorization, reply);
  if (authorization?.id !== id || authorization.status !== 'VOIDED') return false;
  if (isOfAnotherOrder(authorization, payment) || !isSameMoney(authorization.amount, money)) return false;
  return (authorization.custom_id ?? reference) === reference;
}
export { release as void };
