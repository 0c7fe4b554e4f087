/** Reads what payers type and browsers fill in, into the spelling that a merchant would send. */
import {
  isBlank,
  readCardNumber,
  readCode,
  readExpiry,
  readPhone,
  toAsciiDigits,
  writeExpiry,
} from '@paywright/contract';

/** Longer values are not tidied: the bounds of their field refuse them as they were sent. */
const longestTyped = 200;

const readers: Readonly<Record<string, (value: string, language: string) => string>> = {
  number: readCardNumber,
  expiration(value, language) {
    const expiry = readExpiry(value, language);
    return expiry ? writeExpiry(expiry) : value;
  },
  cvv: readCode,
  code: readCode,
  upiId: readCode,
  phoneNumber: readPhone,
  postalCode: toAsciiDigits,
  country: (value) => value.toUpperCase(),
};

/** The value of a field of the page. Undefined if it is blank. `language`: the page's, for names of months. */
export function readTyped(field: string, value: string, language: string): string | undefined {
  if (value.length > longestTyped) return value;
  const read = readers[field]?.(value, language) ?? value;
  return isBlank(read) ? undefined : read;
}
