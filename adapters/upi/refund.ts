/** Refund: the switch accepts it and reports the result by callback. */
import {
  filled,
  JsonNumber,
  readJsonBody,
  toMinor,
  toRefundOutcome,
  unknown,
  v,
  type Ability,
} from '@paywright/contract';
import type { Options } from './options.ts';
import { mapStatus } from './statuses.ts';
import { Paise, toEvent } from './transaction.ts';
import { errors, signedPost } from './wire.ts';

const Answer = v.object({
  ok: v.literal(true),
  data: v.object({ r_txn: filled, u_txn: v.string(), key: v.string(), paise: Paise, state: v.string() }),
});

export const refund: Ability<'refund', Options> = async (payment, { reference, money }, ctx) => {
  const { merchantId: mid } = ctx.options;
  const { providerReference: u_txn, reference: gw_ref } = payment;
  const message = { mid, u_txn, key: reference, paise: new JsonNumber(toMinor(money)), at: ctx.now().getTime() };
  const reply = await ctx.http.send(signedPost(ctx, '/upi/v1/refund', message));
  if (reply.status !== 200) return errors.toRefundOutcome(reply);
  const made = readJsonBody(Answer, reply)?.data;
  if (!made || made.u_txn !== u_txn || made.key !== reference || made.paise !== toMinor(money)) {
    return unknown('the answer is not about this refund');
  }
  const { r_txn: providerReference, state: providerStatus } = made;
  const event = toEvent({ ...made, mid, gw_ref }, { kind: 'refund', subReference: providerReference });
  return toRefundOutcome(mapStatus(event, 'fetch'), { providerReference, providerStatus });
};
