/** Long work in pieces, for messages that hold thousands of parts: the event loop serves everybody else in between. */
import { setImmediate } from 'node:timers/promises';

/** So long a piece keeps everybody else waiting. */
const sliceMs = 5;

/** One piece of all such work per turn of the event loop, however many messages are read at once. */
let lastTurn: Promise<unknown> = Promise.resolve();

async function nextTurn(): Promise<void> {
  const turn = lastTurn.then(async () => setImmediate());
  lastTurn = turn;
  await turn;
}

/** Does the work for each item, one after the other. Short work is done at once, in one piece. */
export async function forEachInSlices<T>(items: Iterable<T>, work: (item: T) => void): Promise<void> {
  let began = performance.now();
  for (const item of items) {
    if (performance.now() - began >= sliceMs) {
      await nextTurn();
      began = performance.now();
    }
    work(item);
  }
}

/** As `items.flatMap(map)`. */
export async function flatMapInSlices<T, R>(items: readonly T[], map: (item: T) => readonly R[]): Promise<R[]> {
  const results: R[] = [];
  await forEachInSlices(items, (item) => results.push(...map(item)));
  return results;
}
