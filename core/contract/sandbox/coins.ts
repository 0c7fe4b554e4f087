/** Helpers for the sandboxes of coin providers: one rate for every currency, and the share of a price that is paid. */
import { multiplyDecimals } from '../money/money.ts';
import { newId } from './memory.ts';
import type { AmountRule } from './test-cards.ts';

const DECIMALS = 8;
/** 1 coin is 62500 of any currency. */
const COINS_PER_UNIT = '0.000016';

/** The price in coins of an amount in major units, with 8 decimals. */
export function toCoins(amount: string): string {
  return shareOfCoins(amount, COINS_PER_UNIT);
}

/** A share of a sum (`0.6`, `1.25`), rounded half up and written with 8 decimals. */
export function shareOfCoins(sum: string, share: string): string {
  const [whole = '0', fraction = ''] = multiplyDecimals(sum, share, DECIMALS).split('.');
  return `${whole}.${fraction.padEnd(DECIMALS, '0')}`;
}

/** A random address without an owner, in the form of a Bitcoin address. */
export function newCoinAddress(): string {
  return newId('bc1q', 38).toLowerCase();
}

/** An action of a payer who pays with coins: the whole price, a part, too much, too late, not at all, or invalidly. */
export type CoinAction = 'pay' | 'part' | 'over' | 'late' | 'expire' | 'invalid';

const actionByRule: { readonly [R in AmountRule]?: CoinAction } = {
  '.60': 'part',
  '.61': 'over',
  '.62': 'late',
  '.63': 'expire',
  '.64': 'invalid',
};

/** The action that the sandbox plays if the tester does nothing. */
export function coinActionOf(rule: AmountRule | undefined): CoinAction {
  return (rule && actionByRule[rule]) ?? 'pay';
}
