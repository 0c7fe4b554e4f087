/** One process at a time works on a data folder. The lock names it, so that a dead one's lock counts no more. */
import { randomBytes } from 'node:crypto';
import { link, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import * as v from 'valibot';
import { StartError } from '../start-error.ts';
import { birthOf } from './processes.ts';

/** `command`: for a moment, to work on kept data while no service runs. */
export type HolderKind = 'service' | 'command';

const Holder = v.object({ pid: v.number(), birth: v.string(), kind: v.picklist(['service', 'command']) });
export type Holder = v.InferOutput<typeof Holder>;

const lockName = 'gateway.lock';
const lookMs = 50;
/** A command starts mongod, works and stops it again. */
const commandLimitMs = 30_000;

/** The living process that holds the folder, or undefined. */
export async function findHolder(folder: string): Promise<Holder | undefined> {
  const holder = await readLock(join(folder, lockName));
  return holder && (await isAlive(holder)) ? holder : undefined;
}

/**
 * Takes the folder, and answers how to give it back. Waits while a command has it; throws a StartError where a service
 * has it. Exception: a command is told of a service by undefined.
 */
export async function lockFolder(folder: string, kind: HolderKind): Promise<(() => Promise<void>) | undefined> {
  const path = join(folder, lockName);
  const own = `${path}.${process.pid}-${randomBytes(4).toString('hex')}`;
  const until = Date.now() + commandLimitMs;
  await writeFile(own, JSON.stringify({ pid: process.pid, birth: await birthOf(process.pid), kind }));
  try {
    for (;;) {
      if (await takes(own, path)) return async () => rm(path, { force: true });
      const holder = await readLock(path);
      if (holder && (await isAlive(holder))) {
        if (holder.kind === 'service' && kind === 'command') return undefined;
        if (holder.kind === 'service' || Date.now() > until) throw new StartError([inUse(folder, holder)]);
        await sleep(lookMs);
      } else await remove(path, holder);
    }
  } finally {
    await rm(own, { force: true });
  }
}

/** A link is made or refused as a whole, with its content. */
async function takes(own: string, path: string): Promise<boolean> {
  try {
    await link(own, path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

/** Takes away a dead process's lock. What another one took in the meantime is put back. */
async function remove(path: string, dead: Holder | undefined): Promise<void> {
  const aside = `${path}.${process.pid}-${randomBytes(4).toString('hex')}`;
  try {
    await rename(path, aside);
  } catch {
    return; // Somebody else was quicker.
  }
  const taken = await readLock(aside);
  if (taken && taken.birth !== dead?.birth) await takes(aside, path);
  await rm(aside, { force: true });
}

async function readLock(path: string): Promise<Holder | undefined> {
  const text = await readFile(path, 'utf8').catch(() => '');
  const read = v.safeParse(v.pipe(v.string(), v.parseJson(), Holder), text);
  return read.success ? read.output : undefined;
}

async function isAlive({ pid, birth }: Holder): Promise<boolean> {
  return (await birthOf(pid)) === birth;
}

function inUse(folder: string, { pid, kind }: Holder): string {
  const who =
    kind === 'service' ? `a gateway that runs already (process ${pid})` : `a gateway command (process ${pid})`;
  return `The data folder ${folder} is in use by ${who}: stop it first, or set GATEWAY_DATA_DIR to another folder.`;
}
