/** Reads requests as PayPal does: the caller, the id of the request, and the body. Everything else gets an error. */
import {
  compareDecimals,
  filled,
  onlyHeader,
  readAs,
  readJsonObject,
  sameText,
  v,
  webAddress,
  type Money,
} from '@paywright/contract';
import { jsonReply, type RepeatedAnswers, type Reply, type SandboxRequest } from '@paywright/contract/sandbox';
import type { Options } from '../options.ts';
import { Amount, toPayPalMoney } from '../wire.ts';

/** PayPal's bound of `custom_id` and `invoice_id`. */
const Name = v.pipe(filled, v.maxLength(127));
/** PayPal's bound of a request's id. */
const MAX_REQUEST_ID = 108;
/** PayPal's bound of an amount: digits before the decimal point. */
const MAX_WHOLE_DIGITS = 15;

export const OrderRequest = v.object({
  intent: v.picklist(['CAPTURE', 'AUTHORIZE']),
  purchase_units: v.tuple([v.object({ custom_id: Name, invoice_id: v.optional(Name), amount: v.unknown() })]),
  payment_source: v.object({
    paypal: v.object({ experience_context: v.object({ return_url: webAddress, cancel_url: webAddress }) }),
  }),
});
export const NoRequest = v.strictObject({});
export const CaptureRequest = v.object({ amount: v.unknown(), final_capture: v.boolean() });
export const RefundRequest = v.object({
  amount: v.unknown(),
  custom_id: v.optional(Name),
  invoice_id: v.optional(Name),
});

const AmountForm = v.object({ currency_code: v.string(), value: v.pipe(v.string(), v.regex(/^-?\d+(\.\d+)?$/)) });

/** The amount of a request, or PayPal's error for it. `field` is its place in the body. */
export function readMoney(value: unknown, field: string, currencies: readonly string[]): Money | Reply {
  const form = readAs(AmountForm, value);
  if (!form) return errorReply(400, 'INVALID_PARAMETER_SYNTAX', `${field}/value`);
  if (!currencies.includes(form.currency_code)) {
    return errorReply(422, 'INVALID_CURRENCY_CODE', `${field}/currency_code`);
  }
  const money = readAs(Amount, value);
  if (form.value.startsWith('-')) return errorReply(422, 'CANNOT_BE_ZERO_OR_NEGATIVE', `${field}/value`);
  if (!money) return errorReply(422, 'DECIMAL_PRECISION', `${field}/value`);
  if (compareDecimals(money.amount, '0') === 0) return errorReply(422, 'CANNOT_BE_ZERO_OR_NEGATIVE', `${field}/value`);
  if (toPayPalMoney(money)?.value !== form.value) return errorReply(422, 'DECIMALS_NOT_SUPPORTED', `${field}/value`);
  const [whole = ''] = form.value.split('.');
  return whole.length > MAX_WHOLE_DIGITS ? errorReply(422, 'MAX_VALUE_EXCEEDED', `${field}/value`) : money;
}

export const isReply = (value: Money | Reply): value is Reply => 'status' in value;

/** The only token of this sandbox. */
export const tokenOf = ({ clientId }: Options): string => `A21.SANDBOX.${clientId}`;

const names: Readonly<Record<number, string>> = {
  400: 'INVALID_REQUEST',
  404: 'RESOURCE_NOT_FOUND',
  409: 'RESOURCE_CONFLICT',
  422: 'UNPROCESSABLE_ENTITY',
  429: 'RATE_LIMIT_REACHED',
  500: 'INTERNAL_SERVER_ERROR',
};

export function errorReply(status: number, issue?: string, field?: string): Reply {
  const detail = { issue, description: `sandbox: ${issue}`, ...(field ? { field, location: 'body' } : {}) };
  const details = issue ? { details: [detail] } : {};
  return jsonReply(status, { name: names[status], message: 'sandbox', debug_id: 'sandbox', ...details });
}

export const notFound = errorReply(404, 'INVALID_RESOURCE_ID');
export const trouble = { error: errorReply(500), tooMany: errorReply(429) };

/** A repetition is answered with 200 instead of 201. */
export const repeated: RepeatedAnswers = {
  again: (stored) => (stored.status === 201 ? { ...stored, status: 200 } : stored),
  busy: errorReply(409, 'PREVIOUS_REQUEST_IN_PROGRESS'),
  differs: errorReply(422, 'DUPLICATE_REQUEST_ID'),
  keep: ({ status }) => status === 200 || status === 201,
};

/** The refusal of a caller without our token; undefined for a caller with it. */
export function refuseCaller(request: SandboxRequest, options: Options): Reply | undefined {
  const isKnown = sameText(onlyHeader(request, 'Authorization') ?? '', `Bearer ${tokenOf(options)}`);
  return isKnown ? undefined : jsonReply(401, { error: 'invalid_token', error_description: 'sandbox' });
}

export function grantToken(request: SandboxRequest, options: Options): Reply {
  const basic = Buffer.from(`${options.clientId}:${options.clientSecret}`).toString('base64');
  if (!sameText(onlyHeader(request, 'Authorization') ?? '', `Basic ${basic}`)) {
    return jsonReply(401, { error: 'invalid_client', error_description: 'Client Authentication failed' });
  }
  if (request.form()?.get('grant_type') !== 'client_credentials') return jsonReply(400, { error: 'invalid_grant' });
  return jsonReply(200, { access_token: tokenOf(options), token_type: 'Bearer', expires_in: 32_400 });
}

/** The body and the id of a POST, or the error answer to it. */
export function readPost<T>(
  request: SandboxRequest,
  options: Options,
  schema: v.GenericSchema<unknown, T>,
): { readonly asked: T; readonly key: string } | { readonly refused: Reply } {
  const refused = refuseCaller(request, options);
  if (refused) return { refused };
  const asked = readAs(schema, readJsonObject(request.body));
  if (asked === undefined) return { refused: errorReply(400, 'INVALID_PARAMETER_SYNTAX') };
  const key = onlyHeader(request, 'PayPal-Request-Id');
  if (!key) return { refused: errorReply(400, 'PAYPAL_REQUEST_ID_REQUIRED') };
  if (key.length > MAX_REQUEST_ID) return { refused: errorReply(400, 'INVALID_STRING_LENGTH') };
  return { asked, key: `${request.path} ${key}` };
}
