/** Calls to H, and what its error answers mean. */
import {
  errorAnswers,
  readAs,
  readJsonObject,
  requestTarget,
  stringifyExact,
  v,
  type AdapterContext,
  type HttpRequest,
} from '@gateway/contract';
import type { Options } from './options.ts';
import { canonicalText, digestOf } from './signing.ts';

function headersOf({ apiKey, apiSecret }: Options, signed: string): Record<string, string> {
  return { 'X-H-Key': apiKey, 'X-H-Digest': digestOf(apiSecret, signed).toString('hex') };
}

/** Without body the digest is over the request's target. */
export function get({ options, baseUrl }: AdapterContext<Options>, path: string): HttpRequest {
  return { method: 'GET', path, headers: headersOf(options, requestTarget(baseUrl, path)) };
}

export function post({ options }: AdapterContext<Options>, path: string, message: unknown): HttpRequest {
  const body = stringifyExact(message);
  const headers = { 'Content-Type': 'application/json', ...headersOf(options, canonicalText(body)) };
  return { method: 'POST', path, headers, body };
}

/** Path of one pay, or of something below it. */
export function payPath(payNo: string, below = ''): string {
  return `/v2/pays/${encodeURIComponent(payNo)}${below}`;
}

const ErrorBody = v.object({ error: v.object({ code: v.string() }) });

export const errors = errorAnswers({
  provider: 'H',
  codeOf: ({ body }) => readAs(ErrorBody, readJsonObject(body))?.error.code,
  nothingCharged: ['400 bad_request', '500 not_made', '503 not_made'],
  misconfigured: { '401 bad_digest': 'merchantNo, apiKey and apiSecret' },
});
