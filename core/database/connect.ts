/** The connection to MongoDB, its durability, and how long an answer of it is waited for. */
import mongoose, { type Connection, type mongo } from 'mongoose';
import type { Logger } from 'pino';
import { withTimeLimit } from '../base/async/time-limit.ts';
import { counterModel } from './collections/counter.ts';
import type { ProbedDatabase } from './database-probe.ts';
import { checkSchemaVersion } from './collections/schema-version.ts';

/** A check of readiness waits no longer. */
const PROBE_LIMIT_MS = 1500;

/** Somebody waits for a request: a command is answered within this time, or fails. */
export const COMMAND_LIMIT_MS = 4000;

/**
 * Who waits for an answer: a request, for `COMMAND_LIMIT_MS`; work in the background, for 30 s; or somebody who has all the
 * time in the world.
 */
export type Patience = 'request' | 'work' | 'endless';

/**
 * Of one try, in ms; 0: no limit. What may be repeated the driver tries twice, and between the tries it waits for a server or
 * for a connection: half of the limit each. The driver's `timeoutMS`, of a whole operation, has had no effect since 7.8, and
 * before that it could mix up answers.
 */
const tryLimits = {
  request: { socketTimeoutMS: COMMAND_LIMIT_MS / 2, waitQueueTimeoutMS: COMMAND_LIMIT_MS / 2 },
  work: { socketTimeoutMS: 30_000, waitQueueTimeoutMS: 4000 },
  endless: { socketTimeoutMS: 0, waitQueueTimeoutMS: 0 },
} as const;

/**
 * Options of a command that works over many documents, and may take a minute, also where somebody waits for it. The driver reads them for
 * every command, and its types do not name this one.
 */
export const manyDocuments: Pick<mongo.CommandOperationOptions, 'comment'> & { readonly socketTimeoutMS: number } = {
  socketTimeoutMS: 60_000,
};

export interface Database extends ProbedDatabase {
  readonly connection: Connection;
  close(): Promise<void>;
}

/**
 * Connects with writes that are majority and journaled, and reads that are the primary's own, whatever the address asks
 * for. Rejects with one sentence when no server answers, or the database is another version's.
 */
export async function connectDatabase(
  uri: string,
  { log, patience = 'work' }: { readonly log: Logger; readonly patience?: Patience },
): Promise<Database> {
  const connection = mongoose.createConnection(uri, {
    ...tryLimits[patience],
    serverSelectionTimeoutMS: 2000,
    connectTimeoutMS: 2000,
    // A server that hangs misses a heartbeat, and after at most 3 s its callers get an error.
    ...(patience !== 'endless' && { heartbeatFrequencyMS: 1000 }),
    maxPoolSize: 50,
    w: 'majority',
    journal: true,
    wtimeoutMS: 5000,
    retryWrites: true,
    readPreference: 'primary',
    readConcernLevel: 'local',
    autoIndex: false,
    autoCreate: false,
    bufferCommands: false,
  });
  // The driver's stack leads nowhere, and on the standard error of a start it would come before the sentence that helps.
  connection.on('error', ({ message: reason }: Error) => log.error({ reason }, 'database connection error'));
  let isClosing = false;
  connection.on('disconnected', () => {
    if (!isClosing) log.warn('database connection lost');
  });
  connection.on('reconnected', () => log.info('database connection back'));
  try {
    await connection.asPromise();
  } catch (error) {
    await connection.destroy().catch(() => undefined); // It never opened.
    throw new Error('MongoDB does not answer at the configured address; start it, or correct MONGODB_URI', {
      cause: error,
    });
  }
  try {
    // The one option of durability that an address has over ours, under its old name.
    if (connection.getClient().options.writeConcern?.journal !== true)
      throw new Error('MONGODB_URI asks for writes that are not journaled (j=false): take that out');
    await checkSchemaVersion(connection);
  } catch (error) {
    isClosing = true;
    await connection.destroy();
    throw error;
  }
  const { collection } = counterModel(connection);
  const probed = { _id: 'probe' as never };

  async function endsInTime(work: () => Promise<unknown>): Promise<boolean> {
    try {
      // The driver does not watch a signal while it waits for a server.
      await withTimeLimit(PROBE_LIMIT_MS, work);
      return connection.readyState === mongoose.ConnectionStates.connected;
    } catch {
      return false; // Any error means the same: not now.
    }
  }

  return {
    connection,
    isUp: async () => endsInTime(async () => collection.findOne(probed)),
    isWorking: async () =>
      endsInTime(async () =>
        Promise.all([
          collection.findOne(probed),
          collection.updateOne(probed, { $inc: { next: 1 } }, { upsert: true }),
        ]),
      ),
    onDoubt(listener) {
      const client = connection.getClient();
      // While it was in use: the server closed it, or a command had no answer in time.
      const onClosed = ({ reason }: { readonly reason: string }): void => {
        if (reason === 'error') listener();
      };
      client.on('connectionClosed', onClosed);
      client.on('connectionCheckOutFailed', listener);
      return () => {
        client.off('connectionClosed', onClosed);
        client.off('connectionCheckOutFailed', listener);
      };
    },
    close() {
      isClosing = true;
      // A connection that is only closed stays in mongoose's list, with all its models.
      return connection.destroy();
    },
  };
}
