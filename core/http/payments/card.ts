/** Checks whether a card or a UPI id can be charged at all. */
import {
  isExpired,
  passesLuhn,
  readCode,
  readExpiry,
  toAsciiDigits,
  writeExpiry,
  type Card,
} from '@paywright/contract';
import { GatewayError } from '../../base/errors.ts';
import { hidden } from '../input/echo.ts';

/** The reason for refusing a card whose month is over. */
export const pastMonth = 'is a month past';

/** Throws PAY002 for a number that fails its check digit, and for an expiration that is not a month or is past. */
export function readCard(
  given: { readonly number: string; readonly expiration: string; readonly cvv: string },
  now: Date,
): Card {
  const number = toAsciiDigits(given.number);
  if (!/^\d+$/.test(number)) throw invalidCard('number', 'is not made of digits');
  if (!passesLuhn(number)) throw invalidCard('number', 'fails the Luhn check');
  const expiry = readExpiry(given.expiration);
  if (!expiry) throw invalidCard('expiration', 'is not a month as MM/YY');
  if (isExpired(expiry, now)) throw invalidCard('expiration', pastMonth);
  const { month, year } = expiry;
  const cvv = toAsciiDigits(given.cvv);
  return { number, expiration: writeExpiry(expiry), expiryMonth: month, expiryYear: year, cvv };
}

/** Messages show a code in groups, and keyboards type their own digits. Throws PAY002 for a code of blanks. */
export function readMemberCode(code: string): string {
  const read = readCode(code);
  if (read === '') throw invalidCard('code', 'is blank');
  return read;
}

/** Throws UPI001 for an id that is not `username@bankcode`. */
export function readUpiId(upiId: string): string {
  if (!/^[A-Za-z0-9._-]+@[A-Za-z0-9.-]+$/.test(upiId)) {
    const expectedFormat = 'username@bankcode';
    throw new GatewayError('INVALID_UPI_ID', `upiId must be of the form ${expectedFormat}`, {
      details: { upiId: hidden, expectedFormat },
    });
  }
  return upiId;
}

function invalidCard(field: string, reason: string): GatewayError {
  return new GatewayError('INVALID_CARD', `${field} ${reason}`, { details: { field, reason } });
}
