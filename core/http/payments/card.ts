/** What makes a card or a UPI id one that can be charged at all. */
import type { Card } from '@paywright/contract';
import { GatewayError } from '../../base/errors.ts';
import { passesLuhn } from '../input/card-numbers.ts';
import { hidden } from '../input/echo.ts';

/** Why a card is refused whose month is over. */
export const pastMonth = 'is a month past';

/** Throws PAY002 on a number that fails its check digit and on an expiration that is no month or is past. */
export function readCard(
  { number, expiration, cvv }: { readonly number: string; readonly expiration: string; readonly cvv: string },
  now: Date,
): Card {
  if (!/^\d+$/.test(number)) throw invalidCard('number', 'is not made of digits');
  if (!passesLuhn(number)) throw invalidCard('number', 'fails the Luhn check');
  const [, month = '', year = ''] = /^(0[1-9]|1[0-2])\/(\d\d)$/.exec(expiration) ?? [];
  if (!month) throw invalidCard('expiration', 'is not a month as MM/YY');
  // The card is good until its month ends, by UTC.
  if (Date.UTC(2000 + Number(year), Number(month)) <= now.getTime()) {
    throw invalidCard('expiration', pastMonth);
  }
  return { number, expiration, expiryMonth: month, expiryYear: `20${year}`, cvv };
}

/** Throws UPI001 on what is not `username@bankcode`. */
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
