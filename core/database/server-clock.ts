/**
 * The time by which payments are judged: this process's own where it agrees with the database server's, else the server's. So a
 * host whose clock goes wrong neither takes a submission for lost that another process just made, nor keeps one waiting.
 */
import type { Connection } from 'mongoose';

export interface ServerClock {
  readonly now: () => Date;
  stop(): void;
}

/** Below this they agree: a comparison over the network is not more exact, and one process compares its own times. */
const AGREE_MS = 1000;
const EVERY_MS = 10_000;

interface Sample {
  /** By how much the server's time is ahead of `performance.now()`, which nobody sets. */
  readonly aheadMs: number;
  /** It is wrong by half of this at most. */
  readonly roundTripMs: number;
  readonly takenAt: number;
}

/** Compares the clocks now, and again every 10 s. */
export async function followServerClock(connection: Connection): Promise<ServerClock> {
  let sample = await compare(connection);
  // What took long says little, and is better than one that is old.
  const timer = setInterval(() => {
    const take = (newer: Sample): void => {
      if (newer.roundTripMs <= sample.roundTripMs + (newer.takenAt - sample.takenAt) / 100) sample = newer;
    };
    // Without an answer the clocks go on as they were.
    void compare(connection).then(take, () => undefined);
  }, EVERY_MS).unref();

  return {
    now() {
      const ownMs = Date.now();
      const serverMs = Math.round(performance.now() + sample.aheadMs);
      const isRight = Math.abs(serverMs - ownMs) < AGREE_MS + sample.roundTripMs / 2;
      return new Date(isRight ? ownMs : serverMs);
    },
    stop: () => clearInterval(timer),
  };
}

/** A time that has come by the server's clock, too, where `now` is of one that agrees with it. */
export function dueAtOnce(now: Date): Date {
  return new Date(now.getTime() - 2 * AGREE_MS);
}

async function compare(connection: Connection): Promise<Sample> {
  const sentAt = performance.now();
  const { localTime } = (await connection.db!.admin().command({ hello: 1 })) as { readonly localTime: Date };
  const takenAt = performance.now();
  const roundTripMs = takenAt - sentAt;
  return { aheadMs: localTime.getTime() - (sentAt + takenAt) / 2, roundTripMs, takenAt };
}
