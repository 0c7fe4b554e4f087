/** A PostgreSQL server of its own in a temporary folder: Debian's, or the one of POSTGRES_BIN. */
import { chmod, chown, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chooseFreePort } from '../../workers/supervisor/dev/mongod/index.ts';
import { run } from '../clients/run-program.ts';

export interface Postgres {
  readonly url: string;
  readonly stop: () => Promise<void>;
}

const install =
  'Found no PostgreSQL. Install it (Debian: apt-get install -y postgresql), or set POSTGRES_BIN to the folder of initdb.';

/** Starts a server with the empty database `shop`. */
export async function startPostgres(): Promise<Postgres> {
  const bin = await findPrograms();
  const folder = await mkdtemp(join(tmpdir(), 'paywright-postgres-'));
  const asUser = await useOtherUser(folder);
  const data = join(folder, 'data');
  const program = async (name: string, ...words: string[]): Promise<string> =>
    run([...asUser, join(bin, name), ...words], { cwd: folder });
  await program('initdb', '-D', data, '-U', 'shop', '-A', 'trust', '-E', 'UTF8', '--no-sync');
  const port = await chooseFreePort();
  const settings = `-p ${port} -k ${folder} -c listen_addresses=127.0.0.1 -c fsync=off`;
  await program('pg_ctl', '-D', data, '-o', settings, '-l', join(folder, 'log'), '-w', 'start');
  await program('createdb', '-h', '127.0.0.1', '-p', `${port}`, '-U', 'shop', 'shop');
  return {
    url: `postgres://shop@127.0.0.1:${port}/shop`,
    async stop() {
      await program('pg_ctl', '-D', data, '-m', 'immediate', '-w', 'stop');
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function findPrograms(): Promise<string> {
  const { POSTGRES_BIN } = process.env;
  if (POSTGRES_BIN) return POSTGRES_BIN;
  const versions = await readdir('/usr/lib/postgresql').catch(() => []);
  const [newest] = versions.map(Number).sort((a, b) => b - a);
  if (!newest) throw new Error(install);
  return `/usr/lib/postgresql/${newest}/bin`;
}

/** PostgreSQL refuses to run as root. Root gives the folder to the user that Debian's package created. */
async function useOtherUser(folder: string): Promise<readonly string[]> {
  if (process.getuid?.() !== 0) return [];
  const idOf = async (flag: string): Promise<number> =>
    Number(await run(['id', flag, 'postgres'], { cwd: folder }).catch(() => Promise.reject(new Error(install))));
  await chown(folder, await idOf('-u'), await idOf('-g'));
  await chmod(folder, 0o700);
  return ['runuser', '-u', 'postgres', '--'];
}
