/** The connection to MongoDB, and its durability. */
import mongoose, { type Connection } from 'mongoose';
import type { Logger } from 'pino';
import { withTimeLimit } from '../time-limit.ts';
import { checkSchemaVersion } from './schema-version.ts';

/** Whoever asks for readiness waits no longer. */
const PING_LIMIT_MS = 1500;

export interface Database {
  readonly connection: Connection;
  /** True while a server answers within 1.5 s. */
  isUp(): Promise<boolean>;
  close(): Promise<void>;
}

/**
 * Connects with writes that are majority and journaled, and time limits short enough that a 503 leaves before a
 * provider gives up; `isPatient`: an answer may take as long as it likes. Rejects with one sentence when no server
 * answers, or the database is another version's.
 */
export async function connectDatabase(
  uri: string,
  { log, isPatient = false }: { readonly log: Logger; readonly isPatient?: boolean },
): Promise<Database> {
  const connection = mongoose.createConnection(uri, {
    serverSelectionTimeoutMS: 2000,
    socketTimeoutMS: isPatient ? 0 : 30_000,
    connectTimeoutMS: 2000,
    // A server that hangs misses a heartbeat, and after at most 3 s whoever waits for it is told.
    ...(!isPatient && { heartbeatFrequencyMS: 1000 }),
    maxPoolSize: 50,
    // Behind a server that hangs nobody waits for a connection.
    waitQueueTimeoutMS: isPatient ? 0 : 4000,
    writeConcern: { w: 'majority', journal: true, wtimeoutMS: 5000 },
    retryWrites: true,
    autoIndex: false,
    autoCreate: false,
    bufferCommands: false,
  });
  // The driver's stack leads nowhere, and on the standard error of a start it would stand before the sentence that helps.
  connection.on('error', ({ message: reason }: Error) => log.error({ reason }, 'database connection error'));
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
  try {
    await checkSchemaVersion(connection);
  } catch (error) {
    isClosing = true;
    await connection.close();
    throw error;
  }
  return {
    connection,
    async isUp() {
      try {
        // The driver does not watch a signal while it waits for a server.
        await withTimeLimit(PING_LIMIT_MS, async () => connection.db?.admin().command({ ping: 1 }));
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
