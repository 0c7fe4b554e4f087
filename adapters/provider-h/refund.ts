/** Refunds: our request, and how H shows a return. */
import {
  defined,
  filled,
  formatMoney,
  isSameMoney,
  readAs,
  toRefundOutcome,
  unknown,
  urlPath,
  v,
  type Ability,
  type ReportedEvent,
} from '@paywright/contract';
import type { Options } from './options.ts';
import { About, Sum, toSum } from './pay.ts';
import { readMessage } from './signing.ts';
import { mapStatus } from './statuses.ts';
import { errors, post } from './wire.ts';

const Back = v.object({ id: filled, state: v.string(), ...Sum.entries });
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
    ...formatMoney(back.n, back.cur),
    dedupeKey: `${pay_no}|returned|${back.id}|${back.state}`,
    ...defined({ orderHint: at }),
  };
}

export const refund: Ability<'refund', Options> = async (payment, { reference, money }, ctx) => {
  const payNo = payment.providerReference!;
  const message = { shop: ctx.options.merchantNo, key: reference, sum: toSum(money) };
  const reply = await ctx.http.send(post(ctx, urlPath`/v2/pays/${payNo}/returns`, message));
  if (reply.status !== 202 && reply.status !== 200) return errors.toRefundOutcome(reply);
  const answer = readAs(Answer, readMessage(reply.body)?.message);
  if (answer?.pay_no !== payNo || !isSameMoney(formatMoney(answer.back.n, answer.back.cur), money)) {
    return unknown('the answer is not about this return');
  }
  const { id: providerReference, state: providerStatus } = answer.back;
  const status = mapStatus(toRefundEvent({ ...answer, gw_ref: payment.reference }), 'fetch');
  return toRefundOutcome(status, { providerReference, providerStatus, reason: `the return is ${providerStatus}` });
};
