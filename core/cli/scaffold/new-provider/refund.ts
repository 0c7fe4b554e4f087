/** Refunds money with its own idempotency key: a repeated request refunds nothing twice. */
import {
  filled,
  JsonNumber,
  jsonDigits,
  readJsonBody,
  toMinor,
  toRefundOutcome,
  unknown,
  urlPath,
  v,
  type Ability,
} from '@paywright/contract';
import type { Options } from './options.ts';
import { callbackStatuses } from './statuses.ts';
import { decide, undecided } from './undecided.ts';
import { errors, post } from './wire.ts';

const Refund = v.object({
  id: filled,
  reference: v.string(),
  amount: jsonDigits(15),
  currency: v.string(),
  status: v.string(),
});
const statuses = new Map(Object.entries(callbackStatuses.refund));

export const refund: Ability<'refund', Options> = async (payment, { reference, money, note }, { http, options }) => {
  const amount = toMinor(money);
  const path = decide(undecided.refund, urlPath`/v1/payments/${payment.providerReference!}/refunds`);
  const message = {
    account: options.account,
    reference,
    amount: new JsonNumber(amount),
    currency: money.currency,
    note,
  };
  const reply = await http.send(post(options, path, reference, message));
  if (reply.status !== 200) return errors.toRefundOutcome(reply);
  const answer = readJsonBody(Refund, reply);
  const isMoney = answer?.amount === amount && answer.currency === money.currency;
  if (answer?.reference !== reference || !isMoney) return unknown('not about this refund');
  const { id: providerReference, status: providerStatus } = answer;
  return toRefundOutcome(statuses.get(providerStatus) ?? 'unknown', { providerReference, providerStatus });
};
