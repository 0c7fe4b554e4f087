/** Callback `POST providerA-refund`: the result of a refund. The body holds a signature over the flattened message. */
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
} from '@paywright/contract';
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
const Named = v.object({ acct: v.string() });
type Notice = v.InferOutput<typeof Notice>;

const SEAL_BYTES = 64;
/**
 * Maximum length of a flattened message. Every leaf repeats its path, so a forged message could grow a thousandfold.
 */
const MAX_CANONICAL = 262_144;

/**
 * Flattens a message: every leaf as `path:value`, sorted by UTF-8 bytes, without the top member `seal`. Undefined if
 * the leaves are longer than any message of A.
 */
export function canonicalMessage(message: Readonly<Record<string, unknown>>): string | undefined {
  const lines = leavesOf(message);
  // One character per byte, so that the leaves sort like their bytes.
  const bytes = lines?.map((line) => Buffer.from(line).toString('latin1')).sort();
  return bytes && Buffer.from(bytes.join(';'), 'latin1').toString();
}

/** Collects the leaves in one walk and stops as soon as they are too long. */
function leavesOf(message: Readonly<Record<string, unknown>>): string[] | undefined {
  const lines: string[] = [];
  let length = 0;

  function add(path: string, text: string): boolean {
    lines.push(`${path}:${text}`);
    length += path.length + 1 + text.length;
    return length <= MAX_CANONICAL;
  }

  /** Returns false if the leaves are too long. */
  function walk(path: string, value: unknown): boolean {
    if (value instanceof JsonNumber) return add(path, value.text);
    if (Array.isArray(value)) return value.every((item, at) => walk(`${path}:${at}`, item));
    if (typeof value === 'object' && value !== null) {
      return Object.entries(value).every(([name, member]) => walk(`${path}:${escape(name)}`, member));
    }
    return add(path, typeof value === 'string' ? escape(value) : value === true ? '1' : value === false ? '0' : '');
  }

  const members = Object.entries(message).filter(([name]) => name !== 'seal');
  return members.every(([name, value]) => walk(escape(name), value)) ? lines : undefined;
}

function escape(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll(':', '\\:').replaceAll(';', '\\;');
}

export function refundSeal(refundKey: string, canonical: string): Buffer {
  return hmac('sha512', refundKey, canonical);
}

/** Verifies a notice. A genuine null means: A signed it for our account, but it is unreadable. */
export const refundNotice = defineRoute<Options, Notice | null>({
  path: 'providerA-refund',
  method: 'POST',
  caller: 'server',
  reports: 'refunds',
  contentTypes: ['application/json'],

  accountHint: ({ body }) => readAs(Named, readJsonObject(body))?.acct,

  verifySignature({ body }, { options: { account, refundKeys } }) {
    const message = readJsonObject(body);
    if (!message) return malformed('not a JSON object');
    const { seal, acct } = message;
    const given = typeof seal === 'string' ? readBase64(seal) : undefined;
    if (given?.length !== SEAL_BYTES) return invalidSignature('seal is missing or malformed');
    const canonical = canonicalMessage(message);
    if (canonical === undefined) return invalidSignature('the message is longer than any of A’s messages');
    const key = verifyWithAny(refundKeys, given, (refundKey) => refundSeal(refundKey, canonical));
    if (key === undefined) return invalidSignature('no key matches seal');
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
