/** The payer within the bounds that Razorpay publishes for a customer's name, contact and e-mail address. */
import { knownFields, narrowEmail, narrowText, readPhone, type PayerFields } from '@paywright/contract';

export const MAX_EMAIL = 64;
const MAX_CONTACT_DIGITS = 15;
const MIN_CONTACT_DIGITS = 8;
const nameBounds = { minLength: 3, maxLength: 50, accepts: /[A-Za-z0-9.'/@() ]/ };

/**
 * The number as a plus and digits. Razorpay reads a number without a country code as an Indian one, and so does this:
 * ten digits, perhaps behind the zero for calls within India. Undefined for text that is no such number.
 */
export function toContact(phoneNumber: string | undefined): string | undefined {
  const [, prefix = '', digits = ''] = /^(\+|00)?(\d+)$/.exec(readPhone(phoneNumber ?? '')) ?? [];
  const national = digits.replace(/^0+/, '');
  const isIndian = prefix === '' && national.length === 10;
  // Another number that starts with a zero is a call within a country that is not known.
  if (prefix === '' && !isIndian && national !== digits) return undefined;
  const international = isIndian ? `91${national}` : national;
  const isNumber = international.length >= MIN_CONTACT_DIGITS && international.length <= MAX_CONTACT_DIGITS;
  return isNumber ? `+${international}` : undefined;
}

/** The customer of a payment link, all of whose members are optional. */
export function toCustomer(payer: Partial<PayerFields>) {
  const { name, email, phoneNumber } = knownFields(payer);
  return {
    name: narrowText(name, nameBounds),
    email: narrowEmail(email, MAX_EMAIL),
    contact: toContact(phoneNumber),
  };
}
