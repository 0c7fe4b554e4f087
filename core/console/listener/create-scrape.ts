/** Makes the metrics page of a host from the snapshots of its processes. */
import type { Logger } from 'pino';
import { presentMetrics, type Gathered, type Metrics, type MetricsPage } from '../../base/metrics/index.ts';
import { createSampledLog } from '../../base/log/sampled-log.ts';
import type { BacklogGauges } from './backlog-gauges.ts';

export interface ScrapeDeps {
  /** Collects snapshots of all other processes of the host. `own` is the snapshot of this process, in case it ends. */
  readonly gather: (own: string) => Promise<Gathered>;
  readonly backlog: BacklogGauges;
  /** The metrics of this process. */
  readonly metrics: Pick<Metrics, 'snapshot'>;
  readonly log: Logger;
}

export function createScrape({ gather, backlog, metrics, log }: ScrapeDeps): () => Promise<MetricsPage> {
  const failures = createSampledLog(log);
  let latest: Gathered = { present: [], past: [] };
  let scraping: Promise<MetricsPage> | undefined;

  /** If the processes cannot be asked, the last known counts are used. */
  async function gatherOrKeep(own: string): Promise<Gathered> {
    try {
      latest = await gather(own);
      return latest;
    } catch (error) {
      failures.warn('gather', { err: error }, 'the metrics of the processes of this host could not be collected');
      return { present: [], past: [...latest.present, ...latest.past] };
    }
  }

  async function scrape(): Promise<MetricsPage> {
    await backlog.refresh();
    const own = await metrics.snapshot();
    const { present, past } = await gatherOrKeep(own);
    return presentMetrics([...present, own], past);
  }

  return async () => {
    // Concurrent scrapes share one page.
    scraping ??= scrape().finally(() => (scraping = undefined));
    return scraping;
  };
}
