/** The proof of a callback of the vault, and of our acknowledgement. */
import { hmac, readBase64 } from '@paywright/contract';
import { hookKey } from './options.ts';

/** The content of a `v1` entry of `tk-sign`. `address` is the registered address. */
export function hookMac(key: Uint8Array, address: string, id: string, time: string, body: Uint8Array): Buffer {
  return hmac('sha256', key, `${address}.${id}.${time}.`, body);
}

/** The `v1` entries of `tk-sign`. Other versions and garbage are skipped. */
export function entriesOf(sign: string): Buffer[] {
  return sign.split(' ').flatMap((entry) => {
    const value = entry.startsWith('v1,') ? readBase64(entry.slice('v1,'.length)) : undefined;
    return value ? [value] : [];
  });
}

export type AckVerdict = 'accept' | 'reject';

/** The signed acknowledgement. `time` is that of the delivery, so equal deliveries get equal bytes. */
export function signedBody([newest]: readonly string[], id: string, time: string, verdict: AckVerdict): string {
  const sign = hmac('sha256', hookKey(newest ?? ''), `${id};${verdict};${time}`).toString('base64');
  return JSON.stringify({ tk_id: id, verdict, time: Number(time), sign });
}
