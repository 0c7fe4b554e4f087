/** Amounts, dates and names as the payer's language writes them. */
import { isCurrency, isDecimal } from '@gateway/contract';

/**
 * An amount digit for digit, with the decimals that it is spelled with: `25.90` EUR is `€25.90` in English. A unit that is
 * no currency stands behind the number.
 */
export function showAmount(locale: string, amount: string, unit: string): string {
  const digits = amount.split('.')[1]?.length ?? 0;
  const decimals = { minimumFractionDigits: digits, maximumFractionDigits: digits };
  if (!isExact(amount)) return `${amount} ${unit}`;
  if (!isCurrency(unit)) return `${new Intl.NumberFormat(locale, decimals).format(amount)} ${unit}`;
  return new Intl.NumberFormat(locale, { ...decimals, style: 'currency', currency: unit }).format(amount);
}

/** `Intl` takes decimal text exactly, without a detour by a double. */
function isExact(amount: string): amount is `${number}` {
  return isDecimal(amount);
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

function maskWord(word: string): string {
  const [first = ''] = Array.from(word);
  return `${first}•••`;
}
