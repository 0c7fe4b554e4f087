/** Follows the states of adapters: loads each new version, or reports why it could not. */
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

const LOOK_MS = 1000;
/** Reports are repeated without a change, so that other processes know that this one lives. */
const BEAT_LOOKS = 4;

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
  let looks = 0;
  let looking: Promise<void> | undefined;

  async function look(): Promise<void> {
    const { version: newest, states } = await adapterStates.read();
    const isBeat = looks % BEAT_LOOKS === 0;
    // The cause of a failure may be fixed without a new version, such as a missing file of a secret.
    const isNew = newest !== version && (newest !== refused || isBeat);
    if (isNew) await take(newest, states);
    if (isNew || isBeat) await adapterStates.report(process, version, problem, refused);
    looks += 1;
  }

  async function take(newest: number, states: States): Promise<void> {
    try {
      registry.replace(await load(states));
      version = newest;
      problem = '';
      refused = null;
      log.info({ version, states }, 'the adapters follow their new states');
    } catch (error) {
      refused = newest;
      problem = error instanceof Error ? error.message : 'the adapters could not be loaded';
      log.error({ err: error, version: newest }, 'the adapters stay as they were');
    }
  }

  const timer = setInterval(() => {
    looking ??= look()
      .catch((error: unknown) => log.warn({ err: error }, 'the states of the adapters could not be read'))
      .finally(() => {
        looking = undefined;
      });
  }, LOOK_MS);
  timer.unref();
  looking = look()
    .catch((error: unknown) => log.warn({ err: error }, 'the states of the adapters could not be read'))
    .finally(() => {
      looking = undefined;
    });

  return {
    async stop() {
      clearInterval(timer);
      await looking;
      await adapterStates.forget(process).catch(() => undefined); // It is forgotten by its silence too.
    },
  };
}
