/** Reads requests at H's side: key and digest, then the message by its schema. Everything else gets an error answer. */
import {
  isExactAmount,
  jsonInteger,
  JsonNumber,
  onlyHeader,
  readAs,
  readHex,
  requestTarget,
  sameBytes,
  sameText,
  v,
  webAddress,
} from '@paywright/contract';
import { jsonReply, type Reply, type SandboxRequest } from '@paywright/contract/sandbox';
import { canonicalOf, digestOf, readMessage } from '../signing.ts';
import type { Options } from '../options.ts';

const Text = v.string();
const Filled = v.pipe(Text, v.nonEmpty());

/** Written with exactly the decimals of its currency. */
const Sum = v.pipe(
  v.object({ n: v.instance(JsonNumber), cur: Text }),
  v.transform(({ n, cur }) => ({ amount: n.text, currency: cur })),
  v.check(isExactAmount),
);

export const PayRequest = v.object({
  shop: Text,
  gw_ref: Filled,
  want: Sum,
  coin: Filled,
  chain: Filled,
  ttl: v.pipe(jsonInteger(), v.minValue(60), v.maxValue(86_400)),
  ipn: webAddress,
  ret: webAddress,
  payer: v.object({ name: Text, mail: Text, country: Text, ip: v.nullable(Text) }),
});

export const ReturnRequest = v.object({ shop: Text, key: v.pipe(Filled, v.maxLength(64)), sum: Sum });

export function refusal(status: number, code: string): Reply {
  return jsonReply(status, { error: { code, text: code.replaceAll('_', ' ') } });
}

const badRequest = refusal(400, 'bad_request');
export const noPay = refusal(404, 'unknown_pay');

function isOurs(request: SandboxRequest, signed: string, { apiKey, apiSecret }: Options): boolean {
  const given = readHex(onlyHeader(request, 'X-H-Digest') ?? '', 64);
  const isKnown = sameText(onlyHeader(request, 'X-H-Key') ?? '', apiKey);
  return isKnown && given !== undefined && sameBytes(digestOf(apiSecret, signed), given);
}

/** An error answer for a GET without our key and a digest of its target. */
export function refuseGet(request: SandboxRequest, baseUrl: string, options: Options): Reply | undefined {
  const { path, query } = request;
  const target = requestTarget(baseUrl, query ? `${path}?${query}` : path);
  return isOurs(request, target, options) ? undefined : refusal(401, 'bad_digest');
}

/** Reads a POST or returns its error answer. Checks strict JSON, digest, message and shop, in this order. */
export function readPost<T extends { readonly shop: string }>(
  request: SandboxRequest,
  options: Options,
  schema: v.GenericSchema<unknown, T>,
): { readonly asked: T; readonly canonical: string } | { readonly refused: Reply } {
  const read = readMessage(request.body);
  if (!read) return { refused: badRequest };
  const canonical = canonicalOf(read.value);
  if (!isOurs(request, canonical, options)) return { refused: refusal(401, 'bad_digest') };
  const asked = readAs(schema, read.message);
  return asked?.shop === options.merchantNo ? { asked, canonical } : { refused: badRequest };
}
