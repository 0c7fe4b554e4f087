/**
 * A batcher collects the writes (or reads) that many callers request at the same time and sends them as one command.
 *
 * - The first batch starts at the end of the current turn of the event loop, because a busy process gets many items per
 *   turn.
 * - Later batches start at least `everyMs` apart, so that more items join each of them: a write that waits for a
 *   majority of the replica set takes the server as long for one document as for fifty.
 */

/**
 * The result of one item. An `error` belongs to this item alone and says nothing about the other items of the batch.
 */
export type ItemResult<Result> = { readonly value: Result } | { readonly error: unknown };

export interface BatcherOptions<Item, Result> {
  /** Returns the results in the order of the items. Rejects if no result is known for any item. */
  readonly run: (items: readonly Item[]) => Promise<readonly ItemResult<Result>[]>;
  /** Minimum time in milliseconds between the starts of two batches. A full batch does not wait. */
  readonly everyMs?: number;
  /** Batches in progress at the same time. With only one, the server is idle while we prepare the next batch. */
  readonly maxConcurrentBatches?: number;
  /** Maximum items per batch. The driver splits a batch that is larger than 16 MB. */
  readonly maxItems?: number;
  /** Receives the number of waiting items whenever an item is added. */
  readonly onWaiting?: OnWaiting | undefined;
}

export type OnWaiting = (items: number) => void;

export type Batcher<Item, Result> = (item: Item) => Promise<Result>;

interface Waiting<Item, Result> {
  readonly item: Item;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
}

export function createBatcher<Item, Result>({
  run,
  everyMs = 6,
  maxConcurrentBatches = 2,
  maxItems = 500,
  onWaiting,
}: BatcherOptions<Item, Result>): Batcher<Item, Result> {
  let waiting: Waiting<Item, Result>[] = [];
  let inProgress = 0;
  let lastStartedAt = -Infinity;
  let timer: NodeJS.Timeout | undefined;
  let turn: NodeJS.Immediate | undefined;

  function next(): void {
    if (waiting.length === 0 || inProgress >= maxConcurrentBatches || turn) return;
    const waitMs = waiting.length >= maxItems ? 0 : lastStartedAt + everyMs - performance.now();
    if (waitMs <= 0) {
      clearTimeout(timer);
      timer = undefined;
      // Items that are added later in this turn of the event loop join the batch.
      turn = setImmediate(() => {
        turn = undefined;
        void runBatch();
      });
    } else {
      timer ??= setTimeout(() => {
        timer = undefined;
        next();
      }, waitMs);
    }
  }

  async function runBatch(): Promise<void> {
    const batch = waiting.slice(0, maxItems);
    waiting = waiting.slice(maxItems);
    inProgress += 1;
    lastStartedAt = performance.now();
    next(); // starts another batch for the items that did not fit into a full one
    try {
      const results = await run(batch.map(({ item }) => item));
      for (const [index, { resolve, reject }] of batch.entries()) {
        const result = results[index]!;
        if ('value' in result) resolve(result.value);
        else reject(result.error);
      }
    } catch (error) {
      for (const { reject } of batch) reject(error);
    } finally {
      inProgress -= 1;
      next();
    }
  }

  return async (item) =>
    new Promise((resolve, reject) => {
      waiting.push({ item, resolve, reject });
      onWaiting?.(waiting.length);
      next();
    });
}
