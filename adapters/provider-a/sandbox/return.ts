/** The payer's return from the challenge. The signature covers the whole query. */
import { hmac, readPairs } from '@paywright/contract';
import { canonicalQuery } from '../callbacks/provider-a3ds.ts';

interface Returning {
  readonly txn: string;
  readonly ref: string;
  readonly backUrl: string;
}

/** The return address with its signed query. `auth` is the result of the challenge. */
export function backTo({ backUrl, txn, ref }: Returning, auth: string, returnKey: string): string {
  const [address = '', query = ''] = backUrl.split('?', 2);
  const added = Object.entries({ txn, ref, auth, ts: String(Math.floor(Date.now() / 1000)) });
  const sig = hmac('sha256', returnKey, canonicalQuery([...(readPairs(query) ?? []), ...added])).toString('hex');
  const pairs = [...added, ['sig', sig] as const].map(([name, value]) => `${name}=${encodeURIComponent(value)}`);
  return `${address}?${[query, ...pairs].filter((part) => part !== '').join('&')}`;
}
