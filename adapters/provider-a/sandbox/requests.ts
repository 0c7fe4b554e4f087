/**
 * Reads the requests that A's side receives: checks the caller, then the body's schema. Anything else is an error
 * answer.
 */
import { jsonInteger, onlyHeader, readJsonObject, readJsonText, sameText, v, writeJson } from '@paywright/contract';
import { isCardNumber, jsonReply, type Reply, type SandboxRequest } from '@paywright/contract/sandbox';
import type { Options } from '../options.ts';
import { Sum } from '../wire.ts';

const Text = v.string();
const Address = v.pipe(
  Text,
  v.check((url) => /^https?:/.test(url) && URL.canParse(url), 'an address of the web'),
);

export const ChargeRequest = v.object({
  acct: Text,
  ref: v.pipe(Text, v.minLength(1)),
  mode: v.picklist(['live', 'test']),
  sum: Sum,
  card: v.object({
    pan: v.pipe(Text, v.check(isCardNumber, 'a card number')),
    expMonth: Text,
    expYear: Text,
    cvc: Text,
    holder: v.optional(Text),
  }),
  payer: v.object({
    name: v.optional(Text),
    mail: v.optional(Text),
    phone: v.optional(Text),
    street: v.optional(Text),
    city: v.optional(Text),
    region: v.optional(Text),
    zip: v.optional(Text),
    land: v.optional(Text),
    ip: v.nullable(Text),
  }),
  capture: v.object({ delayHours: v.pipe(jsonInteger(), v.minValue(0)) }),
  stepUp: v.picklist(['auto', 'force', 'skip']),
  device: v.optional(v.looseObject({})),
  wallet: v.optional(v.looseObject({})),
  backUrl: Address,
});
export type ChargeRequest = v.InferOutput<typeof ChargeRequest>;

export const CompleteRequest = v.object({ acct: Text, ref: Text });

export const RefundRequest = v.object({
  acct: Text,
  ref: Text,
  refundRef: v.pipe(Text, v.minLength(1)),
  sum: Sum,
  note: v.nullable(Text),
});

export function errorReply(
  status: number,
  code: string,
  text: string,
  more: { field?: string; charged?: 'no' } = {},
): Reply {
  return jsonReply(status, { error: { code, text, ...more } });
}

export const noSuch: Reply = errorReply(404, 'NO_SUCH', 'no such reference');
const noKey: Reply = errorReply(401, 'NO_KEY', 'key or account wrong');

/** Whether the request has our API key. */
function isKnown(request: SandboxRequest, { apiKey }: Options): boolean {
  return sameText(onlyHeader(request, 'X-A-Key') ?? '', apiKey);
}

/** Checks the caller of a status request. Returns the error answer for an unknown caller. */
export function refuseReader(request: SandboxRequest, options: Options): Reply | undefined {
  return isKnown(request, options) && request.queryForm()?.get('acct') === options.account ? undefined : noKey;
}

/** A POST that was read: its body, its idempotency key, and its values in one normalised spelling. */
export interface Asked<T> {
  readonly body: T;
  readonly key: string;
  readonly values: string;
}

/** Reads a POST or returns its error answer. Checks key, form, account and types, in this order. */
export function readPost<T extends { acct: string }>(
  request: SandboxRequest,
  options: Options,
  schema: v.GenericSchema<unknown, T>,
): Asked<T> | { readonly refused: Reply } {
  if (!isKnown(request, options)) return { refused: noKey };
  const message = readJsonObject(request.body);
  if (!message) return { refused: errorReply(400, 'UNREADABLE', 'not a JSON object') };
  if (message['acct'] !== options.account) return { refused: noKey };
  const read = v.safeParse(schema, message);
  if (!read.success) {
    const [issue] = read.issues;
    return { refused: invalid(v.getDotPath(issue) ?? 'body') };
  }
  const key = onlyHeader(request, 'Idempotency-Key') ?? '';
  if (key === '') return { refused: invalid('Idempotency-Key') };
  return { body: read.output, key, values: writeJson(readJsonText(request.text() ?? ''), { sorted: true }) };
}

export function invalid(field: string): Reply {
  return errorReply(422, 'INVALID', 'field refused', { field });
}
