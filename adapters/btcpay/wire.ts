/** Calls to the Greenfield API, the signature of its webhooks, and the meaning of its error answers. */
import {
  errorAnswers,
  fieldNamed,
  filled,
  hmac,
  jsonPost,
  readAs,
  readJson,
  readJsonBody,
  utf8,
  v,
  type HttpReply,
  type HttpRequest,
  type InterfaceField,
} from '@paywright/contract';
import type { Options } from './options.ts';

/** `path` below `/api/v1`. */
export function get({ apiKey }: Options, path: string): HttpRequest {
  return { method: 'GET', path: `/api/v1${path}`, headers: { Authorization: `token ${apiKey}` } };
}

/** No call of the API has a key that makes a repetition safe. */
export function post(options: Options, below: string, message: unknown): HttpRequest {
  const { path, headers } = get(options, below);
  return jsonPost(path, message, headers);
}

/** The value of `BTCPay-Sig` without its prefix. */
export function signatureOf(secret: string, body: Uint8Array): Buffer {
  return hmac('sha256', secret, body);
}

/** The items of a list; undefined for an answer that is not a list. */
export function readItems(reply: HttpReply): readonly unknown[] | undefined {
  const value = readJson(utf8(reply.body));
  return reply.status === 200 && Array.isArray(value) ? value : undefined;
}

const ApiError = v.object({ code: filled });
const ValidationErrors = v.array(v.object({ path: v.string(), message: v.string() }));

/** Fields by the paths of the server's members, in lower case: versions of the server differ in it. */
const fieldsByName: Readonly<Record<string, InterfaceField>> = {
  amount: 'amount',
  currency: 'unit',
  buyeremail: 'email',
};

/** The first member that a validation refuses. */
function refusedFieldOf(reply: HttpReply): InterfaceField | undefined {
  const refused = [400, 422].includes(reply.status) ? readAs(ValidationErrors, readJson(utf8(reply.body))) : undefined;
  return refused?.[0] && (fieldNamed(fieldsByName, refused[0].path.toLowerCase()) ?? 'body');
}

/** A validation lists what it refuses, and names no code. */
function codeOf(reply: HttpReply): string | undefined {
  const isValidation = readAs(ValidationErrors, readJson(utf8(reply.body))) !== undefined;
  return isValidation ? 'validation' : readJsonBody(ApiError, reply)?.code;
}

export const errors = errorAnswers({
  provider: 'BTCPay Server',
  codeOf,
  // The OpenAPI document says 400 for a validation; the server answers 422.
  nothingCharged: ['400 generic-error', '400 validation', '422 validation'],
  refusedField: refusedFieldOf,
  misconfigured: {
    '401 unauthenticated': 'apiKey',
    '403 missing-permission': 'storeId, and the permissions of apiKey',
  },
  refundRefused: ['400 non-refundable', '404 invoice-not-found'],
});
