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

/** The form of a deadline: the year only if it is not this one. */
export function deadlineForm(at: Date, now: Date): Intl.DateTimeFormatOptions {
  const isThisYear = at.getUTCFullYear() === now.getUTCFullYear();
  return {
    ...(!isThisYear && { year: 'numeric' }),
    month: 'short',
    day: 'numeric',
    hour: 'numeric',
    minute: '2-digit',
  };
}

/** Formats a deadline to the minute in UTC. */
export function showDeadline(locale: string, at: Date, now: Date): string {
  const format = new Intl.DateTimeFormat(locale, { ...deadlineForm(at, now), timeZone: 'UTC' });
  return `${format.format(at)} UTC`;
}

/** Names of networks as payers know them. A network that is not listed is shown as its adapter names it. */
const networks: Readonly<Record<string, string>> = {
  bitcoin: 'Bitcoin',
  btc: 'Bitcoin',
  lightning: 'Lightning',
  litecoin: 'Litecoin',
  ethereum: 'Ethereum',
  eth: 'Ethereum',
  erc20: 'Ethereum (ERC-20)',
  tron: 'TRON',
  trc20: 'TRON (TRC-20)',
  polygon: 'Polygon',
  solana: 'Solana',
  bsc: 'BNB Smart Chain',
  bep20: 'BNB Smart Chain (BEP-20)',
  base: 'Base',
  arbitrum: 'Arbitrum One',
  optimism: 'OP Mainnet',
  dogecoin: 'Dogecoin',
  monero: 'Monero',
};

export function networkName(network: string): string {
  const name = network.toLowerCase().replaceAll(/[\s_-]/g, '');
  return Object.hasOwn(networks, name) ? (networks[name] ?? network) : network;
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
