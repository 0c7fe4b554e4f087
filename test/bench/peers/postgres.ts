/** A PostgreSQL with its default durability, on data of its own. */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chown, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { until } from '../../../core/base/testing/until.ts';
import { chooseFreePort } from '../../../workers/supervisor/dev/mongod/index.ts';
import { cpuMsOfTree } from '../process-figures.ts';

const run = promisify(execFile);
const user = 'bench';

export interface Postgres {
  readonly port: number;
  /** The address of a database of this server. */
  url(database: string): string;
  /** The rows of a query, their members separated by commas. */
  query(database: string, sql: string): Promise<string[]>;
  /** Runs a file of SQL. */
  runFile(database: string, file: string): Promise<void>;
  createDatabase(database: string): Promise<void>;
  /** The durability settings in force. */
  settings(): Promise<string>;
  cpuMs(): Promise<number>;
  close(): Promise<void>;
}

export async function startPostgres(): Promise<Postgres> {
  const bin = await findPrograms();
  const folder = await mkdtemp(join(tmpdir(), 'peers-postgres-'));
  const data = join(folder, 'data');
  const identity = await unprivileged();
  if (identity) await chown(folder, identity.uid, identity.gid);
  await run(join(bin, 'initdb'), ['-D', data, '-U', user, '--auth=trust', '-E', 'UTF8'], { ...identity, cwd: '/' });
  const port = await chooseFreePort();
  // Each system opens a pool of its own.
  const flags = ['-c', 'listen_addresses=127.0.0.1', '-c', 'max_connections=300'];
  const args = ['-D', data, '-p', String(port), '-k', folder, ...flags];
  const server = spawn(join(bin, 'postgres'), args, { ...identity, cwd: '/', stdio: 'ignore' });
  const psql = async (database: string, ...words: readonly string[]): Promise<string> => {
    const connection = ['-h', '127.0.0.1', '-p', String(port), '-U', user, '-d', database];
    const options = ['-X', '-q', '-A', '-t', '-F', ',', '-v', 'ON_ERROR_STOP=1'];
    const limit = { maxBuffer: 64 * 2 ** 20 };
    return (await run(join(bin, 'psql'), [...connection, ...options, ...words], limit)).stdout;
  };
  const query = async (database: string, sql: string): Promise<string[]> =>
    (await psql(database, '-c', sql)).split('\n').filter(Boolean);
  await until('PostgreSQL accepts connections', async () => {
    if (server.exitCode !== null) throw new Error(`PostgreSQL exited with ${server.exitCode}`);
    return query('postgres', 'select 1').then(
      () => true,
      () => false,
    );
  });
  return {
    port,
    url: (database) => `postgres://${user}@127.0.0.1:${port}/${database}`,
    query,
    runFile: async (database, file) => void (await psql(database, '-f', file)),
    createDatabase: async (database) => void (await psql('postgres', '-c', `create database ${database}`)),
    async settings() {
      const names = ['fsync', 'synchronous_commit', 'full_page_writes', 'wal_sync_method'];
      const values = await Promise.all(names.map(async (name) => query('postgres', `show ${name}`)));
      const [version] = await query('postgres', 'show server_version');
      return `PostgreSQL ${version}, ${names.map((name, at) => `${name}=${values[at]![0]}`).join(', ')}`;
    },
    cpuMs: async () => cpuMsOfTree(server.pid!),
    async close() {
      const exit = once(server, 'exit');
      server.kill('SIGINT');
      await exit;
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** PostgreSQL refuses to run as root. */
async function unprivileged(): Promise<{ readonly uid: number; readonly gid: number } | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  const idOf = async (flag: string): Promise<number> => Number((await run('id', [flag, 'postgres'])).stdout);
  return { uid: await idOf('-u'), gid: await idOf('-g') };
}

/** Debian keeps the server's programs in a folder per version, outside the search path. */
async function findPrograms(): Promise<string> {
  const debian = '/usr/lib/postgresql';
  const versions = await readdir(debian).catch(() => []);
  const newestFirst = versions.sort((one, other) => Number(other) - Number(one));
  const folders = [...newestFirst.map((version) => join(debian, version, 'bin')), ...searchPath()];
  const found = folders.find((folder) => existsSync(join(folder, 'initdb')));
  if (found === undefined) throw new Error('No PostgreSQL server was found. On Debian: apt-get install postgresql');
  return found;
}

function searchPath(): string[] {
  return (process.env['PATH'] ?? '').split(delimiter);
}
