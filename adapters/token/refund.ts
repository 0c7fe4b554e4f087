/** Money back: the vault takes a refund and reports by callback what became of it. */
import {
  JsonNumber,
  nothingCharged,
  readJsonBody,
  toMinor,
  toRefundOutcome,
  unknown,
  v,
  type Ability,
  type EventStatus,
} from '@gateway/contract';
import { Minor } from './charge.ts';
import type { Options } from './options.ts';
import { callbackStatuses } from './statuses.ts';
import { chargePath, errorOutcome, post, readError } from './wire.ts';

const Text = v.string();
const Refund = v.object({ id: v.pipe(Text, v.nonEmpty()), charge: Text, state: Text, minor: Minor, cur: Text });
const Answer = v.object({ refund: Refund });

export const refund: Ability<'refund', Options> = async (payment, { reference, money }, { http, options }) => {
  const [charge, minor, cur] = [payment.providerReference!, toMinor(money), money.currency];
  const body = { mid: options.merchantId, minor: new JsonNumber(minor), cur };
  const reply = await http.send(post(options, chargePath(charge, '/refunds'), body, reference));
  // 202 is a new refund, 200 the one that the key already has.
  if (reply.status !== 200 && reply.status !== 202) {
    const { code, named } = readError(reply);
    // A refusal gave nothing back; a decline is only of a charge.
    return reply.status === 422 && code ? nothingCharged(named) : errorOutcome(reply);
  }
  const answer = readJsonBody(Answer, reply)?.refund;
  if (answer?.charge !== charge || answer.cur !== cur || answer.minor !== minor) {
    return unknown('the answer is no answer about this refund');
  }
  const { id: providerReference, state } = answer;
  const statuses: Readonly<Record<string, EventStatus>> = callbackStatuses.refund;
  return toRefundOutcome(statuses[`refund.${state}`] ?? 'unknown', { providerReference, providerStatus: state });
};
