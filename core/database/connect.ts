/** Connects to MongoDB, with our durability settings and time limits. */
import mongoose, { type Connection, type mongo } from 'mongoose';
import type { Logger } from 'pino';
import { withTimeLimit } from '../base/async/time-limit.ts';
import { counterModel } from './collections/counter.ts';
import type { ProbedDatabase } from './database-probe.ts';
import { checkSchemaVersion } from './collections/schema-version.ts';

/** Maximum time of a readiness check. */
const PROBE_LIMIT_MS = 1500;

/** A request waits for the command: it is answered within this time, or fails. */
export const COMMAND_LIMIT_MS = 4000;

/**
 * How long a command may take: a request waits `COMMAND_LIMIT_MS`; background work waits 30 s; `endless` has no limit.
 */
export type Patience = 'request' | 'work' | 'endless';

/**
 * Time limits of one try, in ms; 0 means no limit. The driver tries a retryable command twice, and between the tries it
 * waits for a server or a connection: each gets half of the limit. The driver's `timeoutMS`, which limits a whole
 * operation, has had no effect since 7.8, and before that it could mix up answers.
 */
const tryLimits = {
  request: { socketTimeoutMS: COMMAND_LIMIT_MS / 2, waitQueueTimeoutMS: COMMAND_LIMIT_MS / 2 },
  work: { socketTimeoutMS: 30_000, waitQueueTimeoutMS: 4000 },
  endless: { socketTimeoutMS: 0, waitQueueTimeoutMS: 0 },
} as const;

/**
 * Options of a command that works on many documents and may take a minute, even if a request waits for it. The driver
 * reads `socketTimeoutMS` for every command, but its types do not have it.
 */
export const manyDocuments: Pick<mongo.CommandOperationOptions, 'comment'> & { readonly socketTimeoutMS: number } = {
  socketTimeoutMS: 60_000,
};

export interface Database extends ProbedDatabase {
  readonly connection: Connection;
  close(): Promise<void>;
}

/**
 * Connects with majority, journaled writes and reads from the primary, whatever the connection string asks for. Rejects
 * with a one-sentence message if no server answers or the database belongs to another version.
 */
export async function connectDatabase(
  uri: string,
  { log, patience = 'work' }: { readonly log: Logger; readonly patience?: Patience },
): Promise<Database> {
  const client = new mongoose.mongo.MongoClient(uri, {
    ...tryLimits[patience],
    serverSelectionTimeoutMS: 2000,
    connectTimeoutMS: 2000,
    // A server that hangs misses a heartbeat: each try of a command fails after at most 5 s. Commands of requests have
    // a shorter limit of their own. They need the server's reports of a new primary, which cost a second connection.
    ...(patience === 'work' && { serverMonitoringMode: 'poll', heartbeatFrequencyMS: 3000 }),
    maxPoolSize: 50,
    w: 'majority',
    journal: true,
    wtimeoutMS: 5000,
    retryWrites: true,
    readPreference: 'primary',
    readConcernLevel: 'local',
  });
  // An option of the driver that its types do not have. A pool checks every 100 ms whether it has the minimum number of
  // connections, which is 0 here, and that is most of the CPU time of an idle connection.
  Object.assign(client.options, { minPoolSizeCheckFrequencyMS: 60_000 });
  client.setMaxListeners(0); // Models add listeners.
  try {
    await client.connect();
  } catch (error) {
    await client.close().catch(() => undefined); // The connection never opened.
    throw new Error('MongoDB does not answer at the configured address: start it, or correct MONGODB_URI', {
      cause: error,
    });
  }
  const connection = mongoose.createConnection();
  Object.assign(connection.config, { autoIndex: false, autoCreate: false, bufferCommands: false });
  connection.setClient(client);
  // The driver's stack trace does not help, and at a start it would precede the helpful sentence on standard error.
  connection.on('error', ({ message: reason }: Error) => log.error({ reason }, 'database connection error'));
  let isClosing = false;
  connection.on('disconnected', () => {
    if (!isClosing) log.warn('database connection lost');
  });
  connection.on('reconnected', () => log.info('database connection restored'));
  try {
    // Journaling is the one durability option that the connection string can override, through its old name `j`.
    if (client.options.writeConcern?.journal !== true)
      throw new Error('MONGODB_URI asks for writes that are not journaled (j=false): remove that option');
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
      // The driver does not observe an abort signal while it waits for a server.
      await withTimeLimit(PROBE_LIMIT_MS, work);
      return connection.readyState === mongoose.ConnectionStates.connected;
    } catch {
      return false; // Any error means that the database is not available now.
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
      // Reason `error`: the connection was in use, and the server closed it or a command got no answer in time.
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
      // `close()` alone would leave the connection in mongoose's list, with all its models.
      return connection.destroy();
    },
  };
}
