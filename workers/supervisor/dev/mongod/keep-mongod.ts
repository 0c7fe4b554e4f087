/**
 * The cache of fetched binaries. Each is in a folder named after processor and SHA-256, so the name proves the content.
 */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { chmod, mkdtemp, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { MongodError } from './mongod-error.ts';
import type { Report } from './run-program.ts';
import { makeFolder } from '../../data-folder/make-folder.ts';

const abandonedAfterMs = 3_600_000;

/** Our folder in XDG_CACHE_HOME or ~/.cache. */
export function userCacheFolder(env: NodeJS.ProcessEnv): string {
  return resolve(env['XDG_CACHE_HOME'] || join(env['HOME'] || homedir(), '.cache'), 'payment-gateway', 'mongod');
}

export async function sha256Of(path: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path, { highWaterMark: 1 << 20 }), hash);
  return hash.digest('hex');
}

/** The binary that an earlier start kept. It is hashed every time (0.1 s), and removed if it has changed. */
export async function findKept(cacheDir: string, report: Report): Promise<string | undefined> {
  const entries = await readdir(cacheDir).catch(() => []);
  for (const entry of entries.filter((name) => name.startsWith(`${process.arch}-`))) {
    const path = join(cacheDir, entry, 'mongod');
    if (entry === `${process.arch}-${await sha256Of(path).catch(() => '')}`) return path;
    report(`The mongod kept in ${join(cacheDir, entry)} is damaged and is removed.`);
    await rm(join(cacheDir, entry), { recursive: true, force: true });
  }
  return undefined;
}

/** Moves `mongod` from `folder`, which `withFetchFolder` made, to where `findKept` finds it. */
export async function keepMongod(cacheDir: string, folder: string, sha256: string): Promise<string> {
  const path = join(folder, 'mongod');
  await chmod(path, 0o755);
  const file = await open(path, 'r');
  try {
    await file.sync();
  } finally {
    await file.close();
  }
  const home = join(cacheDir, `${process.arch}-${sha256}`);
  await rename(folder, home).catch(async (error: unknown) => {
    // Another start was faster and kept a file with the same SHA-256.
    if ((await sha256Of(join(home, 'mongod')).catch(() => '')) !== sha256) throw error;
  });
  return join(home, 'mongod');
}

/**
 * Passes a new folder to `use`, and removes it afterwards. It is on the disk of the cache, so that files can be renamed
 * into it.
 */
export async function withFetchFolder<T>(cacheDir: string, use: (folder: string) => Promise<T>): Promise<T> {
  const folder = await makeFetchFolder(cacheDir);
  try {
    return await use(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function makeFetchFolder(cacheDir: string): Promise<string> {
  try {
    await makeFolder(cacheDir);
    for (const name of await readdir(cacheDir)) {
      const folder = join(cacheDir, name);
      if (!name.startsWith('fetch-') || Date.now() - (await stat(folder)).mtimeMs < abandonedAfterMs) continue;
      await rm(folder, { recursive: true, force: true });
    }
    return await mkdtemp(join(cacheDir, 'fetch-'));
  } catch (error) {
    throw new MongodError(
      `The cache folder ${cacheDir} cannot be written, so mongod cannot be kept there: set XDG_CACHE_HOME to a folder that can be written, or set MONGODB_URI.`,
      { cause: error },
    );
  }
}
