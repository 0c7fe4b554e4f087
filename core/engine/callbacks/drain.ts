/**
 * Works through the inbox. Rows are claimed as a batch and settled as one; `apply-rows.ts` does that in one
 * transaction. A batch that fails is applied row by row. The drain never calls a provider.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Connection } from 'mongoose';
import type { Logger } from 'pino';
import type { Raise } from '../alarms/index.ts';
import { isDatabaseAway } from '../../database/database-away.ts';
import type { InboxRow } from '../../database/collections/inbox-row.ts';
import { ConflictError, openTransactions, type Transactions } from '../../database/transaction.ts';
import type { Encrypter } from '../../base/crypto/encryption.ts';
import type { Metrics } from '../../base/metrics/index.ts';
import { ourError, type ApplyEvents, type ThreeDsOptions } from '../payments/index.ts';
import { createApplyRows } from './apply-rows.ts';
import { isPoisonous, type InboxClaims } from './claim-rows.ts';
import { createResolveRows } from './resolve-events.ts';
import type { Callbacks } from './service.ts';
import { endPoisonousRow, settleRow } from './settle-row.ts';

export interface DrainDeps {
  readonly connection: Connection;
  readonly claims: InboxClaims;
  readonly payments: { readonly applyEvents: ApplyEvents };
  readonly encrypter: Encrypter;
  readonly threeDs: ThreeDsOptions;
  readonly unknownReferenceHours: number;
  /** Called if there is more than one batch. */
  readonly askForHelp: () => void;
  readonly now: () => Date;
  readonly raise: Raise;
  readonly metrics: Pick<Metrics, 'events'>;
  readonly log: Logger;
}

export type Drain = Pick<Callbacks, 'drain' | 'nextDueAt'>;

/** A row that is applied alone is tried this often, then it waits for its next turn. */
const TRIES_ALONE = 10;
const MAX_PAUSE_MS = 100;

export function createDrain(deps: DrainDeps): Drain {
  const { connection, claims, unknownReferenceHours, askForHelp, now, log } = deps;
  /** The time at which the next row is due may have changed since it was last read. */
  let mustAsk = true;
  const applying = createApplyRows({
    ...deps,
    resolve: createResolveRows(deps),
    onDueAgain: () => (mustAsk = true),
  });

  async function drain(limit: number): Promise<number> {
    const transactions = openTransactions(connection);
    let rows: readonly InboxRow[] = [];
    try {
      rows = await claims.claim(limit, transactions.id);
      if (rows.length === limit) askForHelp();
      // Only half of the rows whose lease expired were claimed: the rest is due.
      mustAsk ||= rows.length === 0 || rows.some(({ lease }) => lease.expiries > 0);
      const poisonous = rows.filter(isPoisonous);
      if (poisonous.length) await applying.settle(poisonous.map((row) => ({ row, ...endPoisonousRow(row) })));
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
      await applying.apply(rows, transactions, false);
    } catch (error) {
      log[error instanceof ConflictError ? 'debug' : 'info'](
        { err: error, rows: rows.length },
        'a batch of callbacks failed: its rows are applied one by one',
      );
      for (const row of rows) await applyAlone(row, transactions);
    }
  }

  /** Reads the row and its payments again for each try, so that nothing is applied twice. */
  async function applyAlone(claimed: InboxRow, transactions: Transactions): Promise<void> {
    for (let tries = 1; ; tries += 1) {
      const row = await claims.readHeld(claimed);
      if (!row) return;
      try {
        await applying.apply([row], transactions, true);
        return;
      } catch (error) {
        if (tries < TRIES_ALONE) {
          await sleep(Math.random() * Math.min(MAX_PAUSE_MS, 2 ** tries));
          continue;
        }
        log.error({ err: error, requestId: row.requestId, inbox: row._id }, 'a callback could not be applied');
        const failed = row.events.map((_, index) => [index, { state: 'retry', note: ourError }] as const);
        const results = new Map(failed.filter(([index]) => row.events[index]?.state === 'waiting'));
        await applying.settle([{ row, ...settleRow(row, results, unknownReferenceHours, now()) }]);
        return;
      }
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
