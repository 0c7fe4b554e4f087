/** Calls to H, and what an error in answer to one means. */
import {
  misconfigured,
  nothingCharged,
  readAs,
  readJsonObject,
  requestTarget,
  stringifyExact,
  unknown,
  v,
  type HttpReply,
  type HttpRequest,
  type Outcome,
  type Provider,
} from '@gateway/contract';
import { canonicalText, digestOf } from './signing.ts';
import type { Options } from './options.ts';

function headersOf({ apiKey, apiSecret }: Options, signed: string): Record<string, string> {
  return { 'X-H-Key': apiKey, 'X-H-Digest': digestOf(apiSecret, signed).toString('hex') };
}

/** Without body the digest is over the request's target. */
export function get({ options, baseUrl }: Provider<Options>, path: string): HttpRequest {
  return { method: 'GET', path, headers: headersOf(options, requestTarget(baseUrl, path)) };
}

export function post({ options }: Provider<Options>, path: string, message: unknown): HttpRequest {
  const body = stringifyExact(message);
  const headers = { 'Content-Type': 'application/json', ...headersOf(options, canonicalText(body)) };
  return { method: 'POST', path, headers, body };
}

/** Path of one pay, or of something below it. */
export function payPath(payNo: string, below = ''): string {
  return `/v2/pays/${encodeURIComponent(payNo)}${below}`;
}

const ErrorBody = v.object({ error: v.object({ code: v.string() }) });

/** The code of an error answer, where it has one, and the answer in words. */
export function readError(reply: HttpReply): { readonly code: string; readonly named: string } {
  const code = readAs(ErrorBody, readJsonObject(reply.body))?.error.code ?? '';
  return { code, named: `H answered ${reply.status} ${code}`.trimEnd() };
}

/** What an error answer to a POST means: certainly nothing made, or unknown. */
export function errorOutcome(reply: HttpReply): Outcome {
  const { code, named } = readError(reply);
  switch (`${reply.status} ${code}`) {
    case '400 bad_request':
    case '500 not_made':
    case '503 not_made':
      return nothingCharged(named);
    case '401 bad_digest':
      return misconfigured(`${named}: check merchantNo, apiKey and apiSecret`);
    default:
      return reply.status === 429 ? nothingCharged(named) : unknown(named);
  }
}
