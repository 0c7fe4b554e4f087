/**
 * Finds the mongod that runs on a data folder. mongod writes its process id into mongod.lock, and empties the file at a
 * clean exit. The process that starts mongod writes its own id into a file next to it.
 */
import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const ownerFile = 'gateway.pid';
const temporaryPrefix = 'gateway-mongod-';
const runFile = promisify(execFile);

export interface Holder {
  pid: number;
  /** The process that started it: it runs, has exited, or is not known (yet). */
  owner: 'running' | 'gone' | 'unknown';
}

/** The mongod that runs on the folder. Undefined: none runs, even if there is a stale lock. */
export async function findHolder(dbPath: string): Promise<Holder | undefined> {
  const pid = await readPid(join(dbPath, 'mongod.lock'));
  if (pid === undefined || !(await commandOf(pid)).includes(dbPath)) return undefined;
  const owner = await readPid(join(dbPath, ownerFile));
  if (owner === undefined) return { pid, owner: 'unknown' };
  return { pid, owner: (await isRunning(owner)) ? 'running' : 'gone' };
}

/** Records that this process runs a mongod on the folder. */
export async function recordOwner(dbPath: string): Promise<void> {
  await writeFile(join(dbPath, ownerFile), `${process.pid}\n`);
}

/** Removes the record of an owner that has exited, so that it does not count as the owner of the next mongod. */
export async function removeOwner(dbPath: string): Promise<void> {
  await rm(join(dbPath, ownerFile), { force: true });
}

/** Whether a process runs. A zombie does not run. */
export async function isRunning(pid: number): Promise<boolean> {
  return (await commandOf(pid)) !== '';
}

/** Makes a folder for temporary data. Removes the temporary folders that killed processes left behind. */
export async function makeTemporaryFolder(): Promise<string> {
  for (const name of await readdir(tmpdir())) {
    if (!name.startsWith(temporaryPrefix)) continue;
    const folder = join(tmpdir(), name);
    const owner = await readPid(join(folder, ownerFile));
    if (owner === undefined || (await isRunning(owner)) || (await findHolder(folder)) !== undefined) continue;
    // The folder of another user cannot be removed.
    await rm(folder, { recursive: true, force: true }).catch(() => undefined);
  }
  return mkdtemp(join(tmpdir(), temporaryPrefix));
}

async function readPid(path: string): Promise<number | undefined> {
  const text = await readFile(path, 'utf8').catch(() => '');
  return /^\d+\s*$/.test(text) ? Number.parseInt(text, 10) : undefined;
}

/**
 * The command line of a running process, or an empty text. An id alone is not enough, because systems use ids again.
 */
async function commandOf(pid: number): Promise<string> {
  const reading =
    process.platform === 'linux'
      ? readFile(`/proc/${pid}/cmdline`, 'utf8')
      : runFile('ps', ['-p', `${pid}`, '-o', 'command=']).then(({ stdout }) => stdout);
  return reading.catch(() => '');
}
