/**
 * Reads requests at Stripe's side: the caller's key, and nested parameters by their schema. Everything else gets an
 * error answer.
 */
import { headerValues, narrowCountry, onlyHeader, sameText, v } from '@paywright/contract';
import { jsonReply, type Reply, type SandboxRequest } from '@paywright/contract/sandbox';
import { API_VERSION } from '../wire.ts';
import type { Options } from '../options.ts';

const Text = v.string();
const Whole = v.pipe(Text, v.regex(/^\d{1,15}$/, 'a whole number'));
const Amount = v.pipe(Whole, v.regex(/^[1-9]/, 'a whole number above 0'));
const Metadata = v.optional(v.record(Text, Text), {});
const Expand = v.optional(v.record(Text, Text), {});
const Email = v.pipe(Text, v.maxLength(512, 'email_invalid'), v.regex(/^[!-?A-~]+@[!-?A-~]+$/, 'email_invalid'));
const Country = v.pipe(
  Text,
  v.check((code) => narrowCountry(code.toUpperCase()) !== undefined, 'country_unknown'),
);
const ThreeDs = v.optional(
  v.strictObject({
    card: v.strictObject({ request_three_d_secure: v.optional(v.picklist(['any', 'automatic', 'challenge'])) }),
  }),
);
const CaptureMethod = v.optional(v.picklist(['automatic', 'automatic_async', 'manual']), 'automatic_async');
const CardOnly = v.optional(v.strictObject({ 0: v.literal('card') }));

export const MethodRequest = v.strictObject({
  type: v.literal('card'),
  card: v.strictObject({ number: Text, exp_month: Whole, exp_year: Whole, cvc: v.optional(Text) }),
  billing_details: v.optional(
    v.strictObject({
      name: v.optional(Text),
      email: v.optional(Email),
      phone: v.optional(Text),
      address: v.optional(
        v.strictObject({
          ...v.entriesFromList(['line1', 'line2', 'city', 'state', 'postal_code'], v.optional(Text)),
          country: v.optional(Country),
        }),
      ),
    }),
  ),
});

export const IntentRequest = v.strictObject({
  amount: Amount,
  currency: Text,
  payment_method: Text,
  payment_method_types: CardOnly,
  payment_method_options: ThreeDs,
  confirm: v.literal('true'),
  capture_method: CaptureMethod,
  return_url: v.pipe(Text, v.url()),
  description: v.optional(Text),
  metadata: Metadata,
  expand: Expand,
});
export type IntentRequest = v.InferOutput<typeof IntentRequest>;

export const SessionRequest = v.strictObject({
  mode: v.literal('payment'),
  client_reference_id: Text,
  customer_email: v.optional(Email),
  payment_method_types: CardOnly,
  payment_method_options: ThreeDs,
  line_items: v.strictObject({
    0: v.strictObject({
      quantity: v.literal('1'),
      price_data: v.strictObject({ currency: Text, unit_amount: Amount, product_data: v.strictObject({ name: Text }) }),
    }),
  }),
  payment_intent_data: v.strictObject({
    capture_method: CaptureMethod,
    description: v.optional(Text),
    metadata: Metadata,
  }),
  success_url: v.pipe(Text, v.url()),
  cancel_url: v.pipe(Text, v.url()),
});
export type SessionRequest = v.InferOutput<typeof SessionRequest>;

export const RefundRequest = v.strictObject({ payment_intent: Text, amount: Amount, metadata: Metadata });
export const CaptureRequest = v.strictObject({ amount_to_capture: v.optional(Amount), expand: Expand });
export const CancelRequest = v.strictObject({
  cancellation_reason: v.optional(v.picklist(['abandoned', 'duplicate', 'fraudulent', 'requested_by_customer'])),
});

export const ExpireRequest = v.strictObject({ expand: Expand });

/** An error answer. `more` has the decline code, or the object of the error. */
export function errorReply(
  status: number,
  code: string | undefined,
  message: string,
  more: Readonly<Record<string, unknown>> = {},
): Reply {
  const type = status === 402 ? 'card_error' : status === 500 ? 'api_error' : 'invalid_request_error';
  return jsonReply(status, { error: { ...(code === undefined ? {} : { code }), message, type, ...more } });
}

export function missing(what: string, id: string): Reply {
  return errorReply(404, 'resource_missing', `No such ${what}: '${id}'`);
}

/** An error answer if the request lacks our key or names no version. */
export function refuseCaller(request: SandboxRequest, { secretKey }: Options): Reply | undefined {
  const isKnown = sameText(onlyHeader(request, 'Authorization') ?? '', `Bearer ${secretKey}`);
  if (!isKnown) return errorReply(401, undefined, 'Invalid API Key provided');
  if (onlyHeader(request, 'Stripe-Version') === API_VERSION) return undefined;
  return errorReply(400, undefined, `Invalid Stripe API version: ${headerValues(request, 'Stripe-Version').join()}`);
}

interface Nested {
  [name: string]: string | Nested;
}

/** Reads `metadata[order]=7` as nested members. Undefined if a name is both a value and a group. */
function toNested(form: ReadonlyMap<string, string>): Nested | undefined {
  const whole: Nested = {};
  for (const [name, value] of form) {
    const path = name.split(/\[|\]\[|\]/).filter((part) => part !== '');
    const last = path.pop();
    let inner = whole;
    for (const part of path) {
      const next = (inner[part] ??= {});
      if (typeof next === 'string') return undefined;
      inner = next;
    }
    if (last === undefined || last in inner) return undefined;
    inner[last] = value;
  }
  return whole;
}

/** Stripe reads an empty value as an attempt to unset the parameter. */
function refuseBlank(param: string, value: string): Reply {
  const code = value === '' ? 'parameter_invalid_empty' : 'parameter_invalid_string_blank';
  return errorReply(400, code, `You passed an empty string for '${param}'.`, { param });
}

/** The path is in dots: `billing_details.address.country`. */
function refuseParameter(path: string, reason: string | undefined): Reply {
  const [first = '', ...inner] = path.split('.');
  const param = first + inner.map((name) => `[${name}]`).join('');
  if (reason === 'email_invalid') return errorReply(400, reason, 'Invalid email address', { param });
  if (reason === 'country_unknown') return errorReply(400, undefined, 'Country is unknown.', { param });
  return errorReply(400, 'parameter_unknown', `Received unknown or invalid parameter: ${param}`, { param });
}

/** Reads a POST or returns its error answer. Checks the key and the version first, then the parameters. */
export function readPost<S extends v.GenericSchema>(
  request: SandboxRequest,
  options: Options,
  schema: S,
): { readonly asked: v.InferOutput<S>; readonly key: string } | { readonly refused: Reply } {
  const refused = refuseCaller(request, options);
  if (refused) return { refused };
  const form = request.form();
  const blank = [...(form ?? [])].find(([, value]) => value.trim() === '');
  if (blank) return { refused: refuseBlank(...blank) };
  const nested = form && toNested(form);
  const result = nested && v.safeParse(schema, nested);
  if (!result?.success) {
    const issue = result?.issues[0];
    return { refused: refuseParameter(issue ? (v.getDotPath(issue) ?? '') : '', issue?.message) };
  }
  return { asked: result.output, key: onlyHeader(request, 'Idempotency-Key') ?? '' };
}

/** A 500 of Stripe does not say whether the payer was charged. These refusals say that nothing was charged. */
export const trouble = {
  error: errorReply(400, 'amount_too_small', 'Amount must convert to at least 50 cents.'),
  tooMany: errorReply(429, 'rate_limit', 'Too many requests hit the API too quickly.'),
};
/** The answer to a repeated idempotency key. */
export const repeated = {
  again: (stored: Reply): Reply => ({ ...stored, headers: { ...stored.headers, 'Idempotent-Replayed': 'true' } }),
  busy: errorReply(409, 'idempotency_key_in_use', 'There is currently another in-progress request using this key.'),
  differs: jsonReply(400, {
    error: { type: 'idempotency_error', message: 'Keys can only be used with the same parameters.' },
  }),
  keep: ({ status }: Reply): boolean => status === 200 || status === 402,
};

export const ok = (object: object): Reply => jsonReply(200, object, { 'Stripe-Version': API_VERSION });
