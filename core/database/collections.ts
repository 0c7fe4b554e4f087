/** The list of all collections. A start creates their validators and indexes from this list. */
import type { Connection, mongo, Schema } from 'mongoose';
import type { Logger } from 'pino';
import { accountModel } from './collections/account.ts';
import { adapterChangeModel, adapterRunModel, adapterStatesModel } from './collections/adapter-state.ts';
import { alarmModel } from './collections/alarm.ts';
import { apiCallModel } from './collections/api-call.ts';
import { apiKeyModel } from './collections/api-key.ts';
import { auditEntryModel } from './collections/audit-entry.ts';
import { catchUpModel } from './collections/catch-up.ts';
import { clientModel } from './collections/client.ts';
import { connectDatabase } from './connect.ts';
import { counterModel } from './collections/counter.ts';
import { endpointModel } from './collections/endpoint.ts';
import { exchangeModel } from './collections/exchange.ts';
import { hostModel } from './collections/host.ts';
import { idempotencyRecordModel } from './collections/idempotency-record.ts';
import { inboxModel } from './collections/inbox-row.ts';
import { notificationModel } from './collections/notification.ts';
import { operatorModel } from './collections/operator.ts';
import { ownerModel } from './collections/owner.ts';
import { paymentRequestModel } from './collections/payment-request.ts';
import { portalLinkModel } from './collections/portal-link.ts';
import { ensureValidator, readValidators, type ValidatedModel } from './collection-validator.ts';
import { rateWindowModel } from './collections/rate-window.ts';
import { refusedCallbacksModel } from './collections/refused-callbacks.ts';
import { reencryptionModel } from './collections/reencryption.ts';
import { savedFiltersModel } from './collections/saved-filters.ts';
import { schemaVersionModel } from './collections/schema-version.ts';
import { secretModel } from './collections/secret.ts';
import { settlementRunModel } from './collections/settlement-run.ts';
import { streamedEventModel } from './collections/streamed-event.ts';
import { trafficModel } from './collections/traffic.ts';
import { velocityModel } from './collections/velocity.ts';
import { volumeModel } from './collections/volume.ts';
import { wakeUpModel } from './collections/wake-up.ts';

/** Any model of the folder `collections/`. */
export type ModelOf = (connection: Connection) => ValidatedModel & IndexedModel;

interface IndexedModel {
  readonly schema: Pick<Schema, 'indexes'>;
}

const collections: readonly ModelOf[] = [
  schemaVersionModel,
  secretModel,
  reencryptionModel,
  paymentRequestModel,
  inboxModel,
  refusedCallbacksModel,
  notificationModel,
  endpointModel,
  streamedEventModel,
  clientModel,
  counterModel,
  exchangeModel,
  velocityModel,
  settlementRunModel,
  alarmModel,
  auditEntryModel,
  hostModel,
  trafficModel,
  volumeModel,
  catchUpModel,
  wakeUpModel,
  accountModel,
  adapterStatesModel,
  adapterChangeModel,
  adapterRunModel,
  ownerModel,
  apiKeyModel,
  operatorModel,
  savedFiltersModel,
  portalLinkModel,
  apiCallModel,
  rateWindowModel,
  idempotencyRecordModel,
];

/**
 * Creates missing collections and indexes, and sets or widens the validator of each collection; by default for all
 * collections. Rejects if a validator refuses documents of this version and the database user may not change it.
 */
export async function ensureCollections(
  connection: Connection,
  log: Pick<Logger, 'warn'>,
  some: readonly ModelOf[] = collections,
): Promise<void> {
  const present = await readValidators(connection);
  for (const modelOf of some) {
    const model = modelOf(connection);
    await ensureValidator(connection, model, present, log);
    await makeIndexes(model);
  }
}

/**
 * Builds the indexes in one scan of the collection, which blocks neither reads nor writes. The build is committed when
 * the majority of members has built them: MongoDB's default quorum is every voting member, including one that is down.
 */
async function makeIndexes({ schema, collection }: ValidatedModel & IndexedModel): Promise<void> {
  const indexes = schema.indexes().map(([key, options]) => ({ ...options, key }) as mongo.IndexDescription);
  if (indexes.length > 0) await collection.createIndexes(indexes, { commitQuorum: 'majority' });
}

/** Creates everything that is missing, without a time limit: a new index over millions of documents takes minutes. */
export async function makeCollections(uri: string, log: Logger): Promise<void> {
  const database = await connectDatabase(uri, { log, patience: 'endless' });
  try {
    await ensureCollections(database.connection, log);
  } finally {
    await database.close();
  }
}
