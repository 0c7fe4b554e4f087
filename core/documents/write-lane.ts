/** A write lane: one batch of inserts in flight, what arrives meanwhile forms the next; results per document. */
import type { Model, mongo } from 'mongoose';

const MAX_BATCH = 500;

export interface WriteLane<T> {
  /**
   * Durable when it resolves; `duplicate` where the `_id` was there already, which changes nothing. Rejects where it could
   * not be stored. `dueIn`: members that the server sets to its own time and so many milliseconds, because the clock of
   * this process may be wrong.
   */
  insert(document: T, dueIn?: DueIn<T>): Promise<'stored' | 'duplicate'>;
}

export type DueIn<T> = Readonly<Partial<Record<keyof T, number>>>;

interface Waiting<T> {
  readonly document: T;
  readonly dueIn: DueIn<T> | undefined;
  readonly resolve: (result: 'stored' | 'duplicate') => void;
  readonly reject: (error: unknown) => void;
}

interface BulkError {
  readonly writeErrors?: readonly { readonly index: number; readonly code: number; readonly errmsg?: string }[];
  readonly result?: Pick<mongo.BulkWriteResult, 'upsertedIds' | 'getWriteConcernError'>;
}

export function createWriteLane<T extends { readonly _id: unknown }>(model: Model<T>): WriteLane<T> {
  let waiting: Waiting<T>[] = [];
  let running = false;

  async function run(): Promise<void> {
    running = true;
    while (waiting.length) {
      const batch = waiting.slice(0, MAX_BATCH);
      waiting = waiting.slice(MAX_BATCH);
      await write(batch);
    }
    running = false;
  }

  async function write(batch: readonly Waiting<T>[]): Promise<void> {
    const resultOf = (index: number, inserted: object): 'stored' | 'duplicate' =>
      index in inserted ? 'stored' : 'duplicate';
    try {
      // Not through mongoose, which would cast what the pipeline computes.
      const { upsertedIds } = await model.collection.bulkWrite(batch.map(toUpsert), { ordered: false });
      for (const [index, { resolve }] of batch.entries()) resolve(resultOf(index, upsertedIds));
    } catch (error) {
      const { writeErrors = [], result } = error as BulkError;
      const failed = new Map([writeErrors].flat().map((one) => [one.index, one]));
      const isConfirmed = failed.size > 0 && result !== undefined && !result.getWriteConcernError();
      for (const [index, { resolve, reject }] of batch.entries()) {
        const own = failed.get(index);
        if (own?.code === 11000) resolve('duplicate');
        // Without a server, or a majority, nobody knows of any that it is stored.
        else if (own ?? !isConfirmed) reject(error);
        else resolve(resultOf(index, result.upsertedIds));
      }
    }
  }

  return {
    insert: (document, dueIn) =>
      new Promise((resolve, reject) => {
        waiting.push({ document, dueIn, resolve, reject });
        if (!running) void run();
      }),
  };
}

/** An upsert, because an insert cannot name the server's time. */
function toUpsert<T extends { readonly _id: unknown }>({ document, dueIn }: Waiting<T>): mongo.AnyBulkWriteOperation {
  const times = Object.entries(dueIn ?? {}).map(([member, ms]) => [member, { $add: ['$$NOW', ms] }]);
  const made = { $mergeObjects: [{ $literal: document }, Object.fromEntries(times)] };
  const isNew = { $eq: ['$$ROOT', { _id: '$_id' }] };
  const update = [{ $replaceWith: { $cond: [isNew, made, '$$ROOT'] } }];
  return { updateOne: { filter: { _id: document._id as never }, update, upsert: true } };
}
