/**
 * The clock that decides about payments. It returns the time of this process if that agrees with the time of the
 * database server, and the server's time otherwise. So a host with a wrong clock neither treats a submission that
 * another process just made as lost, nor keeps a payment waiting.
 */
import type { Connection } from 'mongoose';

export interface ServerClock {
  readonly now: () => Date;
  stop(): void;
}

/**
 * Below this difference the clocks agree. A comparison over the network is not more exact, and one process compares its
 * own times.
 */
const AGREE_MS = 1000;
const EVERY_MS = 60_000;

interface Sample {
  /** How far the server's time is ahead of `performance.now()`, which cannot be set. */
  readonly aheadMs: number;
  /** The error of the sample is at most half of this. */
  readonly roundTripMs: number;
  readonly takenAt: number;
}

/** Compares the clocks now and every minute. */
export async function followServerClock(connection: Connection): Promise<ServerClock> {
  let sample = await compare(connection);
  // A slow comparison is inexact, but better than an old one.
  const timer = setInterval(() => {
    const take = (newer: Sample): void => {
      if (newer.roundTripMs <= sample.roundTripMs + (newer.takenAt - sample.takenAt) / 100) sample = newer;
    };
    // If the database does not answer, the last sample stays in use.
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

/** Returns a time that is in the past by the server's clock too, if `now` comes from a clock that agrees with it. */
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
