/**
 * Records the throughput of all hosts for the console. Each listener adds the counts of its host since its last run to
 * the document of the current minute. So one page can show all hosts, and payments and callbacks need no extra writes.
 */
import type { Connection, mongo } from 'mongoose';
import type { Logger } from 'pino';
import { acceptedOf } from '../../engine/callbacks/index.ts';
import { readQueues } from '../../database/backlog.ts';
import { lastCallbacksId, trafficModel, type TrafficMinute } from '../../database/collections/traffic.ts';
import type { Gathered, Metrics } from '../../base/metrics/index.ts';
import { createSampledLog } from '../../base/log/sampled-log.ts';
import { DAY, HOUR, MINUTE, SECOND } from '../../base/async/time.ts';

/** Counts by series, for example `callbacks|provider-a|accepted`. */
type Counts = Readonly<Record<string, number>>;

export interface Traffic {
  /** The full minutes of the last hour, the latest last. */
  readonly minutes: readonly {
    readonly at: Date;
    readonly counts: Counts;
    /** Age of the oldest due item by queue, in seconds. Absent if it was not recorded. */
    readonly ages?: Counts;
  }[];
  /** The time of the last callback by adapter. */
  readonly lastCallbacks: Readonly<Record<string, Date>>;
}

export interface TrafficRecorder {
  stop(): void;
}

export interface TrafficDeps {
  readonly connection: Connection;
  /** Distinguishes this host from the others that share the database. */
  readonly host: string;
  readonly gather: (own: string) => Promise<Gathered>;
  readonly metrics: Pick<Metrics, 'snapshot'>;
  readonly now: () => Date;
  readonly log: Logger;
  readonly everyMs?: number;
}

const shownMinutes = 60;
const defaultEveryMs = 20 * SECOND;

export function recordTraffic(deps: TrafficDeps): TrafficRecorder {
  const { connection, host, gather, metrics, now, log, everyMs = defaultEveryMs } = deps;
  const failures = createSampledLog(log);
  const minutes = trafficModel(connection).collection as unknown as mongo.Collection<TrafficMinute>;
  let before: Counts | undefined;
  let recording: Promise<void> | undefined;

  async function recordCounts(): Promise<void> {
    try {
      const own = await metrics.snapshot();
      const { present, past } = await gather(own);
      const counts = sumOf([own, ...present, ...past].map(countsOf));
      const grown = before ? growthOf(before, counts) : {};
      before = counts;
      if (Object.keys(grown).length > 0) await add(grown, now());
    } catch (error) {
      failures.warn('traffic', { err: error }, 'the throughput of this host could not be recorded for the console');
    }
  }

  const documentOf = (minute: Date) => ({ _id: `${host} ${minute.toISOString()}` });
  const insertFields = (minute: Date) => ({ at: minute, expireAt: new Date(minute.getTime() + DAY) });

  async function add(grown: Counts, at: Date): Promise<void> {
    const minute = minuteOf(at);
    const $inc = Object.fromEntries(Object.entries(grown).map(([name, count]) => [`counts.${name}`, count]));
    await minutes.updateOne(documentOf(minute), { $inc, $setOnInsert: insertFields(minute) }, { upsert: true });
    const adapters = new Set(Object.keys(grown).flatMap((name) => /^callbacks\|([^|]+)\|/.exec(name)?.[1] ?? []));
    if (adapters.size === 0) return;
    const acceptedFrom = [...adapters].filter((name) => acceptedOf(grown, name) > 0);
    const $max = Object.fromEntries([
      ...[...adapters].map((name) => [`seenAt.${name}`, at]),
      ...acceptedFrom.map((name) => [`acceptedAt.${name}`, at]),
    ]);
    await minutes.updateOne({ _id: lastCallbacksId }, { $max }, { upsert: true });
  }

  /** Runs separately, so that counts are recorded even if this read is slow. */
  async function recordAges(): Promise<void> {
    try {
      const queues = await readQueues(connection);
      const minute = minuteOf(now());
      const $max = Object.fromEntries(
        queues.map(({ queue, oldestDueSeconds }) => [`ages.${queue}`, Math.round(oldestDueSeconds)]),
      );
      await minutes.updateOne(documentOf(minute), { $max, $setOnInsert: insertFields(minute) }, { upsert: true });
    } catch (error) {
      failures.warn('ages', { err: error }, 'the ages of the queues could not be recorded for the console');
    }
  }

  const run = (): void => {
    recording ??= Promise.all([recordCounts(), recordAges()])
      .then(() => undefined)
      .finally(() => (recording = undefined));
  };
  run();
  const timer = setInterval(run, everyMs);
  return { stop: () => clearInterval(timer) };
}

export async function readTraffic(connection: Connection, now: Date): Promise<Traffic> {
  const model = trafficModel(connection);
  const end = minuteOf(now).getTime();
  const since = new Date(end - HOUR);
  const [stored, last] = await Promise.all([
    model.find({ at: { $gte: since, $lt: new Date(end) } }).lean<TrafficMinute[]>(),
    model.findById(lastCallbacksId).lean<TrafficMinute | null>(),
  ]);
  const minutes = Array.from({ length: shownMinutes }, (_, at) => {
    const minute = since.getTime() + at * MINUTE;
    const ofHosts = stored.filter((one) => one.at?.getTime() === minute);
    return {
      at: new Date(minute),
      counts: sumOf(ofHosts.map(({ counts = {} }) => counts)),
      ages: maxOf(ofHosts.map(({ ages = {} }) => ages)),
    };
  });
  return { minutes, lastCallbacks: last?.seenAt ?? {} };
}

function maxOf(all: readonly Counts[]): Counts {
  const most: Record<string, number> = {};
  for (const ages of all) for (const [name, age] of Object.entries(ages)) most[name] = Math.max(most[name] ?? 0, age);
  return most;
}

export function sumOf(all: readonly Counts[]): Counts {
  const sum: Record<string, number> = {};
  for (const counts of all) for (const [name, count] of Object.entries(counts)) sum[name] = (sum[name] ?? 0) + count;
  return sum;
}

function minuteOf(at: Date): Date {
  return new Date(Math.floor(at.getTime() / MINUTE) * MINUTE);
}

/** The increase of each count. A count that fell was reset by a restart. */
function growthOf(before: Counts, counts: Counts): Counts {
  return Object.fromEntries(
    Object.entries(counts).flatMap(([name, count]) => {
      const was = before[name] ?? 0;
      const grown = count < was ? count : count - was;
      return grown > 0 ? [[name, grown] as const] : [];
    }),
  );
}

interface Metric {
  readonly name: string;
  readonly values: readonly {
    readonly labels: Readonly<Record<string, string | number>>;
    readonly value: number;
    readonly metricName?: string;
  }[];
}

/** The recorded metrics: the name of the series, and the labels that distinguish them. */
const recordedMetrics: Readonly<Record<string, readonly [name: string, ...labels: readonly string[]]>> = {
  gateway_callbacks_total: ['callbacks', 'provider', 'outcome'],
  gateway_callbacks_refused_total: ['refused', 'provider', 'lack'],
  gateway_submissions_total: ['submissions', 'provider', 'outcome'],
  gateway_attempts_ended_total: ['ended', 'provider', 'outcome'],
  gateway_notification_deliveries_total: ['deliveries', 'outcome'],
  gateway_unknown_statuses_total: ['unknown', 'provider', 'kind'],
  gateway_provider_calls_total: ['results', 'provider', 'outcome'],
  gateway_provider_call_seconds_count: ['calls', 'provider', 'outcome'],
  gateway_provider_call_seconds_bucket: ['callsWithin', 'provider', 'le'],
};

function countsOf(snapshot: string): Counts {
  const counts: Record<string, number> = {};
  for (const { name, values } of JSON.parse(snapshot) as readonly Metric[]) {
    for (const { labels, value, metricName = name } of values) {
      const [series, ...by] = recordedMetrics[metricName] ?? [];
      if (series === undefined) continue;
      const key = [series, ...by.map((label) => labelText(label, labels[label]))].join('|');
      counts[key] = (counts[key] ?? 0) + value;
    }
  }
  return counts;
}

/** Bounds are converted to milliseconds, because a member name must not contain a dot. */
function labelText(label: string, value: string | number | undefined): string {
  if (label !== 'le') return String(value ?? '').replaceAll(/[.$]/g, '-');
  return Number.isFinite(Number(value)) ? String(Math.round(Number(value) * SECOND)) : 'more';
}
