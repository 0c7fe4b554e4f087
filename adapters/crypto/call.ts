/** Calls to the server, and what an error in answer to one means. */
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

function storePath({ storeId }: Options, below: string): string {
  return `/api/stores/${storeId}/${below}`;
}

/** `below` the store's own path. */
export function get(options: Options, below: string): HttpRequest {
  return { method: 'GET', path: storePath(options, below), headers: { Authorization: `token ${options.apiToken}` } };
}

/** `key` makes a repetition safe. */
export function post(options: Options, below: string, key: string, message: unknown): HttpRequest {
  const headers = {
    'Content-Type': 'application/json',
    Authorization: `token ${options.apiToken}`,
    'Idempotency-Key': key,
  };
  return { method: 'POST', path: storePath(options, below), headers, body: JSON.stringify(message) };
}

/** One invoice, or something below it. */
export function invoicePath(invoice: string, below = ''): string {
  return `invoices/${encodeURIComponent(invoice)}${below}`;
}

const ErrorBody = v.object({
  code: v.string(),
  reason: v.nullish(v.string()),
  /** False says for certain that nothing was made. */
  created: v.optional(v.unknown()),
});

/** What an error answer says, where it can be read, and the answer in words. */
export function readError(reply: HttpReply): Partial<v.InferOutput<typeof ErrorBody>> & { readonly named: string } {
  const error = readAs(ErrorBody, readJsonObject(reply.body));
  return { ...error, named: `the coin server answered ${reply.status} ${error?.code ?? ''}`.trimEnd() };
}

/** What an error answer to a POST means: certainly nothing made, or unknown. */
export function errorOutcome(reply: HttpReply): Outcome {
  const { code = '', created, named } = readError(reply);
  switch (`${reply.status} ${code}`) {
    case '400 validation':
      return nothingCharged(named);
    case '401 unauthenticated':
    case '403 forbidden':
      return misconfigured(`${named}: check storeId and apiToken`);
    default: {
      const isCertain = reply.status === 429 || ([500, 503].includes(reply.status) && created === false);
      return isCertain ? nothingCharged(named) : unknown(named);
    }
  }
}
