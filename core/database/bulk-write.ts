/** A bulk write that returns a separate result for each operation. */
import type { mongo } from 'mongoose';
import { describeRefusedWrite } from '../base/log/refused-write.ts';
import type { ItemResult } from './batcher.ts';

/** `isNew`: the operation inserted its document. `error`: the server refused this operation only. */
export type OperationResult =
  | { readonly isNew: boolean; readonly error?: never }
  | { readonly isNew?: never; readonly error: { readonly code: number; readonly errmsg?: string | undefined } };

interface BulkError {
  readonly writeErrors?: readonly { readonly index: number; readonly code: number; readonly errmsg?: string }[];
  readonly result?: Pick<mongo.BulkWriteResult, 'upsertedIds' | 'insertedIds' | 'getWriteConcernError'>;
}

/**
 * Writes the operations in any order. Rejects if it is unknown for every operation whether it was stored: without a
 * server, or without the majority that the collection or `writeConcern` requires.
 */
export async function bulkWrite<T extends mongo.BSON.Document>(
  collection: mongo.Collection<T>,
  operations: readonly mongo.AnyBulkWriteOperation<T>[],
  writeConcern?: mongo.WriteConcernSettings,
): Promise<OperationResult[]> {
  const options = { ordered: false, ...(writeConcern && { writeConcern }) };
  try {
    const { upsertedIds, insertedIds } = await collection.bulkWrite(operations, options);
    return operations.map((_, index) => ({ isNew: index in upsertedIds || index in insertedIds }));
  } catch (error) {
    const { writeErrors = [], result } = error as BulkError;
    const failed = new Map([writeErrors].flat().map((one) => [one.index, one]));
    if (failed.size === 0 || !result || result.getWriteConcernError()) throw error;
    const { upsertedIds, insertedIds } = result;
    return operations.map((_, index) => {
      const own = failed.get(index);
      return own
        ? { error: { code: own.code, errmsg: describeRefusedWrite(own) ?? own.errmsg } }
        : { isNew: index in upsertedIds || index in insertedIds };
    });
  }
}

/** Converts a refusal of the server to an error of this process. */
export function toError({ code, errmsg }: { readonly code: number; readonly errmsg?: string | undefined }): Error {
  return Object.assign(new Error(`the database refused a write: ${errmsg ?? code}`), { code });
}

/**
 * A compare-and-set for a bulk write. A bulk write reports totals, and not which of its operations matched. So an
 * operation that matches nothing becomes an upsert that cannot be stored, which the server reports with its index. Read
 * the result with `toMatch`.
 */
export function compareAndSet<T extends mongo.BSON.Document>(
  filter: mongo.Filter<T>,
  update: { readonly $set: object; readonly $push?: object; readonly $unset?: object },
): mongo.AnyBulkWriteOperation<T> {
  // Sets an `_id` that differs from the filter's `_id`, which the server refuses on insert.
  const refused = { ...update, $setOnInsert: { _id: null } } as unknown as mongo.UpdateFilter<T>;
  return { updateOne: { filter, update: refused, upsert: true } };
}

/** The server's error code `ImmutableField`. */
export const noMatch = 66;

/** Whether a compare-and-set matched. Contains the error if the server refused the operation for another reason. */
export function toMatch({ error }: OperationResult): ItemResult<boolean> {
  if (!error) return { value: true };
  return error.code === noMatch ? { value: false } : { error: toError(error) };
}
