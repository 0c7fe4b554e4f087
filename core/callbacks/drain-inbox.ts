/** Works the inbox off: claims rows with a lease, applies their events payment by payment, and marks them. Never calls out. */
import { randomUUID } from 'node:crypto';
import type { Connection, mongo } from 'mongoose';
import type { Logger } from 'pino';
import { fromDocument } from '../documents/decimals.ts';
import { inboxModel, type InboxEvent, type InboxRow } from '../documents/inbox-row.ts';
import { paymentRequestModel } from '../documents/payment-request.ts';
import type { FeeOf } from '../payments/state/decide.ts';
import type { PaymentStore } from '../payments/store/payment-store.ts';
import type { ThreeDsOptions } from '../payments/submit/three-ds-token.ts';
import type { Sealer } from '../encryption.ts';
import { applyEvents, type AppliedEvent, type WaitingEvent } from './apply-events.ts';
import { fromBytes } from './raw-bytes.ts';
import { readThreeDs } from './read-three-ds.ts';
import { threeDsRoute } from './receive-callback.ts';

export interface DrainDeps {
  readonly connection: Connection;
  readonly store: PaymentStore;
  readonly sealer: Sealer;
  readonly threeDs: ThreeDsOptions;
  readonly feeOf: FeeOf;
  readonly unknownReferenceHours: number;
  readonly worker: string;
  readonly now: () => Date;
  readonly log: Logger;
}

export interface Inbox {
  /** Applies up to a batch of rows; gives how many, and whether more may be due. */
  drain(): Promise<{ readonly done: number; readonly more: boolean }>;
  nextDueAt(): Promise<Date | undefined>;
  releaseWorker(worker: string): Promise<void>;
}

const BATCH = 200;
const LEASE_MS = 60_000;
/** A row whose lease lapsed this often ends its workers: it is put aside for a person. */
const MAX_LAPSES = 5;
const MAX_TRIES = 20;
const HOUR_MS = 3_600_000;
const ourError = 'an error on our side';

interface Item extends WaitingEvent {
  readonly row: InboxRow;
  readonly index: number;
}

export function createInbox(deps: DrainDeps): Inbox {
  const { connection, store, sealer, feeOf, worker, now, log } = deps;
  const model = inboxModel(connection);
  const payments = paymentRequestModel(connection);

  async function claim(): Promise<InboxRow[]> {
    const due = await model
      .find({ dueAt: { $lte: now() } }, { _id: 1, claim: 1 })
      .sort({ dueAt: 1 })
      .limit(BATCH)
      .lean();
    // A row whose lease lapsed is claimed alone, so that a poisonous one never takes its neighbours with it.
    const lapsed = due.find((row) => row.claim !== null);
    const chosen = lapsed ? [lapsed] : due;
    if (!chosen.length) return [];
    const token = randomUUID();
    const dueAt = new Date(now().getTime() + LEASE_MS);
    const ids = { $in: chosen.map(({ _id }) => _id) };
    await model.updateMany(
      { _id: ids, dueAt: { $lte: now() }, claim: lapsed ? lapsed.claim : null },
      { $set: { claim: token, worker, dueAt }, ...(lapsed && { $inc: { lapses: 1 } }) },
    );
    return (await model.find({ _id: ids, claim: token }).lean()).map((row) => fromDocument(row) as InboxRow);
  }

  /** The payment that an event is about; null: we know none of that reference yet. */
  async function paymentOf({ event, paymentRequestId }: InboxEvent, adapter: string): Promise<number | null> {
    if (paymentRequestId !== null || event.providerReference === null) return paymentRequestId;
    const found = await payments
      .findOne(
        {
          'attempts.providerReference': { $type: 'string', $eq: event.providerReference },
          attempts: { $elemMatch: { adapter, providerReference: event.providerReference } },
        },
        { _id: 1 },
      )
      .lean();
    return found?._id ?? null;
  }

  function waitingEvent(row: InboxRow, { event }: InboxEvent): WaitingEvent {
    if (row.adapter !== threeDsRoute) return { adapter: row.adapter, event };
    const read = readThreeDs(fromBytes(sealer.open(row.sealed)), deps.threeDs);
    // It was genuine when it came; without its secret nobody can complete it any more, and reconciliation asks.
    if (read.verdict !== 'genuine') return { adapter: row.adapter, event };
    const { nonce, posted } = read.result;
    return { adapter: row.adapter, event, posted: { nonce, sealed: sealer.seal(JSON.stringify(posted)) } };
  }

  /** What is to be applied to which payment, or why that must wait. */
  async function itemOf(
    row: InboxRow,
    one: InboxEvent,
    index: number,
  ): Promise<AppliedEvent | { readonly id: number; readonly item: Item }> {
    const id = await paymentOf(one, row.adapter);
    if (id === null) return { state: 'retry', note: 'we know no such reference yet' };
    return { id, item: { ...waitingEvent(row, one), row, index } };
  }

  async function applyTo(paymentRequestId: number, items: readonly Item[]): Promise<readonly AppliedEvent[]> {
    if (!(await store.load(paymentRequestId)))
      return items.map(() => ({ state: 'retry', note: 'we know no such payment yet' }));
    let results: readonly AppliedEvent[] = [];
    const requestId = items[0]?.row.requestId ?? '';
    await store.change(paymentRequestId, requestId, (record) => {
      const applied = applyEvents(record, items, feeOf, now());
      results = applied.results;
      return applied.next === record ? undefined : applied;
    });
    for (const [index, { row, event }] of items.entries()) {
      const { state, note } = results[index]!;
      const line = {
        requestId: row.requestId,
        paymentRequestId,
        adapter: row.adapter,
        kind: event.kind,
        word: event.word,
        state,
        note,
      };
      log[state === 'refused' ? 'warn' : 'info'](line, 'event applied');
    }
    return results;
  }

  /** Items of one payment together; where that fails, each row's own, so that one bad row harms only itself. */
  async function applyGroup(paymentRequestId: number, items: readonly Item[]): Promise<Map<Item, AppliedEvent>> {
    const parts = [items, ...(new Set(items.map(({ row }) => row._id)).size > 1 ? items.map((item) => [item]) : [])];
    const results = new Map<Item, AppliedEvent>();
    for (const [at, part] of parts.entries()) {
      try {
        const applied = await applyTo(paymentRequestId, part);
        part.forEach((item, index) => results.set(item, applied[index]!));
        if (at === 0) break;
      } catch (error) {
        log.error({ err: error, paymentRequestId }, 'events could not be applied');
        for (const item of part) results.set(item, { state: 'retry', note: ourError });
      }
    }
    return results;
  }

  async function settleRow(
    row: InboxRow,
    results: ReadonlyMap<number, AppliedEvent>,
    ids: ReadonlyMap<number, number>,
  ): Promise<mongo.AnyBulkWriteOperation> {
    const events = row.events.map((one, index): InboxEvent => {
      const result = results.get(index);
      if (!result || result.state === 'retry') return result ? { ...one, note: result.note } : one;
      // Found by the provider's reference, it belongs to the payment's timeline from now on.
      return {
        ...one,
        paymentRequestId: ids.get(index) ?? one.paymentRequestId,
        state: result.state,
        note: result.note,
      };
    });
    const waits = events.some(({ state }) => state === 'waiting');
    const age = now().getTime() - row.receivedAt.getTime();
    const fails = events.some(({ note }) => note === ourError);
    const isAside = waits && (fails ? (row.faults ?? 0) >= MAX_TRIES : age > deps.unknownReferenceHours * HOUR_MS);
    if (isAside)
      log.error(
        { alarm: true, requestId: row.requestId, adapter: row.adapter, inbox: row._id },
        'callback put aside: a person must look',
      );
    const delay = Math.min(600_000, 1000 * 2 ** Math.min(row.tries, 12));
    const free = { claim: null, worker: null, events };
    const filter = { _id: row._id, claim: row.claim } as unknown as mongo.Filter<mongo.Document>;
    if (waits && !isAside) {
      const faults = (row.faults ?? 0) + (fails ? 1 : 0);
      const later = { ...free, tries: row.tries + 1, faults, dueAt: new Date(now().getTime() + delay) };
      return { updateOne: { filter, update: { $set: later } } };
    }
    const ended = { ...free, state: isAside ? 'aside' : 'done', doneAt: now() };
    return { updateOne: { filter, update: { $set: ended, $unset: { dueAt: 1 } } } };
  }

  async function drain(): Promise<{ done: number; more: boolean }> {
    const rows = await claim();
    if (!rows.length) return { done: 0, more: false };
    const poisonous = rows.filter(({ lapses }) => lapses >= MAX_LAPSES);
    for (const { _id, requestId } of poisonous) {
      log.error({ alarm: true, requestId, inbox: _id }, 'callback put aside: it ended its workers');
      await model.updateOne({ _id }, { $set: { state: 'aside', claim: null, worker: null }, $unset: { dueAt: 1 } });
    }
    const healthy = rows.filter((row) => !poisonous.includes(row));
    const byPayment = new Map<number, Item[]>();
    const results = new Map(healthy.map((row) => [row._id, new Map<number, AppliedEvent>()]));
    const ids = new Map(healthy.map((row) => [row._id, new Map<number, number>()]));
    for (const row of healthy) {
      for (const [index, one] of row.events.entries()) {
        if (one.state !== 'waiting') continue;
        if (one.event.kind === 'token') {
          results.get(row._id)!.set(index, { state: 'nothing', note: 'the life of a token changes no payment' });
          continue;
        }
        const found = await itemOf(row, one, index).catch((error: unknown): AppliedEvent => {
          log.error({ err: error, requestId: row.requestId, inbox: row._id }, 'a callback could not be looked at');
          return { state: 'retry', note: ourError };
        });
        if ('state' in found) results.get(row._id)!.set(index, found);
        else byPayment.set(found.id, [...(byPayment.get(found.id) ?? []), found.item]);
      }
    }
    await Promise.all(
      [...byPayment].map(async ([id, items]) => {
        for (const [{ row, index }, applied] of await applyGroup(id, items)) {
          results.get(row._id)!.set(index, applied);
          ids.get(row._id)!.set(index, id);
        }
      }),
    );
    const marks = await Promise.all(
      healthy.map(async (row) => settleRow(row, results.get(row._id)!, ids.get(row._id)!)),
    );
    if (marks.length) await model.bulkWrite(marks as Parameters<typeof model.bulkWrite>[0], { ordered: false });
    return { done: rows.length, more: true };
  }

  return {
    drain,
    async nextDueAt() {
      const next = await model
        .findOne({ dueAt: { $exists: true } }, { dueAt: 1 })
        .sort({ dueAt: 1 })
        .lean();
      return next?.dueAt ?? undefined;
    },
    async releaseWorker(name) {
      // The claim stays: a row that its worker died on counts as lapsed.
      await model.updateMany({ worker: { $type: 'string', $eq: name } }, { $set: { worker: null, dueAt: now() } });
    },
  };
}
