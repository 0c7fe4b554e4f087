/** Stripe's format: forms with nested parameters, amounts that sometimes differ from ISO 4217, and error answers. */
import {
  decimalsOf,
  errorAnswers,
  fieldNamed,
  fitsCurrency,
  formPost,
  jsonDigits,
  lenient,
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

/** The API version that requests name. The webhook must be created for the same version. */
export const API_VERSION = '2026-08-26.dahlia';

/** Parameters in the nesting of Stripe's reference. An undefined parameter is left out. */
export type Params = { readonly [name: string]: Param };
type Param = string | undefined | Params | readonly Param[];

/** Encodes nested parameters as a form: `metadata[order]`, `expand[0]`. */
export function toFields(params: Params): Record<string, string> {
  const fields: Record<string, string> = {};
  const add = (name: string, value: Param): void => {
    if (value === undefined) return;
    if (typeof value === 'string') fields[name] = value;
    else for (const [inner, part] of Object.entries(value)) add(`${name}[${inner}]`, part);
  };
  for (const [name, value] of Object.entries(params)) add(name, value);
  return fields;
}

function headersOf({ secretKey }: Options): Record<string, string> {
  return { Authorization: `Bearer ${secretKey}`, 'Stripe-Version': API_VERSION };
}

export function get(options: Options, path: string, params: Params = {}): HttpRequest {
  const query = new URLSearchParams(toFields(params)).toString();
  return { method: 'GET', path: query ? `${path}?${query}` : path, headers: headersOf(options) };
}

/** Builds a POST. With a key, Stripe answers a repetition of the same parameters with its first answer. */
export function post(options: Options, path: string, params: Params, key?: string): HttpRequest {
  const { headers, ...request } = formPost(path, toFields(params));
  const named = key === undefined ? {} : { 'Idempotency-Key': key };
  return { ...request, headers: { ...headers, ...headersOf(options), ...named } };
}

/** The longest e-mail address that Stripe accepts. */
export const MAX_EMAIL = 512;

/** Maximum digits of an amount. Stripe itself refuses amounts above a lower limit of a currency or card. */
export const MAX_DIGITS = 12;

export const Digits = jsonDigits(15);

/** Exceptions to ISO 4217: ISK and UGX count in hundredths that are always 00; MGA has no decimals. */
const ownDecimals: Readonly<Record<string, number>> = { ISK: 2, UGX: 2, MGA: 0 };
/** Currencies with three decimals, of which the last is always 0. */
const MOST_DECIMALS = 2;

function stripeDecimals(currency: string): number {
  return Object.hasOwn(ownDecimals, currency) ? ownDecimals[currency]! : decimalsOf(currency);
}

/** The amount in Stripe's digits; undefined if Stripe cannot represent it. */
export function toStripeAmount(money: Money): string | undefined {
  if (!fitsCurrency(money)) return undefined;
  const decimals = stripeDecimals(money.currency);
  const [whole = '0', fraction = ''] = trimDecimal(money.amount).split('.');
  if (fraction.length > Math.min(decimals, MOST_DECIMALS)) return undefined;
  const digits = (whole + fraction.padEnd(decimals, '0')).replace(/^0+(?=\d)/, '');
  return digits.length <= MAX_DIGITS ? digits : undefined;
}

/** Reads money of a message: digits, and a currency in lower case. */
export function fromStripeAmount(digits: string, currency: string): Money {
  const code = currency.toUpperCase();
  return { amount: shiftDecimal(digits, stripeDecimals(code), code), currency: code };
}

/** The reason why Stripe cannot charge the amount; undefined if it can. */
export function refuseAmount(money: Money): string | undefined {
  if (toStripeAmount(money) !== undefined) return undefined;
  const decimals = Math.min(stripeDecimals(money.currency), MOST_DECIMALS);
  return `an amount of at most ${MAX_DIGITS} digits in Stripe’s smallest unit and ${decimals} decimals`;
}

const OptionalText = lenient(v.nullable(v.string()));

/** Describes a failure, in an error answer and as `last_payment_error`. */
export const Failure = v.object({
  type: v.string(),
  code: OptionalText,
  decline_code: OptionalText,
  message: OptionalText,
  param: OptionalText,
});
export type Failure = v.InferOutput<typeof Failure>;

/** `payment_intent` is present if the request was about one. It shows the state after the failure. */
const ErrorBody = v.object({
  error: v.object({ ...Failure.entries, payment_intent: lenient(v.nullable(v.looseObject({ status: v.string() }))) }),
});

export function failureOf(reply: HttpReply): v.InferOutput<typeof ErrorBody>['error'] | undefined {
  return readJsonBody(ErrorBody, reply)?.error;
}

/** States of a PaymentIntent in which no money has moved and none is about to move. */
const unmoved = new Set(['requires_payment_method', 'requires_confirmation', 'canceled']);

/** An invalid request is refused before any charge, unless it shows a payment that is still in progress. */
function isRefused(reply: HttpReply): boolean {
  const failure = failureOf(reply);
  if (failure?.type !== 'invalid_request_error' || ![400, 402, 403, 404].includes(reply.status)) return false;
  return !failure.payment_intent || unmoved.has(failure.payment_intent.status);
}

/** Fields by the names of Stripe's parameters. */
const fieldsByName: Readonly<Record<string, InterfaceField>> = {
  'billing_details[address]': 'address',
  name: 'name',
  email: 'email',
  customer_email: 'email',
  phone: 'phoneNumber',
  line1: 'address',
  city: 'city',
  state: 'state',
  postal_code: 'postalCode',
  country: 'country',
  number: 'number',
  exp_month: 'expiration',
  exp_year: 'expiration',
  cvc: 'cvv',
  payment_method: 'token',
  amount: 'amount',
  unit_amount: 'amount',
  currency: 'unit',
};

/** An invalid request that names a parameter. */
function refusedFieldOf(reply: HttpReply): InterfaceField | undefined {
  const param = isRefused(reply) ? failureOf(reply)?.param : undefined;
  return param ? (fieldNamed(fieldsByName, param) ?? 'body') : undefined;
}

/** Codes of a card whose data cannot be right at any bank. Stripe asks none. */
export const invalidCard: Readonly<Record<string, InterfaceField>> = {
  invalid_number: 'number',
  invalid_expiry_month: 'expiration',
  invalid_expiry_year: 'expiration',
  invalid_cvc: 'cvv',
};

const accountValidation = 'validation_error of the account';

/**
 * 409 and 429 `lock_timeout` mean that an earlier request is in progress; 400 `idempotency_error` means that there was
 * one.
 */
export const errors = errorAnswers({
  provider: 'Stripe',
  codeOf(reply) {
    const { code, type, param } = failureOf(reply) ?? {};
    // Without a parameter, Stripe's validation is about the account, for example its telephone number.
    return code === 'validation_error' && !param ? accountValidation : (code ?? type);
  },
  nothingCharged: ['429 rate_limit'],
  misconfigured: {
    '400 secret_key_required': 'secretKey',
    '400 testmode_charges_only': 'the account: Stripe has not activated it for live payments',
    '403 testmode_charges_only': 'the account: Stripe has not activated it for live payments',
    '401 invalid_request_error': 'secretKey',
    '401 api_key_expired': 'secretKey',
    [`400 ${accountValidation}`]: 'the account: its Stripe Dashboard says what has to be verified',
    '400 livemode_mismatch': 'secretKey: its mode',
    '400 account_invalid': 'the account',
    '400 payment_method_unactivated': 'the account: the payment method is not activated',
    '403 invalid_request_error': 'the permissions of secretKey',
  },
  refusedField: refusedFieldOf,
  saysNothingCharged: isRefused,
});
