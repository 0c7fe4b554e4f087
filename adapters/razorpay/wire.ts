/** Calls to Razorpay, the signature of its webhooks, and the meaning of its error answers. */
import {
  basicAuthorization,
  declineOf,
  errorAnswers,
  fieldNamed,
  filled,
  hmac,
  jsonPost,
  lenient,
  readJsonBody,
  v,
  type HttpReply,
  type HttpRequest,
  type InterfaceField,
} from '@paywright/contract';
import type { Options } from './options.ts';
import { declines } from './statuses.ts';

type Headers = Readonly<Record<string, string>>;

export function get({ keyId, keySecret }: Options, path: string): HttpRequest {
  return { method: 'GET', path, headers: { Authorization: basicAuthorization(keyId, keySecret) } };
}

export function post({ keyId, keySecret }: Options, path: string, message: unknown, more: Headers = {}): HttpRequest {
  return jsonPost(path, message, { Authorization: basicAuthorization(keyId, keySecret), ...more });
}

/** `X-Razorpay-Signature` of a webhook as bytes, before hex encoding. */
export function signatureOf(secret: string, body: Uint8Array): Buffer {
  return hmac('sha256', secret, body);
}

const ErrorBody = v.object({
  error: v.object({
    code: v.string(),
    description: lenient(v.string()),
    field: lenient(filled),
    reason: lenient(filled),
    metadata: lenient(v.object({ payment_id: lenient(filled) })),
  }),
});

const errorOf = (reply: HttpReply) => readJsonBody(ErrorBody, reply)?.error;

/** Reasons that say no more than the code. */
const vague = ['NA', 'input_validation_failed'];

/** The reason if it says something, otherwise the code. */
function codeOf(reply: HttpReply): string | undefined {
  const error = errorOf(reply);
  if (/^the api key\b/i.test(error?.description ?? '')) return 'INVALID_KEY';
  return error?.reason && !vague.includes(error.reason) ? error.reason : error?.code;
}

/** Reasons after which money may have moved or may still move. */
const uncertain = [
  'collect_request_pending',
  'deemed_transaction',
  'duplicate_request',
  'order_already_paid',
  'payment_pending',
  'payment_pending_approval',
  'payment_timed_out',
  'request_timed_out',
  'server_error',
  'verification_failed',
];

/** An earlier request with the same name may have been accepted: `reference_id` of a link, the key of a refund. */
const repeated = /already attempted|idempotency key/i;

/** The request is refused permanently. */
function isRefused(reply: HttpReply): boolean {
  const { code, reason = '', description = '' } = errorOf(reply) ?? {};
  return (
    reply.status === 400 && code === 'BAD_REQUEST_ERROR' && !uncertain.includes(reason) && !repeated.test(description)
  );
}

/** Fields by the names of Razorpay's members, in `field` or at the start of a description. */
const fieldsByName: Readonly<Record<string, InterfaceField>> = {
  name: 'name',
  email: 'email',
  contact: 'phoneNumber',
  ip: 'ipAddress',
  user_agent: 'browserInfo',
  vpa: 'upiId',
  amount: 'amount',
  currency: 'unit',
};
const fieldsByReason: Readonly<Record<string, InterfaceField>> = {
  invalid_mobile_number: 'phoneNumber',
  invalid_email: 'email',
};

/** A refusal that names a member of the request, or says that its input is not valid. */
function refusedFieldOf(reply: HttpReply): InterfaceField | undefined {
  const { field, reason = '', description = '' } = errorOf(reply) ?? {};
  if (!isRefused(reply) || hasPayment(reply)) return undefined;
  if (Object.hasOwn(fieldsByReason, reason)) return fieldsByReason[reason];
  const [, described] =
    /^The (?:customer )?([a-z_]{1,40}) (?:field|format|must|may|should|is)/i.exec(description) ?? [];
  const name = field ?? described?.toLowerCase();
  if (name === undefined) return undefined;
  return fieldNamed(fieldsByName, name) ?? (field === undefined ? undefined : 'body');
}

const key = 'keyId and keySecret';
const activation = 'that the account is activated, and the key of its mode';
const enabled = 'that Razorpay has enabled this for the account';

const setUp: Readonly<Record<string, string>> = {
  '400 INVALID_KEY': key,
  '401 INVALID_KEY': key,
  '401 BAD_REQUEST_ERROR': key,
  '400 live_mode_not_enabled': activation,
  '400 merchant_not_activated': activation,
  '400 payment_method_not_enabled': enabled,
  '400 upi_collect_not_enabled': enabled,
  '400 upi_intent_not_enabled': enabled,
};

const hasPayment = (reply: HttpReply): boolean => errorOf(reply)?.metadata?.payment_id !== undefined;

export const errors = errorAnswers({
  provider: 'Razorpay',
  codeOf,
  nothingCharged: [],
  misconfigured: setUp,
  refusedField: refusedFieldOf,
  saysNothingCharged: (reply) => isRefused(reply) && !hasPayment(reply),
  // The error names a payment: it was created, and it failed.
  declined: (reply, code) =>
    isRefused(reply) && hasPayment(reply) && !Object.hasOwn(setUp, `400 ${code}`)
      ? declineOf(declines, errorOf(reply)?.reason)
      : undefined,
});
