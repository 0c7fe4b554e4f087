/** Calls to F, and what a fault in answer to one means. */
import {
  misconfigured,
  nothingCharged,
  readAs,
  readJsonObject,
  unknown,
  v,
  type HttpReply,
  type HttpRequest,
  type Outcome,
} from '@gateway/contract';
import type { Options } from './options.ts';

export function get({ apiToken }: Options, path: string): HttpRequest {
  return { method: 'GET', path, headers: { Authorization: `Bearer ${apiToken}` } };
}

/** `key` makes a repetition safe. */
export function post({ apiToken }: Options, path: string, body: unknown, key?: string): HttpRequest {
  const headers = {
    Authorization: `Bearer ${apiToken}`,
    'Content-Type': 'application/json',
    ...(key === undefined ? {} : { 'Idempotency-Key': key }),
  };
  return { method: 'POST', path, headers, body: JSON.stringify(body) };
}

/** Path of one deal, or of something below it. */
export function dealPath(id: string, below = ''): string {
  return `/v1/deals/${encodeURIComponent(id)}${below}`;
}

const Fault = v.object({ fault: v.object({ code: v.string(), started: v.optional(v.unknown()) }) });

/** The fault of an answer; undefined where it is none, or cannot be read. */
export function readFault({ status, body }: HttpReply): v.InferOutput<typeof Fault>['fault'] | undefined {
  return status < 400 ? undefined : readAs(Fault, readJsonObject(body))?.fault;
}

/** Only a fault that says `"started":false` is certain: nothing was charged, or given back. */
export function faultOutcome(reply: HttpReply): Outcome {
  const fault = readFault(reply);
  const said = `F answered ${reply.status} ${fault?.code ?? ''}`.trimEnd();
  if (fault?.started !== false) return unknown(said);
  return reply.status === 401 ? misconfigured(`${said}: check apiToken and shopId`) : nothingCharged(said);
}
