/** The envelope of every message: base64 of compact JSON, and a salted hash over the base64 text itself. */
import {
  declineOf,
  errorAnswers,
  hash,
  jsonPost,
  readBase64,
  readHex,
  readJsonBody,
  readJsonObject,
  requestTarget,
  sameBytes,
  stringifyExact,
  v,
  type HttpRequest,
} from '@paywright/contract';
import type { Context, Options } from './options.ts';
import { declines } from './statuses.ts';

export function toBlob(message: unknown): string {
  return Buffer.from(stringifyExact(message)).toString('base64');
}

/** The message in a blob. Undefined if the blob is not base64 of a JSON object in UTF-8. */
export function openBlob(blob: string): unknown {
  const bytes = readBase64(blob);
  return bytes && readJsonObject(bytes);
}

const Envelope = v.object({ blob: v.string() });

/** The blob of a body. Undefined if the body is not a JSON object with a blob. */
export function readBlob(body: Uint8Array): string | undefined {
  return readJsonBody(Envelope, { body })?.blob;
}

/** Makes `X-U-Check` over `text`, followed by the salt. */
export function toCheck(text: string, index: string, salt: string): string {
  return `${hash('sha256', text, salt).toString('hex')}###${index}`;
}

/** Whether the check is right for `text` under the salt of the index that it names. */
export function isRightCheck(check: string, text: string, salts: Options['salts']): boolean {
  const [, hex = '', index = ''] = /^([0-9A-Fa-f]{64})###([1-9][0-9]{0,2})$/.exec(check) ?? [];
  const given = readHex(hex, 32);
  const salt = Object.hasOwn(salts, index) ? salts[index] : undefined;
  return given !== undefined && !!salt && sameBytes(hash('sha256', text, salt), given);
}

function headersOf({ options, baseUrl }: Context, path: string, blob: string): Record<string, string> {
  const { merchantId, salts, saltIndex } = options;
  const text = blob + requestTarget(baseUrl, path);
  return { 'X-U-Mid': merchantId, 'X-U-Check': toCheck(text, saltIndex, salts[saltIndex]!) };
}

export function signedPost(ctx: Context, path: string, message: unknown): HttpRequest {
  const blob = toBlob(message);
  return jsonPost(path, { blob }, headersOf(ctx, path, blob));
}

export function signedGet(ctx: Context, path: string): HttpRequest {
  return { method: 'GET', path, headers: headersOf(ctx, path, '') };
}

const ErrorBody = v.object({ ok: v.literal(false), code: v.string() });

export const errors = errorAnswers({
  provider: 'the switch',
  codeOf: (reply) => readJsonBody(ErrorBody, reply)?.code,
  nothingCharged: ['500 NOT_STARTED', '503 NOT_STARTED'],
  // The answer names no field.
  refusedField: ({ status }, code) => (status === 400 && code === 'FORMAT' ? 'body' : undefined),
  misconfigured: { '401 CHECK': 'merchantId, salts and saltIndex' },
  declined: ({ status }, code) => (status === 422 && code ? declineOf(declines, code) : undefined),
});
