/** The proof of a message of New Provider: `t=<Unix seconds>,s=<hex>`, an HMAC-SHA256 over `<t>.` and the raw body. */
import {
  hmac,
  invalidSignature,
  isFresh,
  onlyHeader,
  readHex,
  stale,
  verifyWithAny,
  type AdapterContext,
  type RawCallback,
  type Verdict,
} from '@paywright/contract';
import type { Options } from './options.ts';
import { decide, undecided } from './undecided.ts';

export const sealHeader = 'New-Provider-Seal';
const TOLERANCE_MS = decide(undecided.proof, 300_000);

/** The value of the header. */
export function seal(secret: string, seconds: string, body: Uint8Array): string {
  return `t=${seconds},s=${macOf(secret, seconds, body).toString('hex')}`;
}

function macOf(secret: string, seconds: string, body: Uint8Array): Buffer {
  return hmac('sha256', secret, `${seconds}.`, body);
}

/** The reason to refuse a message; undefined if one of the secrets sealed it recently. */
export function refuseSeal(raw: RawCallback, { options, now }: AdapterContext<Options>): Verdict<never> | undefined {
  const [, seconds = '', hex = ''] = /^t=(\d{1,12}),s=(\w+)$/.exec(onlyHeader(raw, sealHeader) ?? '') ?? [];
  const key = verifyWithAny(options.noticeSecrets, readHex(hex, 32), (secret) => macOf(secret, seconds, raw.body));
  if (key === undefined) return invalidSignature('no secret of ours makes this seal');
  if (isFresh(Number(seconds) * 1000, now(), TOLERANCE_MS)) return undefined;
  return stale('sealed too long ago, or in the future');
}
