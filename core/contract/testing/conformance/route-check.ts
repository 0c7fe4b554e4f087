/** A check of one callback route, which runs for each of the samples that were chosen for the route. */
import { checkEach, demand, type Check, type Reason } from './kit.ts';
import type { GoodCallback, Subject, Variation } from './subject.ts';
import type { Damaged } from './damage.ts';

/** A route with the good callbacks that its checks use. */
export interface CheckedRoute<Options> {
  readonly name: string;
  readonly goods: readonly GoodCallback<Options>[];
}

/** A check that runs for each good callback of the route. */
export function routeCheck<Options>(
  { name, goods }: CheckedRoute<Options>,
  title: string,
  run: (good: GoodCallback<Options>) => Promise<Reason>,
  rule = 'proof',
): Check {
  return {
    rule,
    title: `${name}: ${title}`,
    run: () => checkEach(goods, run),
  };
}

/** True if the sample reports an event that core believes without a fetch. */
export function isBelieved<Options>({ vector: { expect } }: GoodCallback<Options>): boolean {
  if (expect.genuine !== true || expect.mustFetch === true) return false;
  return (expect.events ?? []).some((event) => event['mustFetch'] !== true);
}

/** The reason of a check about believed facts, for a sample of which nothing is believed. */
export function unbelieved<Options>(good: GoodCallback<Options>): Reason {
  return isBelieved(good) ? undefined : `core believes nothing of ${good.routeName}: it fetches every event`;
}

/** Throws if a changed callback is believed and says something that the unchanged one does not. */
export async function demandNothingNew<Options>(
  subject: Subject<Options>,
  good: GoodCallback<Options>,
  changed: Iterable<Damaged>,
  cure: string,
): Promise<void> {
  const said = subject.believed(good, await subject.deliver(good));
  for (const { what, raw } of changed) {
    const now = subject.believed(good, await subject.deliver(good, { raw }));
    const news = now.find((fact) => !said.includes(fact));
    demand(news === undefined, `"${good.vector.name}" with ${what} is believed, and says ${news}`, cure);
  }
}

/**
 * Throws if the callback is believed under this variation. A callback that stays genuine, but whose events are all
 * fetched, proves nothing.
 */
export async function demandNotBelieved<Options>(
  subject: Subject<Options>,
  good: GoodCallback<Options>,
  what: string,
  variation: Variation,
  cure: string,
): Promise<Reason> {
  const { vector, routeName } = good;
  if (vector.expect.genuine !== true) return unsigned(good);
  const played = await subject.deliver(good, variation);
  if (played?.genuine !== true) return undefined;
  const isFetched = played.events.every(({ mustFetch }) => mustFetch);
  demand(isFetched, `"${vector.name}" is believed with ${what}`, cure);
  return `core believes nothing of ${routeName}: it fetches every event`;
}

/** The reason of a check about signatures, for a sample that is not signed. */
export function unsigned<Options>({ routeName }: GoodCallback<Options>): string {
  return `nothing signs the callbacks of ${routeName}`;
}

/** Throws unless the changed callback is refused, whatever it says. A batch may refuse an item of it. */
export async function demandRefused<Options>(
  subject: Subject<Options>,
  good: GoodCallback<Options>,
  { what, raw }: Damaged,
  cure: string,
): Promise<void> {
  demand(await isRefused(subject, good, raw), `"${good.vector.name}" with ${what} is judged as genuine`, cure);
}

export async function isRefused<Options>(
  subject: Subject<Options>,
  good: GoodCallback<Options>,
  raw: Damaged['raw'],
): Promise<boolean> {
  const played = await subject.deliver(good, { raw });
  return played?.genuine !== true || played.refused > 0;
}
