/**
 * The rate limit per API key and minute, across all processes: a limit of n never allows more than n requests in a
 * minute of the clock, whichever processes they reach.
 *
 * A write for each request would be slow. Therefore:
 *
 * - A process that counts requests also reserves permits for the next ones, and allows those without a write. It
 *   reserves at most as many as it used in this minute, and at most a sixteenth of what remains, so none near the
 *   limit. Reserved permits that a process does not use are lost to the other processes until the minute ends.
 * - Requests of one key that arrive while a write is in progress, or a few milliseconds after it started, are counted
 *   together.
 * - Once a minute is known to be full, nothing is written until it ends.
 */
import type { Connection } from 'mongoose';
import { rateWindowModel } from '../../database/collections/rate-window.ts';
import { isDuplicateKey } from '../../database/duplicate-key.ts';
import { createBatcher, type Batcher } from '../../database/batcher.ts';
import { secondsLeft, tooMany } from './minute-budget.ts';

export interface RateLimitState {
  readonly limit: number;
  readonly remaining: number;
  /** Seconds until the next minute starts; at least 1. */
  readonly resetSeconds: number;
}

export interface RateLimiter {
  /** Counts one request. Throws RATE001, with all its headers, if the limit of this minute is used up. */
  take(keyId: string, limit: number): Promise<RateLimitState>;
  /** Counts all entries of a batch, or none, against a separate limit. Throws RATE001 if they exceed it. */
  takeEntries(keyId: string, limit: number, count: number): Promise<void>;
  /** Counts one mail to a payer. Throws RATE001 if the address, or the owner's test keys, had enough in this hour. */
  takeMail(mail: PayerMail): Promise<void>;
}

export interface PayerMail {
  readonly ownerId: number;
  readonly isTest: boolean;
  /** Identifies the address without showing it. */
  readonly addressHash: string;
}

/** No payer needs more links in an hour, and a key must not be able to flood a mailbox. */
export const mailsPerAddressAndHour = 10;
/** Test keys are given away more easily than live keys. */
export const testMailsPerOwnerAndHour = 60;

/** The headers of every answer to a request with a key. */
export function rateLimitHeaders({ limit, remaining, resetSeconds }: RateLimitState): Record<string, string> {
  return {
    'RateLimit-Limit': `${limit}`,
    'RateLimit-Remaining': `${remaining}`,
    'RateLimit-Reset': `${resetSeconds}`,
  };
}

/** The requests of one key in one minute, as this process knows them. */
interface MinuteOfKey {
  /** All processes together have allowed or reserved at least this many. */
  used: number;
  /** The part of `used` that this process has reserved and not used. */
  reserved: number;
  /** The requests that this process has allowed. */
  allowed: number;
  /** Counts one request. Resolves to its number within the minute, or to undefined if it is refused. */
  readonly count: Batcher<void, number | undefined>;
}

/** A process reserves at most one of so many remaining permits. */
const reservedPart = 16;

/** What one write takes from the limit: `count` requests, and `ahead` reserved permits if enough remain. */
interface Taken {
  readonly limit: number;
  readonly count: number;
  readonly ahead: number;
}

/** The permits that are used after the write, if `before` were used before. A limit may be lower than before. */
function usedAfter(before: number, { limit, count, ahead }: Taken): number {
  const isFar = limit - before - count >= reservedPart * ahead;
  return Math.max(before, Math.min(limit, before + count + (isFar ? ahead : 0)));
}

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
// If a crash loses a count, a few more requests are allowed in that minute. Waiting for the journal would cost more.
const writeConcern = { w: 1, j: false } as const;

/** Uses a reserved permit. Returns the number of its request within the minute, or undefined if none is reserved. */
function takeReserved(ofKey: MinuteOfKey): number | undefined {
  if (ofKey.reserved === 0) return undefined;
  ofKey.reserved -= 1;
  ofKey.allowed += 1;
  return ofKey.used - ofKey.reserved;
}

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
    // If the limit of a key changes, it gets a new batcher, so that one limit applies to all items of a batcher.
    const name = `${keyId}:${limit}`;
    const known = current.keys.get(name);
    if (known) return known;
    const ofKey: MinuteOfKey = {
      used: 0,
      reserved: 0,
      allowed: 0,
      count: createBatcher({
        maxConcurrentBatches: 1,
        maxItems: 10_000,
        async run(requests) {
          const part = Math.floor((limit - ofKey.used) / reservedPart);
          const ahead = Math.max(0, Math.min(ofKey.allowed, part) - ofKey.reserved);
          const count = async () => add(minute, keyId, { limit, count: requests.length, ahead });
          // Two processes may both try to insert the first count of a minute. The second attempt finds it.
          const before = await count().catch((error: unknown) => {
            if (isDuplicateKey(error)) return count();
            throw error;
          });
          ofKey.used = usedAfter(before, { limit, count: requests.length, ahead });
          const allowed = Math.min(requests.length, ofKey.used - before);
          ofKey.reserved += ofKey.used - before - allowed;
          ofKey.allowed += allowed;
          return requests.map((_, at) => ({ value: at < allowed ? before + at + 1 : undefined }));
        },
      }),
    };
    current.keys.set(name, ofKey);
    return ofKey;
  }

  /** Adds the requests and the reserved permits, as `usedAfter` does. Returns how many there were before. */
  async function add(minute: number, keyId: string, { limit, count, ahead }: Taken): Promise<number> {
    const before = { $ifNull: ['$used', 0] };
    const counted = { $add: [before, count] };
    const isFar = { $gte: [{ $subtract: [limit, counted] }, reservedPart * ahead] };
    const used = { $max: [before, { $min: [limit, { $add: [counted, { $cond: [isFar, ahead, 0] }] }] }] };
    // Kept a minute longer than necessary, for processes whose clocks are behind.
    const expireAt = new Date((minute + 2) * minuteMs);
    const earlier = await windows.findOneAndUpdate({ _id: `${keyId}:${minute}` }, [{ $set: { used, expireAt } }], {
      upsert: true,
      updatePipeline: true,
      returnDocument: 'before',
      lean: true,
      writeConcern,
    });
    return earlier?.used ?? 0;
  }

  /** Adds all to the window. Returns false, and adds none, if they exceed the limit. */
  async function addAll(_id: string, expireAt: Date, limit: number, count: number): Promise<boolean> {
    const before = { $ifNull: ['$used', 0] };
    const after = { $add: [before, count] };
    const used = { $cond: [{ $lte: [after, limit] }, after, before] };
    const add = async () =>
      windows.findOneAndUpdate({ _id }, [{ $set: { used, expireAt } }], {
        upsert: true,
        updatePipeline: true,
        returnDocument: 'before',
        lean: true,
        writeConcern,
      });
    const earlier = await add().catch((error: unknown) => {
      if (isDuplicateKey(error)) return add();
      throw error;
    });
    return (earlier?.used ?? 0) + count <= limit;
  }

  async function demandMail(name: string, limit: number, what: string): Promise<void> {
    const hour = Math.floor(now().getTime() / hourMs);
    if (await addAll(`${name}:${hour}`, new Date((hour + 2) * hourMs), limit, 1)) return;
    const left = Math.max(1, Math.ceil(((hour + 1) * hourMs - now().getTime()) / 1000));
    throw tooMany(`${what} may get ${limit} mails an hour`, limit, left, '1h');
  }

  return {
    async takeEntries(keyId, limit, count) {
      const minute = Math.floor(now().getTime() / minuteMs);
      const expireAt = new Date((minute + 2) * minuteMs);
      if (!(await addAll(`${keyId}:entries:${minute}`, expireAt, limit, count)))
        throw tooMany(`the API key may send ${limit} entries of batches a minute`, limit, secondsLeft(now()));
    },

    async takeMail({ ownerId, isTest, addressHash }) {
      await demandMail(`mail:${addressHash}`, mailsPerAddressAndHour, 'an e-mail address');
      if (isTest) await demandMail(`test-mail:${ownerId}`, testMailsPerOwnerAndHour, 'the payers of test payments');
    },

    async take(keyId, limit) {
      const minute = Math.floor(now().getTime() / minuteMs);
      const ofKey = minuteOf(minute, keyId, limit);
      const number = takeReserved(ofKey) ?? (ofKey.used >= limit ? undefined : await ofKey.count());
      const resetSeconds = Math.max(1, Math.ceil(((minute + 1) * minuteMs - now().getTime()) / 1000));
      if (number === undefined) throw tooMany(`the API key may make ${limit} requests a minute`, limit, resetSeconds);
      return { limit, remaining: limit - number, resetSeconds };
    },
  };
}
