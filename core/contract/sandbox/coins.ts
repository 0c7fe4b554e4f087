/** What the sandboxes of coin providers share: one rate for every currency, and how much of what they ask is paid. */
import { multiplyDecimals } from '../money/money.ts';
import { newId } from './memory.ts';

const DECIMALS = 8;
/** 1 coin is 62500 of any currency. */
const COINS_PER_UNIT = '0.000016';

/** What an amount in major units costs in coins, with 8 decimals. */
export function toCoins(amount: string): string {
  return shareOfCoins(amount, COINS_PER_UNIT);
}

/** A share of a sum (`0.6`, `1.25`), rounded half up to 8 decimals and spelled with all of them. */
export function shareOfCoins(sum: string, share: string): string {
  const [whole = '0', fraction = ''] = multiplyDecimals(sum, share, DECIMALS).split('.');
  return `${whole}.${fraction.padEnd(DECIMALS, '0')}`;
}

/** A random address that nobody owns, in the form of Bitcoin's. */
export function newCoinAddress(): string {
  return newId('bc1q', 38).toLowerCase();
}
