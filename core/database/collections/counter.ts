/** Counters that hand out ids in blocks, so that no counter is written per request. */
import { Schema, type Connection, type Model } from 'mongoose';
import { modelFor } from '../model.ts';

interface Counter {
  readonly _id: string;
  readonly next: number;
}

const schema = new Schema<Counter>(
  { _id: String, next: Number },
  { collection: 'counters', strict: 'throw', versionKey: false, autoIndex: false },
);

export function counterModel(connection: Connection): Model<Counter> {
  return modelFor(connection, 'Counter', schema);
}

export interface IdBlocks {
  /** A new id: never given before by any process. */
  next(): Promise<number>;
  /** Gives the rest of the block up, after an id that was taken already. */
  drop(): void;
}

/**
 * Reserves `size` ids at a time. The counter starts at `start` (for payment requests the Unix milliseconds of the first
 * start: 13 digits, × 1000 stays below 2^53), so that a second, wiped or restored database never reuses a reference at a provider: it never stays behind `start`.
 */
export function createIdBlocks(connection: Connection, name: string, size: number, start: () => number): IdBlocks {
  const model = counterModel(connection);
  let next = 0;
  let end = 0;
  let reserving: Promise<void> | undefined;

  async function reserve(): Promise<void> {
    const begin = { $max: ['$next', start()] };
    const counter = await model
      .findOneAndUpdate({ _id: name }, [{ $set: { next: { $add: [begin, size] } } }], {
        upsert: true,
        returnDocument: 'after',
        updatePipeline: true,
      })
      .lean();
    end = counter.next;
    next = end - size;
  }

  return {
    async next() {
      while (next >= end) {
        reserving ??= reserve().finally(() => {
          reserving = undefined;
        });
        await reserving;
      }
      next += 1;
      return next - 1;
    },
    drop() {
      next = end;
    },
  };
}
