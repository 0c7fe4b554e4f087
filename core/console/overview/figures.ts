/** Computes the figures of the last hour: by minute, and by provider. */
import { sumOf, type Traffic } from '../listener/traffic.ts';

export interface MinuteFigures {
  readonly at: Date;
  readonly callbacks: number;
  readonly submissions: number;
  readonly deliveries: number;
}

export interface ProviderFigures {
  readonly submissions: number;
  /** Share of the finished attempts that succeeded, 0 to 1. Undefined if no attempt finished. */
  readonly successRate: number | undefined;
  readonly calls: number;
  /** Share of the calls without a usable answer, or whose provider refused our account, 0 to 1. Undefined: no call. */
  readonly errorRate: number | undefined;
  /** 95th percentile of the call latency in milliseconds, from the histogram. Undefined if there was no call. */
  readonly p95Ms: number | undefined;
  readonly callbacks: number;
  /** The number of callbacks that were not accepted, for any reason. */
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

/** The figures of each minute. */
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
  const accepted = ['accepted', 'duplicate', 'ignored', 'handshake'].map((outcome) => of('callbacks', outcome));
  return {
    submissions: of('submissions'),
    successRate: rate(succeeded, succeeded + failed),
    calls,
    errorRate: errorRateOf(of),
    p95Ms: percentile(counts, provider, calls),
    callbacks,
    refusedCallbacks: callbacks - accepted.reduce((sum, count) => sum + count, 0),
    unknownStatuses: of('unknown'),
    lastCallbackAt: lastCallbacks[provider],
  };
}

/**
 * The larger share, of calls or of their HTTP requests. An adapter may read an HTTP 500 without a problem, and a
 * provider that refuses our account answers quickly. A host of an earlier version counts only HTTP requests.
 */
function errorRateOf(of: (name: string, outcome?: string) => number): number | undefined {
  const results = rate(of('results', 'failed') + of('results', 'refused'), of('results'));
  const requests = rate(of('calls', '5xx') + of('calls', 'no_answer') + of('calls', 'not_sent'), of('calls'));
  return results === undefined || requests === undefined ? (results ?? requests) : Math.max(results, requests);
}

type Minutes = Traffic['minutes'];

interface OwnMinute {
  readonly at: Date;
  readonly counts: Record<string, number>;
}

/** Many pages show the same counts, so the counts are grouped by provider only once. */
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

/** Interpolates within the bucket, as if the calls were spread evenly over it. */
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
