/** Stores every exchange with a provider, without its contents, for the timeline of its payment. */
import { mongo, type Connection } from 'mongoose';
import type { Logger } from 'pino';
import type { BackgroundTasks } from '../../base/async/background-tasks.ts';
import { manyDocuments } from '../../database/connect.ts';
import { exchangeModel, type Exchange } from '../../database/collections/exchange.ts';
import { createInsertBatcher } from '../../database/insert-batcher.ts';
import type { Metrics } from '../../base/metrics/index.ts';
import type { CallExchange } from './guarded-call.ts';

export interface ExchangeLog {
  /** Does not wait for the write: a lost exchange only costs a line of the timeline. */
  keep(exchange: CallExchange): void;
  /** Deletes the exchanges before `before`. Returns how many. */
  purge(before: Date): Promise<number>;
}

export function createExchangeLog({
  connection,
  backgroundTasks,
  metrics,
  log,
}: {
  readonly connection: Connection;
  readonly backgroundTasks: BackgroundTasks;
  readonly metrics: Pick<Metrics, 'depthOf'>;
  readonly log: Logger;
}): ExchangeLog {
  const model = exchangeModel(connection);
  // No caller waits for the write, and a lost exchange does no harm. So the batches are slower, and need no majority.
  // A row alone is written immediately; more rows join a batch. Five batches a second cost half as much as twenty, and
  // a process that stops has 300 ms to write the last one.
  const onWaiting = metrics.depthOf('exchanges');
  const insert = createInsertBatcher(model, { everyMs: 200, writeConcern: { w: 1 }, onWaiting });
  return {
    keep(exchange) {
      log.info({ ...exchange, at: undefined }, 'provider called');
      const row = toRow(exchange);
      if (row) backgroundTasks.track('an exchange could not be kept', insert(row));
    },
    async purge(before) {
      // The ids of exchanges start with their time.
      const first = mongo.ObjectId.createFromTime(Math.floor(before.getTime() / 1000));
      return (await model.deleteMany({ _id: { $lt: first } }, manyDocuments)).deletedCount;
    },
  };
}

function toRow(exchange: CallExchange): Exchange | undefined {
  const { adapter, call, method, path, at, ms, status = null, failure = null, paymentRequestId, attempt } = exchange;
  if (paymentRequestId === null) return undefined;
  const about = { paymentRequestId: Number(paymentRequestId), attempt: attempt ?? 0 };
  return { ...about, adapter, call, method, path, at, ms, status, failure };
}
