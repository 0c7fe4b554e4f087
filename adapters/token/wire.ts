/** Our requests to the vault, and what an error answer to one means. */
import {
  declineOf,
  errorAnswers,
  jsonPost,
  readJsonBody,
  v,
  type HttpReply,
  type HttpRequest,
} from '@paywright/contract';
import type { Options } from './options.ts';
import { declines } from './statuses.ts';

export function get({ apiKey }: Options, path: string): HttpRequest {
  return { method: 'GET', path, headers: { Authorization: `Bearer ${apiKey}` } };
}

/** A POST; with a key, the vault answers a repetition of the same values with what it has already. */
export function post({ apiKey }: Options, path: string, message: object, key?: string): HttpRequest {
  return jsonPost(path, message, { Authorization: `Bearer ${apiKey}`, 'Idempotency-Key': key });
}

const ErrorBody = v.object({ error: v.object({ code: v.string(), charged: v.optional(v.unknown()) }) });
const errorOf = (reply: HttpReply) => readJsonBody(ErrorBody, reply)?.error;

/** Of a POST with a key. A refused token declines a payment without a charge; whatever is not listed is unknown. */
export const errors = errorAnswers({
  provider: 'the vault',
  codeOf: (reply) => errorOf(reply)?.code,
  nothingCharged: ['400 invalid'],
  misconfigured: { '401 unauthorised': 'apiKey and merchantId', '403 forbidden': 'apiKey and merchantId' },
  saysNothingCharged: (reply) => [500, 503].includes(reply.status) && errorOf(reply)?.charged === false,
  declined: ({ status }, code) => (status === 422 && code ? declineOf(declines, code) : undefined),
});
