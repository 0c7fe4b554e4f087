/** One page of metrics of a host, from what its processes answer. */
import type { Logger } from 'pino';
import { presentMetrics, type Gathered, type Metrics, type MetricsPage } from '../../base/metrics/index.ts';
import { createSampledLog } from '../../base/log/sampled-log.ts';
import type { BacklogGauges } from './backlog-gauges.ts';

export interface ScrapeDeps {
  /** Asks all other processes of the host. `own`: a snapshot of this one, in case it is the last. */
  readonly gather: (own: string) => Promise<Gathered>;
  readonly backlog: BacklogGauges;
  /** Of this process. */
  readonly metrics: Pick<Metrics, 'snapshot'>;
  readonly log: Logger;
}

export function createScrape({ gather, backlog, metrics, log }: ScrapeDeps): () => Promise<MetricsPage> {
  const failures = createSampledLog(log);
  let latest: Gathered = { present: [], past: [] };
  let scraping: Promise<MetricsPage> | undefined;

  /** Where nobody says what was boundedCount, what was known of it before stays. */
  async function gatherOrKeep(own: string): Promise<Gathered> {
    try {
      latest = await gather(own);
      return latest;
    } catch (error) {
      failures.warn('gather', { err: error }, 'the processes of this host could not be asked for a scrape');
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
    // Several scrapers at the same moment get one page.
    scraping ??= scrape().finally(() => (scraping = undefined));
    return scraping;
  };
}
