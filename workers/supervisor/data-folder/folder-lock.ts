/**
 * A lock for a data folder: one process at a time works on it.
 *
 * A process that takes the folder creates a numbered file with its process id and start time. The file with the highest
 * number counts. It is never removed before a file with a higher number exists. If several processes find the holder
 * dead, they all try to create the next number, and only one succeeds.
 *
 * Lock libraries judge a lock by the age of its file. This lock does not: a gateway that was killed can start again
 * immediately, and a gateway whose machine slept keeps its folder.
 */
import { randomBytes } from 'node:crypto';
import { link, readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import * as v from 'valibot';
import { StartError } from '../start-error.ts';
import { processStartTime } from './processes.ts';

/** `command`: holds the folder briefly, to work on its data while no service runs. */
export type HolderKind = 'service' | 'command';

const Holder = v.object({ pid: v.number(), startTime: v.string(), kind: v.picklist(['service', 'command']) });
export type Holder = v.InferOutput<typeof Holder>;

const pollMs = 50;
/** A command starts mongod, does its work and stops mongod again. */
const commandLimitMs = 30_000;

/** The running process that holds the folder. Undefined: no process holds it. */
export async function findHolder(folder: string): Promise<Holder | undefined> {
  return readLivingHolder(folder, await findHighestNumber(folder));
}

/**
 * Takes the folder, and returns a function that releases it. Waits while a command holds the folder. If a service holds
 * it, throws a StartError for a service, and returns undefined for a command.
 */
export async function lockFolder(
  folder: string,
  kind: HolderKind,
  signal?: AbortSignal,
): Promise<(() => Promise<void>) | undefined> {
  const until = Date.now() + commandLimitMs;
  for (;;) {
    const highest = await findHighestNumber(folder);
    const holder = await readLivingHolder(folder, highest);
    if (!holder) {
      const unlock = await createLock(folder, highest + 1, kind);
      if (unlock) return unlock;
    } else if (holder.kind === 'service' && kind === 'command') return undefined;
    else if (holder.kind === 'service' || Date.now() > until) throw new StartError([describeInUse(folder, holder)]);
    else await sleep(pollMs, undefined, signal && { signal });
  }
}

/** Undefined: another process was faster. */
async function createLock(
  folder: string,
  number: number,
  kind: HolderKind,
): Promise<(() => Promise<void>) | undefined> {
  const path = pathOf(folder, number);
  const draft = join(folder, `lock-draft.${process.pid}-${randomBytes(4).toString('hex')}`);
  try {
    await writeFile(draft, JSON.stringify({ pid: process.pid, startTime: await processStartTime(process.pid), kind }));
    // A link appears with its whole content, or fails because the file exists.
    await link(draft, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return undefined;
    throw error;
  } finally {
    await rm(draft, { force: true });
  }
  const numbers = await listNumbers(folder);
  if (Math.max(...numbers) > number) {
    // This process was suspended for so long that its number had been used and removed by others.
    await rm(path, { force: true });
    return undefined;
  }
  for (const lower of numbers) if (lower < number) await rm(pathOf(folder, lower), { force: true });
  // The file stays, so that its number is not used again.
  return async () => truncate(path).catch(() => undefined);
}

async function readLivingHolder(folder: string, number: number): Promise<Holder | undefined> {
  const text = await readFile(pathOf(folder, number), 'utf8').catch(() => '');
  const read = v.safeParse(v.pipe(v.string(), v.parseJson(), Holder), text);
  return read.success && (await processStartTime(read.output.pid)) === read.output.startTime ? read.output : undefined;
}

/** 0 if no process ever held the folder. */
async function findHighestNumber(folder: string): Promise<number> {
  return Math.max(0, ...(await listNumbers(folder)));
}

async function listNumbers(folder: string): Promise<number[]> {
  const names = await readdir(folder).catch(() => []);
  return names.flatMap((name) => (/^lock\.\d+$/.test(name) ? [Number(name.slice('lock.'.length))] : []));
}

function pathOf(folder: string, number: number): string {
  return join(folder, `lock.${number}`);
}

function describeInUse(folder: string, { pid, kind }: Holder): string {
  const who = kind === 'service' ? `a running gateway (process ${pid})` : `a gateway command (process ${pid})`;
  return `The data folder ${folder} is in use by ${who}: stop it first, or set GATEWAY_DATA_DIR to another folder.`;
}
