/** Works the inbox off: claims rows, resolves their events, applies them payment by payment, settles. Never calls out. */
import type { Raise } from '../alarms/index.ts';
import type { Connection } from 'mongoose';
import type { Logger } from 'pino';
import { inboxModel, type InboxRow } from '../documents/inbox-row.ts';
import type { Encrypter } from '../encryption.ts';
import type { FeeOf } from '../payments/state/fee.ts';
import type { PaymentStore } from '../payments/store/payment-store.ts';
import type { ThreeDsOptions } from '../payments/submit/three-ds-token.ts';
import { applyEvents, type AppliedEvent, type WaitingEvent } from './apply-events.ts';
import { isPoisonous, type InboxClaims } from './claim-rows.ts';
import { createResolve } from './resolve-event.ts';
import { endPoisonousRow, ourError, settleRow, type RowResults } from './settle-row.ts';

export interface DrainDeps {
  readonly connection: Connection;
  readonly claims: InboxClaims;
  readonly store: Pick<PaymentStore, 'load' | 'change'>;
  readonly encrypter: Encrypter;
  readonly threeDs: ThreeDsOptions;
  readonly feeOf: FeeOf;
  readonly unknownReferenceHours: number;
  readonly now: () => Date;
  readonly raise: Raise;
  readonly log: Logger;
}

/** An event of a row, to be applied to a payment. */
interface Item extends WaitingEvent {
  readonly row: InboxRow;
  readonly index: number;
}

/** Applies up to `limit` rows; gives how many it claimed. */
export type Drain = (limit: number) => Promise<number>;

export function createDrain(deps: DrainDeps): Drain {
  const { claims, store, feeOf, unknownReferenceHours, now, raise, log } = deps;
  const model = inboxModel(deps.connection);
  const resolve = createResolve(deps);

  return async (limit) => {
    const rows = await claims.claim(limit);
    if (!rows.length) return 0;
    const poisonous = rows.filter(isPoisonous);
    const healthy = rows.filter((row) => !poisonous.includes(row));
    const results = new Map(healthy.map((row) => [row, new Map<number, ResultOf>()]));
    const byPayment = await resolveAll(healthy, results);
    await Promise.all(
      [...byPayment].map(async ([paymentRequestId, items]) => {
        for (const [{ row, index }, applied] of await applyGroup(paymentRequestId, items))
          results.get(row)!.set(index, { ...applied, paymentRequestId });
      }),
    );
    await settle(poisonous, results);
    return rows.length;
  };

  /** The events that are to be applied, by payment; where there is nothing to apply, `results` has the result. */
  async function resolveAll(
    rows: readonly InboxRow[],
    results: ReadonlyMap<InboxRow, Map<number, ResultOf>>,
  ): Promise<Map<number, Item[]>> {
    const byPayment = new Map<number, Item[]>();
    for (const row of rows) {
      for (const [index, one] of row.events.entries()) {
        if (one.state !== 'waiting') continue;
        const found = await resolve(row, one).catch((error: unknown): AppliedEvent => {
          log.error({ err: error, requestId: row.requestId, inbox: row._id }, 'a callback could not be looked at');
          return { state: 'retry', note: ourError };
        });
        if ('state' in found) results.get(row)!.set(index, found);
        else {
          const { paymentRequestId, waiting } = found;
          byPayment.set(paymentRequestId, [...(byPayment.get(paymentRequestId) ?? []), { ...waiting, row, index }]);
        }
      }
    }
    return byPayment;
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
      const { adapter } = row;
      const { kind, providerStatus } = event;
      const logFields = { requestId: row.requestId, paymentRequestId, adapter, kind, providerStatus, state, note };
      log[state === 'refused' ? 'warn' : 'info'](logFields, 'event applied');
    }
    return results;
  }

  async function settle(poisonous: readonly InboxRow[], results: ReadonlyMap<InboxRow, RowResults>): Promise<void> {
    const at = now();
    const settled = [
      ...poisonous.map((row) => ({ row, reason: 'it ended its workers', ...endPoisonousRow(row) })),
      ...[...results].map(([row, applied]) => {
        return { row, reason: 'it could not be applied', ...settleRow(row, applied, unknownReferenceHours, at) };
      }),
    ];
    // Not through mongoose, which would cast what the pipeline computes.
    await model.collection.bulkWrite(
      settled.map(({ update }) => update),
      { ordered: false },
    );
    for (const { row, state, reason } of settled) {
      if (state !== 'dead_letter') continue;
      const { requestId, adapter, _id: inbox } = row;
      raise('callback_dead_letter', { type: 'callback', id: inbox }, reason, { requestId, adapter });
    }
  }
}

type ResultOf = AppliedEvent & { readonly paymentRequestId?: number };
