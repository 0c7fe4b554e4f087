/** Keeps the log file small: what has grown too large, or is a day old, is put aside, and what was put aside long ago is removed. */
import { readdir, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { Logger } from 'pino';
import { DAY } from '../../core/base/async/time.ts';

export interface LogRotationSetup {
  /** `gateway.log` with its folder. */
  readonly file: string;
  readonly maxBytes: number;
  readonly keepDays: number;
  /** Every process opens the file anew; until then it writes to the one that was put aside. */
  readonly reopen: () => void;
  readonly log: Logger;
}

/** So that what is older than it is kept goes, also of a log that hardly grows. */
const longestMs = DAY;

export interface LogRotation {
  /** Rotates where it is time. Never rejects: a log that cannot be rotated is a warning. */
  check(now: Date): Promise<void>;
}

export function createLogRotation({ file, maxBytes, keepDays, reopen, log }: LogRotationSetup): LogRotation {
  const folder = dirname(file);
  const prefix = `${basename(file)}.`;

  /** Of the file that is written to, as far as we know. */
  let inode: number | undefined;

  async function rotate(now: Date): Promise<void> {
    const found = await stat(file).catch(() => undefined);
    // Somebody else has put it aside: another supervisor on this folder, or a tool.
    const isOther = inode !== undefined && found?.ino !== inode;
    inode = found?.ino;
    if (!found || isOther) return reopen();
    const isOld = found.size > 0 && now.getTime() - found.birthtimeMs >= longestMs;
    if (found.size < maxBytes && !isOld) return;
    await rename(file, `${file}.${now.toISOString().replaceAll(':', '-')}`);
    inode = undefined;
    reopen();
  }

  async function removeOld(now: Date): Promise<void> {
    const oldest = now.getTime() - keepDays * DAY;
    for (const name of await readdir(folder)) {
      if (!name.startsWith(prefix)) continue;
      const { mtimeMs } = await stat(join(folder, name));
      if (mtimeMs < oldest) await rm(join(folder, name), { force: true });
    }
  }

  return {
    async check(now) {
      try {
        await rotate(now);
        await removeOld(now);
      } catch (error) {
        log.warn({ err: error, file }, 'the log could not be rotated');
      }
    },
  };
}
