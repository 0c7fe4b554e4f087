/** The order's status. An order that can no longer be paid stays open at WeChat Pay until it is closed, so we close it. */
import { defined, noInformation, notFound, readAs, urlPath, type Ability, type StatusReport, type StoredPayment } from '@paywright/contract';
import type { Context, Options } from './options.ts';
import { Order, toEvent } from './order.ts';
import { isSigned, signedRequest } from './signing.ts';
import { orderRequest, readAction, Sent } from './submit.ts';
import { orderErrors, readSigned } from './wire.ts';

/** From then on *not known* is final: what was still on its way has arrived. */
const SETTLED_AFTER_MS = 60_000;
/** A payer who began in time may end a little later. */
const GRACE_MS = 60_000;
const unknownOrder = new Set(['ORDER_NOT_EXIST', 'ORDERNOTEXIST']);

export const fetchStatus: Ability<'fetchStatus', Options> = async (payment, ctx) => {
  const { reference } = payment;
  const path = urlPath`/v3/pay/transactions/out-trade-no/${reference}?mchid=${ctx.options.mchid}`;
  const reply = await ctx.http.send(signedRequest(path, ctx));
  const { code, named } = orderErrors.read(reply);
  if (reply.status === 404 && unknownOrder.has(code)) {
    return notFound(payment, { now: ctx.now(), afterMs: SETTLED_AFTER_MS });
  }
  const order = await readSigned(Order, reply, ctx);
  if (order?.out_trade_no !== reference || order.mchid !== ctx.options.mchid) return noInformation(named);
  if (order.trade_state !== 'NOTPAY') return { result: 'events', events: [toEvent(order)] };
  return isOver(payment, ctx) ? close(order, ctx) : waiting(payment, ctx);
};

/** Every order has the time to pay that the options say, counted from before its submission ended. */
function isOver({ endedAt }: StoredPayment, { options, now }: Context): boolean {
  return endedAt !== null && now().getTime() - endedAt.getTime() > options.minutes * 60_000 + GRACE_MS;
}

/** WeChat Pay refuses to close what was paid meanwhile: the next fetch says so. */
async function close(order: Order, ctx: Context): Promise<StatusReport> {
  const { mchid, out_trade_no } = order;
  const path = urlPath`/v3/pay/transactions/out-trade-no/${out_trade_no}/close`;
  const request = signedRequest(path, ctx, JSON.stringify({ mchid }));
  const reply = await ctx.http.send({ ...request, chargesNothing: true });
  const isClosed = reply.status === 204 && (await isSigned(reply, ctx));
  if (!isClosed) return noInformation(orderErrors.read(reply).named);
  return { result: 'events', events: [toEvent({ ...order, trade_state: 'CLOSED' })] };
}

/** Where the answer that said how to pay was lost, the same order is asked for once more, which charges nothing. */
async function waiting(payment: StoredPayment, ctx: Context): Promise<StatusReport> {
  const sent = readAs(Sent, payment.adapterState);
  if (payment.action || !sent) return { result: 'waiting' };
  const reply = await ctx.http.send({ ...orderRequest(sent, ctx), chargesNothing: true });
  const action = await readAction(sent, reply, payment.paymentRequestId, ctx);
  return { result: 'waiting', ...defined({ action }) };
}
