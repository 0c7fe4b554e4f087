/** Stores callbacks in the inbox, durably and each once, and reopens rows that a provider sends again. */
import { randomUUID } from 'node:crypto';
import { hash, readReference, type RawCallback } from '@paywright/contract';
import type { Connection } from 'mongoose';
import type { Logger } from 'pino';
import { inboxModel, type InboxRow, type InboxState } from '../../database/collections/inbox-row.ts';
import { createInsertBatcher } from '../../database/insert-batcher.ts';
import { noLease } from '../../database/lease.ts';
import { callbackContext } from '../../database/encryption-context.ts';
import { dueAtOnce } from '../../database/server-clock.ts';
import type { Encrypter } from '../../base/crypto/encryption.ts';
import type { Metrics } from '../../base/metrics/index.ts';
import { withTimeLimit } from '../../base/async/time-limit.ts';
import { currentTrace } from '../../base/traces/index.ts';
import { accountRefOf, mainAccount } from '../providers/account-ref.ts';
import type { MappedEvent } from '../providers/mapped-event.ts';
import { DAY } from '../../base/async/time.ts';
import { toBytes } from './raw-bytes.ts';
import { PING_GAP_MS } from './settle-row.ts';
import { waitingAgain } from './waiting-again.ts';

/** A callback that was verified. */
export interface GenuineCallback {
  readonly adapter: string;
  /** The account that proved the callback; absent: `main`. */
  readonly account?: string;
  /** Further accounts whose secret fits the callback as well. */
  readonly sharedWith?: readonly string[];
  readonly path: string;
  readonly raw: RawCallback;
  readonly requestId: string;
  /** Absent if the adapter could not read the callback: it is kept as malformed. */
  readonly events?: readonly MappedEvent[];
}

export interface Inbox {
  /** `try_later`: the callback could not be stored, and the provider must send it again. */
  store(callback: GenuineCallback): Promise<'accepted' | 'duplicate' | 'try_later'>;
  /**
   * Stores unproven events: only the id of each, in one row per id, however often it arrives. `events` are the events
   * of the callback.
   */
  storePing(
    ping: Omit<GenuineCallback, 'account' | 'sharedWith'> & Required<Pick<GenuineCallback, 'events'>>,
  ): Promise<'accepted' | 'try_later'>;
}

export interface InboxDeps {
  readonly connection: Connection;
  readonly encrypter: Encrypter;
  readonly keepDays: number;
  /** Called when rows are due in the inbox. */
  readonly notifyWorkers: () => void;
  /** Called when a ping is due in the inbox. */
  readonly onPing: () => void;
  readonly now: () => Date;
  readonly metrics: Pick<Metrics, 'depthOf'>;
  readonly log: Logger;
}

/** A 503 must reach the provider before the provider gives up. */
const STORE_LIMIT_MS = 4000;
/** Longer than a ping waits for an attempt with its id. */
const PING_KEEP_MS = 2 * DAY;

export function createInbox(deps: InboxDeps): Inbox {
  const { connection, encrypter, keepDays, notifyWorkers, onPing, now, metrics, log } = deps;
  const model = inboxModel(connection);
  const insert = createInsertBatcher(model, { onWaiting: metrics.depthOf('inbox') });

  /**
   * A dead letter gets another chance when the provider sends it again. If only the provider knows what an event means,
   * its status is fetched again as well: a third party may have made the first of two equal callbacks from what is not
   * signed.
   */
  async function reopen(id: string): Promise<void> {
    const waiting = { $mergeObjects: ['$$one', { state: 'waiting' }] };
    const fetched = { $cond: [{ $eq: ['$$one.event.mustFetch', true] }, waiting, '$$one'] };
    const events = { $map: { input: '$events', as: 'one', in: fetched } };
    const results = await Promise.all([
      model.updateOne({ _id: id, state: 'dead_letter' }, [{ $set: waitingAgain }], { updatePipeline: true }),
      model.updateOne(
        { _id: id, state: 'done', 'events.event.mustFetch': true },
        [{ $set: { ...waitingAgain, events } }],
        {
          updatePipeline: true,
        },
      ),
    ]);
    if (results.some(({ modifiedCount }) => modifiedCount)) notifyWorkers();
  }

  function toRow(callback: GenuineCallback, id = rowId(callback)): InboxRow {
    const { adapter, account = mainAccount, sharedWith = [], path, raw, requestId, events } = callback;
    const at = now();
    const trace = currentTrace();
    const state: InboxState = events ? 'waiting' : 'malformed';
    return {
      _id: id,
      adapter,
      ...(account !== mainAccount && { account }),
      ...(sharedWith.length > 0 && { sharedWith }),
      path,
      requestId,
      ...(trace !== undefined && { trace }),
      receivedAt: raw.receivedAt,
      encrypted: encrypter.encrypt(toBytes(raw), callbackContext(id)),
      events: (events ?? []).map((event) => {
        return { event, paymentRequestId: paymentRequestIdOf(event), state: 'waiting', note: '' };
      }),
      state,
      lease: noLease,
      tries: 0,
      faults: 0,
      expireAt: new Date(at.getTime() + keepDays * DAY),
    };
  }

  /**
   * Adds one poll after the poll that waits or is in progress. After a finished poll, at most one poll in a few
   * seconds.
   */
  async function pingAgain(id: string, expireAt: Date): Promise<void> {
    const isDone = { $ne: ['$state', 'waiting'] };
    const waiting = { $mergeObjects: ['$$one', { state: 'waiting', note: '' }] };
    await model.updateOne(
      { _id: id },
      [
        {
          $set: {
            pings: { $add: ['$pings', 1] },
            state: 'waiting',
            events: { $cond: [isDone, { $map: { input: '$events', as: 'one', in: waiting } }, '$events'] },
            pingDueAt: { $cond: [isDone, { $max: ['$$NOW', { $add: ['$doneAt', PING_GAP_MS] }] }, '$pingDueAt'] },
            tries: { $cond: [isDone, 0, '$tries'] },
            faults: { $cond: [isDone, 0, '$faults'] },
            expireAt,
          },
        },
      ],
      { updatePipeline: true },
    );
  }

  function toPingRow({ adapter, path, raw, requestId }: GenuineCallback, event: MappedEvent): InboxRow {
    const { kind, providerStatus, status, reference, providerReference, providerReferences, subReference } = event;
    const about = {
      kind,
      providerStatus,
      status,
      reference,
      providerReference,
      ...(providerReferences && { providerReferences }),
      ...(subReference && { subReference }),
    };
    const id = `p-${hash('sha256', JSON.stringify([adapter, kind, reference, providerReference, subReference])).toString('hex')}`;
    const idAlone = { ...about, amount: null, currency: null, dedupeKey: null, mustFetch: true } as const;
    const kept = { ...raw, query: '', headers: [], body: new Uint8Array() };
    const row = toRow({ adapter, path, raw: kept, requestId, events: [idAlone] }, id);
    return { ...row, pings: 1, expireAt: new Date(now().getTime() + PING_KEEP_MS) };
  }

  return {
    async storePing({ events, ...callback }) {
      const rows = events.map((event) => toPingRow(callback, event));
      try {
        await withTimeLimit(STORE_LIMIT_MS, async () =>
          Promise.all(
            rows.map(async (row) => {
              const isKnown = (await insert({ ...row, pingDueAt: dueAtOnce(now()) })) === 'duplicate';
              if (isKnown) await pingAgain(row._id, row.expireAt);
            }),
          ),
        );
        onPing();
        return 'accepted';
      } catch (error) {
        const { requestId, adapter } = callback;
        log.error({ err: error, requestId, adapter }, 'a ping could not be stored');
        return 'try_later';
      }
    },

    async store(callback) {
      const row = toRow(callback);
      const due = row.state === 'waiting' ? { dueAt: dueAtOnce(now()) } : {};
      try {
        // If this insert succeeds later after all, the provider's repetition is a duplicate.
        if ((await withTimeLimit(STORE_LIMIT_MS, async () => insert({ ...row, ...due }))) === 'stored') {
          notifyWorkers();
          return 'accepted';
        }
        await reopen(row._id);
        return 'duplicate';
      } catch (error) {
        const { requestId, adapter } = row;
        log.error({ err: error, requestId, adapter }, 'a callback could not be stored');
        return 'try_later';
      }
    },
  };
}

/** The payment request that our own reference names; null if the event has no such reference. */
export function paymentRequestIdOf({ reference }: Pick<MappedEvent, 'reference'>): number | null {
  const id = Number(reference === null ? Number.NaN : readReference(reference)?.paymentRequestId);
  return Number.isSafeInteger(id) ? id : null;
}

/**
 * Equal events are one row, however often and on whichever route they arrive. Events without identity always make a new
 * row. Facts that are not part of the identity take part, because a signature need not cover them: a replay with
 * another amount is another row.
 */
function rowId({ adapter: name, account, raw, events }: GenuineCallback): string {
  // Accounts may number their events alike. What the account main stored before keeps its id.
  const adapter = accountRefOf({ adapter: name, account });
  if (!events) return `m-${hash('sha256', adapter, '\n', raw.query, '\n', raw.body).toString('hex')}`;
  if (events.some(({ dedupeKey }) => dedupeKey === null)) return `r-${randomUUID()}`;
  const facts = events.map((event) => {
    const { kind, dedupeKey, reference, providerReference, amount, currency, mode = null } = event;
    return [kind, dedupeKey, reference, providerReference, amount, currency, mode];
  });
  return `e-${hash('sha256', JSON.stringify([adapter, facts])).toString('hex')}`;
}
