/**
 * A lane: what many callers want at the same moment becomes one command. The first goes at the end of its turn of the event
 * loop, because a busy process has many of them in each; what comes after it waits a few milliseconds for others, because a
 * write that waits for a majority takes the server as long for one as for fifty.
 */

/** Of one item; `error` is its own, and says nothing of its neighbours. */
export type ItemResult<Result> = { readonly value: Result } | { readonly error: unknown };

export interface LaneSetup<Item, Result> {
  /** Gives the results in the order of the items. Rejects where nothing is known of any. */
  readonly run: (items: readonly Item[]) => Promise<readonly ItemResult<Result>[]>;
  /** Batches begin at least so many milliseconds apart. */
  readonly everyMs?: number;
  /** Batches under way at once. One would leave the server idle while we prepare the next. */
  readonly batchesAtOnce?: number;
  /** Items of a batch. The driver splits what is larger than 16 MB. */
  readonly maxItems?: number;
  /** Takes how many items wait, as often as one more does. */
  readonly onWaiting?: OnWaiting | undefined;
}

export type OnWaiting = (items: number) => void;

export type Lane<Item, Result> = (item: Item) => Promise<Result>;

interface Waiting<Item, Result> {
  readonly item: Item;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
}

export function createLane<Item, Result>({
  run,
  everyMs = 6,
  batchesAtOnce = 2,
  maxItems = 500,
  onWaiting,
}: LaneSetup<Item, Result>): Lane<Item, Result> {
  let waiting: Waiting<Item, Result>[] = [];
  let underWay = 0;
  let lastBegan = -Infinity;
  let timer: NodeJS.Timeout | undefined;
  let turn: NodeJS.Immediate | undefined;

  function next(): void {
    if (waiting.length === 0 || underWay >= batchesAtOnce || turn) return;
    const waitMs = waiting.length >= maxItems ? 0 : lastBegan + everyMs - performance.now();
    if (waitMs <= 0) {
      clearTimeout(timer);
      timer = undefined;
      // Whatever else this turn of the event loop brings goes along.
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
    underWay += 1;
    lastBegan = performance.now();
    next(); // for those beyond a full one
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
      underWay -= 1;
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
