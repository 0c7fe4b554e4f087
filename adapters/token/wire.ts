/** Our requests to the vault, and what an error answer to one means. */
import {
  declineOf,
  misconfigured,
  nothingCharged,
  readJsonBody,
  stringifyExact,
  unknown,
  v,
  type HttpReply,
  type HttpRequest,
  type Outcome,
} from '@gateway/contract';
import type { Options } from './options.ts';
import { declines } from './statuses.ts';

export function get({ apiKey }: Options, path: string): HttpRequest {
  return { method: 'GET', path, headers: { Authorization: `Bearer ${apiKey}` } };
}

/** A POST; with a key, the vault answers a repetition of the same values with what it has already. */
export function post({ apiKey }: Options, path: string, body: object, idempotencyKey?: string): HttpRequest {
  const headers = {
    'Content-Type': 'application/json',
    Authorization: `Bearer ${apiKey}`,
    ...(idempotencyKey === undefined ? {} : { 'Idempotency-Key': idempotencyKey }),
  };
  return { method: 'POST', path, headers, body: stringifyExact(body) };
}

/** Path of one charge, or of something below it. */
export function chargePath(id: string, below = ''): string {
  return `/v1/charges/${encodeURIComponent(id)}${below}`;
}

const ErrorBody = v.object({ error: v.object({ code: v.string(), charged: v.optional(v.unknown()) }) });

/** The code of an error answer, whether anything was charged, and what to call it. */
export function readError(reply: HttpReply) {
  const { code, charged } = readJsonBody(ErrorBody, reply)?.error ?? {};
  return { code, charged, named: `the vault answered ${reply.status} ${code ?? ''}`.trimEnd() };
}

/** Codes that say for certain, under their status, that nothing was charged. */
const refusals: Readonly<Record<number, string>> = { 400: 'invalid', 401: 'unauthorised', 403: 'forbidden' };

/** What an error answer to a POST with a key means: refused, certainly nothing moved, or unknown. */
export function errorOutcome(reply: HttpReply): Outcome {
  const { status } = reply;
  const { code, charged, named } = readError(reply);
  if (status === 422 && code) return { outcome: 'failed', ...declineOf(declines, code) };
  const isRefused = code !== undefined && code === refusals[status];
  const isUncharged = (status === 500 || status === 503) && charged === false;
  if (status !== 429 && !isRefused && !isUncharged) return unknown(named);
  const isOurFault = status === 401 || status === 403;
  return isOurFault ? misconfigured(`${named}: check apiKey and merchantId`) : nothingCharged(named);
}
