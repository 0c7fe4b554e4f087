/**
 * One process at a time works on a data folder. A process that takes it leaves a numbered file that names it; the highest
 * number counts, and is never removed before there is a higher one. So of many that find the holder dead, one succeeds it.
 * Not by the age of a file, as lock libraries judge it: a gateway that was killed starts again at once, and one whose
 * machine slept keeps its folder.
 */
import { randomBytes } from 'node:crypto';
import { link, readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import * as v from 'valibot';
import { StartError } from '../start-error.ts';
import { processStartTime } from './processes.ts';

/** `command`: for a moment, to work on kept data while no service runs. */
export type HolderKind = 'service' | 'command';

const Holder = v.object({ pid: v.number(), startTime: v.string(), kind: v.picklist(['service', 'command']) });
export type Holder = v.InferOutput<typeof Holder>;

const pollMs = 50;
/** A command starts mongod, works and stops it again. */
const commandLimitMs = 30_000;

/** The living process that holds the folder, or undefined. */
export async function findHolder(folder: string): Promise<Holder | undefined> {
  return livingHolder(folder, await highestNumber(folder));
}

/**
 * Takes the folder, and answers how to give it back. Waits while a command has it; throws a StartError where a service
 * has it. But a command that meets a service gets undefined.
 */
export async function lockFolder(
  folder: string,
  kind: HolderKind,
  signal?: AbortSignal,
): Promise<(() => Promise<void>) | undefined> {
  const until = Date.now() + commandLimitMs;
  for (;;) {
    const highest = await highestNumber(folder);
    const holder = await livingHolder(folder, highest);
    if (!holder) {
      const unlock = await take(folder, highest + 1, kind);
      if (unlock) return unlock;
    } else if (holder.kind === 'service' && kind === 'command') return undefined;
    else if (holder.kind === 'service' || Date.now() > until) throw new StartError([inUse(folder, holder)]);
    else await sleep(pollMs, undefined, signal && { signal });
  }
}

/** Undefined: somebody else was quicker. */
async function take(folder: string, number: number, kind: HolderKind): Promise<(() => Promise<void>) | undefined> {
  const path = pathOf(folder, number);
  const draft = join(folder, `lock-draft.${process.pid}-${randomBytes(4).toString('hex')}`);
  try {
    await writeFile(draft, JSON.stringify({ pid: process.pid, startTime: await processStartTime(process.pid), kind }));
    // A link is made with its content, or refused because it is there.
    await link(draft, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return undefined;
    throw error;
  } finally {
    await rm(draft, { force: true });
  }
  const numbers = await allNumbers(folder);
  if (Math.max(...numbers) > number) {
    // We were held up for so long that our number had been used, and removed, meanwhile.
    await rm(path, { force: true });
    return undefined;
  }
  for (const lower of numbers) if (lower < number) await rm(pathOf(folder, lower), { force: true });
  // Its number stays taken.
  return async () => truncate(path).catch(() => undefined);
}

async function livingHolder(folder: string, number: number): Promise<Holder | undefined> {
  const text = await readFile(pathOf(folder, number), 'utf8').catch(() => '');
  const read = v.safeParse(v.pipe(v.string(), v.parseJson(), Holder), text);
  return read.success && (await processStartTime(read.output.pid)) === read.output.startTime ? read.output : undefined;
}

/** 0 where nobody ever had the folder. */
async function highestNumber(folder: string): Promise<number> {
  return Math.max(0, ...(await allNumbers(folder)));
}

async function allNumbers(folder: string): Promise<number[]> {
  const names = await readdir(folder).catch(() => []);
  return names.flatMap((name) => (/^lock\.\d+$/.test(name) ? [Number(name.slice('lock.'.length))] : []));
}

function pathOf(folder: string, number: number): string {
  return join(folder, `lock.${number}`);
}

function inUse(folder: string, { pid, kind }: Holder): string {
  const who =
    kind === 'service' ? `a gateway that runs already (process ${pid})` : `a gateway command (process ${pid})`;
  return `The data folder ${folder} is in use by ${who}: stop it first, or set GATEWAY_DATA_DIR to another folder.`;
}
