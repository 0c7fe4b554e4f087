/** Makes one page of what the processes of a host counted, those included that are no more. */
import { AggregatorRegistry } from 'prom-client';
import { isGauge } from './create-metrics.ts';

export interface MetricsPage {
  readonly contentType: string;
  readonly text: string;
}

/** What the processes of a host answered for one scrape. */
export interface Gathered {
  /** Snapshots of those that answered. */
  readonly present: readonly string[];
  /** The latest ones of those that did not, and of those that are no more. */
  readonly past: readonly string[];
}

/** A metric of a snapshot. */
interface Metric {
  readonly name: string;
  readonly type: string;
}

/**
 * What those of the past had counted stays, for a sum that falls would look like a counter that began anew, and be added to
 * every rate; what they had measured is over.
 */
export async function presentMetrics(present: Gathered['present'], past: Gathered['past']): Promise<MetricsPage> {
  const registry = AggregatorRegistry.aggregate([...present.map(readSnapshot), ...past.map(readCounts)]);
  return { contentType: registry.contentType, text: await registry.metrics() };
}

/** One snapshot of what these counted. */
export async function mergePast(snapshots: readonly string[]): Promise<string> {
  return JSON.stringify(await AggregatorRegistry.aggregate(snapshots.map(readCounts)).getMetricsAsJSON());
}

function readSnapshot(text: string): readonly Metric[] {
  return JSON.parse(text) as readonly Metric[];
}

function readCounts(text: string): readonly Metric[] {
  return readSnapshot(text).filter((metric) => !isGauge(metric));
}
