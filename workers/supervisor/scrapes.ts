/** The supervisor's side of a scrape: asks every process what it counted, and keeps what those had counted that are no more. */
import { mergePast, type Gathered, type Metrics } from '../../core/base/metrics/index.ts';
import { SECOND } from '../../core/base/async/time.ts';
import type { ToChild } from './messages.ts';

export interface Scrapes {
  /** Waits for every process that is up, and no longer than the limit. */
  gather(): Promise<Gathered>;
  /** What a process counted so far; `scrape`: the question that it answers. */
  receive(name: string, snapshot: string, scrape?: number): void;
  /** The process is no more. */
  ended(name: string): void;
}

export interface ScrapesSetup {
  /** Who is asked. */
  readonly processes: () => readonly Asked[];
  /** Of the supervisor itself. */
  readonly metrics: Pick<Metrics, 'snapshot' | 'processesSilent'>;
  readonly limitMs?: number;
}

interface Asked {
  readonly name: string;
  readonly isUp: boolean;
  send(message: Extract<ToChild, { type: 'metrics' }>): void;
}

/** A question that is under way. */
interface Asking {
  /** Names of those that have not answered it. */
  readonly missing: Set<string>;
  readonly end: () => void;
}

export function createScrapes({ processes, metrics, limitMs = SECOND }: ScrapesSetup): Scrapes {
  /** By process: what it said last. */
  const latest = new Map<string, string>();
  /** What those had counted that are no more. */
  let past: readonly string[] = [];
  const asking = new Map<number, Asking>();
  let gathering: Promise<Gathered> | undefined;
  let lastScrape = 0;

  function answered({ missing, end }: Asking, name: string): void {
    missing.delete(name);
    if (missing.size === 0) end();
  }

  /** Names of those that did not answer. */
  async function ask(): Promise<ReadonlySet<string>> {
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
      asking.set(scrape, { missing, end });
      for (const one of up) one.send({ type: 'metrics', scrape });
    });
    asking.delete(scrape);
    return missing;
  }

  async function gatherNow(): Promise<Gathered> {
    const silent = await ask();
    metrics.processesSilent.set(silent.size);
    // One text, however many processes there were.
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
      const asked = asking.get(scrape);
      if (asked) answered(asked, name);
    },

    ended(name) {
      const text = latest.get(name);
      latest.delete(name);
      if (text !== undefined) past = [...past, text];
      for (const one of asking.values()) answered(one, name);
    },
  };
}
