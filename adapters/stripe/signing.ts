/** What proves an event of Stripe. */
import { elementsNamed, hmac, readHex } from '@paywright/contract';

/** What a `v1` entry of `Stripe-Signature` holds. The secret counts as it is shown, `whsec_` included. */
export function eventMac(webhookSecret: string, time: string, body: Uint8Array): Buffer {
  return hmac('sha256', webhookSecret, `${time}.`, body);
}

/** `Stripe-Signature`: its one time, and its `v1` entries; `v0` signs nothing. Undefined for any other form. */
export function readSignature(header: string): { readonly time: string; readonly macs: readonly Buffer[] } | undefined {
  const [time, ...more] = elementsNamed(header, 't');
  if (time === undefined || more.length > 0 || !/^[1-9]\d{0,11}$/.test(time)) return undefined;
  return { time, macs: elementsNamed(header, 'v1').flatMap((entry) => readHex(entry, 32) ?? []) };
}
