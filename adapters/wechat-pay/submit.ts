/** Creates an order, and tells the payer how to pay it: a code to scan, or on a phone WeChat's page (H5). */
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

type Asked = Submission<'billing', never>;

/** The app that reads the code. */
const APP = 'WeChat';

/** The order that was sent. A later call sends it again if its answer was lost: WeChat Pay then repeats the answer. */
export const Sent = v.object({
  product: v.picklist(['native', 'h5']),
  body: v.string(),
  /** The end of the time to pay. */
  expiry: filled,
});
export type Sent = v.InferOutput<typeof Sent>;

export const submit: Ability<'submit', Options, 'billing', never> = async (payment, ctx) => {
  const sent = toOrder(payment, ctx);
  ctx.keep(sent);
  const reply = await ctx.http.send(orderRequest(sent, ctx));
  if (reply.status !== 200) return orderErrors.toOutcome(reply);
  const action = await readAction(sent, reply, payment.paymentRequestId, ctx);
  return action ? { outcome: 'pending', action } : unknown('no signed answer that says how to pay');
};

/**
 * The payer's address if the payer goes by H5; null if the payer scans a code. H5 is for the browser of a phone, and
 * WeChat Pay recognises that browser by its address. A code works on every device.
 */
function h5AddressOf({ browserInfo, payer }: Asked, { h5 }: Options): string | null {
  const isPhone = /\b(?:Android|iPhone|iPod)\b/.test(browserInfo?.userAgent ?? '');
  return h5 && isPhone ? payer.ipAddress : null;
}

function toOrder(payment: Asked, ctx: Context): Sent {
  const { money, reference } = payment;
  const { mchid, appid, description, minutes } = ctx.options;
  const ip = h5AddressOf(payment, ctx.options);
  const expiry = writeRfc3339(new Date(ctx.now().getTime() + minutes * 60_000));
  const order = {
    appid,
    mchid,
    description,
    out_trade_no: reference,
    // WeChat Pay's documents write the offset in digits.
    time_expire: expiry.replace('Z', '+00:00'),
    notify_url: ctx.callbackUrl('wechat-pay'),
    amount: { total: new JsonNumber(toMinor(money)), currency: CURRENCY },
    ...(ip === null ? {} : { scene_info: { payer_client_ip: ip, h5_info: { type: 'Wap' } } }),
  };
  return { product: ip === null ? 'native' : 'h5', body: stringifyExact(order), expiry };
}

/** The same order each time, with a new signature. */
export function orderRequest({ product, body }: Sent, ctx: Context) {
  return signedRequest(`/v3/pay/transactions/${product}`, ctx, body);
}

const Native = v.object({ code_url: v.pipe(v.string(), v.startsWith('weixin://')) });
const H5 = v.object({ h5_url: webAddress });

/** The payer's next step; undefined if the answer does not show it, or WeChat Pay did not sign it. */
export async function readAction(
  { product, expiry }: Sent,
  reply: HttpReply,
  paymentRequestId: string,
  ctx: Context,
): Promise<Action | undefined> {
  if (product === 'native') {
    const text = (await readSigned(Native, reply, ctx))?.code_url;
    return text === undefined ? undefined : { type: 'qr', text, expiry, app: APP };
  }
  const address = (await readSigned(H5, reply, ctx))?.h5_url;
  if (address === undefined) return undefined;
  const url = new URL(address);
  const back = `redirect_url=${encodeURIComponent(ctx.returnUrl(paymentRequestId))}`;
  url.search = url.search ? `${url.search}&${back}` : back;
  // The page recognises the merchant by the registered domain of the page that the payer comes from.
  return redirectTo(url.href, { referrer: 'origin' });
}
