/** POST providerA-refund: what became of a refund, signed inside the body over the flattened message. */
import {
  acknowledgeBy,
  defineRoute,
  genuine,
  hmac,
  invalidSignature,
  json,
  jsonDigits,
  JsonNumber,
  malformed,
  readAs,
  readBase64,
  readJsonObject,
  v,
  verifyWithAny,
} from '@gateway/contract';
import type { Options } from '../options.ts';
import { noticeStatuses, refundIdentity } from '../statuses.ts';
import { modeOf, moneyOf, Sum } from '../wire.ts';

const Notice = v.object({
  acct: v.string(),
  mode: v.string(),
  ref: v.string(),
  refund: v.object({
    id: v.string(),
    txn: v.string(),
    refundRef: v.nullable(v.string()),
    state: v.string(),
    sum: Sum,
    final: v.boolean(),
    note: v.nullable(v.string()),
  }),
  legs: v.pipe(v.array(v.object({ via: v.string(), minor: jsonDigits(15) })), v.minLength(1)),
  sentAt: v.string(),
});
type Notice = v.InferOutput<typeof Notice>;

const SEAL_BYTES = 64;
/** Every leaf repeats its path, so that a stranger's message could be a thousand times as long in this form. */
const MAX_CANONICAL = 262_144;

/** Every leaf of a read message as `path:value`, sorted by its UTF-8 bytes; the top member `seal` is left out. */
export function canonicalMessage(message: Readonly<Record<string, unknown>>): string {
  return leavesOf(message)
    .map((line) => Buffer.from(line))
    .sort((a, b) => Buffer.compare(a, b))
    .join(';');
}

function leavesOf(message: Readonly<Record<string, unknown>>): string[] {
  return Object.entries(message)
    .filter(([name]) => name !== 'seal')
    .flatMap(([name, value]) => leaves(escape(name), value));
}

function leaves(path: string, value: unknown): string[] {
  if (value instanceof JsonNumber) return [`${path}:${value.text}`];
  if (Array.isArray(value)) return value.flatMap((item, at) => leaves(`${path}:${at}`, item));
  if (typeof value === 'object' && value !== null) {
    return Object.entries(value).flatMap(([name, member]) => leaves(`${path}:${escape(name)}`, member));
  }
  return [`${path}:${typeof value === 'string' ? escape(value) : value === true ? '1' : value === false ? '0' : ''}`];
}

function escape(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll(':', '\\:').replaceAll(';', '\\;');
}

/** Known from lengths alone, before anything is sorted and joined. */
function isTooLong(message: Readonly<Record<string, unknown>>): boolean {
  return leavesOf(message).reduce((sum, line) => sum + line.length, 0) > MAX_CANONICAL;
}

export function refundSeal(refundKey: string, canonical: string): Buffer {
  return hmac('sha512', refundKey, canonical);
}

/** Verifies a notice; null: signed by A for our account, but not readable. */
export const refundNotice = defineRoute<Options, Notice | null>({
  path: 'providerA-refund',
  method: 'POST',
  caller: 'server',
  reports: 'refunds',

  verifySignature({ body }, { options: { account, refundKeys } }) {
    const message = readJsonObject(body);
    if (!message) return malformed('not a JSON object');
    const { seal, acct } = message;
    const given = typeof seal === 'string' ? readBase64(seal) : undefined;
    if (given?.length !== SEAL_BYTES || isTooLong(message)) {
      return invalidSignature('no seal, or a message longer than any of A');
    }
    const canonical = canonicalMessage(message);
    const key = verifyWithAny(refundKeys, given, (refundKey) => refundSeal(refundKey, canonical));
    if (key === undefined) return invalidSignature('seal');
    return acct === account ? genuine(readAs(Notice, message) ?? null) : invalidSignature('another account');
  },

  parseCallback({ value }) {
    if (!value) return { malformed: 'a member is missing or of another type' };
    const { ref, mode, refund } = value;
    const { id, txn, state, sum } = refund;
    const about = { reference: ref, providerReference: txn, subReference: id, ...moneyOf(sum), ...modeOf(mode) };
    const dedupeKey = refundIdentity(id, state, noticeStatuses);
    return { events: [{ kind: 'refund', providerStatus: state, ...about, dedupeKey, facts: { isNotice: true } }] };
  },

  acknowledge: acknowledgeBy({
    accepted: json('{"result":"ok"}'),
    invalid_signature: json('{"result":"bad seal"}', 401),
    malformed: json('{"result":"unreadable"}', 400),
    try_later: json('{"result":"later"}', 503),
  }),
});
