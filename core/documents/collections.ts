/** Every collection, in the one place that makes their rules and indexes. */
import type { Connection, mongo, Schema } from 'mongoose';
import type { Logger } from 'pino';
import { adapterChangeModel, adapterRunModel, adapterStatesModel } from './adapter-state.ts';
import { alarmModel } from './alarm.ts';
import { apiCallModel } from './api-call.ts';
import { apiKeyModel } from './api-key.ts';
import { auditEntryModel } from './audit-entry.ts';
import { clientModel } from './client.ts';
import { connectDatabase } from './connect.ts';
import { counterModel } from './counter.ts';
import { endpointModel } from './endpoint.ts';
import { exchangeModel } from './exchange.ts';
import { hostModel } from './host.ts';
import { idempotencyRecordModel } from './idempotency-record.ts';
import { inboxModel } from './inbox-row.ts';
import { notificationModel } from './notification.ts';
import { operatorModel } from './operator.ts';
import { ownerModel } from './owner.ts';
import { paymentRequestModel } from './payment-request.ts';
import { portalLinkModel } from './portal-link.ts';
import { ensureRule, readRules, type RuledModel } from './ensure-rule.ts';
import { rateWindowModel } from './rate-window.ts';
import { reencryptionModel } from './reencryption.ts';
import { schemaVersionModel } from './schema-version.ts';
import { secretModel } from './secret.ts';
import { settlementRunModel } from './settlement-run.ts';
import { streamedEventModel } from './streamed-event.ts';
import { trafficModel } from './traffic.ts';
import { velocityModel } from './velocity.ts';
import { wakeUpModel } from './wake-up.ts';

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
