/** What A's messages share: repeatable calls, error answers, sums, and the mode. */
import {
  fieldNamed,
  jsonDigits,
  jsonPost,
  misconfigured,
  moneyFromMinor,
  nothingCharged,
  readJsonBody,
  refusedField,
  toMinor,
  unknown,
  v,
  type HttpReply,
  type HttpRequest,
  type InterfaceField,
  type Money,
  type Outcome,
} from '@paywright/contract';
import type { Options } from './options.ts';

/** `{ minor, cur }`: minor units are a JSON integer of at most 15 digits; `cur` is any text. */
export const Sum = v.object({ minor: jsonDigits(15), cur: v.pipe(v.string(), v.maxLength(1000)) });
export type Sum = v.InferOutput<typeof Sum>;

export function moneyOf({ minor, cur }: Sum): Money {
  return moneyFromMinor(minor, cur);
}

/** A sum as we send it. 15 digits fit into a double. */
export function toSum(money: Money): { minor: number; cur: string } {
  return { minor: Number(toMinor(money)), cur: money.currency };
}

export function isSum({ minor, cur }: Sum, money: Money): boolean {
  return cur === money.currency && minor === toMinor(money);
}

/** The mode of a message. Empty if the message names no mode. */
export function modeOf(mode: unknown): { mode?: 'live' | 'test' } {
  return mode === 'live' || mode === 'test' ? { mode } : {};
}

/** Whether a text is A's id of a payment: any 1 to 40 characters. */
export function isTxn(text: string): boolean {
  return text !== '' && Array.from(text).length <= 40;
}

/** A POST that may be repeated: A repeats its first answer for a known `Idempotency-Key`. */
export function post({ apiKey }: Options, path: string, idempotencyKey: string, body: unknown): HttpRequest {
  return jsonPost(path, body, { Accept: 'application/json', 'X-A-Key': apiKey, 'Idempotency-Key': idempotencyKey });
}

/** A text, or null for any other value. */
export const OptionalText = v.fallback(v.nullish(v.string()), null);

const ErrorBody = v.object({ error: v.object({ code: OptionalText, field: OptionalText, charged: OptionalText }) });

/** The members of an error answer. */
export function readError(reply: HttpReply): Partial<v.InferOutput<typeof ErrorBody>['error']> {
  return readJsonBody(ErrorBody, reply)?.error ?? {};
}

/** Fields by the names of A's members. */
const fieldsByName: Readonly<Record<string, InterfaceField>> = {
  name: 'name',
  holder: 'name',
  mail: 'email',
  phone: 'phoneNumber',
  street: 'address',
  city: 'city',
  region: 'state',
  zip: 'postalCode',
  land: 'country',
  'payer.ip': 'ipAddress',
  pan: 'number',
  expMonth: 'expiration',
  expYear: 'expiration',
  cvc: 'cvv',
  sum: 'amount',
  minor: 'amount',
  cur: 'unit',
  capture: 'captureDelayHours',
  delayHours: 'captureDelayHours',
  device: 'browserInfo',
  wallet: 'wallet',
};

/** The outcome of an error answer to any POST: certainly nothing charged, or unknown. */
export function errorOutcome(reply: HttpReply): Outcome {
  const { code, field, charged } = readError(reply);
  const named = `A answered ${reply.status}${code ? ` ${code}` : ''}${field ? ` (${field})` : ''}`;
  switch (`${reply.status} ${code}`) {
    case '401 NO_KEY':
      return misconfigured(`${named}: check apiKey and account`);
    case '400 UNREADABLE':
      return nothingCharged(named);
    case '422 INVALID':
      return refusedField(fieldNamed(fieldsByName, field ?? '') ?? 'body', named);
    default: {
      const isCertain = reply.status === 429 || (reply.status >= 500 && charged === 'no');
      return isCertain ? nothingCharged(named) : unknown(named);
    }
  }
}
