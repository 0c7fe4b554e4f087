/**
 * The rate limit per API key and minute, across all processes: a limit of n allows exactly n requests in a minute of
 * the clock, whichever processes they reach.
 *
 * No permits are reserved in advance, so none stay unused in one process while another refuses requests. Two other
 * measures keep the cost low. Requests of one key that arrive while a write is in progress, or a few milliseconds
 * after it started, are counted together. Once a minute is known to be full, nothing is written until it ends. A key
 * therefore costs at most one write per allowed request, plus one per process that finds the minute full, and far
 * fewer under load.
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
  /** All processes together have allowed at least this many. */
  used: number;
  /** Counts one request. Resolves to its number within the minute, or to undefined if it is refused. */
  readonly count: Batcher<void, number | undefined>;
}

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
// If a crash loses a count, a few more requests are allowed in that minute. Waiting for the journal would cost more.
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
    // If the limit of a key changes, it gets a new batcher, so that one limit applies to all items of a batcher.
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
          // Two processes may both try to insert the first count of a minute. The second attempt finds it.
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

  /** Adds `count` requests, up to the limit. Returns how many requests there were before. */
  async function add(minute: number, keyId: string, limit: number, count: number): Promise<number> {
    const used = { $max: ['$used', { $min: [limit, { $add: [{ $ifNull: ['$used', 0] }, count] }] }] };
    // Kept a minute longer than necessary, for processes whose clocks are behind.
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
      const number = ofKey.used >= limit ? undefined : await ofKey.count();
      const resetSeconds = Math.max(1, Math.ceil(((minute + 1) * minuteMs - now().getTime()) / 1000));
      if (number === undefined) throw tooMany(`the API key may make ${limit} requests a minute`, limit, resetSeconds);
      return { limit, remaining: limit - number, resetSeconds };
    },
  };
}
