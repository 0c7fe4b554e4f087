/** Our requests to the vault, and the meaning of its error answers. */
import {
  declineOf,
  errorAnswers,
  fieldNamed,
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

export function get({ apiKey }: Options, path: string): HttpRequest {
  return { method: 'GET', path, headers: { Authorization: `Bearer ${apiKey}` } };
}

/** A POST. With a key, the vault repeats its first answer for the same values. */
export function post({ apiKey }: Options, path: string, message: object, key?: string): HttpRequest {
  return jsonPost(path, message, { Authorization: `Bearer ${apiKey}`, 'Idempotency-Key': key });
}

const ErrorBody = v.object({
  error: v.object({ code: v.string(), field: lenient(v.string()), charged: v.optional(v.unknown()) }),
});
const errorOf = (reply: HttpReply) => readJsonBody(ErrorBody, reply)?.error;

/** Fields by the names of the vault's members. */
const fieldsByName: Readonly<Record<string, InterfaceField>> = {
  name: 'name',
  mail: 'email',
  phone: 'phoneNumber',
  line: 'address',
  city: 'city',
  region: 'state',
  zip: 'postalCode',
  country: 'country',
  'payer.ip': 'ipAddress',
  minor: 'amount',
  cur: 'unit',
  token: 'token',
  browser: 'browserInfo',
};

/**
 * The outcome of an error answer to a POST with a key. A refused token is a decline without a charge. An unlisted error
 * is unknown.
 */
export const errors = errorAnswers({
  provider: 'the vault',
  codeOf: (reply) => errorOf(reply)?.code,
  nothingCharged: [],
  refusedField: (reply, code) =>
    reply.status === 400 && code === 'invalid'
      ? (fieldNamed(fieldsByName, errorOf(reply)?.field ?? '') ?? 'body')
      : undefined,
  misconfigured: { '401 unauthorised': 'apiKey and merchantId', '403 forbidden': 'apiKey and merchantId' },
  saysNothingCharged: (reply) => [500, 503].includes(reply.status) && errorOf(reply)?.charged === false,
  declined: ({ status }, code) => (status === 422 && code ? declineOf(declines, code) : undefined),
});
