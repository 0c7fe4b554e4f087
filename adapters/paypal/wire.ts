/** Calls to PayPal with an access token, its amounts, and the meaning of its error answers. */
import {
  clientCredentials,
  errorAnswers,
  fieldNamed,
  filled,
  fitsCurrency,
  formatAmount,
  jsonPost,
  lenient,
  oauthToken,
  readJsonBody,
  readMoney,
  trimDecimal,
  v,
  type HttpReply,
  type HttpRequest,
  type InterfaceField,
  type Money,
} from '@paywright/contract';
import type { Context, Options } from './options.ts';
import { declines } from './statuses.ts';

export function get(path: string): HttpRequest {
  return { method: 'GET', path };
}

/** A POST whose answer shows the complete object. PayPal answers a repetition with the same id as the first request. */
export function post(path: string, message: object, requestId: string): HttpRequest {
  return jsonPost(path, message, { Prefer: 'return=representation', 'PayPal-Request-Id': requestId });
}

const token = oauthToken<Options>({
  provider: 'PayPal',
  account: ({ clientId }) => clientId,
  credentials: 'clientId and clientSecret',
  request: ({ options: { clientId, clientSecret } }) =>
    clientCredentials('/v1/oauth2/token', { id: clientId, secret: clientSecret }),
});

/** Sends a request with an access token. */
export const send = (ctx: Context, request: HttpRequest): Promise<HttpReply> => token.send(ctx, request);

/** Currencies for which PayPal accepts no decimals, although ISO 4217 has two. */
const wholeCurrencies: ReadonlySet<string> = new Set(['HUF', 'TWD']);

/** The amount in PayPal's format; undefined if PayPal has no such amount. */
export function toPayPalMoney(money: Money): { readonly currency_code: string; readonly value: string } | undefined {
  if (!fitsCurrency(money)) return undefined;
  const { currency } = money;
  const isWhole = wholeCurrencies.has(currency);
  const value = isWhole ? trimDecimal(money.amount) : formatAmount(money);
  return isWhole && value.includes('.') ? undefined : { currency_code: currency, value };
}

/** Why PayPal cannot charge an amount; undefined if it can. */
export function refuseAmount(money: Money): string | undefined {
  return toPayPalMoney(money) ? undefined : `a whole amount: PayPal accepts no decimals in ${money.currency}`;
}

/** Reads an amount of a message as money. */
export const Amount = v.pipe(
  v.object({ currency_code: v.string(), value: v.string() }),
  v.transform(({ currency_code, value }) => readMoney(value, currency_code)),
  v.custom<Money>((money) => money !== undefined, 'an exact amount'),
);

const Detail = v.object({ issue: lenient(filled), description: lenient(filled), field: lenient(filled) });
/** PayPal's error answer. The answer of the token endpoint has only `error`. */
const ErrorBody = v.object({ name: lenient(filled), error: lenient(filled), details: lenient(v.array(Detail)) });

function codeOf(reply: HttpReply): string | undefined {
  const body = readJsonBody(ErrorBody, reply);
  return body?.details?.[0]?.issue ?? body?.name ?? body?.error;
}

/** Refusals because of an earlier request, which may have moved money. */
const aboutEarlierRequests: ReadonlySet<string> = new Set([
  'AUTHORIZATION_ALREADY_CAPTURED',
  'CAPTURE_FULLY_REFUNDED',
  'DUPLICATE_INVOICE_ID',
  'DUPLICATE_REQUEST_ID',
  'MAX_CAPTURE_COUNT_EXCEEDED',
  'ORDER_ALREADY_AUTHORIZED',
  'ORDER_ALREADY_CAPTURED',
  'ORDER_COMPLETED_OR_VOIDED',
  'ORDER_COMPLETION_IN_PROGRESS',
  'PREVIOUSLY_VOIDED',
]);

/** PayPal refused the request itself, so the request moved no money. */
function isRefused(reply: HttpReply): boolean {
  const code = codeOf(reply);
  return [400, 403, 404, 422].includes(reply.status) && code !== undefined && !aboutEarlierRequests.has(code);
}

/** Fields by the last member of the JSON pointer in `field` of an error. */
const fieldsByName: Readonly<Record<string, InterfaceField>> = { value: 'amount', currency_code: 'unit' };

/** Refused amounts and currencies, for answers that name no field. */
const fieldsByIssue: Readonly<Record<string, InterfaceField>> = {
  DECIMAL_PRECISION: 'amount',
  DECIMALS_NOT_SUPPORTED: 'amount',
  CANNOT_BE_NEGATIVE: 'amount',
  CANNOT_BE_ZERO_OR_NEGATIVE: 'amount',
  MAX_VALUE_EXCEEDED: 'amount',
  INVALID_CURRENCY_CODE: 'unit',
};

function detailOf(reply: HttpReply) {
  return isRefused(reply) ? readJsonBody(ErrorBody, reply)?.details?.[0] : undefined;
}

function refusedFieldOf(reply: HttpReply): InterfaceField | undefined {
  const { issue = '', field = '' } = detailOf(reply) ?? {};
  return fieldNamed(fieldsByName, field) ?? fieldNamed(fieldsByIssue, issue);
}

/** An address of ours that PayPal refuses: the addresses of an order begin with the gateway's public address. */
function publicUrlRefused(reply: HttpReply): string | undefined {
  const { field = '' } = detailOf(reply) ?? {};
  return /\/(?:return|cancel)_url$/.test(field) ? 'the public address of the gateway' : undefined;
}

/** 409 means that an earlier request is still in progress. 5xx prove nothing. */
export const errors = errorAnswers({
  provider: 'PayPal',
  codeOf,
  nothingCharged: [],
  misconfigured: {
    '401 invalid_token': 'clientId and clientSecret',
    '401 INVALID_ACCOUNT_STATUS': 'the state of the business account',
    '401 AUTHENTICATION_FAILURE': 'clientId and clientSecret',
    '403 PERMISSION_DENIED': 'the features of the app',
    '403 NOT_AUTHORIZED': 'the features of the app',
    '403 PAYEE_ACCOUNT_NOT_VERIFIED': 'the state of the business account',
    '422 AUTH_CAPTURE_NOT_ENABLED': 'intent: the account cannot reserve money',
    '422 PAYEE_ACCOUNT_INVALID': 'the state of the business account',
    '422 PAYEE_ACCOUNT_LOCKED_OR_CLOSED': 'the state of the business account',
    '422 PAYEE_ACCOUNT_RESTRICTED': 'the state of the business account',
  },
  saysMisconfigured: publicUrlRefused,
  refusedField: refusedFieldOf,
  saysNothingCharged: isRefused,
  declined(reply, code) {
    if (reply.status !== 422 || !Object.hasOwn(declines, code)) return undefined;
    const declineText = readJsonBody(ErrorBody, reply)?.details?.[0]?.description;
    return { decline: declines[code]!, ...(declineText ? { declineText } : {}) };
  },
});

/** Maximum digits of an amount in minor units: PayPal accepts 15 for a currency without decimals. */
export const MAX_DIGITS = 15;
