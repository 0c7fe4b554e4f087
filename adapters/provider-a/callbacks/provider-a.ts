/** Callback `POST providerA`: a batch of operations. Each entry has its own MAC. */
import {
  acknowledgeBy,
  defineRoute,
  flatMapInSlices,
  genuine,
  hmac,
  invalidSignature,
  malformed,
  readAs,
  readBase64,
  readJsonObjectInSlices,
  text,
  v,
  verifyWithAny,
  type ReportedEvent,
} from '@paywright/contract';
import type { Options } from '../options.ts';
import { batchStatuses, refundIdentity } from '../statuses.ts';
import { modeOf, moneyOf, Sum } from '../wire.ts';

/** A's longest signed member has 64 characters. Escaping a megabyte for the MAC would cost 160 ms. */
const signed = v.pipe(v.string(), v.maxLength(1000));
const Item = v.object({
  entry: v.object({
    txn: signed,
    parent: v.nullable(signed),
    acct: signed,
    ref: signed,
    sum: Sum,
    what: signed,
    good: signed,
    at: v.string(),
    why: v.nullable(v.string()),
    mac: v.string(),
  }),
});
export type Entry = v.InferOutput<typeof Item>['entry'];

/** The bytes that the MAC covers: every member except `at` and `why`. */
export function canonicalEntry({ txn, parent, acct, ref, sum, what, good }: Omit<Entry, 'at' | 'why' | 'mac'>): string {
  return [txn, parent ?? '', acct, ref, sum.minor, sum.cur, what, good]
    .map((value) => value.replaceAll('\\', '\\\\').replaceAll('~', '\\~'))
    .join('~');
}

export function entryMac(itemKey: string, canonical: string): Buffer {
  return hmac('sha256', Buffer.from(itemKey, 'hex'), canonical);
}

/** Undefined if the form, the account or the MAC is wrong. */
function readEntry(item: unknown, { account, itemKeys }: Options): Entry | undefined {
  const entry = readAs(Item, item)?.entry;
  if (entry?.acct !== account) return undefined;
  const canonical = canonicalEntry(entry);
  const key = verifyWithAny(itemKeys, readBase64(entry.mac), (itemKey) => entryMac(itemKey, canonical));
  return key === undefined ? undefined : entry;
}

/** The MAC does not cover `why`, so a declined entry carries no decline. The status answer carries it. */
function toEvent({ txn, parent, ref, sum, what, good }: Entry, mode: unknown): ReportedEvent {
  const providerStatus = `${what}:${good}`;
  const isRefund = Object.hasOwn(batchStatuses.refund, providerStatus);
  return {
    kind: isRefund ? 'refund' : 'payment',
    providerStatus,
    reference: ref,
    providerReference: what === 'REFUND' ? parent : txn,
    ...(isRefund ? { subReference: txn } : {}),
    ...moneyOf(sum),
    dedupeKey: isRefund ? refundIdentity(txn, providerStatus, batchStatuses.refund) : `${txn}:${providerStatus}`,
    ...modeOf(mode),
  };
}

interface Batch {
  readonly entries: readonly Entry[];
  readonly refusedAt: readonly number[];
  readonly mode: unknown;
}

export const batch = defineRoute<Options, Batch>({
  path: 'providerA',
  method: 'POST',
  // A batch may hold many entries.
  maxBodyBytes: 1_048_576,
  caller: 'server',
  reports: 'payments and refunds, in batches',
  contentTypes: ['application/json'],

  // Read without parsing, because a batch may be large and the hint is read in one turn of the event loop.
  accountHint({ body }) {
    const named = Buffer.from(body)
      .toString('latin1')
      .matchAll(/"acct"\s*:\s*"(\w{1,32})"/g);
    return [...new Set(Array.from(named, ([, acct = '']) => acct))];
  },

  // A refused entry does not affect the others. A batch without any good entry is refused as a whole.
  async verifySignature({ body }, { options }) {
    const { entries: items, mode } = (await readJsonObjectInSlices(body)) ?? {};
    if (!Array.isArray(items) || items.length === 0) return malformed('not a batch with entries');
    const read = await flatMapInSlices(items, (item) => [readEntry(item, options)]);
    const entries = read.filter((entry) => entry !== undefined);
    if (entries.length === 0) return invalidSignature('no entry has a correct MAC and our account');
    const refusedAt = [...read.keys()].filter((at) => read[at] === undefined);
    return genuine({ entries, refusedAt, mode });
  },

  parseCallback: ({ value: { entries, refusedAt, mode } }) => ({
    events: entries.map((entry) => toEvent(entry, mode)),
    refused: refusedAt.length,
    refusedAt,
  }),

  acknowledge: acknowledgeBy({
    accepted: text('[taken]'),
    invalid_signature: text('[refused]', 422),
    malformed: text('[unreadable]', 400),
    try_later: text('[later]', 503),
  }),
});
