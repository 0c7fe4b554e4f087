/** Calls to the server, what signs its callbacks, and what its error answers mean. */
import { errorAnswers, hmac, readAs, readJsonObject, v, type HttpReply, type HttpRequest } from '@gateway/contract';
import type { Options } from './options.ts';

/** `below` the store's own path. */
export function get({ storeId, apiToken }: Options, below: string): HttpRequest {
  return { method: 'GET', path: `/api/stores/${storeId}/${below}`, headers: { Authorization: `token ${apiToken}` } };
}

/** `key` makes a repetition safe. */
export function post(options: Options, below: string, key: string, message: unknown): HttpRequest {
  const { path, headers } = get(options, below);
  return {
    method: 'POST',
    path,
    headers: { 'Content-Type': 'application/json', ...headers, 'Idempotency-Key': key },
    body: JSON.stringify(message),
  };
}

/** One invoice, or something below it. */
export function invoicePath(invoice: string, below = ''): string {
  return `invoices/${encodeURIComponent(invoice)}${below}`;
}

/** Value of `X-Cr-Sig`, without its prefix. */
export function signatureOf(secret: string, body: Uint8Array): Buffer {
  return hmac('sha256', secret, body);
}

const ErrorBody = v.object({
  code: v.string(),
  reason: v.nullish(v.string()),
  /** False says for certain that nothing was made. */
  created: v.optional(v.unknown()),
});

/** What an error answer says; undefined where it cannot be read. */
export function readError({ body }: HttpReply): v.InferOutput<typeof ErrorBody> | undefined {
  return readAs(ErrorBody, readJsonObject(body));
}

export const errors = errorAnswers({
  provider: 'the coin server',
  codeOf: (reply) => readError(reply)?.code,
  nothingCharged: ['400 validation'],
  misconfigured: { '401 unauthenticated': 'storeId and apiToken', '403 forbidden': 'storeId and apiToken' },
  saysNothingCharged: (reply) => [500, 503].includes(reply.status) && readError(reply)?.created === false,
});
