/** Closes an unpaid order, after which WeChat accepts no payment of its code or its page. */
import { nothingCharged, unknown, urlPath, type Ability } from '@paywright/contract';
import { readOrder, statusRequest } from './fetch-status.ts';
import type { Options } from './options.ts';
import { isSigned, signedRequest } from './signing.ts';
import { mapStatus } from './statuses.ts';
import { toEvent } from './order.ts';
import { orderErrors } from './wire.ts';

export const close: Ability<'close', Options> = async (payment, ctx) => {
  const { mchid } = ctx.options;
  const path = urlPath`/v3/pay/transactions/out-trade-no/${payment.reference}/close`;
  const request = signedRequest(path, ctx, JSON.stringify({ mchid }));
  const reply = await ctx.http.send({ ...request, chargesNothing: true });
  if (reply.status === 204) {
    return (await isSigned(reply, ctx)) ? { outcome: 'succeeded' } : unknown('WeChat Pay did not sign the answer');
  }
  if (reply.status !== 400 && reply.status !== 403) return orderErrors.toRefundOutcome(reply);
  // WeChat Pay refuses to close an order that is paid, and one that was closed before.
  const order = await readOrder(await ctx.http.send(statusRequest(payment, ctx)), payment, ctx);
  if (!order) return unknown('the answer is not the order of this payment');
  const status = mapStatus(toEvent(order), 'fetch');
  return status === 'expired' || status === 'cancelled'
    ? { outcome: 'succeeded' }
    : nothingCharged(`the order is ${order.trade_state}`);
};
