/**
 * Reads the requests that the switch's side receives: the envelope, then the message's schema. Anything else is an
 * error answer.
 */
import { filled, jsonInteger, onlyHeader, readAs, requestTarget, sameText, v, webAddress } from '@paywright/contract';
import { jsonReply, type Reply, type SandboxRequest } from '@paywright/contract/sandbox';
import { isRightCheck, openBlob, readBlob } from '../wire.ts';
import type { Options } from '../options.ts';
import { Paise } from '../transaction.ts';

const Text = v.string();
const Ttl = v.pipe(jsonInteger(), v.minValue(60), v.maxValue(3600));

export const PayRequest = v.pipe(
  v.object({
    mid: Text,
    gw_ref: filled,
    paise: Paise,
    mode: v.picklist(['COLLECT', 'INTENT', 'QR']),
    vpa: v.optional(filled),
    payer: v.object({ name: v.optional(Text), mobile: v.optional(Text) }),
    hook: webAddress,
    ret: webAddress,
    ttl: Ttl,
    at: jsonInteger(),
  }),
  v.check(
    ({ mode, vpa }) => (mode === 'COLLECT') === (vpa !== undefined),
    'a vpa where it is to be asked, and only there',
  ),
);
export type PayRequest = v.InferOutput<typeof PayRequest>;

export const RefundRequest = v.object({ mid: Text, u_txn: Text, key: filled, paise: Paise, at: jsonInteger() });

export function refusal(status: number, code: string): Reply {
  return jsonReply(status, { ok: false, code });
}

export const noTransaction: Reply = refusal(404, 'NO_TXN');
const format = refusal(400, 'FORMAT');

/** The error answer for a wrong merchant or check. `blob` is empty if there is none. */
export function refuseCaller(
  request: SandboxRequest,
  blob: string,
  baseUrl: string,
  { merchantId, salts }: Options,
): Reply | undefined {
  const isOurs = sameText(onlyHeader(request, 'X-U-Mid') ?? '', merchantId);
  const text = blob + requestTarget(baseUrl, request.path);
  const isRight = isRightCheck(onlyHeader(request, 'X-U-Check') ?? '', text, salts);
  return isOurs && isRight ? undefined : refusal(401, 'CHECK');
}

/** Opens a POST or returns its error answer. Checks envelope, check and message, in this order. */
export function readPost<T extends { readonly mid: string }>(
  request: SandboxRequest,
  baseUrl: string,
  options: Options,
  schema: v.GenericSchema<unknown, T>,
): T | { readonly refused: Reply } {
  const blob = readBlob(request.body);
  if (blob === undefined) return { refused: format };
  const refused = refuseCaller(request, blob, baseUrl, options);
  if (refused) return { refused };
  const message = readAs(schema, openBlob(blob));
  return message?.mid === options.merchantId ? message : { refused: format };
}
