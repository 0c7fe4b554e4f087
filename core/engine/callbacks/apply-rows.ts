/**
 * Applies a batch of claimed rows and settles them: what the events change in payments, the notifications and the rows'
 * own state are one transaction.
 */
import type { Connection } from 'mongoose';
import type { Logger } from 'pino';
import { aboutStatus, adapterSubject, type Raise } from '../alarms/index.ts';
import { inboxModel, type InboxRow } from '../../database/collections/inbox-row.ts';
import { ConflictError, type Transactions } from '../../database/transaction.ts';
import type { Environment } from '../../base/environment.ts';
import type { Metrics } from '../../base/metrics/index.ts';
import { accountRefOf } from '../providers/account-ref.ts';
import { otherAccount, otherMode, type AppliedBatch, type AppliedEvent, type ApplyEvents } from '../payments/index.ts';
import { isPoisonous } from './claim-rows.ts';
import type { Item, ResolveRows } from './resolve-events.ts';
import { settleRow, type SettledRow } from './settle-row.ts';

export interface ApplyRowsDeps {
  readonly connection: Connection;
  readonly payments: { readonly applyEvents: ApplyEvents };
  readonly resolve: ResolveRows;
  readonly unknownReferenceHours: number;
  /** Called if a settled row may be due again. */
  readonly onDueAgain: () => void;
  readonly now: () => Date;
  readonly raise: Raise;
  readonly metrics: Pick<Metrics, 'events'>;
  readonly log: Logger;
}

export interface ApplyRows {
  /**
   * All of the rows, or none: rejects if another process was faster with one of them or with one of their payments.
   * `isRepeated`: that happened before.
   */
  apply(rows: readonly InboxRow[], transactions: Transactions, isRepeated: boolean): Promise<void>;
  /** Writes results that no payment depends on. A row whose lease has expired stays unchanged. */
  settle(settled: readonly SettledRowOf[]): Promise<void>;
}

/** A row together with its result. */
export type SettledRowOf = SettledRow & { readonly row: InboxRow };

type EventResult = AppliedEvent & { readonly paymentRequestId?: number; readonly mode?: Environment };
type Results = ReadonlyMap<InboxRow, Map<number, EventResult>>;
type ItemsByPayment = ReadonlyMap<number, readonly Item[]>;

export function createApplyRows(deps: ApplyRowsDeps): ApplyRows {
  const { connection, payments, resolve, unknownReferenceHours, onDueAgain, now, raise, metrics, log } = deps;
  const { collection } = inboxModel(connection);

  async function apply(rows: readonly InboxRow[], transactions: Transactions, isRepeated: boolean): Promise<void> {
    const { byPayment, results: known } = await resolve(rows);
    const batch = await payments.applyEvents(toBatch(byPayment), { isRepeated });
    const results: Results = new Map(rows.map((row) => [row, new Map<number, EventResult>()]));
    for (const { row, index, result } of known) results.get(row)!.set(index, result);
    for (const [id, { events, mode, failure }] of batch.results) {
      if (failure !== undefined) log.error({ err: failure, paymentRequestId: id }, 'events could not be applied');
      const about = mode && { paymentRequestId: id, mode };
      for (const [at, { row, index }] of byPayment.get(id)!.entries())
        results.get(row)!.set(index, { ...events[at]!, ...about });
    }
    await store(rows, results, batch, transactions);
    for (const [id, items] of byPayment) logApplied(id, items, results);
    for (const [{ adapter: provider }, own] of results) {
      for (const { state, mode = 'unknown' } of own.values()) metrics.events.inc({ provider, mode, outcome: state });
    }
  }

  async function store(
    rows: readonly InboxRow[],
    results: Results,
    batch: AppliedBatch,
    transactions: Transactions,
  ): Promise<void> {
    const at = now();
    const settled = [...results].map(([row, own]) => ({ row, ...settleRow(row, own, unknownReferenceHours, at) }));
    try {
      if (batch.isEmpty) {
        await writeRows(settled);
      } else {
        await transactions.run(async (session) => {
          await batch.write(session, rows[0]!.lease.claimedAt!);
          const updates = settled.map(({ update }) => update);
          const { matchedCount, deletedCount } = await collection.bulkWrite(updates, { session, ordered: false });
          if (matchedCount + deletedCount !== updates.length) throw new ConflictError();
        });
      }
    } catch (error) {
      batch.abandoned(error);
      throw error;
    }
    batch.stored();
    report(settled);
  }

  async function settle(settled: readonly SettledRowOf[]): Promise<void> {
    await writeRows(settled);
    report(settled);
  }

  async function writeRows(settled: readonly SettledRowOf[]): Promise<void> {
    await collection.bulkWrite(
      settled.map(({ update }) => update),
      { ordered: false },
    );
  }

  function report(settled: readonly SettledRowOf[]): void {
    for (const { row, state } of settled) {
      if (state === 'waiting' || row.pings !== undefined) onDueAgain();
      if (state !== 'dead_letter') continue;
      const { requestId, adapter, _id: inbox } = row;
      const event = row.events.find((one) => one.state === 'waiting')?.event;
      const { amount = null, currency = null } = event ?? {};
      const money = amount === null || currency === null ? undefined : { amount, currency };
      const reason = isPoisonous(row)
        ? 'it crashed its workers repeatedly'
        : deadLetterReason(event?.reference ?? null);
      const about = money && { money };
      raise('callback_dead_letter', { type: 'callback', id: inbox }, reason, { requestId, adapter }, about);
    }
  }

  function logApplied(paymentRequestId: number, items: readonly Item[], results: Results): void {
    for (const { row, index, event } of items) {
      const { state, note, error, mode = 'live' } = results.get(row)!.get(index)!;
      const { adapter, requestId } = row;
      const { kind, providerStatus } = event;
      const logFields = { requestId, paymentRequestId, adapter, kind, providerStatus, state, note };
      if (event.status === 'unknown')
        raise(
          'status_unknown',
          adapterSubject(adapter, mode, aboutStatus(kind, providerStatus)),
          `${kind} ${providerStatus}, payment ${paymentRequestId}`,
          logFields,
        );
      if (note === otherAccount)
        raise(
          'callback_of_other_account',
          { type: 'adapter', id: accountRefOf(row) },
          `payment ${paymentRequestId}`,
          logFields,
        );
      if (note === otherMode)
        raise('callback_of_other_mode', { type: 'adapter', id: adapter }, `payment ${paymentRequestId}`, logFields);
      if (error) log.error({ ...logFields, err: error }, 'an event could not be applied');
      else log[state === 'refused' ? 'warn' : 'info'](logFields, 'event applied');
    }
  }

  return { apply, settle };
}

/** The request of a payment's first callback is the one that its notifications carry. */
function toBatch(byPayment: ItemsByPayment): Parameters<ApplyEvents>[0] {
  return new Map([...byPayment].map(([id, events]) => [id, { requestId: events[0]!.row.requestId, events }]));
}

function deadLetterReason(reference: string | null): string {
  return reference === null ? 'it could not be applied' : `it could not be applied to ${reference}`;
}
