/** Refund: the vault accepts it and reports the result by callback. */
import {
  filled,
  JsonNumber,
  readJsonBody,
  toMinor,
  toRefundOutcome,
  unknown,
  urlPath,
  v,
  type Ability,
  type EventStatus,
} from '@paywright/contract';
import { Minor } from './charge.ts';
import type { Options } from './options.ts';
import { callbackStatuses } from './statuses.ts';
import { errors, post } from './wire.ts';

const Text = v.string();
const Answer = v.object({ refund: v.object({ id: filled, charge: Text, state: Text, minor: Minor, cur: Text }) });

const statuses: Readonly<Record<string, EventStatus>> = callbackStatuses.refund;

export const refund: Ability<'refund', Options> = async (payment, { reference, money }, { http, options }) => {
  const [charge, minor, cur] = [payment.providerReference!, toMinor(money), money.currency];
  const message = { mid: options.merchantId, minor: new JsonNumber(minor), cur };
  const reply = await http.send(post(options, urlPath`/v1/charges/${charge}/refunds`, message, reference));
  // 202 is a new refund, 200 the refund that the key already has.
  if (reply.status !== 200 && reply.status !== 202) return errors.toRefundOutcome(reply);
  const made = readJsonBody(Answer, reply)?.refund;
  if (made?.charge !== charge || made.cur !== cur || made.minor !== minor) {
    return unknown('the answer is not about this refund');
  }
  const { id: providerReference, state } = made;
  return toRefundOutcome(statuses[`refund.${state}`] ?? 'unknown', { providerReference, providerStatus: state });
};
