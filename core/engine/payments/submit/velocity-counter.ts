/**
 * Counts attempts for velocity rules. Many attempts need one read and one write, and each attempt gets its own count.
 */
import type { Connection, mongo } from 'mongoose';
import { groupBy } from '../../../base/group-by.ts';
import { bulkWrite, compareAndSet, noMatch, toError } from '../../../database/bulk-write.ts';
import { duplicateKey } from '../../../database/duplicate-key.ts';
import { createBatcher, type ItemResult, type Batcher } from '../../../database/batcher.ts';
import { driverCodecOf } from '../../../database/driver-codec.ts';
import { velocityModel, type Velocity } from '../../../database/collections/velocity.ts';

export interface CountedAttempt {
  /** Fingerprint of rule, owner and value. */
  readonly key: string;
  readonly at: Date;
  readonly windowMs: number;
  /** How many attempts of the window are kept. */
  readonly keep: number;
}

/** The attempts of one key. */
interface Group {
  readonly places: readonly number[];
  readonly next: Velocity;
}

/** A lost write makes the count one too low. */
const notDurable = { w: 1, j: false } as const;
/** The number of tries if other processes change the same key at the same time. */
const tries = 100;

/** Returns how many attempts the window has including this one, at most `keep`. */
export function createVelocityCounter(connection: Connection): Batcher<CountedAttempt, number> {
  const { collection } = driverCodecOf(velocityModel(connection)) as unknown as {
    collection: mongo.Collection<Velocity>;
  };

  /** Returns the attempts whose key another process has changed since it was read. */
  async function countOnce(
    attempts: ReadonlyMap<number, CountedAttempt>,
    results: ItemResult<number>[],
  ): Promise<Map<number, CountedAttempt>> {
    const indexesOf = groupBy(attempts.keys(), (index) => attempts.get(index)!.key);
    const found = await collection.find({ _id: { $in: [...indexesOf.keys()] } }).toArray();
    const known = new Map(found.map((one) => [one._id, one]));
    const counted = [...indexesOf].map(([key, indexes]) => {
      const before = known.get(key);
      const group = count(
        key,
        before?.times ?? [],
        indexes.map((index) => attempts.get(index)!),
      );
      return { before, indexes, ...group };
    });
    const written = await bulkWrite(
      collection,
      counted.map(({ before, next: { _id, times, expireAt } }) =>
        before
          ? compareAndSet<Velocity>({ _id, times: before.times }, { $set: { times, expireAt } })
          : { insertOne: { document: { _id, times, expireAt } } },
      ),
      notDurable,
    );
    const again = new Map<number, CountedAttempt>();
    for (const [at, { indexes, places }] of counted.entries()) {
      const { error } = written[at]!;
      const isLate = error?.code === noMatch || error?.code === duplicateKey;
      for (const [place, index] of indexes.entries()) {
        if (isLate) again.set(index, attempts.get(index)!);
        else results[index] = error ? { error: toError(error) } : { value: places[place]! };
      }
    }
    return again;
  }

  return createBatcher<CountedAttempt, number>({
    async run(items) {
      const results: ItemResult<number>[] = [];
      let left = new Map(items.entries());
      for (let round = 0; left.size > 0 && round < tries; round += 1) left = await countOnce(left, results);
      for (const index of left.keys()) results[index] = { error: new Error('a velocity rule’s count kept changing') };
      return results;
    },
  });
}

function count(_id: string, before: readonly Date[], attempts: readonly CountedAttempt[]): Group {
  let times = before;
  const places = attempts.map(({ at, windowMs, keep }) => {
    const since = at.getTime() - windowMs;
    times = [...times.filter((time) => time.getTime() > since), at].slice(-keep);
    return times.length;
  });
  const { at, windowMs } = attempts.at(-1)!;
  return { places, next: { _id, times, expireAt: new Date(at.getTime() + windowMs) } };
}
