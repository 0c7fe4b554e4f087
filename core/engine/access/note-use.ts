import type { Logger } from 'pino';
import { MINUTE } from '../../base/async/time.ts';

interface Used {
  readonly _id: string;
  lastUsedAt?: Date;
}

/**
 * Returns a function that records the use of a key. It calls `write` at most once a minute per key, never waits for it,
 * and never fails.
 */
export function createUseRecorder(
  write: (keyId: string, at: Date) => Promise<unknown>,
  now: () => Date,
  log: Pick<Logger, 'warn'>,
): (key: Used) => void {
  return (key) => {
    const at = now();
    if (key.lastUsedAt && at.getTime() - key.lastUsedAt.getTime() < MINUTE) return;
    // The cached copy is updated too, so that one request writes the time, and not every request until the next read.
    key.lastUsedAt = at;
    write(key._id, at).then(undefined, (error: unknown) => {
      log.warn({ err: error, keyId: key._id }, 'the last use of a key could not be noted');
    });
  };
}
