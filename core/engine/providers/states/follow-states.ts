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
  stop(): Promise<void>;
}

const POLL_MS = 1000;
/** A report is repeated after this many polls without a change, so that other processes know that this one is alive. */
const POLLS_PER_REPORT = 4;

export function followAdapterStates({
  adapterStates,
  registry,
  load,
  process,
  version: first,
  log,
}: FollowDeps): Following {
  let version = first;
  let refused: number | null = null;
  let problem = '';
  let polls = 0;
  let polling: Promise<void> | undefined;

  async function poll(): Promise<void> {
    const { version: newest, states } = await adapterStates.read();
    const isReportDue = polls % POLLS_PER_REPORT === 0;
    // A refused version is retried with each report, because its cause may be fixed without a new version. For example,
    // the missing file of a secret was added.
    const isNew = newest !== version && (newest !== refused || isReportDue);
    if (isNew) await apply(newest, states);
    if (isNew || isReportDue) await adapterStates.report(process, version, problem, refused);
    polls += 1;
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

  const timer = setInterval(() => {
    polling ??= poll()
      .catch((error: unknown) => log.warn({ err: error }, 'the states of the adapters could not be read'))
      .finally(() => {
        polling = undefined;
      });
  }, POLL_MS);
  timer.unref();
  polling = poll()
    .catch((error: unknown) => log.warn({ err: error }, 'the states of the adapters could not be read'))
    .finally(() => {
      polling = undefined;
    });

  return {
    async stop() {
      clearInterval(timer);
      await polling;
      await adapterStates.forget(process).catch(() => undefined); // If this fails, the process is forgotten once its reports stop.
    },
  };
}
