/** What one process counts and measures: an instrument for each metric of the list, and how they are read. */
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import { metricList, type Label, type MetricDefinition } from './metric-list.ts';

/** Of a label whose values the list names, one of these. */
type Labels<D extends MetricDefinition> = {
  readonly [L in D['labels'][number]]: D extends { readonly values: Readonly<Record<L, readonly (infer V)[]>> }
    ? V
    : string;
};
/** Nobody waits for these, and none of them fails. */
type CounterOf<D extends MetricDefinition> = [D['labels'][number]] extends [never]
  ? { inc(by?: number): void }
  : { inc(labels: Labels<D>, by?: number): void };
type GaugeOf<D extends MetricDefinition> = [D['labels'][number]] extends [never]
  ? { set(value: number): void }
  : { set(labels: Labels<D>, value: number): void; reset(): void };
type HistogramOf<D extends MetricDefinition> = [D['labels'][number]] extends [never]
  ? { observe(seconds: number): void }
  : { observe(labels: Labels<D>, seconds: number): void };

type InstrumentOf<D extends MetricDefinition> = {
  counter: CounterOf<D>;
  gauge: GaugeOf<D>;
  histogram: HistogramOf<D>;
}[D['type']];

type Instruments = { readonly [Name in keyof typeof metricList]: InstrumentOf<(typeof metricList)[Name]> };

export interface Metrics extends Instruments {
  /** Takes how many documents wait in a lane, as often as that changes. */
  depthOf(lane: string): (waiting: number) => void;
  /** `set` is called before every snapshot: it sets the gauges of what is only looked at. */
  onSnapshot(set: () => void): void;
  /**
   * Counters show 0 for every label that is known, so that a rate is right from the first event on. `known`: what labels can
   * be whose values the list does not name; a counter with another such label stays away until it counts.
   */
  startAtZero(known: Readonly<Partial<Record<Label, readonly string[]>>>): void;
  /** Everything up to now, as `presentMetrics` takes it. */
  snapshot(): Promise<string>;
}

/** How exactly the delay of the event loop is measured; each look costs a turn of it. */
const loopPrecisionMs = 20;

/** `process` names this one among those of its host, whatever it was before: then its CPU, memory and event loop are measured. */
export function createMetrics({ process }: { readonly process?: string } = {}): Metrics {
  const counted = new Registry();
  const ofProcess = new Registry();
  if (process !== undefined) {
    ofProcess.setDefaultLabels({ process });
    collectDefaultMetrics({
      register: ofProcess,
      prefix: 'gateway_',
      eventLoopMonitoringPrecision: loopPrecisionMs,
    });
  }
  const before: (() => void)[] = [];
  const instruments = instrumentsOf(counted);
  return {
    ...instruments,
    depthOf(lane) {
      let most = 0;
      before.push(() => {
        instruments.laneDepth.set({ lane }, most);
        most = 0;
      });
      return (waiting) => {
        if (waiting > most) most = waiting;
      };
    },
    onSnapshot: (set) => void before.push(set),
    startAtZero(known) {
      for (const definition of Object.values<MetricDefinition>(metricList)) {
        if (definition.type !== 'counter') continue;
        const counter = counted.getSingleMetric(definition.name) as Counter;
        for (const labels of combinations(definition, known)) counter.inc(labels, 0);
      }
    },
    async snapshot() {
      for (const set of before) set();
      const [all, own] = await Promise.all([counted.getMetricsAsJSON(), ofProcess.getMetricsAsJSON()]);
      // Each process has series of its own there: nothing is averaged, and what was counted before it was replaced adds up.
      const kept = own.map((metric) => ({ ...metric, aggregator: isGauge(metric) ? 'first' : 'sum' }));
      return JSON.stringify([...all, ...kept]);
    },
  };
}

/** Every set of labels of a metric; none where nobody says what one of them can be. */
function combinations(
  { labels, values = {} }: MetricDefinition,
  known: Readonly<Partial<Record<Label, readonly string[]>>>,
): readonly Readonly<Record<string, string>>[] {
  let sets: readonly Readonly<Record<string, string>>[] = [{}];
  for (const label of labels) {
    const all = values[label] ?? known[label] ?? [];
    sets = sets.flatMap((set) => all.map((value) => ({ ...set, [label]: value })));
  }
  return sets;
}

/** The list's types say which instrument has which labels. */
function instrumentsOf(registry: Registry): Instruments {
  const entries = Object.entries<MetricDefinition>(metricList);
  return Object.fromEntries(entries.map(([key, one]) => [key, toInstrument(one, registry)])) as unknown as Instruments;
}

function toInstrument({ name, type, help, labels, buckets = [], aggregator }: MetricDefinition, to: Registry) {
  const settings = { name, help, labelNames: [...labels], registers: [to], aggregator: aggregator ?? ('sum' as const) };
  switch (type) {
    case 'counter':
      return new Counter(settings);
    case 'gauge':
      return new Gauge(settings);
    case 'histogram':
      return new Histogram({ ...settings, buckets: [...buckets] });
  }
}

/** Its declared type has numbers where the library has words. */
export function isGauge({ type }: { readonly type: unknown }): boolean {
  return type === 'gauge';
}

/** From a reading of `performance.now()`. */
export function secondsSince(began: number): number {
  return (performance.now() - began) / 1000;
}
