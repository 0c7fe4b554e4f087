/** Numbers, dates and names as the payer's language writes them. */
import type { Plural } from '../html/words/index.ts';

/** A number of things, in the form that it has in the language: `1 second`, `2 seconds`. */
export function showCount(locale: string, forms: Plural, count: number): string {
  const form = forms[new Intl.PluralRules(locale).select(count)] ?? forms.other;
  return form.replace('{count}', new Intl.NumberFormat(locale).format(count));
}

/** To the minute and in UTC, as long as nobody knows where the payer is. */
export function showTime(locale: string, at: Date): string {
  return new Intl.DateTimeFormat(locale, {
    dateStyle: 'medium',
    timeStyle: 'short',
    timeZone: 'UTC',
  })
    .format(at)
    .concat(' UTC');
}

/** The names of coins that have one of their own; any other goes by its code. */
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

/** What a letter shows of a text that is not for everybody who has the link: `r•••@client.example`. */
export function masked(text: string): string {
  const at = text.lastIndexOf('@');
  if (at > 0) return `${maskWord(text.slice(0, at))}${text.slice(at)}`;
  return text.split(/\s+/).map(maskWord).join(' ');
}

/** Of a phone number its end: how it begins says little. */
function maskWord(word: string): string {
  if (/^\+?\d{5,}$/.test(word)) return `•••${word.slice(-2)}`;
  const [first = ''] = Array.from(word);
  return `${first}•••`;
}
