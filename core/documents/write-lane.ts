/** A write lane for inserts whose documents name the server's time; results per document. */
import type { Model, mongo } from 'mongoose';
import { bulkWrite } from './bulk-write.ts';
import { toInsertResult, type InsertResult } from './insert-lane.ts';
import { createLane } from './lane.ts';

export interface WriteLane<T> {
  /**
   * Durable when it resolves; `duplicate` where the `_id` was there already, which changes nothing. Rejects where it could
   * not be stored. `dueIn`: members that the server sets to its own time and so many milliseconds, because the clock of
   * this process may be wrong.
   */
  insert(document: T, dueIn?: DueIn<T>): Promise<InsertResult>;
}

export type DueIn<T> = Readonly<Partial<Record<keyof T, number>>>;

interface NewDocument<T> {
  readonly document: T;
  readonly dueIn: DueIn<T> | undefined;
}

export function createWriteLane<T extends { readonly _id: unknown }>(model: Model<T>): WriteLane<T> {
  // Not through mongoose, which would cast what the pipeline computes.
  const collection = model.collection as unknown as mongo.Collection;
  const lane = createLane<NewDocument<T>, InsertResult>({
    async run(items) {
      return (await bulkWrite(collection, items.map(toUpsert))).map(toInsertResult);
    },
  });
  return { insert: async (document, dueIn) => lane({ document, dueIn }) };
}

/** An upsert, because an insert cannot name the server's time. */
function toUpsert<T extends { readonly _id: unknown }>({
  document,
  dueIn,
}: NewDocument<T>): mongo.AnyBulkWriteOperation {
  const times = Object.entries(dueIn ?? {}).map(([member, ms]) => [member, { $add: ['$$NOW', ms] }]);
  const made = { $mergeObjects: [{ $literal: document }, Object.fromEntries(times)] };
  const isNew = { $eq: ['$$ROOT', { _id: '$_id' }] };
  const update = [{ $replaceWith: { $cond: [isNew, made, '$$ROOT'] } }];
  return { updateOne: { filter: { _id: document._id as never }, update, upsert: true } };
}
