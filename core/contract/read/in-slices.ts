/**
 * Runs long work in slices, for messages that hold thousands of parts, so that the event loop serves other work in
 * between.
 */
import { setImmediate } from 'node:timers/promises';

/** The longest time that one slice blocks the event loop. */
const sliceMs = 5;

/** Only one slice of all such work runs per turn of the event loop, however many messages are read at the same time. */
let lastTurn: Promise<unknown> = Promise.resolve();

async function nextTurn(): Promise<void> {
  const turn = lastTurn.then(async () => setImmediate());
  lastTurn = turn;
  await turn;
}

/** Runs the work for each item, one after the other. Short work runs immediately, in one slice. */
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

/** Like `items.flatMap(map)`, in slices. */
export async function flatMapInSlices<T, R>(items: readonly T[], map: (item: T) => readonly R[]): Promise<R[]> {
  const results: R[] = [];
  await forEachInSlices(items, (item) => results.push(...map(item)));
  return results;
}
