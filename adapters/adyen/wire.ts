/** What Adyen's messages have in common: amounts, our references, calls that may be repeated, error answers. */
import {
  decimalsOf,
  errorAnswers,
  jsonDigits,
  jsonPost,
  readAs,
  readJsonBody,
  shiftDecimal,
  trimDecimal,
  v,
  type HttpReply,
  type HttpRequest,
  type Money,
} from '@paywright/contract';
import type { Options } from './options.ts';

/** Adyen's decimals where they are not those of ISO 4217. */
const ownDecimals: ReadonlyMap<string, number> = new Map([
  ['CLP', 2],
  ['CVE', 0],
  ['IDR', 0],
  ['ISK', 2],
]);

/** Fits into a double in every currency, also where Adyen has two decimals more than ISO 4217. */
export const MAX_MINOR_DIGITS = 13;

export const Amount = v.object({ value: jsonDigits(15), currency: v.string() });
export type Amount = v.InferOutput<typeof Amount>;

const placesOf = (currency: string): number => ownDecimals.get(currency) ?? decimalsOf(currency);

/** In Adyen's minor units; undefined where it has fewer decimals than the amount. */
export function toAmount({
  amount,
  currency,
}: Money): { readonly value: number; readonly currency: string } | undefined {
  const [whole = '0', fraction = ''] = trimDecimal(amount).split('.');
  const places = placesOf(currency);
  if (fraction.length > places) return undefined;
  return { value: Number(whole + fraction.padEnd(places, '0')), currency };
}

export function toMoney({ value, currency }: Amount): Money {
  return { amount: shiftDecimal(value, placesOf(currency), currency), currency };
}

export function isAmount({ value, currency }: Amount, money: Money): boolean {
  return currency === money.currency && value === String(toAmount(money)?.value);
}

/** Why an amount cannot be asked for. */
export function tooFine({ currency }: Money): string {
  return `Adyen counts ${currency} with ${placesOf(currency)} decimals`;
}

/** Behind our reference in Adyen's hands: the money is only reserved at first. Webhooks sign it, as nothing else of it. */
const HELD = '-H';
const ourReference = /^(GW-[1-9]\d*-[1-9]\d*)(-H)?(?:-[RCV]\d*)?$/;

export function writeReference(reference: string, isHeld: boolean): string {
  return isHeld ? reference + HELD : reference;
}

/** Our reference of the attempt in one of Adyen's messages, also where it names a refund or a capture; undefined: none. */
export function readReference(text: string): { readonly reference: string; readonly isHeld: boolean } | undefined {
  const match = ourReference.exec(text);
  return match ? { reference: match[1]!, isHeld: match[2] !== undefined } : undefined;
}

/** A POST that may be repeated: Adyen answers a known `Idempotency-Key` with what it answered before. */
export function post({ apiKey }: Options, path: string, idempotencyKey: string, body: unknown): HttpRequest {
  return jsonPost(path, body, { 'X-API-Key': apiKey, 'Idempotency-Key': idempotencyKey });
}

const Failure = v.object({
  errorCode: v.fallback(v.optional(v.string()), undefined),
  errorType: v.fallback(v.optional(v.string()), undefined),
});

/** What an error answer says of itself. */
function readFailure(reply: HttpReply): v.InferOutput<typeof Failure> {
  return readJsonBody(Failure, reply) ?? {};
}

/** The first request under the key is still being answered, or was: nothing is said of what came of it. */
const IN_PROGRESS = '704';
const beforeProcessing: ReadonlySet<string | undefined> = new Set(['validation', 'security', 'configuration']);

export const errors = errorAnswers({
  provider: 'Adyen',
  codeOf: (reply) => readFailure(reply).errorCode,
  nothingCharged: [],
  misconfigured: {
    '401 000': 'apiKey: test and live have one each',
    '403 010': 'the roles of apiKey in the Customer Area, and that it belongs to merchantAccount',
    '403 901': 'merchantAccount',
    '422 901': 'merchantAccount',
  },
  saysNothingCharged(reply) {
    const { errorCode, errorType } = readFailure(reply);
    const isRefused = reply.status >= 400 && reply.status < 500 && errorCode !== IN_PROGRESS;
    return isRefused && beforeProcessing.has(errorType);
  },
});

/** A member of a message that holds texts by name; empty for anything else. */
export function textsOf(value: unknown): Readonly<Record<string, string>> {
  const pairs = Object.entries(readAs(v.record(v.string(), v.unknown()), value) ?? {});
  return Object.fromEntries(pairs.filter((pair): pair is [string, string] => typeof pair[1] === 'string'));
}
