/** The connection to MongoDB, its durability, and every index. */
import mongoose, { type Connection, type Model } from 'mongoose';
import type { Logger } from 'pino';
import { clientModel } from './client.ts';
import { counterModel } from './counter.ts';
import { exchangeModel } from './exchange.ts';
import { inboxModel } from './inbox-row.ts';
import { paymentRequestModel } from './payment-request.ts';

export interface Database {
  readonly connection: Connection;
  /** True while a server answers. */
  isUp(): Promise<boolean>;
  close(): Promise<void>;
}

/** Any of the models of this folder. */
export type ModelOf = (connection: Connection) => Pick<Model<unknown>, 'createIndexes' | 'createCollection'>;

/**
 * Connects with writes that are majority and journaled, and time limits short enough that a 503 leaves before a
 * provider gives up; `isPatient`: an answer may take as long as it likes. Rejects with one sentence when no server answers.
 */
export async function connectDatabase(
  uri: string,
  { log, isPatient = false }: { readonly log: Logger; readonly isPatient?: boolean },
): Promise<Database> {
  const connection = mongoose.createConnection(uri, {
    serverSelectionTimeoutMS: 2000,
    socketTimeoutMS: isPatient ? 0 : 30_000,
    maxPoolSize: 50,
    writeConcern: { w: 'majority', journal: true, wtimeoutMS: 5000 },
    retryWrites: true,
    autoIndex: false,
    autoCreate: false,
    bufferCommands: false,
  });
  connection.on('error', (error: unknown) => log.error({ err: error }, 'database connection error'));
  let isClosing = false;
  connection.on('disconnected', () => {
    if (!isClosing) log.warn('database connection lost');
  });
  connection.on('reconnected', () => log.info('database connection back'));
  try {
    await connection.asPromise();
  } catch (error) {
    await connection.close().catch(() => undefined); // It never opened.
    throw new Error('MongoDB does not answer at the configured address; start it, or correct MONGODB_URI', {
      cause: error,
    });
  }
  return {
    connection,
    async isUp() {
      try {
        await connection.db?.admin().command({ ping: 1, maxTimeMS: 1500 });
        return connection.readyState === mongoose.ConnectionStates.connected;
      } catch {
        return false; // Any error means the same: not now.
      }
    },
    close() {
      isClosing = true;
      return connection.close();
    },
  };
}

const ownModels: readonly ModelOf[] = [paymentRequestModel, inboxModel, clientModel, counterModel, exchangeModel];

/** Makes every index that is missing; once, before anything is served. */
export async function ensureIndexes(connection: Connection, further: readonly ModelOf[] = []): Promise<void> {
  for (const modelOf of [...ownModels, ...further]) {
    const model = modelOf(connection);
    await model.createCollection();
    await model.createIndexes();
  }
}
