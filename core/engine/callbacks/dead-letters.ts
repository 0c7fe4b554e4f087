/**
 * Callbacks that need review: dead letters, and genuine callbacks that their adapter could not read. An operator reads
 * the reason, fixes the cause, and then has them applied again or discards them.
 */
import type { Connection } from 'mongoose';
import { alarmId, type Alarms } from '../alarms/index.ts';
import type { Actor, Audit, AuditedAction } from '../audit/index.ts';
import { fromDocument } from '../../database/decimals.ts';
import { inboxModel, type InboxEvent, type InboxRow } from '../../database/collections/inbox-row.ts';
import { pageByTime, type TimePage } from '../../database/page-by-time.ts';
import { callbackContext } from '../../database/encryption-context.ts';
import type { Encrypter } from '../../base/crypto/encryption.ts';
import { GatewayError, notFound } from '../../base/errors.ts';
import { isPoisonous } from './claim-rows.ts';
import { paymentRequestIdOf } from './inbox.ts';
import { fromBytes } from './raw-bytes.ts';
import type { Rereading } from './reread.ts';
import { showRaw, type ShownRaw } from './show-raw.ts';
import { waitingAgain } from './waiting-again.ts';

export const deadLetterStates = ['dead_letter', 'malformed'] as const;
export type DeadLetterState = (typeof deadLetterStates)[number];
/** The states above, and callbacks that are retried automatically, such as one that arrived before its payment. */
export const listedStates = [...deadLetterStates, 'waiting'] as const;

export interface DeadLetter {
  readonly id: string;
  readonly adapter: string;
  /** The part after `/callbacks/`. */
  readonly path: string;
  readonly requestId: string;
  readonly receivedAt: Date;
  readonly state: InboxRow['state'];
  /** Why the callback is not applied. */
  readonly reason: string;
  /** The payments that its events name. */
  readonly paymentRequestIds: readonly number[];
  /** When the callback is deleted. */
  readonly expireAt: Date;
}

export interface DeadLetterDetails extends DeadLetter {
  readonly tries: number;
  readonly events: readonly (Pick<InboxEvent, 'paymentRequestId' | 'state' | 'note'> &
    Pick<
      InboxEvent['event'],
      'kind' | 'status' | 'providerStatus' | 'reference' | 'providerReference' | 'amount' | 'currency'
    >)[];
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
  readonly state?: DeadLetterState;
  readonly adapter?: string;
  readonly cursor?: string;
  readonly limit: number;
}

export interface DeadLetters {
  /** Callbacks that need review, newest first. For `waiting`: the callbacks that are due soonest. */
  list(query: DeadLetterQuery): Promise<readonly DeadLetter[]>;
  /** Callbacks that need review, newest first, page by page. */
  page(query: DeadLetterPageQuery): Promise<TimePage<DeadLetter>>;
  /** Callbacks that wait to be applied, soonest first: the queue of the workers. */
  waiting(query: Omit<DeadLetterPageQuery, 'state'>): Promise<TimePage<WaitingCallback>>;
  /** Any row of the inbox. NF001 if there is no such row. */
  get(id: string): Promise<DeadLetterDetails>;
  /**
   * Makes the callback due immediately, however often it failed. NF001 as above. PAY004 if it needs no review (for
   * example, it has not been tried yet), or if the adapter still cannot read it.
   */
  requeue(by: Actor, id: string, reason?: string): Promise<void>;
  /** The callback is never applied, even if the provider sends it again. NF001 and PAY004 as above. */
  discard(by: Actor, id: string, reason: string): Promise<void>;
}

export interface DeadLettersDeps {
  readonly connection: Connection;
  readonly encrypter: Encrypter;
  readonly audit: Pick<Audit, 'run'>;
  /** Reads callbacks that an adapter could not read. Absent: no adapter is loaded, and such rows cannot be requeued. */
  readonly rereading?: Pick<Rereading, 'read'>;
  /** The alarm about a callback is resolved once an operator has handled it. */
  readonly alarms: Pick<Alarms, 'resolve'>;
  readonly now: () => Date;
}

export function createDeadLetters({
  connection,
  encrypter,
  audit,
  rereading,
  alarms,
  now,
}: DeadLettersDeps): DeadLetters {
  const model = inboxModel(connection);

  async function load(id: string): Promise<InboxRow> {
    const found = await model.findById(id).lean();
    if (!found) throw notFound(`callback ${id}`);
    return fromDocument(found) as InboxRow;
  }

  async function loadDeadLetter(id: string): Promise<InboxRow> {
    const row = await load(id);
    if (!needsReview(row)) throw needsNoReview(row);
    return row;
  }

  /** Rejects if another operator or a worker was faster. */
  async function change(row: InboxRow, update: Parameters<typeof model.updateOne>[1]): Promise<void> {
    const { _id, state } = row;
    const which = { _id, state, ...(state === 'waiting' && { 'lease.token': null }) };
    const { matchedCount } = await model.updateOne(which, update, {
      ...(Array.isArray(update) && { updatePipeline: true }),
    });
    if (matchedCount === 0) throw needsNoReview(await load(row._id));
  }

  /** Reads the events of a row that the adapter could not read before. */
  async function readAgain(row: InboxRow): Promise<readonly InboxEvent[]> {
    const raw = openRaw(row);
    if (!raw) throw refusal(`callback ${row._id} cannot be decrypted: an encryption key is missing`);
    const reread = await rereading?.read(raw, row.path);
    if (!reread || 'refused' in reread)
      throw refusal(`${row.adapter} still cannot read callback ${row._id}: ${reread?.refused ?? 'it is not loaded'}`);
    return reread.events.map((event) => {
      return { event, paymentRequestId: paymentRequestIdOf(event), state: 'waiting', note: '' };
    });
  }

  /** `newest`: the condition on the time of receipt, which bounds the newest row. */
  async function readDeadLetters(
    { state, adapter }: Pick<DeadLetterQuery, 'state' | 'adapter'>,
    newest: object,
    limit: number,
  ): Promise<readonly DeadLetter[]> {
    const whose = { state: state ?? { $in: [...deadLetterStates] }, ...(adapter !== undefined && { adapter }) };
    const found = model.find({ ...whose, ...newest }, { encrypted: 0 }).sort({ receivedAt: -1 });
    return (await found.limit(limit).lean<InboxRow[]>()).map(present);
  }

  /** Pings have a separate queue. */
  async function readWaiting(limit: number, adapter?: string, from?: Date): Promise<readonly WaitingCallback[]> {
    const whose = adapter === undefined ? {} : { adapter };
    const each = (['dueAt', 'pingDueAt'] as const).map(async (member) => {
      // The type is needed: without it the query planner does not use the partial index.
      const queue = model
        .find({ ...whose, [member]: { $type: 'date', ...(from && { $gte: from }) } }, { encrypted: 0 })
        .sort({ [member]: 1 });
      const rows = await queue.limit(limit).lean<InboxRow[]>();
      return rows.map((row) => ({ ...present(row), tries: row.tries, dueAt: row[member] ?? row.receivedAt }));
    });
    const found = (await Promise.all(each)).flat();
    return found.toSorted((one, other) => one.dueAt.getTime() - other.dueAt.getTime()).slice(0, limit);
  }

  function openRaw({ _id, encrypted }: InboxRow) {
    try {
      return fromBytes(encrypter.decrypt(encrypted, callbackContext(_id)));
    } catch {
      return undefined;
    }
  }

  return {
    async list({ state, adapter, before, limit }) {
      if (state === 'waiting') return readWaiting(limit, adapter);
      const whose = { ...(state && { state }), ...(adapter !== undefined && { adapter }) };
      return readDeadLetters(whose, before ? { receivedAt: { $lt: before } } : {}, limit);
    },

    page: async (query) =>
      pageByTime(
        query,
        ({ receivedAt }: DeadLetter) => receivedAt,
        async (from, atMost) => readDeadLetters(query, from ? { receivedAt: { $lte: from } } : {}, atMost),
      ),

    waiting: async (query) =>
      pageByTime(
        query,
        ({ dueAt }: WaitingCallback) => dueAt,
        async (from, atMost) => readWaiting(atMost, query.adapter, from),
      ),

    async get(id) {
      const row = await load(id);
      const raw = openRaw(row);
      return {
        ...present(row),
        tries: row.tries,
        events: row.events.map(presentEvent),
        raw: raw ? showRaw(raw) : null,
      };
    },

    async requeue(by, id, reason) {
      const row = await load(id);
      if (!needsReview(row) && !isTriedAgain(row)) throw needsNoReview(row);
      const events = row.state === 'malformed' ? await readAgain(row) : undefined;
      await audit.run(by, deedOf('callback.requeue', row, reason), async () => {
        const due = row.pings === undefined ? {} : { dueAt: '$$REMOVE', pingDueAt: '$$NOW' };
        await change(row, [{ $set: { ...waitingAgain, ...due, ...(events && { events: { $literal: events } }) } }]);
        await alarms.resolve(alarmOf(row));
        return { value: undefined, before: { state: row.state }, after: { state: 'waiting' } };
      });
    },

    async discard(by, id, reason) {
      const row = await loadDeadLetter(id);
      await audit.run(by, deedOf('callback.discard', row, reason), async () => {
        const waiting = [...row.events.entries()].filter(([, { state }]) => state === 'waiting');
        const ends = waiting.flatMap(([at]) => [
          [`events.${at}.state`, 'refused'],
          [`events.${at}.note`, `discarded: ${reason}`],
        ]);
        await change(row, { $set: { state: 'done', doneAt: now(), ...Object.fromEntries(ends) } });
        await alarms.resolve(alarmOf(row));
        return { value: undefined, before: { state: row.state, reason: reasonOf(row) }, after: { state: 'done' } };
      });
    },
  };
}

function alarmOf({ _id: id }: InboxRow): string {
  return alarmId('callback_dead_letter', { type: 'callback', id });
}

function needsReview({ state }: InboxRow): boolean {
  return state === 'dead_letter' || state === 'malformed';
}

/** The callback was tried without success and waits for its next try. */
export function isTriedAgain({ state, tries }: Pick<InboxRow, 'state' | 'tries'>): boolean {
  return state === 'waiting' && tries > 0;
}

function refusal(message: string): GatewayError {
  return new GatewayError('PAYMENT_NOT_PAYABLE', message);
}

function needsNoReview({ _id, state }: InboxRow): GatewayError {
  return refusal(`callback ${_id} is ${state === 'waiting' ? 'waiting to be applied' : 'done'}: it needs no review`);
}

function deedOf(act: AuditedAction['act'], { _id, adapter }: InboxRow, reason: string | undefined): AuditedAction {
  return { act, subject: { type: 'callback', id: _id }, reason, plan: { adapter } };
}

function present(row: InboxRow): DeadLetter {
  const { _id: id, adapter, path, requestId, receivedAt, state, events, expireAt } = row;
  const ids = events.flatMap(({ paymentRequestId }) => (paymentRequestId === null ? [] : [paymentRequestId]));
  return {
    id,
    adapter,
    path,
    requestId,
    receivedAt,
    state,
    reason: reasonOf(row),
    paymentRequestIds: [...new Set(ids)],
    expireAt,
  };
}

function reasonOf(row: InboxRow): string {
  if (row.state === 'malformed') return 'its adapter could not read it';
  if (row.state === 'dead_letter' && isPoisonous(row)) return 'it crashed its workers repeatedly';
  const notes = row.events.filter(({ state, note }) => state !== 'applied' && note !== '').map(({ note }) => note);
  return [...new Set(notes)].join('; ');
}

function presentEvent({ event, paymentRequestId, state, note }: InboxEvent): DeadLetterDetails['events'][number] {
  const { kind, status, providerStatus, reference, providerReference, amount, currency } = event;
  return {
    kind,
    status,
    providerStatus,
    reference,
    providerReference,
    amount,
    currency,
    paymentRequestId,
    state,
    note,
  };
}
