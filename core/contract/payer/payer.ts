/** The payer as providers and rules see them. The resource shows what the merchant sent. */
import type { PayerField, PayerFields } from '../payment.ts';
import { toCountry } from './country.ts';
import { isBlank, toAsciiDigits } from './digits.ts';
import { readIpAddress } from './ip-address.ts';
import { readPhone } from './phone.ts';

const readers: Readonly<Partial<Record<PayerField, (text: string) => string>>> = {
  phoneNumber: readPhone,
  postalCode: toAsciiDigits,
  country: toCountry,
};

/**
 * The payer with a phone number without separators, the digits 0–9, a corrected country code, and `ipAddress` that is
 * an address or null. A blank field becomes `''`: the merchant did not know it.
 */
export function readPayer<P extends Partial<PayerFields> & { readonly ipAddress: string | null }>(payer: P): P {
  const fields = Object.entries(payer).map(([name, value]) => [name, readField(name as PayerField, value)]);
  return { ...(Object.fromEntries(fields) as P), ipAddress: readIpAddress(payer.ipAddress) ?? null };
}

function readField(name: PayerField, value: unknown): unknown {
  if (typeof value !== 'string') return value;
  return isBlank(value) ? '' : (readers[name]?.(value) ?? value);
}

/**
 * The fields of the payer that are known. Providers refuse empty text, so send a field only if it is among these, and
 * leave out an object that is not whole without it.
 */
export function knownFields(payer: Partial<PayerFields>): Partial<PayerFields> {
  const { name, email, phoneNumber, address, city, state, postalCode, country } = payer;
  const fields = { name, email, phoneNumber, address, city, state, postalCode, country };
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => !isBlank(value)));
}

/**
 * All fields of the payer, for a provider whose messages have each of them: a field that is not known is empty. Prefer
 * `knownFields` if the provider lets members be absent.
 */
export function everyField(payer: Partial<PayerFields>): PayerFields {
  const none = { name: '', email: '', phoneNumber: '', address: '', city: '', state: '', postalCode: '', country: '' };
  return { ...none, ...knownFields(payer) };
}
