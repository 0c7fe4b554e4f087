/** Our requests to New Provider, and the meaning of its error answers. */
import { errorAnswers, jsonPost, readJsonBody, v, type HttpReply, type HttpRequest } from '@paywright/contract';
import type { Options } from './options.ts';

export function get({ apiKey }: Options, path: string): HttpRequest {
  return { method: 'GET', path, headers: { Authorization: `Bearer ${apiKey}` } };
}

/** A POST that may be repeated: the key is the same for every repetition of one attempt. */
export function post({ apiKey }: Options, path: string, idempotencyKey: string, message: object): HttpRequest {
  return jsonPost(path, message, { Authorization: `Bearer ${apiKey}`, 'Idempotency-Key': idempotencyKey });
}

const Refusal = v.object({ error: v.object({ code: v.string(), charged: v.optional(v.boolean()) }) });

const errorOf = (reply: HttpReply) => readJsonBody(Refusal, reply)?.error;

/** Only an explicit answer of New Provider proves that nothing was charged. */
export const errors = errorAnswers({
  provider: 'New Provider',
  codeOf: (reply) => errorOf(reply)?.code,
  nothingCharged: [],
  misconfigured: { '401 bad_key': 'apiKey', '401 bad_account': 'account' },
  saysNothingCharged: (reply) => errorOf(reply)?.charged === false,
});
