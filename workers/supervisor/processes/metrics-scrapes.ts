/**
 * The supervisor's side of a scrape: asks every process for its metrics, and keeps the last metrics of processes that
 * ended, so that no counter of the host falls.
 */
import { mergePast, type Gathered, type Metrics } from '../../../core/base/metrics/index.ts';
import { SECOND } from '../../../core/base/async/time.ts';
import type { ToChild } from './messages.ts';

export interface MetricsScrapes {
  /** Waits for every process that is up, but no longer than the limit. */
  gather(): Promise<Gathered>;
  /** Takes the metrics of a process. `scrape`: the request that they answer. */
  receive(name: string, snapshot: string, scrape?: number): void;
  /** The process has ended. */
  ended(name: string): void;
}

export interface MetricsScrapesDeps {
  readonly processes: () => readonly ScrapedProcess[];
  /** The metrics of the supervisor itself. */
  readonly metrics: Pick<Metrics, 'snapshot' | 'processesSilent'>;
  /** Default: 1 s. */
  readonly limitMs?: number;
}

interface ScrapedProcess {
  readonly name: string;
  readonly isUp: boolean;
  send(message: Extract<ToChild, { type: 'metrics' }>): void;
}

/** A scrape in progress. */
interface OpenScrape {
  /** Names of the processes that have not answered yet. */
  readonly missing: Set<string>;
  readonly end: () => void;
}

export function createMetricsScrapes({ processes, metrics, limitMs = SECOND }: MetricsScrapesDeps): MetricsScrapes {
  /** The last metrics of each process. */
  const latest = new Map<string, string>();
  /** The last metrics of processes that have ended. */
  let past: readonly string[] = [];
  const openScrapes = new Map<number, OpenScrape>();
  let gathering: Promise<Gathered> | undefined;
  let lastScrape = 0;

  function recordAnswer({ missing, end }: OpenScrape, name: string): void {
    missing.delete(name);
    if (missing.size === 0) end();
  }

  /** Returns the names of the processes that did not answer. */
  async function requestAll(): Promise<ReadonlySet<string>> {
    const up = processes().filter(({ isUp }) => isUp);
    const missing = new Set(up.map(({ name }) => name));
    if (missing.size === 0) return missing;
    lastScrape += 1;
    const scrape = lastScrape;
    await new Promise<void>((resolve) => {
      const limit = setTimeout(resolve, limitMs);
      const end = (): void => {
        clearTimeout(limit);
        resolve();
      };
      openScrapes.set(scrape, { missing, end });
      for (const one of up) one.send({ type: 'metrics', scrape });
    });
    openScrapes.delete(scrape);
    return missing;
  }

  async function gatherNow(): Promise<Gathered> {
    const silent = await requestAll();
    metrics.processesSilent.set(silent.size);
    // Merge them into one text, so that memory does not grow with the number of ended processes.
    const merged = past;
    if (merged.length > 1) past = [await mergePast(merged), ...past.slice(merged.length)];
    const own = await metrics.snapshot();
    const known = processes().map(({ name }) => ({ isSilent: silent.has(name), text: latest.get(name) ?? [] }));
    return {
      present: [own, ...known.flatMap(({ isSilent, text }) => (isSilent ? [] : text))],
      past: [...known.flatMap(({ isSilent, text }) => (isSilent ? text : [])), ...past],
    };
  }

  return {
    async gather() {
      gathering ??= gatherNow().finally(() => (gathering = undefined));
      return gathering;
    },

    receive(name, snapshot, scrape = 0) {
      latest.set(name, snapshot);
      const open = openScrapes.get(scrape);
      if (open) recordAnswer(open, name);
    },

    ended(name) {
      const text = latest.get(name);
      latest.delete(name);
      if (text !== undefined) past = [...past, text];
      for (const open of openScrapes.values()) recordAnswer(open, name);
    },
  };
}
