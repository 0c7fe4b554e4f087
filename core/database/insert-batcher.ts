/**
 * A batcher that inserts new documents through the MongoDB driver (mongoose would cast each document, which is slow).
 */
import type { Model, mongo } from 'mongoose';
import { bulkWrite, toError, type OperationResult } from './bulk-write.ts';
import { duplicateKey } from './duplicate-key.ts';
import { createBatcher, type ItemResult, type Batcher, type OnWaiting } from './batcher.ts';
import { driverCodecOf } from './driver-codec.ts';

export type InsertResult = 'stored' | 'duplicate';

/**
 * Resolves to `duplicate` if a document with this `_id` exists; it stays unchanged. Rejects if the document could not
 * be stored.
 */
export function createInsertBatcher<T>(
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
): Batcher<T, InsertResult> {
  const { collection, toDocument } = driverCodecOf(model);
  const batcher = createBatcher<mongo.BSON.Document, InsertResult>({
    ...(everyMs !== undefined && { everyMs }),
    onWaiting,
    async run(documents) {
      const inserts = documents.map((document) => ({ insertOne: { document: document as never } }));
      return (await bulkWrite(collection, inserts, writeConcern)).map(toInsertResult);
    },
  });
  // Convert before batching, so that an invalid item fails alone and takes no space in a batch.
  return async (item) => batcher(toDocument(item));
}

function toInsertResult({ error, isNew }: OperationResult): ItemResult<InsertResult> {
  if (!error) return { value: isNew ? 'stored' : 'duplicate' };
  return error.code === duplicateKey ? { value: 'duplicate' } : { error: toError(error) };
}
