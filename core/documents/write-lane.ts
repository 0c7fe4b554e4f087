/** A write lane: one `insertMany` in flight, what arrives meanwhile forms the next; results per document. */
import type { Model } from 'mongoose';

const MAX_BATCH = 500;

export interface WriteLane<T> {
  /** Durable when it resolves; `duplicate` where the `_id` was there already. Rejects where it could not be stored. */
  insert(document: T): Promise<'stored' | 'duplicate'>;
}

interface Waiting<T> {
  readonly document: T;
  readonly resolve: (result: 'stored' | 'duplicate') => void;
  readonly reject: (error: unknown) => void;
}

interface BulkError {
  readonly writeErrors?: readonly { readonly index: number; readonly code: number; readonly errmsg?: string }[];
  readonly result?: { getWriteConcernError?(): unknown };
}

export function createWriteLane<T extends object>(model: Model<T>): WriteLane<T> {
  let waiting: Waiting<T>[] = [];
  let running = false;

  async function run(): Promise<void> {
    running = true;
    while (waiting.length) {
      const batch = waiting.slice(0, MAX_BATCH);
      waiting = waiting.slice(MAX_BATCH);
      await write(batch);
    }
    running = false;
  }

  async function write(batch: readonly Waiting<T>[]): Promise<void> {
    try {
      await model.insertMany(
        batch.map(({ document }) => document),
        { ordered: false, lean: true },
      );
      for (const { resolve } of batch) resolve('stored');
    } catch (error) {
      const { writeErrors = [], result } = error as BulkError;
      const failed = new Map([writeErrors].flat().map((one) => [one.index, one]));
      const isConfirmed = failed.size > 0 && !result?.getWriteConcernError?.();
      for (const [index, { resolve, reject }] of batch.entries()) {
        const own = failed.get(index);
        if (own?.code === 11000) resolve('duplicate');
        // Without a server, or a majority, nobody knows of any that it is stored.
        else if (own ?? !isConfirmed) reject(error);
        else resolve('stored');
      }
    }
  }

  return {
    insert: (document) =>
      new Promise((resolve, reject) => {
        waiting.push({ document, resolve, reject });
        if (!running) void run();
      }),
  };
}
