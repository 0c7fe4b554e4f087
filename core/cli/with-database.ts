/** Opens the database for a command, with its owners and keys, whether the service runs or not. */
import { join } from 'node:path';
import type { Connection } from 'mongoose';
import { pino } from 'pino';
import { loadConfig, type LoadedConfig } from '../../config/load-config.ts';
import {
  awaitService,
  lockFolder,
  openFolder,
  readState,
  writeState,
} from '../../workers/supervisor/data-folder/index.ts';
import { prepareAccess, type PreparedAccess } from '../../workers/supervisor/start/prepare-access.ts';
import { resolveSecrets } from '../../workers/supervisor/start/run-config.ts';
import { connectDatabase } from '../database/connect.ts';
import { createPortalLinks } from '../engine/access/index.ts';
import { createMerchants, type Merchants } from '../engine/merchants/index.ts';
import { createTargetGuard } from '../engine/notifications/index.ts';
import { findService } from './running-service.ts';
import { chooseFreePort, findMongod, startMongod } from '../../workers/supervisor/dev/mongod/index.ts';

export interface Caller {
  readonly env: NodeJS.ProcessEnv;
  /** The gateway's own folder. */
  readonly root: string;
  /** Prints progress and problems for the person at the screen. */
  readonly stderr: (line: string) => void;
}

export interface Access extends Pick<PreparedAccess, 'owners' | 'keys' | 'operators' | 'acts' | 'audit' | 'encrypter'> {
  readonly loaded: LoadedConfig;
  readonly merchants: Merchants;
  readonly connection: Connection;
  /** URI of the database. */
  readonly uri: string;
  readonly secrets: Awaited<ReturnType<typeof resolveSecrets>>;
}

/** Connects while `work` runs. Throws errors whose messages are meant for the person at the screen. */
export async function withDatabase<T>(caller: Caller, work: (access: Access) => Promise<T>): Promise<T> {
  const loaded = await loadConfig({ env: caller.env, root: caller.root });
  const log = pino({ level: 'silent' });
  await openFolder(loaded.config.database.dataDir);
  return withUri(loaded, caller, async (uri) => {
    const secrets = await resolveSecrets(loaded);
    const { encryptionKeys } = secrets;
    const database = await connectDatabase(uri, { log });
    try {
      const { connection } = database;
      const access = await prepareAccess({ connection, encryptionKeys, config: loaded.config, log });
      const merchants = await merchantsOf(access, connection, loaded);
      return await work({ ...access, merchants, loaded, connection, uri, secrets });
    } finally {
      await database.close();
    }
  });
}

async function merchantsOf(access: PreparedAccess, connection: Connection, loaded: LoadedConfig): Promise<Merchants> {
  const { payments, notifications } = loaded.config;
  const { publicUrl } = await findService(loaded);
  const { audit, encrypter } = access;
  const now = (): Date => new Date();
  return createMerchants({
    connection,
    access,
    audit,
    portalLinks: createPortalLinks({ connection, encrypter, publicUrl, now, log: pino({ level: 'silent' }) }),
    refusalOf: (url) => createTargetGuard(notifications).refusalOf(url),
    money: payments,
    now,
  });
}

/** Whether there is a database already. If not, opening it would create one. */
export async function hasDatabase({ config: { database } }: LoadedConfig): Promise<boolean> {
  return database.uri !== undefined || (await readState(database.dataDir)).ports.mongod !== undefined;
}

/**
 * Uses the database of the service that runs on the folder, or else the one of config, or else starts our own mongod.
 */
async function withUri<T>(loaded: LoadedConfig, caller: Caller, use: (uri: string) => Promise<T>): Promise<T> {
  const { database } = loaded.config;
  for (;;) {
    const running = await awaitService(database.dataDir);
    if (running) return use(running.mongodbUri);
    const unlock = await lockFolder(database.dataDir, 'command');
    // A service has started in the meantime.
    if (!unlock) continue;
    try {
      return await (database.uri === undefined ? withOwnMongod(database.dataDir, caller, use) : use(database.uri));
    } finally {
      await unlock();
    }
  }
}

async function withOwnMongod<T>(
  dataDir: string,
  { env, stderr: report }: Caller,
  use: (uri: string) => Promise<T>,
): Promise<T> {
  const { path: binary } = await findMongod({ env, report });
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
