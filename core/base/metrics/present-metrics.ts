/** Renders one page of the metrics of all processes of a host, including processes that have ended. */
import { AggregatorRegistry } from 'prom-client';
import { isGauge } from './create-metrics.ts';

export interface MetricsPage {
  readonly contentType: string;
  readonly text: string;
}

/** The answers of the processes of a host for one scrape. */
export interface Gathered {
  /** Snapshots of the processes that answered. */
  readonly present: readonly string[];
  /** The latest snapshots of processes that did not answer, and of processes that have ended. */
  readonly past: readonly string[];
}

/** A metric of a snapshot. */
interface Metric {
  readonly name: string;
  readonly type: string;
}

/**
 * Counters of past processes are kept, because a decreasing sum would look like a counter reset and distort every rate.
 * Gauges of past processes are dropped.
 */
export async function presentMetrics(present: Gathered['present'], past: Gathered['past']): Promise<MetricsPage> {
  const registry = AggregatorRegistry.aggregate([...present.map(readSnapshot), ...past.map(readCounts)]);
  return { contentType: registry.contentType, text: await registry.metrics() };
}

/** Merges snapshots into one. */
export async function mergePast(snapshots: readonly string[]): Promise<string> {
  return JSON.stringify(await AggregatorRegistry.aggregate(snapshots.map(readCounts)).getMetricsAsJSON());
}

function readSnapshot(text: string): readonly Metric[] {
  return JSON.parse(text) as readonly Metric[];
}

function readCounts(text: string): readonly Metric[] {
  return readSnapshot(text).filter((metric) => !isGauge(metric));
}
