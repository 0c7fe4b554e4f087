/** Keeps every exchange with a provider, without its contents, for the timeline of its payment. */
import { mongo, type Connection } from 'mongoose';
import type { Logger } from 'pino';
import type { BackgroundTasks } from '../background-tasks.ts';
import { bulkWrite, toError } from '../documents/bulk-write.ts';
import { exchangeModel, type Exchange } from '../documents/exchange.ts';
import { createLane } from '../documents/lane.ts';
import { nativeOf } from '../documents/native.ts';
import type { CallExchange } from './guarded-call.ts';

export interface ExchangeLog {
  /** Nobody waits for it: an exchange that is lost costs a line of the timeline. */
  keep(exchange: CallExchange): void;
  /** Removes those from before `before`; gives how many. */
  purge(before: Date): Promise<number>;
}

export function createExchangeLog({
  connection,
  backgroundTasks,
  log,
}: {
  readonly connection: Connection;
  readonly backgroundTasks: BackgroundTasks;
  readonly log: Logger;
}): ExchangeLog {
  const { collection, toDocument } = nativeOf(exchangeModel(connection));
  // Nobody waits for it, and one that gets lost is not missed: it may wait longer than others, and for no majority.
  const lane = createLane<Exchange, void>({
    everyMs: 50,
    async run(exchanges) {
      const operations = exchanges.map((exchange) => ({
        insertOne: { document: toDocument(exchange) as { _id: mongo.ObjectId } },
      }));
      const results = await bulkWrite(collection, operations, { w: 1 });
      return results.map(({ error }) => (error ? { error: toError(error) } : { value: undefined }));
    },
  });
  return {
    keep(exchange) {
      log.info({ ...exchange, at: undefined }, 'provider called');
      const row = toRow(exchange);
      if (row) backgroundTasks.track('an exchange could not be kept', lane(row));
    },
    async purge(before) {
      // Their ids begin with their time.
      const first = mongo.ObjectId.createFromTime(Math.floor(before.getTime() / 1000));
      return (await collection.deleteMany({ _id: { $lt: first } })).deletedCount;
    },
  };
}

function toRow(exchange: CallExchange): Exchange | undefined {
  const { adapter, call, method, path, at, ms, status = null, failure = null, paymentRequestId, attempt } = exchange;
  if (paymentRequestId === null) return undefined;
  const about = { paymentRequestId: Number(paymentRequestId), attempt: attempt ?? 0 };
  return { ...about, adapter, call, method, path, at, ms, status, failure };
}
