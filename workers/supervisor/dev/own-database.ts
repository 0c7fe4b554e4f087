/** The database of the service: its own mongod, or the MongoDB that config names. */
import { join } from 'node:path';
import type { Connection } from 'mongoose';
import type { Logger } from 'pino';
import * as v from 'valibot';
import type { Config } from '../../../config/schema.ts';
import { connectDatabase } from '../../../core/database/connect.ts';
import { findMongod } from './mongod/index.ts';
import { superviseMongod, type SupervisedMongod } from './supervise-mongod.ts';
import { StartError } from '../start-error.ts';

export interface OwnDatabase {
  readonly uri: string;
  /** For the supervisor's own few writes. */
  readonly connection: Connection;
  /** Only of its own mongod. */
  readonly mongodPid: number | undefined;
  stop(): Promise<void>;
}

export interface DatabaseOptions {
  readonly database: Config['database'];
  /** The port of its own mongod. */
  readonly port: number | undefined;
  readonly env: NodeJS.ProcessEnv;
  /** Prints which database it is, and progress if that takes long. */
  readonly report: (line: string) => void;
  readonly log: Logger;
  readonly signal: AbortSignal;
}

/** Throws an error whose message says what to do. */
export async function openOwnDatabase(options: DatabaseOptions): Promise<OwnDatabase> {
  const { database, log } = options;
  const mongod = database.uri === undefined ? await startOwn(options) : undefined;
  const uri = database.uri ?? mongod?.uri ?? '';
  try {
    const connected = await connectDatabase(uri, { log });
    const { connection } = connected;
    try {
      await checkReplicaSet(connection);
    } catch (error) {
      await connected.close();
      throw error;
    }
    if (!mongod) log.info('using the database at the configured address');
    return {
      uri,
      connection,
      get mongodPid() {
        return mongod?.pid;
      },
      async stop() {
        await connected.close();
        await mongod?.stop();
      },
    };
  } catch (error) {
    await mongod?.stop();
    throw error;
  }
}

async function startOwn({ database, port = 0, env, report, log, signal }: DatabaseOptions): Promise<SupervisedMongod> {
  const dbPath = join(database.dataDir, 'mongod');
  const { path: binary, version, origin } = await findMongod({ env, report, signal });
  const mongod = await superviseMongod({ binary, dbPath, port, report, log, signal });
  report(`MongoDB ${version} (${origin}) is listening on 127.0.0.1:${port}, data in ${dbPath}`);
  return mongod;
}

const Hello = v.object({ setName: v.optional(v.string()), msg: v.optional(v.string()) });

async function checkReplicaSet(connection: Connection): Promise<void> {
  const hello = v.parse(Hello, await connection.db?.admin().command({ hello: 1 }));
  // A router of a sharded cluster has replica sets behind it.
  if (hello.setName !== undefined || hello.msg === 'isdbgrid') return;
  throw new StartError([
    'The MongoDB at the configured address is not a replica set, which the gateway needs: start it with --replSet and run rs.initiate() once, or unset MONGODB_URI.',
  ]);
}
