/** A sharded cluster on loopback without a password: config server, two shards and a mongos. */
import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { mongo } from 'mongoose';
import { until } from '../../core/base/testing/until.ts';
import { chooseFreePort, findMongod } from '../../workers/supervisor/dev/mongod/index.ts';
import { findOnPath } from '../../workers/supervisor/dev/mongod/run-program.ts';

const runFile = promisify(execFile);
const host = '127.0.0.1';
const startLimitMs = 120_000;

/**
 * Finds the mongos in `MONGOS_BINARY` or in the PATH. If none has the version of our mongod, returns undefined and the
 * reason.
 */
export async function findMongos(
  env: NodeJS.ProcessEnv,
): Promise<{ readonly path: string } | { readonly path: undefined; readonly reason: string }> {
  const path = env['MONGOS_BINARY'] || (await findOnPath('mongos', env));
  if (!path) return { path: undefined, reason: 'no mongos on the PATH, nor named by MONGOS_BINARY' };
  const { stdout } = await runFile(path, ['--version'], { env }).catch(() => ({ stdout: '' }));
  const [, release] = /^mongos version v(\d+\.\d+)\.\d+/m.exec(stdout) ?? [];
  const { version } = await findMongod({ env, report: () => undefined });
  if (release !== undefined && version.startsWith(`${release}.`)) return { path };
  return { path: undefined, reason: `${path} is not the mongos of MongoDB ${version}` };
}

/** A replica set of one member that holds a part of the data, or the cluster's metadata. */
export interface ClusterServer {
  readonly name: string;
  readonly address: string;
  /** Queries this server directly, not through a mongos. */
  query<T>(use: (client: mongo.MongoClient) => Promise<T>): Promise<T>;
}

export interface ClusterServers {
  readonly config: ClusterServer;
  readonly shards: readonly ClusterServer[];
  /** Starts a mongos that knows both shards. Returns its address, to which `/<database>` is appended. */
  startMongos(path: string): Promise<string>;
  close(): Promise<void>;
}

async function query<T>(address: string, use: (client: mongo.MongoClient) => Promise<T>): Promise<T> {
  const options = { directConnection: true, serverSelectionTimeoutMS: 2000 };
  const client = new mongo.MongoClient(`mongodb://${address}/`, options);
  try {
    return await use(client);
  } finally {
    await client.close();
  }
}

/** Config server and shards, before a mongos is started. */
export async function startClusterServers(): Promise<ClusterServers> {
  const folder = await mkdtemp(join(tmpdir(), 'gateway-cluster-'));
  const { path: mongod } = await findMongod({ env: process.env, report: () => undefined });
  const children: ChildProcess[] = [];
  const launch = (path: string, words: Readonly<Record<string, string>>, ...flags: readonly string[]): void => {
    const args = Object.entries(words).flatMap(([word, value]) => [`--${word}`, value]);
    children.push(spawn(path, [...args, ...flags, '--nounixsocket'], { stdio: 'ignore' }));
  };
  const close = async (): Promise<void> => {
    const ended = children.map(async (child) => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const exit = new Promise((resolve) => child.once('exit', resolve));
      child.kill('SIGKILL');
      await exit;
    });
    await Promise.all(ended);
    await rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 });
  };

  async function startServer(name: string, role: 'configsvr' | 'shardsvr'): Promise<ClusterServer> {
    const port = await chooseFreePort();
    const [address, dbpath] = [`${host}:${port}`, join(folder, name)];
    await mkdir(dbpath);
    const words = { replSet: name, bind_ip: host, port: `${port}`, dbpath, wiredTigerCacheSizeGB: '0.25' };
    launch(mongod, words, `--${role}`);
    const members = [{ _id: 0, host: address }];
    const initiate = { _id: name, members, ...(role === 'configsvr' && { configsvr: true }) };
    const isTrueOn = async (use: (admin: mongo.Db) => Promise<boolean>): Promise<boolean> =>
      query(address, async (client) => use(client.db('admin'))).catch(() => false);
    const hasReplicaSet = async (admin: mongo.Db): Promise<boolean> => {
      await admin.command({ replSetInitiate: initiate });
      return true;
    };
    const isPrimary = async (admin: mongo.Db): Promise<boolean> =>
      (await admin.command({ hello: 1 }))['isWritablePrimary'] === true;
    await until(`${name} has its replica set`, async () => isTrueOn(hasReplicaSet), startLimitMs);
    await until(`${name} accepts writes`, async () => isTrueOn(isPrimary), startLimitMs);
    return { name, address, query: async (use) => query(address, use) };
  }

  try {
    const [config, ...shards] = await Promise.all([
      startServer('config', 'configsvr'),
      startServer('first', 'shardsvr'),
      startServer('second', 'shardsvr'),
    ]);
    return {
      config,
      shards,
      close,
      async startMongos(path) {
        const port = await chooseFreePort();
        const address = `${host}:${port}`;
        launch(path, { configdb: `config/${config.address}`, bind_ip: host, port: `${port}` });
        for (const shard of shards) {
          const addShard = `${shard.name}/${shard.address}`;
          const add = async (): Promise<boolean> =>
            query(address, async (client) => client.db('admin').command({ addShard })).then(
              () => true,
              () => false,
            );
          await until(`the mongos accepts ${addShard}`, add, startLimitMs);
        }
        return `mongodb://${address}`;
      },
    };
  } catch (error) {
    await close();
    throw error;
  }
}
