/** Names of the ways to pay as payers know them: `Card`, `PayPal`, `iDEAL, PayPal and more`. */
import type { PayerWay, WayLook } from '../../engine/payments/types/pay-page.ts';
import type { Speech } from '../../html/words/index.ts';
import { coinName } from '../format.ts';

export type NamedWay = Pick<PayerWay, 'method' | 'coin'> & WayLook;

export function nameOfWay({ words, language }: Speech, { method, coin, title, names, brands = [] }: NamedWay): string {
  const { ways } = words;
  switch (method) {
    case 'card':
    case 'card_token':
    case 'wallet_card':
      return ways.card;
    case 'upi_intent':
    case 'upi_qr':
    case 'upi_collect':
      return ways[method];
    case 'crypto':
      if (coin !== null) return coinName(coin);
      break;
    case 'ewallet_redirect':
    case 'hosted_page':
      break;
  }
  const own = names?.[language] ?? names?.[''];
  if (own !== undefined) return own;
  const [first, second] = brands.map(({ name }) => name);
  if (first === undefined) return method === 'crypto' ? words.anyCoin : title;
  if (second === undefined) return first;
  return brands.length === 2 ? words.eitherBrand(first, second) : words.brandsAndMore(first, second);
}

/** The name of one way in a list. Two ways of the same name are told apart by their providers. */
export function nameAmong(speech: Speech, way: PayerWay, all: readonly PayerWay[]): string {
  const name = nameOfWay(speech, way);
  // A coin belongs to no provider: the route rules choose one.
  const isAlone = all.every((other) => other.id === way.id || nameOfWay(speech, other) !== name);
  return isAlone || way.adapter === null ? name : `${name} (${way.title})`;
}
