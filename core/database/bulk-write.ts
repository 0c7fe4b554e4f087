/** A bulk write whose operations each have a result of their own. */
import type { mongo } from 'mongoose';
import { describeRefusedWrite } from '../base/log/refused-write.ts';
import type { ItemResult } from './batcher.ts';

/** `isNew`: it inserted its document. `error`: the server's refusal of this operation alone. */
export type OperationResult =
  | { readonly isNew: boolean; readonly error?: never }
  | { readonly isNew?: never; readonly error: { readonly code: number; readonly errmsg?: string | undefined } };

interface BulkError {
  readonly writeErrors?: readonly { readonly index: number; readonly code: number; readonly errmsg?: string }[];
  readonly result?: Pick<mongo.BulkWriteResult, 'upsertedIds' | 'insertedIds' | 'getWriteConcernError'>;
}

/**
 * Writes them in any order. Rejects where nobody knows of any that it is stored: without a server, or without the majority
 * that the collection, or `writeConcern`, asks for.
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

/** The server's refusal as an error of this process. */
export function toError({ code, errmsg }: { readonly code: number; readonly errmsg?: string | undefined }): Error {
  return Object.assign(new Error(`the database refused a write: ${errmsg ?? code}`), { code });
}

/**
 * A compare-and-set among others. A bulk write reports totals, not which of its operations matched: so one that matches
 * nothing is an upsert that cannot be stored, which the server reports with its index. `toMatch` reads its result.
 */
export function compareAndSet<T extends mongo.BSON.Document>(
  filter: mongo.Filter<T>,
  update: { readonly $set: object; readonly $push?: object; readonly $unset?: object },
): mongo.AnyBulkWriteOperation<T> {
  // An `_id` other than the filter's.
  const refused = { ...update, $setOnInsert: { _id: null } } as unknown as mongo.UpdateFilter<T>;
  return { updateOne: { filter, update: refused, upsert: true } };
}

/** ImmutableField. */
export const noMatch = 66;

/** Whether a compare-and-set matched; its error where the server refused it for another reason. */
export function toMatch({ error }: OperationResult): ItemResult<boolean> {
  if (!error) return { value: true };
  return error.code === noMatch ? { value: false } : { error: toError(error) };
}
