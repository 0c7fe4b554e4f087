/** Rotates the log file when it is too large or a day old, and removes rotated files that are too old. */
import { readdir, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { Logger } from 'pino';
import { DAY } from '../../../core/base/async/time.ts';

export interface LogRotationOptions {
  /** Path of `gateway.log`. */
  readonly file: string;
  readonly maxBytes: number;
  readonly keepDays: number;
  /** Lets every process open the file again. Until then the processes write to the rotated file. */
  readonly reopen: () => void;
  readonly log: Logger;
}

/** Maximum age of the current file, so that `keepDays` also holds for a log that grows slowly. */
const maxAgeMs = DAY;

export interface LogRotation {
  /** Rotates the file if it is time. Never rejects: if the log cannot be rotated, a warning is logged. */
  check(now: Date): Promise<void>;
}

export function createLogRotation({ file, maxBytes, keepDays, reopen, log }: LogRotationOptions): LogRotation {
  const folder = dirname(file);
  const prefix = `${basename(file)}.`;

  /** The inode of the current file, as known from the last check. */
  let inode: number | undefined;

  async function rotate(now: Date): Promise<void> {
    const found = await stat(file).catch(() => undefined);
    // Another program has rotated the file: another supervisor on this folder, or a tool.
    const isOther = inode !== undefined && found?.ino !== inode;
    inode = found?.ino;
    if (!found || isOther) return reopen();
    const isOld = found.size > 0 && now.getTime() - found.birthtimeMs >= maxAgeMs;
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
