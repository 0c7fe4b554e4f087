/** Who runs on a data folder: mongod writes its process id into mongod.lock and empties it at a clean end; we write ours beside it. */
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
  /** Who started it: runs, has ended, or is not known (yet). */
  owner: 'running' | 'gone' | 'unknown';
}

/** The mongod that runs on the folder, or undefined; a stale lock is nobody's. */
export async function findHolder(dbPath: string): Promise<Holder | undefined> {
  const pid = await readPid(join(dbPath, 'mongod.lock'));
  if (pid === undefined || !(await commandOf(pid)).includes(dbPath)) return undefined;
  const owner = await readPid(join(dbPath, ownerFile));
  if (owner === undefined) return { pid, owner: 'unknown' };
  return { pid, owner: (await isRunning(owner)) ? 'running' : 'gone' };
}

/** Writes down that this process runs a mongod on the folder. */
export async function signFolder(dbPath: string): Promise<void> {
  await writeFile(join(dbPath, ownerFile), `${process.pid}\n`);
}

/** Forgets an owner that has ended, lest the next mongod on the folder be taken for that one's. */
export async function unsignFolder(dbPath: string): Promise<void> {
  await rm(join(dbPath, ownerFile), { force: true });
}

/** Whether a process runs; a zombie does not. */
export async function isRunning(pid: number): Promise<boolean> {
  return (await commandOf(pid)) !== '';
}

/** A folder for data that nobody keeps. Those of processes that were killed before they could remove theirs go now. */
export async function makeTemporaryFolder(): Promise<string> {
  for (const name of await readdir(tmpdir())) {
    if (!name.startsWith(temporaryPrefix)) continue;
    const folder = join(tmpdir(), name);
    const owner = await readPid(join(folder, ownerFile));
    if (owner === undefined || (await isRunning(owner)) || (await findHolder(folder)) !== undefined) continue;
    // Another user's folder stays.
    await rm(folder, { recursive: true, force: true }).catch(() => undefined);
  }
  return mkdtemp(join(tmpdir(), temporaryPrefix));
}

async function readPid(path: string): Promise<number | undefined> {
  const text = await readFile(path, 'utf8').catch(() => '');
  return /^\d+\s*$/.test(text) ? Number.parseInt(text, 10) : undefined;
}

/** The command line of a running process, or nothing. A process id alone may have been given to another program. */
async function commandOf(pid: number): Promise<string> {
  const reading =
    process.platform === 'linux'
      ? readFile(`/proc/${pid}/cmdline`, 'utf8')
      : runFile('ps', ['-p', `${pid}`, '-o', 'command=']).then(({ stdout }) => stdout);
  return reading.catch(() => '');
}
