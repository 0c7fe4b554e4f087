/** Every collection, in the one place that makes their rules and indexes. */
import type { Connection, mongo, Schema } from 'mongoose';
import type { Logger } from 'pino';
import { adapterChangeModel, adapterRunModel, adapterStatesModel } from './collections/adapter-state.ts';
import { alarmModel } from './collections/alarm.ts';
import { apiCallModel } from './collections/api-call.ts';
import { apiKeyModel } from './collections/api-key.ts';
import { auditEntryModel } from './collections/audit-entry.ts';
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
import { ensureRule, readRules, type RuledModel } from './ensure-rule.ts';
import { rateWindowModel } from './collections/rate-window.ts';
import { reencryptionModel } from './collections/reencryption.ts';
import { schemaVersionModel } from './collections/schema-version.ts';
import { secretModel } from './collections/secret.ts';
import { settlementRunModel } from './collections/settlement-run.ts';
import { streamedEventModel } from './collections/streamed-event.ts';
import { trafficModel } from './collections/traffic.ts';
import { velocityModel } from './collections/velocity.ts';
import { wakeUpModel } from './collections/wake-up.ts';

/** Any of the models of this folder. */
export type ModelOf = (connection: Connection) => RuledModel & IndexedModel;

interface IndexedModel {
  readonly schema: Pick<Schema, 'indexes'>;
}

const collections: readonly ModelOf[] = [
  schemaVersionModel,
  secretModel,
  reencryptionModel,
  paymentRequestModel,
  inboxModel,
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
  wakeUpModel,
  adapterStatesModel,
  adapterChangeModel,
  adapterRunModel,
  ownerModel,
  apiKeyModel,
  operatorModel,
  portalLinkModel,
  apiCallModel,
  rateWindowModel,
  idempotencyRecordModel,
];

/**
 * Makes the collections and indexes that are missing, of all or of those named, and gives each collection its rule. Rejects
 * where a rule refuses what this version stores, and the database's user may not change it.
 */
export async function ensureCollections(
  connection: Connection,
  log: Pick<Logger, 'warn'>,
  some: readonly ModelOf[] = collections,
): Promise<void> {
  const ruleIn = await readRules(connection);
  for (const modelOf of some) {
    const model = modelOf(connection);
    await ensureRule(connection, model, ruleIn, log);
    await makeIndexes(model);
  }
}

/**
 * In one scan of the collection, which holds up neither reads nor writes. It is over once the majority has built them: the
 * quorum that MongoDB asks for by default is every member that votes, also one that is away.
 */
async function makeIndexes({ schema, collection }: RuledModel & IndexedModel): Promise<void> {
  const indexes = schema.indexes().map(([key, options]) => ({ ...options, key }) as mongo.IndexDescription);
  if (indexes.length > 0) await collection.createIndexes(indexes, { commitQuorum: 'majority' });
}

/** Makes all that are missing, however long it takes: a new index over millions of documents takes minutes. */
export async function makeCollections(uri: string, log: Logger): Promise<void> {
  const database = await connectDatabase(uri, { log, patience: 'endless' });
  try {
    await ensureCollections(database.connection, log);
  } finally {
    await database.close();
  }
}
