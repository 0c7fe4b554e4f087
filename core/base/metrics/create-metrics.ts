/** The metrics of one process: creates an instrument for each metric of the list, and reads snapshots. */
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import { metricList, type Label, type MetricDefinition } from './metric-list.ts';

/** The type of a label value: one of the listed values, if the list has them. */
type Labels<D extends MetricDefinition> = {
  readonly [L in D['labels'][number]]: D extends { readonly values: Readonly<Record<L, readonly (infer V)[]>> }
    ? V
    : string;
};
/** The instruments. Their calls never block and never fail. */
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
  /**
   * Sets the accounts that the label `account` names, as `<adapter>/<account>`: the first 100 of them. A platform may
   * have thousands, and each name is a series.
   */
  readonly nameAccounts: (refs: readonly string[]) => void;
  /** Returns the label of an account: `main`, its name, or `other`. Absent: `main`. */
  readonly accountLabel: (provider: string, account: string | undefined) => string;
  /**
   * Returns a function that records how many documents wait in the write batcher `lane`. The gauge shows the maximum.
   */
  depthOf(lane: string): (waiting: number) => void;
  /** `set` is called before every snapshot, to set gauges whose value must be read at that time. */
  onSnapshot(set: () => void): void;
  /**
   * Makes counters show 0 for every known label value, so that a rate is right from the first event on. `known` has the
   * values of labels whose values the list does not have. A counter with another such label is not shown until it
   * counts.
   */
  startAtZero(known: Readonly<Partial<Record<Label, readonly string[]>>>): void;
  /** A snapshot of all values, in the form that `presentMetrics` accepts. */
  snapshot(): Promise<string>;
}

/**
 * The resolution of the event loop delay, which an idle process shows as its delay. Each measurement costs one turn of
 * the loop, and at 20 ms these turns cost more CPU time than all other work of an idle process.
 */
const loopPrecisionMs = 100;

/**
 * `process` is the name of this process on its host; a replacement has the same name. If it is given, CPU, memory and
 * event loop are measured.
 */
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
  let named: ReadonlySet<string> = new Set();
  return {
    ...instruments,
    nameAccounts: (refs) => void (named = new Set(refs.slice(0, namedAccounts))),
    accountLabel(provider, account = mainAccount) {
      return account === mainAccount || named.has(`${provider}/${account}`) ? account : 'other';
    },
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
      // Each process has its own series in these metrics: nothing is averaged, and a replacement continues the
      // counters.
      const kept = own.map((metric) => ({ ...metric, aggregator: isGauge(metric) ? 'first' : 'sum' }));
      return JSON.stringify([...all, ...kept]);
    },
  };
}

const namedAccounts = 100;
/** The account that every adapter has. */
const mainAccount = 'main';
/** Labels whose further values are shown from their first event on. */
const firstValues: Readonly<Partial<Record<Label, readonly string[]>>> = { account: [mainAccount] };

/** All combinations of label values of a metric; none if the values of a label are unknown. */
function combinations(
  { labels, values = {} }: MetricDefinition,
  known: Readonly<Partial<Record<Label, readonly string[]>>>,
): readonly Readonly<Record<string, string>>[] {
  let sets: readonly Readonly<Record<string, string>>[] = [{}];
  for (const label of labels) {
    const all = values[label] ?? known[label] ?? firstValues[label] ?? [];
    sets = sets.flatMap((set) => all.map((value) => ({ ...set, [label]: value })));
  }
  return sets;
}

/** Creates the instruments. The types of the list determine which instrument has which labels. */
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

/** The declared type has numbers, but the library returns strings. */
export function isGauge({ type }: { readonly type: unknown }): boolean {
  return type === 'gauge';
}

/** Seconds since a reading of `performance.now()`. */
export function secondsSince(began: number): number {
  return (performance.now() - began) / 1000;
}
