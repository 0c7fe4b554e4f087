/** Common parts of Adyen's messages: amounts, our references, requests that may be repeated, error answers. */
import {
  decimalsOf,
  errorAnswers,
  fieldNamed,
  jsonDigits,
  jsonPost,
  readAs,
  readJsonBody,
  shiftDecimal,
  trimDecimal,
  v,
  type HttpReply,
  type HttpRequest,
  type InterfaceField,
  type Money,
} from '@paywright/contract';
import type { Options } from './options.ts';

/** Currencies for which Adyen's decimals differ from ISO 4217. */
const ownDecimals: ReadonlyMap<string, number> = new Map([
  ['CLP', 2],
  ['CVE', 0],
  ['IDR', 0],
  ['ISK', 2],
]);

/** Maximum digits. Fits into a double in every currency, including those with two decimals more than ISO 4217. */
export const MAX_MINOR_DIGITS = 13;

export const Amount = v.object({ value: jsonDigits(15), currency: v.string() });
export type Amount = v.InferOutput<typeof Amount>;

const placesOf = (currency: string): number => ownDecimals.get(currency) ?? decimalsOf(currency);

/** Converts to Adyen's minor units; undefined if Adyen has fewer decimals than the amount. */
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

/** The money of a webhook; null if it names none, or not in Adyen's form. */
export function readAmount({ value, currency }: Amount): Money | { readonly amount: null; readonly currency: null } {
  const isRead = /^(0|[1-9]\d{0,14})$/.test(value) && /^[A-Z]{3}$/.test(currency);
  return isRead ? toMoney({ value, currency }) : { amount: null, currency: null };
}

export function isAmount({ value, currency }: Amount, money: Money): boolean {
  return currency === money.currency && value === String(toAmount(money)?.value);
}

/** The reason why Adyen cannot charge the amount; undefined if it can. */
export function refuseAmount(money: Money): string | undefined {
  return toAmount(money) ? undefined : tooFine(money);
}

/** The reason why an amount cannot be sent. */
export function tooFine({ currency }: Money): string {
  return `Adyen counts ${currency} with ${placesOf(currency)} decimals`;
}

/**
 * Suffix of our reference at Adyen if the money is only reserved at first. Webhooks sign the reference, and no other
 * member could carry this fact.
 */
const HELD = '-H';
const ourReference = /^(GW-[1-9]\d*-[1-9]\d*)(-H)?(?:-[RCV]\d*)?$/;

export function writeReference(reference: string, isHeld: boolean): string {
  return isHeld ? reference + HELD : reference;
}

/**
 * Our reference of the attempt in a message of Adyen, also if the message names a refund or a capture. Undefined if
 * there is none.
 */
export function readReference(text: string): { readonly reference: string; readonly isHeld: boolean } | undefined {
  const match = ourReference.exec(text);
  return match ? { reference: match[1]!, isHeld: match[2] !== undefined } : undefined;
}

/** Builds a POST that may be repeated: Adyen answers a known `Idempotency-Key` with its first answer. */
export function post({ apiKey }: Options, path: string, idempotencyKey: string, body: unknown): HttpRequest {
  return jsonPost(path, body, { 'X-API-Key': apiKey, 'Idempotency-Key': idempotencyKey });
}

const Failure = v.object({
  errorCode: v.fallback(v.optional(v.string()), undefined),
  errorType: v.fallback(v.optional(v.string()), undefined),
  message: v.fallback(v.optional(v.string()), undefined),
});

/** The members of an error answer. */
function readFailure(reply: HttpReply): v.InferOutput<typeof Failure> {
  return readJsonBody(Failure, reply) ?? {};
}

/** The first request with this key is still in progress, or was. The answer does not say how it ended. */
const IN_PROGRESS = '704';
const beforeProcessing: ReadonlySet<string | undefined> = new Set(['validation', 'security']);

/** Fields by the error codes of Adyen's documentation. */
const fieldsByCode: Readonly<Record<string, InterfaceField>> = {
  '101': 'number',
  '102': 'number',
  '103': 'cvv',
  '104': 'address',
  '117': 'address',
  '119': 'name',
  '120': 'email',
  '122': 'phoneNumber',
  '123': 'phoneNumber',
  '124': 'phoneNumber',
  '128': 'name',
  '129': 'expiration',
  '131': 'city',
  '132': 'address',
  '133': 'address',
  '134': 'country',
  '135': 'state',
  '137': 'amount',
  '138': 'unit',
  '140': 'expiration',
  '141': 'expiration',
  '153': 'cvv',
};

/** Fields by the names of Adyen's members: `Field 'countryCode' is not valid.` */
const fieldsByName: Readonly<Record<string, InterfaceField>> = {
  'amount.currency': 'unit',
  amount: 'amount',
  value: 'amount',
  currency: 'unit',
  number: 'number',
  expiryMonth: 'expiration',
  expiryYear: 'expiration',
  cvc: 'cvv',
  holderName: 'name',
  shopperEmail: 'email',
  telephoneNumber: 'phoneNumber',
  shopperIP: 'ipAddress',
  countryCode: 'country',
  street: 'address',
  houseNumberOrName: 'address',
  city: 'city',
  postalCode: 'postalCode',
  stateOrProvince: 'state',
  country: 'country',
  billingAddress: 'address',
  browserInfo: 'browserInfo',
  captureDelayHours: 'captureDelayHours',
};

/** The field that a validation names by its code, or by a member in its message. */
function refusedFieldOf(reply: HttpReply, code: string): InterfaceField | undefined {
  const { errorType, message = '' } = readFailure(reply);
  if (reply.status !== 422 || errorType !== 'validation' || code === IN_PROGRESS) return undefined;
  if (Object.hasOwn(fieldsByCode, code)) return fieldsByCode[code];
  const [, name] = /'([A-Za-z.]{1,60})'/.exec(message) ?? [];
  if (name === undefined) return 'body';
  return fieldNamed(fieldsByName, name) ?? 'body';
}

export const errors = errorAnswers({
  provider: 'Adyen',
  codeOf: (reply) => readFailure(reply).errorCode,
  nothingCharged: [],
  misconfigured: {
    '401 000': 'apiKey: test and live have separate keys',
    '403 010': 'the roles of apiKey in the Customer Area, and that it belongs to merchantAccount',
    '403 901': 'merchantAccount',
    '422 901': 'merchantAccount',
  },
  // Also with the status 500: no acquirer account for the brand, the currency or the request. No acquirer saw it.
  saysMisconfigured(reply) {
    const { errorCode, errorType } = readFailure(reply);
    const isOurs = errorType === 'configuration' && errorCode !== undefined && errorCode !== IN_PROGRESS;
    return isOurs ? 'which card brands, currencies and requests merchantAccount has an acquirer for' : undefined;
  },
  refusedField: refusedFieldOf,
  saysNothingCharged(reply) {
    const { errorCode, errorType } = readFailure(reply);
    const isRefused = reply.status >= 400 && reply.status < 500 && errorCode !== IN_PROGRESS;
    return isRefused && beforeProcessing.has(errorType);
  },
});

/** A member of a message that maps names to strings; empty for any other value. */
export function textsOf(value: unknown): Readonly<Record<string, string>> {
  const pairs = Object.entries(readAs(v.record(v.string(), v.unknown()), value) ?? {});
  return Object.fromEntries(pairs.filter((pair): pair is [string, string] => typeof pair[1] === 'string'));
}
