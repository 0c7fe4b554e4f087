/** The order: what we ask, and what the payer is shown. */
import {
  filled,
  JsonNumber,
  redirectTo,
  stringifyExact,
  toMinor,
  unknown,
  v,
  webAddress,
  writeRfc3339,
  type Ability,
  type Action,
  type HttpReply,
  type Submission,
} from '@paywright/contract';
import type { Context, Options } from './options.ts';
import { CURRENCY } from './order.ts';
import { signedRequest } from './signing.ts';
import { orderErrors, readSigned } from './wire.ts';

/** What is sent, and what a later call needs to ask for the same once more: WeChat Pay then gives the same answer. */
export const Sent = v.object({
  product: v.picklist(['native', 'h5']),
  body: v.string(),
  /** Until when it can be paid. */
  expiry: filled,
});
export type Sent = v.InferOutput<typeof Sent>;

export const submit: Ability<'submit', Options, 'billing', never> = async (payment, ctx) => {
  const sent = orderOf(payment, ctx);
  ctx.keep(sent);
  const reply = await ctx.http.send(orderRequest(sent, ctx));
  if (reply.status !== 200) return orderErrors.toOutcome(reply);
  const action = await readAction(sent, reply, payment.paymentRequestId, ctx);
  return action ? { outcome: 'pending', action } : unknown('no signed answer that says how to pay');
};

/**
 * H5 is for a phone's browser, which WeChat Pay knows again by the payer's address; anywhere else a code is scanned. A merchant's
 * own body names no browser: there the address says it.
 */
function isByH5({ browserInfo, isH2h }: Submission<'billing', never>): boolean {
  if (browserInfo === undefined) return isH2h;
  return /\b(?:Android|iPhone|iPod)\b/.test(browserInfo.userAgent ?? '');
}

function orderOf(payment: Submission<'billing', never>, ctx: Context): Sent {
  const { money, reference, payer } = payment;
  const { mchid, appid, description, minutes, h5 } = ctx.options;
  const ip = h5 && isByH5(payment) ? payer.ipAddress : null;
  const expiry = writeRfc3339(new Date(ctx.now().getTime() + minutes * 60_000));
  const order = {
    appid,
    mchid,
    description,
    out_trade_no: reference,
    time_expire: expiry.replace('Z', '+00:00'),
    notify_url: ctx.callbackUrl('wechatPay'),
    amount: { total: new JsonNumber(toMinor(money)), currency: CURRENCY },
    ...(ip === null ? {} : { scene_info: { payer_client_ip: ip, h5_info: { type: 'Wap' } } }),
  };
  return { product: ip === null ? 'native' : 'h5', body: stringifyExact(order), expiry };
}

/** The same order each time, signed anew. */
export function orderRequest({ product, body }: Sent, ctx: Context) {
  return signedRequest(`/v3/pay/transactions/${product}`, ctx, body);
}

const Native = v.object({ code_url: v.pipe(v.string(), v.startsWith('weixin://')) });
const H5 = v.object({ h5_url: webAddress });

/** What the payer does: scan a code, or go on to WeChat and come back. */
export async function readAction(
  { product, expiry }: Sent,
  reply: HttpReply,
  paymentRequestId: string,
  ctx: Context,
): Promise<Action | undefined> {
  if (product === 'native') {
    const code = (await readSigned(Native, reply, ctx))?.code_url;
    // The contract knows a QR code for UPI alone.
    return code === undefined ? undefined : { type: 'upi', mode: 'qr', text: code, expiry };
  }
  const address = (await readSigned(H5, reply, ctx))?.h5_url;
  const back = encodeURIComponent(ctx.returnUrl(paymentRequestId));
  return address === undefined ? undefined : redirectTo(`${address}&redirect_url=${back}`);
}
