/** What the last hour comes to: a minute at a time, and by provider. */
import { sumOf, type Traffic } from '../listener/traffic.ts';

export interface MinuteFigures {
  readonly at: Date;
  readonly callbacks: number;
  readonly submissions: number;
  readonly deliveries: number;
}

export interface ProviderFigures {
  readonly submissions: number;
  /** Of the attempts that ended, 0 to 1; undefined where none did. */
  readonly successRate: number | undefined;
  readonly calls: number;
  /** Of the calls, 0 to 1: answered 5xx, or not at all. Undefined where there was none. */
  readonly errorRate: number | undefined;
  /** Of the calls, in milliseconds, as the bounds of the histogram tell it. Undefined where there was none. */
  readonly p95Ms: number | undefined;
  readonly callbacks: number;
  /** Callbacks that were not taken, by why. */
  readonly refusedCallbacks: number;
  readonly unknownStatuses: number;
  readonly lastCallbackAt: Date | undefined;
}

export function minuteFigures({ minutes }: Traffic): readonly MinuteFigures[] {
  return minutes.map(({ at, counts }) => {
    return {
      at,
      callbacks: total(counts, 'callbacks'),
      submissions: total(counts, 'submissions'),
      deliveries: total(counts, 'deliveries'),
    };
  });
}

export function providerFigures(traffic: Traffic, provider: string): ProviderFigures {
  return figuresOf(minutesOf(traffic, provider), traffic, provider);
}

/** Of each minute. */
export function providerMinutes(
  traffic: Traffic,
  provider: string,
): readonly Pick<ProviderFigures, 'successRate' | 'p95Ms'>[] {
  return minutesOf(traffic, provider).map((minute) => figuresOf([minute], traffic, provider));
}

function figuresOf(minutes: Traffic['minutes'], { lastCallbacks }: Traffic, provider: string): ProviderFigures {
  const counts = sumOf(minutes.map((one) => one.counts));
  const of = (name: string, outcome = ''): number => total(counts, `${name}|${provider}`, outcome);
  const [succeeded, failed, calls] = [of('ended', 'succeeded'), of('ended', 'failed'), of('calls')];
  const callbacks = of('callbacks');
  const taken = ['accepted', 'duplicate', 'ignored', 'handshake'].map((outcome) => of('callbacks', outcome));
  return {
    submissions: of('submissions'),
    successRate: rate(succeeded, succeeded + failed),
    calls,
    errorRate: rate(of('calls', '5xx') + of('calls', 'no_answer') + of('calls', 'not_sent'), calls),
    p95Ms: percentile(counts, provider, calls),
    callbacks,
    refusedCallbacks: callbacks - taken.reduce((sum, count) => sum + count, 0),
    unknownStatuses: of('unknown'),
    lastCallbackAt: lastCallbacks[provider],
  };
}

type Minutes = Traffic['minutes'];

interface OwnMinute {
  readonly at: Date;
  readonly counts: Record<string, number>;
}

/** What is read once is shown to many: each series is looked at once to find whose it is. */
const minutesByProvider = new WeakMap<Traffic, ReadonlyMap<string, Minutes>>();

function minutesOf(traffic: Traffic, provider: string): Minutes {
  const known = minutesByProvider.get(traffic) ?? toMinutesByProvider(traffic);
  minutesByProvider.set(traffic, known);
  return known.get(provider) ?? traffic.minutes.map(({ at }) => ({ at, counts: {} }));
}

function toMinutesByProvider({ minutes }: Traffic): ReadonlyMap<string, Minutes> {
  const all = new Map<string, OwnMinute[]>();
  for (const [index, { counts }] of minutes.entries()) {
    for (const [name, count] of Object.entries(counts)) {
      const [, provider = ''] = name.split('|', 2);
      const own = all.get(provider) ?? minutes.map(({ at }): OwnMinute => ({ at, counts: {} }));
      all.set(provider, own);
      own[index]!.counts[name] = count;
    }
  }
  return all;
}

function total(counts: Readonly<Record<string, number>>, series: string, outcome = ''): number {
  const isMeant = (name: string): boolean =>
    outcome === '' ? name.startsWith(`${series}|`) : name === `${series}|${outcome}`;
  return Object.entries(counts).reduce((sum, [name, count]) => (isMeant(name) ? sum + count : sum), 0);
}

function rate(part: number, all: number): number | undefined {
  return all > 0 ? part / all : undefined;
}

/** Within the bucket that holds it, as if its calls were spread evenly. */
function percentile(counts: Readonly<Record<string, number>>, provider: string, calls: number): number | undefined {
  if (calls === 0) return undefined;
  const prefix = `callsWithin|${provider}|`;
  const buckets = Object.entries(counts)
    .flatMap(([name, count]) => (name.startsWith(prefix) ? [{ bound: Number(name.slice(prefix.length)), count }] : []))
    .filter(({ bound }) => Number.isFinite(bound))
    .toSorted((one, other) => one.bound - other.bound);
  const wanted = calls * 0.95;
  const at = buckets.findIndex(({ count }) => count >= wanted);
  if (at < 0) return buckets.at(-1)?.bound;
  const { bound, count } = buckets[at]!;
  const { bound: from, count: below } = buckets[at - 1] ?? { bound: 0, count: 0 };
  return Math.round(from + ((bound - from) * (wanted - below)) / Math.max(1, count - below));
}
