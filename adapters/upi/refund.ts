/** Giving money back: the switch takes a refund and reports by callback what became of it. */
import {
  JsonNumber,
  nothingCharged,
  readAs,
  readJsonObject,
  toMinor,
  toRefundOutcome,
  unknown,
  v,
  type AdapterContext,
  type Outcome,
  type RefundRequest,
  type StoredPayment,
} from '@gateway/contract';
import type { Options } from './options.ts';
import { mapStatus } from './statuses.ts';
import { Filled, Paise, toEvent } from './transaction.ts';
import { errors, sealedPost } from './wire.ts';

const Answer = v.object({
  ok: v.literal(true),
  data: v.object({ r_txn: Filled, u_txn: v.string(), key: v.string(), paise: Paise, state: v.string() }),
});

export async function refund(
  payment: StoredPayment,
  { reference, money }: RefundRequest,
  ctx: AdapterContext<Options>,
): Promise<Outcome> {
  const { merchantId: mid } = ctx.options;
  const { providerReference: u_txn, reference: gw_ref } = payment;
  const message = { mid, u_txn, key: reference, paise: new JsonNumber(toMinor(money)), at: ctx.now().getTime() };
  const reply = await ctx.http.send(sealedPost(ctx, '/upi/v1/refund', message));
  const { code, named } = errors.read(reply);
  // A refusal gave nothing back; a decline is only of a payment.
  if (reply.status === 422 && code) return nothingCharged(named);
  if (reply.status !== 200) return errors.toOutcome(reply);
  const made = readAs(Answer, readJsonObject(reply.body))?.data;
  if (!made || made.u_txn !== u_txn || made.key !== reference || made.paise !== toMinor(money)) {
    return unknown('the answer is no answer about this refund');
  }
  const { r_txn: providerReference, state: providerStatus } = made;
  const event = toEvent({ ...made, mid, gw_ref }, { kind: 'refund', subReference: providerReference });
  return toRefundOutcome(mapStatus(event, 'fetch'), { providerReference, providerStatus });
}
