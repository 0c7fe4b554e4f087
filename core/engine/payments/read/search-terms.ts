/** What the text of an operator's search may mean: an id, a payer, an amount, a state in words, and so on. */
import {
  declineReasons,
  hasDecimals,
  isDecimal,
  paymentMethods,
  readReference,
  trimDecimal,
} from '@paywright/contract';
import type { DeclineCode, PaymentMethod } from '@paywright/contract';
import { declineText, methodTexts, problems, problemTexts, type Problem } from '../record/operator-words.ts';
import { emailKey, nameWords, phoneKey } from '../record/search-keys.ts';
import { allStatusLabels, type StatusLabel } from '../record/status-label.ts';

export interface WantedMoney {
  /** Decimal texts. More than one if a separator may be that of thousands or of decimals: `1,234`. */
  readonly amounts: readonly string[];
  /** Empty: any currency. */
  readonly units: readonly string[];
}

/** Every meaning that the text has. A text may have several, and is searched for in all of them. */
export interface SearchTerms {
  readonly id?: number;
  readonly lastFour?: string;
  readonly money?: WantedMoney;
  /** The beginnings of words of a name. */
  readonly words?: readonly string[];
  /** The beginning of an e-mail address. */
  readonly email?: string;
  /** The beginning of a phone key. */
  readonly phone?: string;
  readonly status?: StatusLabel;
  readonly method?: PaymentMethod;
  readonly problem?: Problem;
  readonly decline?: DeclineCode;
}

export function termsOf(given: string): SearchTerms {
  const text = given.trim();
  const id = idOf(text);
  const lastFour = /^[•*.…x\s]*(\d{4})$/iu.exec(text)?.[1];
  const money = readMoney(text);
  const phone = /^[\d\s+()./-]{6,30}$/.test(text) ? phoneKey(text) : undefined;
  const isReference = /^GW-\d/.test(text);
  const words = /\p{L}/u.test(text) && !text.includes('@') && !isReference ? nameWords(text) : [];
  // The beginning of an address, also without the part after the @.
  const email =
    /^[^\s@]{2,}(?:@[^\s@]*)?$/.test(text) && /\p{L}/u.test(text) && !isReference ? emailKey(text) : undefined;
  return {
    ...(id !== undefined && { id }),
    ...(lastFour !== undefined && { lastFour }),
    ...(money && { money }),
    ...(words.length > 0 && words.length <= 6 && words.some(isTelling) && { words }),
    ...(email !== undefined && { email }),
    ...(phone !== undefined && { phone }),
    ...statesOf(text),
  };
}

/** Limits of `partsOf`. Each part costs as many queries as it has meanings. */
const [maxWords, maxParts] = [10, 4];

/**
 * The parts of a text that says several things about a payment: `rossi 210`. Words that mean one thing together are one
 * part: `insufficient funds`, `25.90 EUR`. Empty: the text has only one part, or too many. `isName`: the words are the
 * name of something.
 */
export function partsOf(given: string, isName: (text: string) => boolean): readonly string[] {
  const words = given.trim().split(/\s+/);
  if (words.length > maxWords) return [];
  const parts: string[] = [];
  for (let at = 0; at < words.length;) {
    const sizes = words.slice(at).map((_, size) => words.length - at - size);
    const size = sizes.find((one) => one === 1 || isOnePart(words.slice(at, at + one).join(' '), isName)) ?? 1;
    parts.push(words.slice(at, at + size).join(' '));
    at += size;
  }
  return parts.length === 1 || parts.length > maxParts ? [] : parts;
}

function isOnePart(text: string, isName: (text: string) => boolean): boolean {
  const { units = [] } = readMoney(text) ?? {};
  return Object.keys(statesOf(text)).length > 0 || units.some(hasDecimals) || isName(text);
}

/** A single Latin letter is the beginning of too many names. */
function isTelling(word: string): boolean {
  return word.length > 1 || !/^[a-z0-9]$/.test(word);
}

function statesOf(text: string): Pick<SearchTerms, 'status' | 'method' | 'problem' | 'decline'> {
  const plain = plainText(text);
  const find = <T extends string>(known: readonly T[], textOf: (one: T) => string): T | undefined =>
    known.find((one) => plain === plainText(one) || plain === plainText(textOf(one)));
  const status = find(allStatusLabels, (one) => one);
  const method = find(Object.keys(paymentMethods) as PaymentMethod[], (one) => methodTexts[one]);
  const problem = find(problems, (one) => problemTexts[one]);
  const decline = find(Object.keys(declineReasons) as DeclineCode[], (one) => declineText(one) ?? one);
  return {
    ...(status && { status }),
    ...(method && { method }),
    ...(problem && { problem }),
    ...(decline && { decline }),
  };
}

/** `E-wallet`, `e_wallet` and `e wallet` are equal. */
export function plainText(text: string): string {
  return text
    .toLowerCase()
    .replaceAll(/[\s_-]+/g, ' ')
    .trim();
}

/** The payment request that an id or a reference of ours names. */
function idOf(text: string): number | undefined {
  const named = readReference(text.replace(/-[A-Z]\d+$/, ''))?.paymentRequestId ?? text;
  return /^[1-9]\d{0,15}$/.test(named) && Number.isSafeInteger(Number(named)) ? Number(named) : undefined;
}

/** Currencies of the signs that people type. A sign that many currencies share finds the common ones. */
const signs: Readonly<Record<string, readonly string[]>> = {
  '€': ['EUR'],
  '£': ['GBP'],
  '₹': ['INR'],
  $: ['USD', 'AUD', 'CAD', 'NZD', 'SGD', 'HKD', 'MXN', 'BRL'],
  '¥': ['JPY', 'CNY'],
};

const moneyForm = /^(?<before>[€£₹$¥]|[a-z]{3,5})?\s*(?<number>\d[\d.,'’\s]*)(?<after>[€£₹$¥]|[a-z]{3,5})?$/iu;

/** Reads an amount in the usual spellings: `25.90`, `25,90 EUR`, `€1.234,50`. Undefined if the text is none. */
export function readMoney(text: string): WantedMoney | undefined {
  const { before, number = '', after } = moneyForm.exec(text.trim())?.groups ?? {};
  if (before !== undefined && after !== undefined) return undefined;
  const amounts = amountsOf(number)
    .filter((one) => isDecimal(one))
    .map(trimDecimal);
  const sign = before ?? after;
  const units = sign === undefined ? [] : (signs[sign] ?? [sign.toUpperCase()]);
  return amounts.length === 0 ? undefined : { amounts: [...new Set(amounts)], units };
}

/** The decimal texts that a number may mean. */
function amountsOf(number: string): readonly string[] {
  const plain = number.replaceAll(/[\s'’]/g, '');
  const separators = plain.match(/[.,]/g) ?? [];
  if (/[.,]$/.test(plain)) return [];
  const last = Math.max(plain.lastIndexOf('.'), plain.lastIndexOf(','));
  if (last < 0) return [plain];
  const whole = plain.slice(0, last).replaceAll(/[.,]/g, '');
  const rest = plain.slice(last + 1);
  const isRepeated = separators.length > 1 && new Set(separators).size === 1;
  if (isRepeated) return [whole + rest];
  const asDecimal = `${whole}.${rest}`;
  return rest.length === 3 && separators.length === 1 && !whole.startsWith('0')
    ? [asDecimal, whole + rest]
    : [asDecimal];
}
