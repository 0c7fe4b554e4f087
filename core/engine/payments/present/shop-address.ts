/**
 * The addresses at the shop to which a payer returns. They may contain `{paymentRequestId}` and `{referenceId}`, also
 * in the spelling `%7B…%7D` that some libraries write. Any other brace stays as the merchant sent it.
 */
import type { PaymentRecord } from '../../../database/collections/payment-request.ts';

type Filled = Pick<PaymentRecord, '_id' | 'referenceId'>;

const placeholder = /(?:\{|%7[Bb])(paymentRequestId|referenceId)(?:\}|%7[Dd])/g;

/**
 * The address with each placeholder replaced by its value, percent-encoded. The host has no placeholders, so no value
 * decides which site the payer is sent to.
 */
export function fillAddress(address: string | null, { _id, referenceId }: Filled): string | null {
  if (address === null) return null;
  const start = hostEnd(address);
  const values: Readonly<Record<string, string>> = { paymentRequestId: String(_id), referenceId: referenceId ?? '' };
  const filled = address.slice(start).replace(placeholder, (_, name: string) => encode(values[name] ?? ''));
  return address.slice(0, start) + filled;
}

/** Where the path, the query or the fragment begins. */
function hostEnd(address: string): number {
  const host = /^[^:]*:[/\\]*[^/\\?#]*/.exec(address);
  return host?.[0].length ?? address.length;
}

/** Half of a surrogate pair, which `encodeURIComponent` refuses, becomes the replacement character. */
function encode(value: string): string {
  return encodeURIComponent(Buffer.from(value).toString());
}
