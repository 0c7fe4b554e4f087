/** Fetches the order. If the answer to its submission was lost, the same order is sent again to learn how to pay it. */
import {
  noInformation,
  notFound,
  readAs,
  urlPath,
  type Ability,
  type HttpReply,
  type HttpRequest,
  type StatusReport,
  type StoredPayment,
} from '@paywright/contract';
import type { Context, Options } from './options.ts';
import { Order, toEvent } from './order.ts';
import { signedRequest } from './signing.ts';
import { orderRequest, readAction, Sent } from './submit.ts';
import { orderErrors, readSigned } from './wire.ts';

/** After this time, an order that WeChat Pay does not know was never created. */
const SETTLED_AFTER_MS = 60_000;
const orderIsUnknown = new Set(['ORDER_NOT_EXIST', 'ORDERNOTEXIST']);

export const fetchStatus: Ability<'fetchStatus', Options> = async (payment, ctx) => {
  const reply = await ctx.http.send(statusRequest(payment, ctx));
  const { code, named } = orderErrors.read(reply);
  if (reply.status === 404 && orderIsUnknown.has(code)) {
    return notFound(payment, { now: ctx.now(), afterMs: SETTLED_AFTER_MS });
  }
  const order = await readOrder(reply, payment, ctx);
  if (!order) return noInformation(named);
  return order.trade_state === 'NOTPAY' ? waiting(payment, ctx) : { result: 'events', events: [toEvent(order)] };
};

export function statusRequest({ reference }: StoredPayment, ctx: Context): HttpRequest {
  const { mchid } = ctx.options;
  return signedRequest(urlPath`/v3/pay/transactions/out-trade-no/${reference}?mchid=${mchid}`, ctx);
}

/** The order of this payment; undefined for any other answer. */
export async function readOrder(
  reply: HttpReply,
  { reference }: StoredPayment,
  ctx: Context,
): Promise<Order | undefined> {
  const order = await readSigned(Order, reply, ctx);
  return order?.out_trade_no === reference && order.mchid === ctx.options.mchid ? order : undefined;
}

async function waiting(payment: StoredPayment, ctx: Context): Promise<StatusReport> {
  const { action: known } = payment;
  if (known) return { result: 'waiting', action: known };
  const sent = readAs(Sent, payment.adapterState);
  if (!sent) return { result: 'waiting' };
  const reply = await ctx.http.send({ ...orderRequest(sent, ctx), chargesNothing: true });
  const action = await readAction(sent, reply, payment.paymentRequestId, ctx);
  return action ? { result: 'waiting', action } : noInformation('no signed answer that says how to pay');
}
