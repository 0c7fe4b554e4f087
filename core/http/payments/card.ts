/** Checks whether a card or a UPI id can be charged at all. */
import type { Card } from '@paywright/contract';
import { GatewayError } from '../../base/errors.ts';
import { passesLuhn } from '../input/card-numbers.ts';
import { hidden } from '../input/echo.ts';

/** The reason for refusing a card whose month is over. */
export const pastMonth = 'is a month past';

/** Throws PAY002 for a number that fails its check digit, and for an expiration that is not a month or is past. */
export function readCard(
  { number, expiration, cvv }: { readonly number: string; readonly expiration: string; readonly cvv: string },
  now: Date,
): Card {
  if (!/^\d+$/.test(number)) throw invalidCard('number', 'is not made of digits');
  if (!passesLuhn(number)) throw invalidCard('number', 'fails the Luhn check');
  const [, month = '', year = ''] = /^(0[1-9]|1[0-2])\/(\d\d)$/.exec(expiration) ?? [];
  if (!month) throw invalidCard('expiration', 'is not a month as MM/YY');
  // The card is valid until the end of its month in UTC.
  if (Date.UTC(2000 + Number(year), Number(month)) <= now.getTime()) {
    throw invalidCard('expiration', pastMonth);
  }
  return { number, expiration, expiryMonth: month, expiryYear: `20${year}`, cvv };
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
