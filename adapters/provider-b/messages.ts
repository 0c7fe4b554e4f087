/** What B's messages have in common: the control, the answers' text, the forms of values. */
import {
  decimalsOf,
  formatAmount,
  hash,
  isCurrency,
  isDecimal,
  readPairs,
  uniquePairs,
  utf8,
  writeForm,
  type HttpReply,
  type HttpRequest,
} from '@gateway/contract';
import type { Options } from './options.ts';

/** SHA-1 over the values one after the other, without separator, then the key: a request's control, a callback's check. */
export function controlOf(key: string, ...values: readonly string[]): Buffer {
  return hash('sha1', ...values, key);
}

/** A call with its fields, and a control over those values of them that B names for it. */
export function toCall(
  { endpoint, controlKeys }: Options,
  call: 'sale' | 'status' | 'confirm' | 'return',
  fields: Readonly<Record<string, string | undefined>>,
  signed: readonly string[],
): HttpRequest {
  const control = controlOf(controlKeys[0]!, ...signed).toString('hex');
  return {
    method: 'POST',
    path: `/api/${call}/${endpoint}`,
    headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
    body: writeForm({ ...fields, control }),
  };
}

export type Answer = ReadonlyMap<string, string>;

/** An answer read whole; undefined where it does not end in `end=1`, repeats a name, or cannot be decoded. */
export function readAnswer({ status, body }: HttpReply): Answer | undefined {
  const pairs = status === 200 ? splitAnswer(utf8(body) ?? '') : undefined;
  const [name, value] = pairs?.at(-1) ?? [];
  return pairs && name === 'end' && value === '1' ? uniquePairs(pairs) : undefined;
}

/** B writes a line feed after each pair; what stands around a pair is no part of it. */
function splitAnswer(text: string): ReturnType<typeof readPairs> {
  const pairs = text.split('&').map((pair) => pair.replace(/^[ \r\n]+|[ \r\n]+$/g, ''));
  return readPairs(pairs.join('&'));
}

/** An answer that names our reference, or none, as problems do; undefined where it is about another payment. */
export function readAnswerAbout(reply: HttpReply, reference: string): Answer | undefined {
  const answer = readAnswer(reply);
  return answer && (answer.get('gw_ref') ?? reference) === reference ? answer : undefined;
}

/** B's id of a sale: a text, for it may exceed 2^53 and begin with zeros. */
export function isTxn(text: string | undefined): text is string {
  return text !== undefined && /^[0-9]{1,20}$/.test(text);
}

/** Outcomes and operations. */
export function isWord(text: string | undefined): text is string {
  return text !== undefined && /^[a-z_]{1,20}$/.test(text);
}

/** The number of an operation without leading zeros; undefined for what is none. */
export function readOperation(text: string | undefined): string | undefined {
  return text !== undefined && /^[0-9]{1,6}$/.test(text) ? String(Number(text)) : undefined;
}

/** An amount in major units, spelled as its currency is. */
export interface Total {
  readonly amount: string;
  readonly currency: string;
}

/** B may leave out trailing zeros. Undefined where a form is wrong, or more decimals stand there than the currency has. */
export function readTotal(total: string | undefined, currency: string | undefined): Total | undefined {
  if (total === undefined || currency === undefined) return undefined;
  if (!/^[A-Z]{3}$/.test(currency) || !isDecimal(total)) return undefined;
  if (!isCurrency(currency)) return { amount: total, currency };
  const decimals = total.split('.')[1]?.length ?? 0;
  return decimals > decimalsOf(currency) ? undefined : { amount: formatAmount({ amount: total, currency }), currency };
}
