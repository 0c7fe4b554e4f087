/** Calls to H, and the meaning of its error answers. */
import {
  errorAnswers,
  jsonPost,
  readJsonBody,
  requestTarget,
  stringifyExact,
  v,
  type HttpRequest,
} from '@paywright/contract';
import type { Context, Options } from './options.ts';
import { canonicalText, digestOf } from './signing.ts';

function headersOf({ apiKey, apiSecret }: Options, signed: string): Record<string, string> {
  return { 'X-H-Key': apiKey, 'X-H-Digest': digestOf(apiSecret, signed).toString('hex') };
}

/** Without a body, the digest covers the request's target. */
export function get({ options, baseUrl }: Context, path: string): HttpRequest {
  return { method: 'GET', path, headers: headersOf(options, requestTarget(baseUrl, path)) };
}

export function post({ options }: Context, path: string, message: unknown): HttpRequest {
  return jsonPost(path, message, headersOf(options, canonicalText(stringifyExact(message))));
}

const ErrorBody = v.object({ error: v.object({ code: v.string() }) });

export const errors = errorAnswers({
  provider: 'H',
  codeOf: (reply) => readJsonBody(ErrorBody, reply)?.error.code,
  nothingCharged: ['500 not_made', '503 not_made'],
  // The answer names no field.
  refusedField: ({ status }, code) => (status === 400 && code === 'bad_request' ? 'body' : undefined),
  misconfigured: { '401 bad_digest': 'merchantNo, apiKey and apiSecret' },
  refundRefused: ['422 too_much'],
});
