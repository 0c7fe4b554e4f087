/** Calls to the server, the signature of its callbacks, and the meaning of its error answers. */
import {
  declineOf,
  errorAnswers,
  fieldNamed,
  hmac,
  jsonPost,
  lenient,
  readJsonBody,
  v,
  type HttpReply,
  type HttpRequest,
  type InterfaceField,
} from '@paywright/contract';
import type { Options } from './options.ts';
import { declines } from './statuses.ts';

/** `below` is the path below the store's own path. */
export function get({ storeId, apiToken }: Options, below: string): HttpRequest {
  return { method: 'GET', path: `/api/stores/${storeId}/${below}`, headers: { Authorization: `token ${apiToken}` } };
}

/** `key` makes a repetition safe. */
export function post(options: Options, below: string, key: string, message: unknown): HttpRequest {
  const { path, headers } = get(options, below);
  return jsonPost(path, message, { ...headers, 'Idempotency-Key': key });
}

/** The value of `X-Cr-Sig`, without its prefix. */
export function signatureOf(secret: string, body: Uint8Array): Buffer {
  return hmac('sha256', secret, body);
}

const ErrorBody = v.object({
  code: v.string(),
  reason: v.nullish(v.string()),
  items: lenient(v.array(v.object({ path: v.string() }))),
  /** The value false proves that nothing was made. */
  created: v.optional(v.unknown()),
});

const errorOf = (reply: HttpReply) => readJsonBody(ErrorBody, reply);

/** Fields by the paths of the server's members. */
const fieldsByName: Readonly<Record<string, InterfaceField>> = {
  name: 'name',
  mail: 'email',
  country: 'country',
  price: 'amount',
  unit: 'unit',
};

export const errors = errorAnswers({
  provider: 'the coin server',
  codeOf: (reply) => errorOf(reply)?.code,
  nothingCharged: [],
  refusedField: (reply, code) =>
    reply.status === 400 && code === 'validation'
      ? (fieldNamed(fieldsByName, errorOf(reply)?.items?.[0]?.path ?? '') ?? 'body')
      : undefined,
  misconfigured: { '401 unauthenticated': 'storeId and apiToken', '403 forbidden': 'storeId and apiToken' },
  saysNothingCharged: (reply) => [500, 503].includes(reply.status) && errorOf(reply)?.created === false,
  declined: (reply, code) =>
    reply.status === 422 && code === 'refused' ? declineOf(declines, errorOf(reply)?.reason) : undefined,
});
