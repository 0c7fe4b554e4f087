/** Giving money back: what we ask, and how H shows a return. */
import {
  isSameMoney,
  nothingCharged,
  readAs,
  toRefundOutcome,
  unknown,
  v,
  type AdapterContext,
  type Outcome,
  type RefundRequest,
  type ReportedEvent,
  type StoredPayment,
} from '@gateway/contract';
import type { Options } from './options.ts';
import { About, moneyOf, Sum, toSum } from './pay.ts';
import { readMessage } from './signing.ts';
import { mapStatus } from './statuses.ts';
import { errors, payPath, post } from './wire.ts';

const Back = v.object({ id: v.pipe(v.string(), v.nonEmpty()), state: v.string(), ...Sum.entries });
const Answer = v.object({ pay_no: About.entries.pay_no, back: Back });

/** A callback of phase `returned`. */
export const Return = v.object({ ...About.entries, back: Back });

type ShownReturn = v.InferOutput<typeof Answer> & { readonly gw_ref: string; readonly at?: number | undefined };

export function toRefundEvent({ pay_no, gw_ref, back, at }: ShownReturn): ReportedEvent {
  return {
    kind: 'refund',
    providerStatus: `returned:${back.state}`,
    reference: gw_ref,
    providerReference: pay_no,
    subReference: back.id,
    ...moneyOf(back),
    dedupeKey: `${pay_no}|returned|${back.id}|${back.state}`,
    ...(at === undefined ? {} : { orderHint: at }),
  };
}

export async function refund(
  payment: StoredPayment,
  { reference, money }: RefundRequest,
  ctx: AdapterContext<Options>,
): Promise<Outcome> {
  const payNo = payment.providerReference!;
  const message = { shop: ctx.options.merchantNo, key: reference, sum: toSum(money) };
  const reply = await ctx.http.send(post(ctx, payPath(payNo, '/returns'), message));
  const { code, named } = errors.read(reply);
  if (reply.status === 422 && code === 'too_much') return nothingCharged(named);
  if (reply.status !== 202 && reply.status !== 200) return errors.toOutcome(reply);
  const answer = readAs(Answer, readMessage(reply.body)?.message);
  if (answer?.pay_no !== payNo || !isSameMoney(moneyOf(answer.back), money)) {
    return unknown('the answer is no answer about this return');
  }
  const { id: providerReference, state: providerStatus } = answer.back;
  const status = mapStatus(toRefundEvent({ ...answer, gw_ref: payment.reference }), 'fetch');
  return toRefundOutcome(status, { providerReference, providerStatus, reason: `the return is ${providerStatus}` });
}
