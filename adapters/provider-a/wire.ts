/** What A's messages have in common: calls that may be repeated, error answers, sums, the side that they belong to. */
import {
  jsonDigits,
  jsonPost,
  misconfigured,
  moneyFromMinor,
  nothingCharged,
  readJsonBody,
  toMinor,
  unknown,
  v,
  type HttpReply,
  type HttpRequest,
  type Money,
  type Outcome,
} from '@paywright/contract';
import type { Options } from './options.ts';

/** `{ minor, cur }`: minor units as a JSON integer of at most 15 digits; `cur` is any text. */
export const Sum = v.object({ minor: jsonDigits(15), cur: v.string() });
export type Sum = v.InferOutput<typeof Sum>;

export function moneyOf({ minor, cur }: Sum): Money {
  return moneyFromMinor(minor, cur);
}

/** As we write it: 15 digits fit into a double. */
export function toSum(money: Money): { minor: number; cur: string } {
  return { minor: Number(toMinor(money)), cur: money.currency };
}

export function isSum({ minor, cur }: Sum, money: Money): boolean {
  return cur === money.currency && minor === toMinor(money);
}

/** Which side a message says that it belongs to; nothing where it names neither. */
export function modeOf(mode: unknown): { mode?: 'live' | 'test' } {
  return mode === 'live' || mode === 'test' ? { mode } : {};
}

/** A's id of a payment: 1 to 40 characters, any. */
export function isTxn(text: string): boolean {
  return text !== '' && Array.from(text).length <= 40;
}

/** A POST that may be repeated: A answers a known `Idempotency-Key` with what it answered before. */
export function post({ apiKey }: Options, path: string, idempotencyKey: string, body: unknown): HttpRequest {
  return jsonPost(path, body, { Accept: 'application/json', 'X-A-Key': apiKey, 'Idempotency-Key': idempotencyKey });
}

/** A text, or null for anything else. */
export const OptionalText = v.fallback(v.nullish(v.string()), null);

const ErrorBody = v.object({ error: v.object({ code: OptionalText, field: OptionalText, charged: OptionalText }) });

/** What an error answer says. */
export function readError(reply: HttpReply): Partial<v.InferOutput<typeof ErrorBody>['error']> {
  return readJsonBody(ErrorBody, reply)?.error ?? {};
}

/** What an error answer of any POST means: certainly nothing moved, or unknown. */
export function errorOutcome(reply: HttpReply): Outcome {
  const { code, field, charged } = readError(reply);
  const named = `A answered ${reply.status}${code ? ` ${code}` : ''}${field ? ` (${field})` : ''}`;
  switch (`${reply.status} ${code}`) {
    case '401 NO_KEY':
      return misconfigured(`${named}: check apiKey and account`);
    case '400 UNREADABLE':
    case '422 INVALID':
      return nothingCharged(named);
    default: {
      const isCertain = reply.status === 429 || (reply.status >= 500 && charged === 'no');
      return isCertain ? nothingCharged(named) : unknown(named);
    }
  }
}
