/**
 * Chooses the samples of a route that the proof rules use. The order of the vectors file does not decide: each kind of
 * event that core believes comes first, then each kind that core fetches, then other statuses of the believed kinds.
 */
import { isBelieved } from './route-check.ts';
import type { GoodCallback } from './subject.ts';

/** The proof rules change each sample a few hundred times. A route with more kinds than this has one sample of each. */
const usual = 4;

export function chooseSamples<Options>(goods: readonly GoodCallback<Options>[]): readonly GoodCallback<Options>[] {
  const sorted = goods.toSorted((a, b) => rankOf(a) - rankOf(b) || (a.vector.name < b.vector.name ? -1 : 1));
  const [believed, fetched] = [sorted.filter(isBelieved), sorted.filter((good) => !isBelieved(good))];
  const kinds = firstOfEach([...believed, ...fetched], kindsOf);
  const rest = firstOfEach([...believed, ...fetched], statusesOf).filter((good) => !kinds.includes(good));
  return [...kinds, ...rest.slice(0, Math.max(0, usual - kinds.length))];
}

function firstOfEach<T>(items: readonly T[], keyOf: (item: T) => string): T[] {
  return [...new Map(items.toReversed().map((item) => [keyOf(item), item])).values()].sort(
    (a, b) => items.indexOf(a) - items.indexOf(b),
  );
}

/** A success first: a forged one costs most. */
function rankOf<Options>({ vector }: GoodCallback<Options>): number {
  return vector.expect.events?.some(({ status }) => status === 'succeeded') ? 0 : 1;
}

function kindsOf<Options>(good: GoodCallback<Options>): string {
  return describeEvents(good, ({ kind }) => kind);
}

function statusesOf<Options>(good: GoodCallback<Options>): string {
  return describeEvents(good, ({ kind, status, providerStatus }) => [kind, status ?? providerStatus]);
}

function describeEvents<Options>(
  good: GoodCallback<Options>,
  describe: (event: Readonly<Record<string, unknown>>) => unknown,
): string {
  return JSON.stringify([isBelieved(good), ...(good.vector.expect.events ?? []).map(describe)]);
}
