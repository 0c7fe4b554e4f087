/** Polls the states of adapters, loads each new version, and reports the reason if it cannot. */
import type { Logger } from 'pino';
import type { LoadedAdapter } from '../load/load-adapters.ts';
import type { Registry } from '../registry.ts';
import type { States, AdapterStateStore } from './adapter-states.ts';

export interface FollowDeps {
  readonly adapterStates: AdapterStateStore;
  readonly registry: Registry;
  /** Loads the adapters in these states. Rejects with an error that says what is wrong with them. */
  readonly load: (states: States) => Promise<readonly LoadedAdapter[]>;
  readonly process: string;
  readonly version: number;
  readonly log: Logger;
}

export interface Following {
  /**
   * Polls the states now, because they may have changed. A caller that has called it once calls it after every change.
   */
  pollSoon(): void;
  stop(): Promise<void>;
}

const pollMs = 1000;
/** The interval of a process that is notified of changes. */
const notifiedPollMs = 10_000;
/** A report is repeated after this time without a change, so that other processes know that this one is alive. */
const reportMs = 9000;

export function followAdapterStates(deps: FollowDeps): Following {
  const { adapterStates, registry, load, process, version: first, log } = deps;
  let version = first;
  let refused: number | null = null;
  let problem = '';
  let reportedAt = -Infinity;
  let polling: Promise<void> | undefined;
  let isPollRequested = false;
  let isStopped = false;
  let timer: NodeJS.Timeout | undefined;

  async function poll(): Promise<void> {
    const { version: newest, states } = await adapterStates.read();
    const isReportDue = performance.now() - reportedAt >= reportMs;
    // A refused version is retried with each report, because its cause may be fixed without a new version. For example,
    // the missing file of a secret was added.
    const isNew = newest !== version && (newest !== refused || isReportDue);
    if (isNew) await apply(newest, states);
    if (!isNew && !isReportDue) return;
    await adapterStates.report(process, version, problem, refused);
    reportedAt = performance.now();
  }

  async function apply(newest: number, states: States): Promise<void> {
    try {
      registry.replace(await load(states));
      version = newest;
      problem = '';
      refused = null;
      log.info({ version, states }, 'the adapters changed to their new states');
    } catch (error) {
      refused = newest;
      problem = error instanceof Error ? error.message : 'the adapters could not be loaded';
      log.error({ err: error, version: newest }, 'the adapters keep their previous states');
    }
  }

  async function pollUntilDone(): Promise<void> {
    do {
      isPollRequested = false;
      await poll().catch((error: unknown) => log.warn({ err: error }, 'the states of the adapters could not be read'));
    } while (isPollRequested);
    polling = undefined;
  }

  /** A poll in progress may have read already. */
  function pollNow(): void {
    isPollRequested = true;
    polling ??= pollUntilDone();
  }

  function pollEvery(ms: number): void {
    clearInterval(timer);
    timer = setInterval(pollNow, ms).unref();
    pollNow();
  }
  pollEvery(pollMs);

  return {
    pollSoon() {
      if (!isStopped) pollEvery(notifiedPollMs);
    },
    async stop() {
      isStopped = true;
      clearInterval(timer);
      await polling;
      await adapterStates.forget(process).catch(() => undefined); // If this fails, the process is forgotten once its reports stop.
    },
  };
}
