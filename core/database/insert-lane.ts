/** A lane for new documents, written through the driver. */
import type { Model, mongo } from 'mongoose';
import { bulkWrite, toError, type OperationResult } from './bulk-write.ts';
import { duplicateKey } from './duplicate-key.ts';
import { createLane, type ItemResult, type Lane, type OnWaiting } from './lane.ts';
import { nativeOf } from './native.ts';

export type InsertResult = 'stored' | 'duplicate';

/** `duplicate` where the `_id` was there already, which changes nothing. Rejects where it could not be stored. */
export function createInsertLane<T>(
  model: Model<T>,
  {
    everyMs,
    writeConcern,
    onWaiting,
  }: {
    readonly everyMs?: number;
    readonly writeConcern?: mongo.WriteConcernSettings;
    readonly onWaiting?: OnWaiting | undefined;
  } = {},
): Lane<T, InsertResult> {
  const { collection, toDocument } = nativeOf(model);
  const lane = createLane<mongo.BSON.Document, InsertResult>({
    ...(everyMs !== undefined && { everyMs }),
    onWaiting,
    async run(documents) {
      const inserts = documents.map((document) => ({ insertOne: { document: document as never } }));
      return (await bulkWrite(collection, inserts, writeConcern)).map(toInsertResult);
    },
  });
  // What cannot be made a document takes no place among the others.
  return async (item) => lane(toDocument(item));
}

function toInsertResult({ error, isNew }: OperationResult): ItemResult<InsertResult> {
  if (!error) return { value: isNew ? 'stored' : 'duplicate' };
  return error.code === duplicateKey ? { value: 'duplicate' } : { error: toError(error) };
}
