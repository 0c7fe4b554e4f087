/** The forms of the gateway's requests. Any other form is PARAM_ERROR. */
import { filled, jsonDigits, rfc3339, v, webAddress } from '@paywright/contract';

const Fen = v.pipe(
  jsonDigits(9),
  v.check((digits) => digits !== '0', 'more than 0'),
);
const Name = v.pipe(v.string(), v.regex(/^[0-9A-Za-z_\-*]{6,32}$/));

export const AskedOrder = v.object({
  appid: filled,
  mchid: filled,
  description: v.pipe(
    filled,
    v.check((text) => Buffer.byteLength(text) <= 127),
  ),
  out_trade_no: Name,
  time_expire: rfc3339,
  notify_url: v.pipe(
    webAddress,
    v.check((url) => !url.includes('?'), 'no query'),
  ),
  amount: v.object({ total: Fen, currency: v.literal('CNY') }),
  scene_info: v.optional(
    v.object({ payer_client_ip: v.union([v.pipe(v.string(), v.ip())]), h5_info: v.object({ type: filled }) }),
  ),
});
export type AskedOrder = v.InferOutput<typeof AskedOrder>;

export const AskedClose = v.object({ mchid: filled });

export const AskedRefund = v.object({
  out_trade_no: Name,
  out_refund_no: v.pipe(v.string(), v.regex(/^[0-9A-Za-z_\-|*@]{1,64}$/)),
  reason: v.optional(
    v.pipe(
      filled,
      v.check((text) => Buffer.byteLength(text) <= 80),
    ),
  ),
  notify_url: webAddress,
  amount: v.object({ refund: Fen, total: Fen, currency: v.literal('CNY') }),
});
export type AskedRefund = v.InferOutput<typeof AskedRefund>;
