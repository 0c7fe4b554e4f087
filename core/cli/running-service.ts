/** The service that a command is about: its addresses and its mode. */
import type { LoadedConfig } from '../../config/load-config.ts';
import { findApi, type RunningState } from '../../workers/supervisor/data-folder/index.ts';

export interface ServiceFacts {
  /** Undefined: no service runs on the data folder, and the other members come from the config. */
  readonly running: RunningState | undefined;
  readonly publicUrl: string;
  /** The service accepts live keys. */
  readonly liveKeys: boolean;
}

/**
 * A running service counts more than the config of the command, because the command may run without the environment
 * variables of the service, such as PORT.
 */
export async function findService({ config: { database, keys, server } }: LoadedConfig): Promise<ServiceFacts> {
  const running = await findApi(database.dataDir);
  const { publicUrl = server.publicUrl, liveKeys = keys.liveKeys } = running ?? {};
  return { running, publicUrl, liveKeys };
}

/** Says where the console is. The port of a running service may have been chosen at its start. */
export async function findConsole(loaded: LoadedConfig): Promise<string> {
  const { ops } = loaded.config;
  if (!ops.enabled) return 'Console: off, because ops.enabled is false in the config.';
  const { opsUrl } = (await findService(loaded)).running ?? {};
  if (opsUrl !== undefined) return `Console: ${opsUrl}/ops`;
  const port =
    ops.port === undefined ? 'the service prints its address when it starts' : `http://${ops.host}:${ops.port}/ops`;
  return `Console, once the service runs: ${port}`;
}

/** Says that no service runs, and on which data folder the command looked. Ends without a full stop. */
export function noServiceText({ config }: LoadedConfig): string {
  return `No service runs on the data folder ${config.database.dataDir} (set GATEWAY_DATA_DIR if it is another folder)`;
}
