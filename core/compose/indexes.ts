/** Every index of every document, in one place for whoever makes them. */
import type { Logger } from 'pino';
import { accessModels } from '../access/access-models.ts';
import { adapterChangeModel, adapterRunModel, adapterStatesModel } from '../documents/adapter-state.ts';
import { connectDatabase, ensureIndexes, type ModelOf } from '../documents/connect.ts';
import { notificationModel } from '../documents/notification.ts';
import { velocityModel } from '../documents/velocity.ts';

/** Beside those that `ensureIndexes` knows by itself. */
const models: readonly ModelOf[] = [
  notificationModel,
  velocityModel,
  adapterStatesModel,
  adapterChangeModel,
  adapterRunModel,
  ...accessModels,
];

/** Makes the indexes that are missing, however long it takes: a new one over millions of documents takes minutes. */
export async function makeIndexes(uri: string, log: Logger): Promise<void> {
  const database = await connectDatabase(uri, { log, isPatient: true });
  try {
    await ensureIndexes(database.connection, models);
  } finally {
    await database.close();
  }
}
