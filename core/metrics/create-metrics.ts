/** What one process counts and measures: an instrument for each metric of the list, and how they are read. */
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import { metricList, type MetricDefinition } from './metric-list.ts';

type Labels<L extends string> = Readonly<Record<L, string>>;
/** Nobody waits for these, and none of them fails. */
type CounterOf<L extends string> = [L] extends [never]
  ? { inc(by?: number): void }
  : { inc(labels: Labels<L>, by?: number): void };
type GaugeOf<L extends string> = [L] extends [never]
  ? { set(value: number): void }
  : { set(labels: Labels<L>, value: number): void; reset(): void };
type HistogramOf<L extends string> = [L] extends [never]
  ? { observe(seconds: number): void }
  : { observe(labels: Labels<L>, seconds: number): void };

type InstrumentOf<D extends MetricDefinition> = {
  counter: CounterOf<D['labels'][number]>;
  gauge: GaugeOf<D['labels'][number]>;
  histogram: HistogramOf<D['labels'][number]>;
}[D['type']];

type Instruments = { readonly [Name in keyof typeof metricList]: InstrumentOf<(typeof metricList)[Name]> };

export interface Metrics extends Instruments {
  /** Takes how many documents wait in a lane, as often as that changes. */
  depthOf(lane: string): (waiting: number) => void;
  /** `set` is called before every snapshot: it sets the gauges of what is only looked at. */
  onSnapshot(set: () => void): void;
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
    async snapshot() {
      for (const set of before) set();
      const [all, own] = await Promise.all([counted.getMetricsAsJSON(), ofProcess.getMetricsAsJSON()]);
      // Each process has series of its own there: nothing is averaged, and what was counted before it was replaced adds up.
      const kept = own.map((metric) => ({ ...metric, aggregator: isGauge(metric) ? 'first' : 'sum' }));
      return JSON.stringify([...all, ...kept]);
    },
  };
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
