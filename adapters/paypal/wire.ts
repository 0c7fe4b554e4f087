/** Calls to PayPal with an access token, its amounts, and the meaning of its error answers. */
import {
  errorAnswers,
  fieldNamed,
  filled,
  fitsCurrency,
  formatAmount,
  formPost,
  httpFailure,
  jsonInteger,
  jsonPost,
  lenient,
  ProviderCallError,
  readJsonBody,
  readMoney,
  trimDecimal,
  v,
  type HttpReply,
  type HttpRequest,
  type InterfaceField,
  type Money,
  type Remembered,
} from '@paywright/contract';
import type { Context } from './options.ts';
import { declines } from './statuses.ts';

export function get(path: string): HttpRequest {
  return { method: 'GET', path };
}

/** A POST whose answer shows the complete object. PayPal answers a repetition with the same id as the first request. */
export function post(path: string, message: object, requestId: string): HttpRequest {
  return jsonPost(path, message, { Prefer: 'return=representation', 'PayPal-Request-Id': requestId });
}

const Grant = v.object({ access_token: filled, expires_in: jsonInteger() });
type Access = { readonly token: string } | { readonly refusal: HttpReply };

/** The longest use of a token, in seconds. It limits how long a token is used after PayPal revoked it. */
const MAX_TOKEN_SECONDS = 900;
/** A token is not used in its last seconds, because a request may take that long. */
const SPARE_SECONDS = 60;

async function getAccess({ http, options, now }: Context): Promise<Remembered<Access>> {
  const { headers, ...request } = formPost('/v1/oauth2/token', { grant_type: 'client_credentials' });
  const basic = Buffer.from(`${options.clientId}:${options.clientSecret}`).toString('base64');
  const reply = await http.send({
    ...request,
    headers: { ...headers, Authorization: `Basic ${basic}` },
    chargesNothing: true,
  });
  const grant = reply.status === 200 ? readJsonBody(Grant, reply) : undefined;
  const time = now().getTime();
  if (!grant) return { value: { refusal: reply }, until: new Date(time) };
  const seconds = Math.min(grant.expires_in - SPARE_SECONDS, MAX_TOKEN_SECONDS);
  return { value: { token: grant.access_token }, until: new Date(time + seconds * 1000) };
}

/** Sends a request with an access token. If PayPal grants no token, its refusal is the answer. */
export async function send(ctx: Context, request: HttpRequest): Promise<HttpReply> {
  const access = await accessOf(ctx);
  if ('refusal' in access) return access.refusal;
  return ctx.http.send({ ...request, headers: { ...request.headers, Authorization: `Bearer ${access.token}` } });
}

async function accessOf(ctx: Context): Promise<Access> {
  const { baseUrl, options, cache } = ctx;
  try {
    return await cache.remember(`token ${baseUrl} ${options.clientId}`, () => getAccess(ctx));
  } catch (error) {
    if (httpFailure(error)) throw error;
    throw new ProviderCallError('not_sent', 'no access token: too many were requested', error);
  }
}

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
    '401 invalid_client': 'clientId and clientSecret',
    '401 invalid_token': 'clientId and clientSecret: PayPal revoked its access token',
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
