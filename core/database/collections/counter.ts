/** Counters that hand out ids in blocks, so that a request rarely has to write a counter. */
import { Schema, type Connection, type Model } from 'mongoose';
import { modelFor } from '../model.ts';

interface Counter {
  readonly _id: string;
  readonly next: number;
  /** For the audit log: the number and a keyed hash of its last entry. Absent: written by an earlier version. */
  readonly head?: string;
}

const schema = new Schema<Counter>(
  { _id: String, next: Number, head: String },
  { collection: 'counters', strict: 'throw', versionKey: false, autoIndex: false },
);

export function counterModel(connection: Connection): Model<Counter> {
  return modelFor(connection, 'Counter', schema);
}

export interface IdBlocks {
  /** Returns a new id that no process has returned before. */
  next(): Promise<number>;
  /** Discards the rest of the block, after an id that was already used. */
  drop(): void;
}

/**
 * Reserves `size` ids at a time. The counter is never below `start`, so a second, wiped or restored database never
 * reuses a reference at a provider. For payment requests, `start` is the Unix time of the start in milliseconds (13
 * digits; times 1000 it stays below 2^53).
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
