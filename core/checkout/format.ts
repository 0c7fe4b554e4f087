/** Formats numbers, dates and names in the payer's language. */
import type { Plural } from '../html/words/index.ts';

/** A count with its noun in the right plural form: `1 second`, `2 seconds`. */
export function showCount(locale: string, forms: Plural, count: number): string {
  const form = forms[new Intl.PluralRules(locale).select(count)] ?? forms.other;
  return form.replace('{count}', new Intl.NumberFormat(locale).format(count));
}

/** Formats a time to the minute in UTC, because the server does not know the payer's zone. */
export function showTime(locale: string, at: Date): string {
  return new Intl.DateTimeFormat(locale, {
    dateStyle: 'medium',
    timeStyle: 'short',
    timeZone: 'UTC',
  })
    .format(at)
    .concat(' UTC');
}

/** Names of coins. A coin without a name is shown by its code. */
const coins: Readonly<Record<string, string>> = {
  BTC: 'Bitcoin',
  ETH: 'Ether',
  LTC: 'Litecoin',
  BCH: 'Bitcoin Cash',
  DOGE: 'Dogecoin',
  XRP: 'XRP',
  XMR: 'Monero',
  SOL: 'Solana',
  TRX: 'Tron',
  USDT: 'Tether (USDT)',
  USDC: 'USD Coin (USDC)',
};

export function coinName(coin: string): string {
  return coins[coin] ?? coin;
}

/** Masks text that not everyone with the link may read: `r•••@client.example`. */
export function maskKnown(text: string): string {
  const at = text.lastIndexOf('@');
  if (at > 0) return `${maskWord(text.slice(0, at))}${text.slice(at)}`;
  return text.split(/\s+/).map(maskWord).join(' ');
}

/** Shows the end of a phone number, because its start says little. */
function maskWord(word: string): string {
  if (/^\+?\d{5,}$/.test(word)) return `•••${word.slice(-2)}`;
  const [first = ''] = Array.from(word);
  return `${first}•••`;
}
