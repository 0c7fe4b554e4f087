/** The signature of Stripe's events. */
import { elementsNamed, hmac, readHex } from '@paywright/contract';

/** Computes a `v1` entry of `Stripe-Signature`. The secret is used as Stripe shows it, with `whsec_`. */
export function eventMac(webhookSecret: string, time: string, body: Uint8Array): Buffer {
  return hmac('sha256', webhookSecret, `${time}.`, body);
}

/**
 * Parses `Stripe-Signature`: its single time and its `v1` entries; `v0` entries prove nothing. Undefined for any other
 * form.
 */
export function readSignature(header: string): { readonly time: string; readonly macs: readonly Buffer[] } | undefined {
  const [time, ...more] = elementsNamed(header, 't');
  if (time === undefined || more.length > 0 || !/^[1-9]\d{0,11}$/.test(time)) return undefined;
  return { time, macs: elementsNamed(header, 'v1').flatMap((entry) => readHex(entry, 32) ?? []) };
}
