/** POST providerA-refund: what became of a refund, sealed inside the body over the flattened message. */
import {
  acknowledgeBy,
  defineRoute,
  forged,
  genuine,
  hmac,
  json,
  jsonDigits,
  JsonNumber,
  malformed,
  provenByAny,
  readAs,
  readBase64,
  v,
  type Provider,
  type RawCallback,
  type Verdict,
} from '@gateway/contract';
import { modeOf, moneyOf, readObject, Sum } from '../messages.ts';
import type { Options } from '../options.ts';

const states = { queued: 'pending', done: 'succeeded', failed: 'failed', reversed: 'reversed' } as const;
export const noticeWords = { refund: states } as const;

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

/** Told from lengths alone, before any path is written out. */
function isTooLong(message: Readonly<Record<string, unknown>>): boolean {
  return leavesOf(message).reduce((sum, line) => sum + line.length, 0) > MAX_CANONICAL;
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

export function refundSeal(refundKey: string, canonical: string): Buffer {
  return hmac('sha512', refundKey, canonical);
}

/** Null: sealed by A for our account, but not readable. */
function prove(raw: RawCallback, { options: { account, refundKeys } }: Provider<Options>): Verdict<Notice | null> {
  const message = readObject(raw.body);
  if (!message) return malformed('not a JSON object');
  const { seal } = message;
  const given = typeof seal === 'string' ? readBase64(seal) : undefined;
  if (given?.length !== SEAL_BYTES || isTooLong(message)) return forged('no seal, or a message longer than any of A');
  const canonical = canonicalMessage(message);
  if (!provenByAny(refundKeys, given, (key) => refundSeal(key, canonical))) return forged('seal');
  if (message['acct'] !== account) return forged('another account');
  return genuine(readAs(Notice, message) ?? null);
}

export const refundNotice = defineRoute<Options, Notice | null>({
  path: 'providerA-refund',
  method: 'POST',
  caller: 'server',
  reports: 'refunds',
  verifySignature: prove,
  parseCallback({ value }) {
    if (!value) return { malformed: 'a member is missing or of another type' };
    const { id, txn, state, sum } = value.refund;
    const status = Object.hasOwn(states, state) ? states[state as keyof typeof states] : state;
    return {
      events: [
        {
          kind: 'refund',
          word: state,
          reference: value.ref,
          providerReference: txn,
          subReference: id,
          ...moneyOf(sum),
          // A tells of one refund here and in a batch: one identity.
          dedupeKey: `refund:${id}:${status}`,
          ...modeOf(value.mode),
          facts: { from: 'notice' },
        },
      ],
    };
  },
  acknowledge: acknowledgeBy({
    accepted: json('{"result":"ok"}'),
    bad_signature: json('{"result":"bad seal"}', 401),
    malformed: json('{"result":"unreadable"}', 400),
    try_later: json('{"result":"later"}', 503),
  }),
});
