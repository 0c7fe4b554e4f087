/** Callbacks in the inbox, as operators list and read them. */
import type { Connection } from 'mongoose';
import { fromDocument } from '../../database/decimals.ts';
import { inboxModel, type InboxEvent, type InboxRow } from '../../database/collections/inbox-row.ts';
import { paymentRequestModel } from '../../database/collections/payment-request.ts';
import { pageByTime, type TimePage } from '../../database/page-by-time.ts';
import { callbackContext } from '../../database/encryption-context.ts';
import type { Encrypter } from '../../base/crypto/encryption.ts';
import { notFound } from '../../base/errors.ts';
import { changeText } from '../payments/index.ts';
import { isPoisonous } from './claim-rows.ts';
import { fromBytes } from './raw-bytes.ts';
import { showRaw, type ShownRaw } from './show-raw.ts';

export const deadLetterStates = ['dead_letter', 'malformed'] as const;
export type DeadLetterState = (typeof deadLetterStates)[number];
/** The states above, and callbacks that were processed or that an operator discarded. */
export const pagedStates = [...deadLetterStates, 'done', 'discarded'] as const;
/** The states above, and callbacks that are retried automatically, such as one that arrived before its payment. */
export const listedStates = [...pagedStates, 'waiting'] as const;

export interface DeadLetter {
  readonly id: string;
  readonly adapter: string;
  /** The part after `/callbacks/`. */
  readonly path: string;
  readonly requestId: string;
  readonly receivedAt: Date;
  readonly state: InboxRow['state'];
  /** When an operator discarded it; null: never, or with an earlier version. */
  readonly discardedAt: Date | null;
  /** Why the callback is not applied. */
  readonly reason: string;
  /** What each of its events changed. */
  readonly changes: readonly string[];
  /** The payments that its events name. */
  readonly paymentRequestIds: readonly number[];
  /** Those of `paymentRequestIds` that do not exist. */
  readonly unknownPaymentIds: readonly number[];
  /** When the callback is deleted. */
  readonly expireAt: Date;
}

export interface DeadLetterDetails extends DeadLetter {
  readonly tries: number;
  readonly events: readonly (Pick<InboxEvent, 'paymentRequestId' | 'state' | 'note'> &
    Pick<
      InboxEvent['event'],
      'kind' | 'status' | 'providerStatus' | 'reference' | 'providerReference' | 'amount' | 'currency'
    > & { readonly change: string })[];
  /** Null if none of the encryption keys decrypts it. */
  readonly raw: ShownRaw | null;
}

/** A callback that is still to be applied. */
export interface WaitingCallback extends DeadLetter {
  readonly tries: number;
  /** While a worker holds the row: when another worker may take it over. */
  readonly dueAt: Date;
}

export interface DeadLetterQuery {
  readonly state?: (typeof listedStates)[number];
  readonly adapter?: string;
  /** Received before this time: the next page. */
  readonly before?: Date;
  readonly limit: number;
}

export interface DeadLetterPageQuery {
  readonly state?: (typeof pagedStates)[number];
  readonly adapter?: string;
  readonly cursor?: string;
  readonly limit: number;
}

export interface CallbackReads {
  /** Without a state: callbacks that need review. Newest first; for `waiting`, those that are due soonest. */
  list(query: DeadLetterQuery): Promise<readonly DeadLetter[]>;
  /** The same, newest first, page by page. */
  page(query: DeadLetterPageQuery): Promise<TimePage<DeadLetter>>;
  /** Callbacks that wait to be applied, soonest first: the queue of the workers. */
  waiting(query: Omit<DeadLetterPageQuery, 'state'>): Promise<TimePage<WaitingCallback>>;
  /** Any row of the inbox. NF001 if there is no such row. */
  get(id: string): Promise<DeadLetterDetails>;
}

/** The time limit of one query. */
const limitMs = 2000;

export function createCallbackReads(connection: Connection, encrypter: Pick<Encrypter, 'decrypt'>): CallbackReads {
  const model = inboxModel(connection);
  const payments = paymentRequestModel(connection);

  /** `newest`: the condition on the time of receipt, which bounds the newest row. */
  async function readNewest(
    { state, adapter }: Pick<DeadLetterPageQuery, 'state' | 'adapter'>,
    newest: object,
    limit: number,
  ): Promise<readonly DeadLetter[]> {
    // The index of all rows starts with the adapter, so a list over all adapters names them.
    const isWhole = state === 'done' && adapter === undefined;
    const whose = isWhole ? { $in: await model.distinct('adapter').maxTimeMS(limitMs) } : adapter;
    const filter = { ...conditionOf(state), ...(whose !== undefined && { adapter: whose }), ...newest };
    const newestFirst = model.find(filter, { encrypted: 0 }).sort({ receivedAt: -1 }).limit(limit);
    return present(await newestFirst.maxTimeMS(limitMs).lean<InboxRow[]>());
  }

  /** Pings have a separate queue. */
  async function readWaiting(limit: number, adapter?: string, from?: Date): Promise<readonly WaitingCallback[]> {
    const whose = adapter === undefined ? {} : { adapter };
    const each = (['dueAt', 'pingDueAt'] as const).map(async (member) => {
      // The type is needed: without it the query planner does not use the partial index.
      const queue = model
        .find({ ...whose, [member]: { $type: 'date', ...(from && { $gte: from }) } }, { encrypted: 0 })
        .sort({ [member]: 1 });
      const rows = await queue.limit(limit).maxTimeMS(limitMs).lean<InboxRow[]>();
      const shown = await present(rows);
      return rows.map((row, at) => ({ ...shown[at]!, tries: row.tries, dueAt: row[member] ?? row.receivedAt }));
    });
    const found = (await Promise.all(each)).flat();
    return found.toSorted((one, other) => one.dueAt.getTime() - other.dueAt.getTime()).slice(0, limit);
  }

  async function present(rows: readonly InboxRow[]): Promise<readonly DeadLetter[]> {
    const unsure = rows.filter(({ state }) => state !== 'done').flatMap(paymentIdsOf);
    const known = new Set(
      unsure.length === 0
        ? []
        : (
            await payments
              .find({ _id: { $in: unsure } }, { _id: 1 })
              .maxTimeMS(limitMs)
              .lean()
          ).map(({ _id }) => _id),
    );
    return rows.map((row) => presentRow(row, (id) => row.state === 'done' || known.has(id)));
  }

  return {
    async list({ state, adapter, before, limit }) {
      if (state === 'waiting') return readWaiting(limit, adapter);
      const whose = { ...(state && { state }), ...(adapter !== undefined && { adapter }) };
      return readNewest(whose, before ? { receivedAt: { $lt: before } } : {}, limit);
    },

    page: async (query) =>
      pageByTime(
        query,
        ({ receivedAt }: DeadLetter) => receivedAt,
        async (from, atMost) => readNewest(query, from ? { receivedAt: { $lte: from } } : {}, atMost),
      ),

    waiting: async (query) =>
      pageByTime(
        query,
        ({ dueAt }: WaitingCallback) => dueAt,
        async (from, atMost) => readWaiting(atMost, query.adapter, from),
      ),

    async get(id) {
      const row = await loadCallback(connection, id);
      const raw = openRaw(row, encrypter);
      const [shown] = await present([row]);
      return { ...shown!, tries: row.tries, events: row.events.map(presentEvent), raw: raw ? showRaw(raw) : null };
    },
  };
}

/** Throws NF001 if there is no such row. */
export async function loadCallback(connection: Connection, id: string): Promise<InboxRow> {
  const found = await inboxModel(connection).findById(id).lean();
  if (!found) throw notFound(`callback ${id}`);
  return fromDocument(found) as InboxRow;
}

/** Undefined if none of the encryption keys decrypts it. */
export function openRaw({ _id, encrypted }: InboxRow, encrypter: Pick<Encrypter, 'decrypt'>) {
  try {
    return fromBytes(encrypter.decrypt(encrypted, callbackContext(_id)));
  } catch {
    return undefined;
  }
}

/** Why the callback is not applied. */
export function reasonOf(row: InboxRow): string {
  if (row.state === 'malformed') return 'its adapter could not read it';
  if (row.state === 'dead_letter' && isPoisonous(row)) return 'it crashed its workers repeatedly';
  const notes = row.events.filter(({ state, note }) => state !== 'applied' && note !== '').map(({ note }) => note);
  return [...new Set(notes)].join('; ');
}

function conditionOf(state: DeadLetterPageQuery['state']) {
  // The type is needed: without it the query planner does not use the partial index.
  if (state === 'discarded') return { discardedAt: { $type: 'date' as const } };
  return state === undefined ? { state: { $in: [...deadLetterStates] } } : { state };
}

function paymentIdsOf({ events }: Pick<InboxRow, 'events'>): readonly number[] {
  const ids = events.flatMap(({ paymentRequestId }) => (paymentRequestId === null ? [] : [paymentRequestId]));
  return [...new Set(ids)];
}

function presentRow(row: InboxRow, isKnown: (paymentRequestId: number) => boolean): DeadLetter {
  const { _id: id, adapter, path, requestId, receivedAt, state, events, expireAt, discardedAt = null } = row;
  const paymentRequestIds = paymentIdsOf(row);
  return {
    id,
    adapter,
    path,
    requestId,
    receivedAt,
    state,
    discardedAt,
    reason: reasonOf(row),
    changes: state === 'malformed' ? [] : events.map(changeText),
    paymentRequestIds,
    unknownPaymentIds: paymentRequestIds.filter((one) => !isKnown(one)),
    expireAt,
  };
}

function presentEvent(one: InboxEvent): DeadLetterDetails['events'][number] {
  const { event, paymentRequestId, state, note } = one;
  const { kind, status, providerStatus, reference, providerReference, amount, currency } = event;
  const reported = { kind, status, providerStatus, reference, providerReference, amount, currency };
  return { ...reported, paymentRequestId, state, note, change: changeText(one) };
}
