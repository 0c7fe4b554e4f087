/**
 * The limit of requests a minute per API key, across all processes: a limit of n lets exactly n through in a minute
 * of the clock, whichever processes they reach.
 *
 * No permits are reserved ahead, so none lie unused in one process while another refuses. The cost is kept down
 * otherwise: requests of one key that arrive while a write is under way, or a few milliseconds after it began, are
 * counted together, and once a minute is known to be full nothing is written until it ends. So a key costs at most
 * one write per request that is let through (and one per process that finds the minute full), far fewer under load.
 */
import type { Connection } from 'mongoose';
import { rateWindowModel } from '../../database/collections/rate-window.ts';
import { isDuplicateKey } from '../../database/duplicate-key.ts';
import { createBatcher, type Batcher } from '../../database/batcher.ts';
import { secondsLeft, tooMany } from './minute-budget.ts';

export interface RateStanding {
  readonly limit: number;
  readonly remaining: number;
  /** Until the next minute begins; at least 1. */
  readonly resetSeconds: number;
}

export interface RateLimiter {
  /** Counts one request. Throws RATE001, with all its headers, when the minute is full. */
  take(keyId: string, limit: number): Promise<RateStanding>;
  /** Counts the entries of a batch, all or none, against a limit of their own. Throws RATE001 where they do not fit. */
  takeEntries(keyId: string, limit: number, count: number): Promise<void>;
}

/** The headers that every answer to a key carries. */
export function rateLimitHeaders({ limit, remaining, resetSeconds }: RateStanding): Record<string, string> {
  return {
    'RateLimit-Limit': `${limit}`,
    'RateLimit-Remaining': `${remaining}`,
    'RateLimit-Reset': `${resetSeconds}`,
  };
}

/** The requests of one key in one minute, as this process knows them. */
interface MinuteOfKey {
  /** At least so many were let through, by all processes. */
  used: number;
  /** Gives the request's number in the minute, or undefined: refused. */
  readonly count: Batcher<void, number | undefined>;
}

const minuteMs = 60_000;
// A count that a crash loses lets a few more requests through for a minute: not worth waiting for the journal.
const writeConcern = { w: 1, j: false } as const;

export function createRateLimiter({
  connection,
  now,
}: {
  readonly connection: Connection;
  readonly now: () => Date;
}): RateLimiter {
  const windows = rateWindowModel(connection);
  let current = { minute: Number.NaN, keys: new Map<string, MinuteOfKey>() };

  function minuteOf(minute: number, keyId: string, limit: number): MinuteOfKey {
    if (current.minute !== minute) current = { minute, keys: new Map() };
    // A changed limit starts a batcher of its own, so that all items of a batcher are judged alike.
    const name = `${keyId}:${limit}`;
    const known = current.keys.get(name);
    if (known) return known;
    const ofKey: MinuteOfKey = {
      used: 0,
      count: createBatcher({
        maxConcurrentBatches: 1,
        maxItems: 10_000,
        async run(requests) {
          const count = async () => add(minute, keyId, limit, requests.length);
          // Two processes may both try to insert a minute's first count; the second attempt finds it there.
          const before = await count().catch((error: unknown) => {
            if (isDuplicateKey(error)) return count();
            throw error;
          });
          ofKey.used = Math.max(before, Math.min(limit, before + requests.length));
          return requests.map((_, at) => ({ value: before + at < limit ? before + at + 1 : undefined }));
        },
      }),
    };
    current.keys.set(name, ofKey);
    return ofKey;
  }

  /** Adds `count` requests, but never beyond the limit; gives how many there were before. */
  async function add(minute: number, keyId: string, limit: number, count: number): Promise<number> {
    const used = { $max: ['$used', { $min: [limit, { $add: [{ $ifNull: ['$used', 0] }, count] }] }] };
    // A minute longer than it counts, for processes whose clocks are behind.
    const expireAt = new Date((minute + 2) * minuteMs);
    const before = await windows.findOneAndUpdate({ _id: `${keyId}:${minute}` }, [{ $set: { used, expireAt } }], {
      upsert: true,
      updatePipeline: true,
      returnDocument: 'before',
      lean: true,
      writeConcern,
    });
    return before?.used ?? 0;
  }

  /** Adds all, or none where they go beyond the limit; false then. */
  async function addAll(minute: number, keyId: string, limit: number, count: number): Promise<boolean> {
    const before = { $ifNull: ['$used', 0] };
    const after = { $add: [before, count] };
    const fits = await windows.findOneAndUpdate(
      { _id: `${keyId}:entries:${minute}` },
      [
        {
          $set: {
            used: { $cond: [{ $lte: [after, limit] }, after, before] },
            expireAt: new Date((minute + 2) * minuteMs),
          },
        },
      ],
      { upsert: true, updatePipeline: true, returnDocument: 'before', lean: true, writeConcern },
    );
    return (fits?.used ?? 0) + count <= limit;
  }

  return {
    async takeEntries(keyId, limit, count) {
      const minute = Math.floor(now().getTime() / minuteMs);
      const add = async () => addAll(minute, keyId, limit, count);
      const fits = await add().catch((error: unknown) => {
        if (isDuplicateKey(error)) return add();
        throw error;
      });
      if (!fits) throw tooMany(`the API key may send ${limit} entries of batches a minute`, limit, secondsLeft(now()));
    },

    async take(keyId, limit) {
      const minute = Math.floor(now().getTime() / minuteMs);
      const ofKey = minuteOf(minute, keyId, limit);
      const number = ofKey.used >= limit ? undefined : await ofKey.count();
      const resetSeconds = Math.max(1, Math.ceil(((minute + 1) * minuteMs - now().getTime()) / 1000));
      if (number === undefined) throw tooMany(`the API key may make ${limit} requests a minute`, limit, resetSeconds);
      return { limit, remaining: limit - number, resetSeconds };
    },
  };
}
