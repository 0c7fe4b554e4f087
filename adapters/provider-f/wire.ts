/** Calls to F, and the meaning of a fault in an answer. */
import {
  misconfigured,
  nothingCharged,
  readJsonBody,
  refusedField,
  unknown,
  v,
  type HttpReply,
  type HttpRequest,
  type Outcome,
} from '@paywright/contract';
import type { Options } from './options.ts';

export function get({ apiToken }: Options, path: string): HttpRequest {
  return { method: 'GET', path, headers: { Authorization: `Bearer ${apiToken}` } };
}

/** `key` makes a repetition safe. */
export function post({ apiToken }: Options, path: string, body: object, key?: string): HttpRequest {
  const headers = {
    Authorization: `Bearer ${apiToken}`,
    'Content-Type': 'application/json',
    ...(key === undefined ? {} : { 'Idempotency-Key': key }),
  };
  return { method: 'POST', path, headers, body: JSON.stringify(body) };
}

/** The path of one deal, or of a resource below it. */
export function dealPath(id: string, below = ''): string {
  return `/v1/deals/${encodeURIComponent(id)}${below}`;
}

const Fault = v.object({ fault: v.object({ code: v.string(), started: v.optional(v.unknown()) }) });

/** The fault in an answer; undefined if there is none, or if it is unreadable. */
export function readFault(reply: HttpReply): v.InferOutput<typeof Fault>['fault'] | undefined {
  return reply.status < 400 ? undefined : readJsonBody(Fault, reply)?.fault;
}

/** Only a fault that says `"started":false` is certain: nothing was charged or refunded. */
export function faultOutcome(reply: HttpReply): Outcome {
  const fault = readFault(reply);
  const answer = `F answered ${reply.status} ${fault?.code ?? ''}`.trimEnd();
  if (fault?.started !== false) return unknown(answer);
  // The fault names no field.
  if (reply.status === 400) return refusedField('body', answer);
  return reply.status === 401 ? misconfigured(`${answer}: check apiToken and shopId`) : nothingCharged(answer);
}
