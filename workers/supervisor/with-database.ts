/** Owners and keys for a command, whether the service runs or not. */
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Connection } from 'mongoose';
import { pino, type Logger } from 'pino';
import { loadConfig, type LoadedConfig } from '../../config/load-config.ts';
import { findHolder, lockFolder, openFolder, readState, writeState } from './data-folder/index.ts';
import { openAccess } from '../open-access.ts';
import { finalSecrets } from './run-config.ts';
import type { Keys, Owners } from '../../core/access/index.ts';
import { connectDatabase } from '../../core/documents/connect.ts';
import { chooseFreePort, findMongod, startMongod } from './dev/mongod/index.ts';
import type { Shell } from '../../core/cli/command.ts';

export interface Access {
  readonly owners: Owners;
  readonly keys: Keys;
  readonly loaded: LoadedConfig;
  readonly connection: Connection;
}

const startLimitMs = 60_000;
const lookMs = 100;

/** Lends owners and keys for as long as `work` takes. Throws errors whose message says all. */
export async function withAccess<T>(shell: Shell, work: (access: Access) => Promise<T>): Promise<T> {
  const loaded = await loadConfig({ env: shell.env, root: shell.root });
  const log = pino({ level: 'silent' });
  await openFolder(loaded.config.database.dataDir);
  return withUri(loaded, shell, async (uri) => {
    const { encryptionKey } = await finalSecrets(loaded);
    const database = await connectDatabase(uri, { log });
    try {
      const { connection } = database;
      const access = await openAccess({ connection, encryptionKey, config: loaded.config, log: log satisfies Logger });
      return await work({ ...access, loaded, connection });
    } finally {
      await database.close();
    }
  });
}

/** The database of the service that runs on the folder; else the one of config; else our own, for the moment. */
async function withUri<T>(loaded: LoadedConfig, shell: Shell, use: (uri: string) => Promise<T>): Promise<T> {
  const { database } = loaded.config;
  const until = Date.now() + startLimitMs;
  for (;;) {
    const running = await uriOfService(database.dataDir, until);
    if (running !== undefined) return use(running);
    const unlock = await lockFolder(database.dataDir, 'command');
    // A service has begun meanwhile.
    if (!unlock) continue;
    try {
      return await (database.uri === undefined ? withOwnMongod(database.dataDir, shell, use) : use(database.uri));
    } finally {
      await unlock();
    }
  }
}

/** Waits for a service that is starting. Undefined: none runs. */
async function uriOfService(dataDir: string, until: number): Promise<string | undefined> {
  for (;;) {
    const holder = await findHolder(dataDir);
    if (holder?.kind !== 'service') return undefined;
    const { running } = await readState(dataDir);
    if (running?.pid === holder.pid) return running.mongodbUri;
    if (Date.now() > until) {
      throw new Error(`The gateway (process ${holder.pid}) does not get ready: see the log in ${dataDir}.`);
    }
    await sleep(lookMs);
  }
}

async function withOwnMongod<T>(dataDir: string, shell: Shell, use: (uri: string) => Promise<T>): Promise<T> {
  const report = shell.complain;
  const { path: binary } = await findMongod({ env: shell.env, report });
  const state = await readState(dataDir);
  const port = state.ports.mongod ?? (await chooseFreePort());
  await writeState(dataDir, { ...state, ports: { ...state.ports, mongod: port } });
  const mongod = await startMongod({ binary, dbPath: join(dataDir, 'mongod'), port, report });
  try {
    return await use(mongod.uri);
  } finally {
    await mongod.stop();
  }
}
