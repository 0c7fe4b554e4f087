/**
 * Works the inbox off. Rows are claimed as a batch and settled as one: their payments are read together, and what the events
 * make of them, the notifications and the rows' own state are one transaction. Never calls out.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Connection } from 'mongoose';
import type { Logger } from 'pino';
import { aboutWord, adapterSubject, type Raise } from '../alarms/index.ts';
import { isDatabaseAway } from '../../database/database-away.ts';
import { inboxModel, type InboxRow } from '../../database/collections/inbox-row.ts';
import type { PaymentRecord } from '../../database/collections/payment-request.ts';
import { ConflictError, openTransactions, type Transactions } from '../../database/transaction.ts';
import type { Encrypter } from '../../base/crypto/encryption.ts';
import type { Environment } from '../../base/environment.ts';
import type { Metrics } from '../../base/metrics/index.ts';
import { otherMode } from '../payments/state/apply-event.ts';
import type { FeeOf } from '../payments/state/fee.ts';
import type { ChangeMany, PaymentStep } from '../payments/store/change-many.ts';
import type { ThreeDsOptions } from '../payments/submit/three-ds-token.ts';
import { latestAttempt } from '../../database/collections/attempt.ts';
import { openSpan, type OpenSpan } from '../../base/traces/index.ts';
import { applyEvents, ourError, type AppliedEvent } from './apply-events.ts';
import { isPoisonous, type InboxClaims } from './claim-rows.ts';
import { createResolve, type Item } from './resolve-events.ts';
import type { Callbacks } from './service.ts';
import { endPoisonousRow, settleRow, type SettledRow } from './settle-row.ts';

export interface DrainDeps {
  readonly connection: Connection;
  readonly claims: InboxClaims;
  readonly changeMany: ChangeMany;
  readonly encrypter: Encrypter;
  readonly threeDs: ThreeDsOptions;
  readonly feeOf: FeeOf;
  readonly unknownReferenceHours: number;
  /** There is more than one batch. */
  readonly askForHelp: () => void;
  readonly now: () => Date;
  readonly raise: Raise;
  readonly metrics: Pick<Metrics, 'events'>;
  readonly log: Logger;
}

export type Drain = Pick<Callbacks, 'drain' | 'nextDueAt'>;

/** So often a row is tried alone before it has to wait. */
const TRIES_ALONE = 10;
const MAX_PAUSE_MS = 100;

type ResultOf = AppliedEvent & { readonly paymentRequestId?: number; readonly mode?: Environment };
type Results = ReadonlyMap<InboxRow, Map<number, ResultOf>>;

export function createDrain(deps: DrainDeps): Drain {
  const { connection, claims, changeMany, feeOf, unknownReferenceHours, askForHelp, now, raise, metrics, log } = deps;
  const { collection } = inboxModel(connection);
  const resolve = createResolve(deps);
  /** What is known of when the next row is due may be wrong. */
  let mustAsk = true;

  async function drain(limit: number): Promise<number> {
    const transactions = openTransactions(connection);
    let rows: readonly InboxRow[] = [];
    try {
      rows = await claims.claim(limit, transactions.id);
      if (rows.length === limit) askForHelp();
      // Half of those whose lease expired is taken: the rest is due.
      mustAsk ||= rows.length === 0 || rows.some(({ lease }) => lease.expiries > 0);
      const poisonous = rows.filter(isPoisonous);
      if (poisonous.length) await settle(poisonous.map((row) => ({ row, ...endPoisonousRow(row) })));
      const healthy = rows.filter((row) => !poisonous.includes(row));
      if (healthy.length) await applyAll(healthy, transactions);
    } catch (error) {
      mustAsk = true;
      if (rows.length > 0 && isDatabaseAway(error)) claims.releaseWhenBack(rows, async () => transactions.discard());
      else await transactions.end();
      throw error;
    }
    await transactions.end();
    return rows.length;
  }

  async function applyAll(rows: readonly InboxRow[], transactions: Transactions): Promise<void> {
    try {
      await apply(rows, transactions, false);
    } catch (error) {
      log[error instanceof ConflictError ? 'debug' : 'info'](
        { err: error, rows: rows.length },
        'rows are applied singly',
      );
      for (const row of rows) await applyAlone(row, transactions);
    }
  }

  /** Never what is in hand: the row and its payments are read anew each time, so that nothing is applied twice. */
  async function applyAlone(claimed: InboxRow, transactions: Transactions): Promise<void> {
    for (let tries = 1; ; tries += 1) {
      const row = await claims.readHeld(claimed);
      if (!row) return;
      try {
        await apply([row], transactions, true);
        return;
      } catch (error) {
        if (tries < TRIES_ALONE) {
          await sleep(Math.random() * Math.min(MAX_PAUSE_MS, 2 ** tries));
          continue;
        }
        log.error({ err: error, requestId: row.requestId, inbox: row._id }, 'a callback could not be applied');
        const failed = row.events.map((_, index) => [index, { state: 'retry', note: ourError }] as const);
        const results = new Map(failed.filter(([index]) => row.events[index]?.state === 'waiting'));
        await settle([{ row, ...settleRow(row, results, unknownReferenceHours, now()) }]);
        return;
      }
    }
  }

  /** All of the rows, or none: rejects where somebody else was quicker with one of them, or with one of their payments. */
  async function apply(rows: readonly InboxRow[], transactions: Transactions, isRepeated: boolean): Promise<void> {
    const spans = new Map<number, OpenSpan>();
    try {
      await applyIn(spans, rows, transactions, isRepeated);
    } catch (error) {
      for (const span of spans.values()) span.fail('nothing was stored');
      throw error;
    } finally {
      for (const span of spans.values()) span.end();
    }
  }

  /** On account of the payment's submission, whose trace it goes on with, and of the callbacks. */
  function spanOf(record: PaymentRecord, items: readonly Item[]): OpenSpan | undefined {
    return openSpan('apply callback', () => ({
      kind: 'consumer',
      parent: latestAttempt(record)?.trace,
      links: items.map(({ row }) => row.trace),
      attributes: {
        'gateway.adapter': items[0]!.row.adapter,
        'gateway.payment_request_id': record._id,
        'gateway.events': items.length,
      },
    }));
  }

  async function applyIn(
    spans: Map<number, OpenSpan>,
    rows: readonly InboxRow[],
    transactions: Transactions,
    isRepeated: boolean,
  ): Promise<void> {
    const results: Results = new Map(rows.map((row) => [row, new Map<number, ResultOf>()]));
    const { byPayment, results: known } = await resolve(rows);
    for (const { row, index, result } of known) results.get(row)!.set(index, result);
    const changes = await changeMany(
      new Map(
        [...byPayment].map(([id, items]): [number, PaymentStep] => {
          const change: PaymentStep['change'] = (record) => {
            const applied = applyEvents(record, items, feeOf, now());
            for (const [at, { row, index }] of items.entries())
              results.get(row)!.set(index, {
                ...applied.results[at]!,
                paymentRequestId: id,
                mode: record.environment,
              });
            const span = spanOf(record, items);
            if (span) spans.set(id, span);
            return applied.next === record ? undefined : { ...applied, trace: span?.trace };
          };
          return [id, { requestId: items[0]!.row.requestId, change }];
        }),
      ),
      { isRepeated },
    );
    const retry = (id: number, note: string): void => {
      for (const { row, index } of byPayment.get(id)!) results.get(row)!.set(index, { state: 'retry', note });
    };
    for (const id of changes.unknown) retry(id, 'we know no such payment yet');
    for (const [id, error] of changes.failed) {
      log.error({ err: error, paymentRequestId: id }, 'events could not be applied');
      retry(id, ourError);
    }

    const at = now();
    const settled = [...results].map(([row, own]) => ({ row, ...settleRow(row, own, unknownReferenceHours, at) }));
    if (changes.isEmpty) {
      await settle(settled);
    } else {
      try {
        await transactions.run(async (session) => {
          await changes.write(session, rows[0]!.lease.claimedAt!);
          const updates = settled.map(({ update }) => update);
          const { matchedCount, deletedCount } = await collection.bulkWrite(updates, { session, ordered: false });
          if (matchedCount + deletedCount !== updates.length) throw new ConflictError();
        });
      } catch (error) {
        changes.abandoned(error);
        throw error;
      }
      changes.stored();
      report(settled);
    }
    for (const [id, items] of byPayment) {
      const states = items.map(({ row, index }) => results.get(row)!.get(index)!.state);
      spans.get(id)?.set({ 'gateway.outcome': states.join(' ') });
      logApplied(id, items, results);
    }
    for (const [{ adapter: provider }, own] of results) {
      for (const { state, mode = 'unknown' } of own.values()) metrics.events.inc({ provider, mode, outcome: state });
    }
  }

  /** Writes what no payment depends on: a row whose lease is over stays as it is. */
  async function settle(settled: readonly (SettledRow & { readonly row: InboxRow })[]): Promise<void> {
    await collection.bulkWrite(
      settled.map(({ update }) => update),
      { ordered: false },
    );
    report(settled);
  }

  function report(settled: readonly (SettledRow & { readonly row: InboxRow })[]): void {
    for (const { row, state } of settled) {
      mustAsk ||= state === 'waiting' || row.pings !== undefined;
      if (state !== 'dead_letter') continue;
      const { requestId, adapter, _id: inbox } = row;
      const reason = isPoisonous(row) ? 'it ended its workers' : 'it could not be applied';
      raise('callback_dead_letter', { type: 'callback', id: inbox }, reason, { requestId, adapter });
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
          adapterSubject(adapter, mode, aboutWord(kind, providerStatus)),
          `${kind} ${providerStatus}, payment ${paymentRequestId}`,
          logFields,
        );
      if (note === otherMode)
        raise('callback_of_other_mode', { type: 'adapter', id: adapter }, `payment ${paymentRequestId}`, logFields);
      if (error) log.error({ ...logFields, err: error }, 'an event could not be applied');
      else log[state === 'refused' ? 'warn' : 'info'](logFields, 'event applied');
    }
  }

  return {
    drain,
    async nextDueAt() {
      if (!mustAsk) return undefined;
      mustAsk = false;
      try {
        return await claims.nextDueAt();
      } catch (error) {
        mustAsk = true;
        throw error;
      }
    },
  };
}
