/**
 * Polls the states of adapters for all processes of this host, and notifies them of a change. Otherwise each process
 * would poll every second.
 */
import type { Logger } from 'pino';
import { SECOND } from '../../../core/base/async/time.ts';
import type { AdapterStateStore } from '../../../core/engine/providers/states/adapter-states.ts';

export interface WatchStatesDeps {
  readonly adapterStates: Pick<AdapterStateStore, 'read'>;
  readonly onChange: () => void;
  readonly log: Pick<Logger, 'warn'>;
  readonly everyMs?: number;
}

/** Returns a function that stops watching. */
export function watchAdapterStates({ adapterStates, onChange, log, everyMs = SECOND }: WatchStatesDeps): () => void {
  let known: number | undefined;
  let polling: Promise<void> | undefined;

  async function poll(): Promise<void> {
    const { version } = await adapterStates.read();
    if (version !== known) onChange();
    known = version;
  }

  const timer = setInterval(() => {
    polling ??= poll()
      .catch((error: unknown) => log.warn({ err: error }, 'the states of the adapters could not be read'))
      .finally(() => (polling = undefined));
  }, everyMs);
  return () => clearInterval(timer);
}
