/** POST providerA: a batch of operations, each entry with a MAC of its own. */
import {
  acknowledgeBy,
  defineRoute,
  forged,
  genuine,
  hmac,
  malformed,
  provenByAny,
  readAs,
  readBase64,
  text,
  v,
  type Provider,
  type RawCallback,
  type ReportedEvent,
  type Verdict,
} from '@gateway/contract';
import { modeOf, moneyOf, readObject, Sum } from './messages.ts';
import type { Options } from './options.ts';

const Item = v.object({
  entry: v.object({
    txn: v.string(),
    parent: v.nullable(v.string()),
    acct: v.string(),
    ref: v.string(),
    sum: Sum,
    what: v.string(),
    good: v.string(),
    at: v.string(),
    why: v.nullable(v.string()),
    mac: v.string(),
  }),
});
export type Entry = v.InferOutput<typeof Item>['entry'];

export const batchWords = {
  payment: {
    'AUTH:true': 'authorised',
    'AUTH:false': 'failed',
    'CAPTURE:true': 'succeeded',
    'CAPTURE:false': 'failed',
    'VOID:true': 'cancelled',
    'VOID:false': 'authorised',
    'EXPIRE:true': 'expired',
    'EXPIRE:false': 'authorised',
  },
  refund: { 'REFUND:true': 'succeeded', 'REFUND:false': 'failed' },
} as const;

interface Batch {
  readonly entries: readonly Entry[];
  readonly refused: number;
  readonly mode: unknown;
}

/** What the MAC covers: everything but `at` and `why`. */
export function canonicalEntry(entry: Omit<Entry, 'at' | 'why' | 'mac'>): string {
  const { txn, parent, acct, ref, sum, what, good } = entry;
  return [txn, parent ?? '', acct, ref, sum.minor, sum.cur, what, good]
    .map((value) => value.replaceAll('\\', '\\\\').replaceAll('~', '\\~'))
    .join('~');
}

export function entryMac(itemKey: string, canonical: string): Buffer {
  return hmac('sha256', Buffer.from(itemKey, 'hex'), canonical);
}

function isGood(entry: Entry, { account, itemKeys }: Options): boolean {
  const canonical = canonicalEntry(entry);
  return entry.acct === account && provenByAny(itemKeys, readBase64(entry.mac), (key) => entryMac(key, canonical));
}

/** One refused entry never spoils the others; a batch without a good one is forged. */
function prove(raw: RawCallback, { options }: Provider<Options>): Verdict<Batch> {
  const batch = readObject(raw.body);
  const items = batch?.['entries'];
  if (!Array.isArray(items) || items.length === 0) return malformed('not a batch with entries');
  const entries = items.flatMap((item) => {
    const entry = readAs(Item, item)?.entry;
    return entry && isGood(entry, options) ? [entry] : [];
  });
  if (entries.length === 0) return forged('no entry has a right MAC and our account');
  return genuine({ entries, refused: items.length - entries.length, mode: batch?.['mode'] });
}

function toEvent(entry: Entry, mode: unknown): ReportedEvent {
  const { txn, parent, ref, sum, what, good } = entry;
  const word = `${what}:${good}`;
  const refund = Object.hasOwn(batchWords.refund, word)
    ? batchWords.refund[word as keyof typeof batchWords.refund]
    : undefined;
  return {
    kind: refund ? 'refund' : 'payment',
    word,
    reference: ref,
    providerReference: what === 'REFUND' ? parent : txn,
    ...(refund ? { subReference: txn } : {}),
    ...moneyOf(sum),
    // A tells of one refund here and at providerA-refund: one identity.
    dedupeKey: refund ? `refund:${txn}:${refund}` : `${txn}:${word}`,
    ...modeOf(mode),
    facts: { from: 'batch' },
  };
}

export const batch = defineRoute<Options, Batch>({
  path: 'providerA',
  method: 'POST',
  caller: 'server',
  reports: 'payments and refunds, in batches',
  verifySignature: prove,
  parseCallback: ({ value }) => ({
    events: value.entries.map((entry) => toEvent(entry, value.mode)),
    refused: value.refused,
  }),
  acknowledge: acknowledgeBy({
    accepted: text('[taken]'),
    bad_signature: text('[refused]', 422),
    malformed: text('[unreadable]', 400),
    try_later: text('[later]', 503),
  }),
});
