/** Locks the data folder and decides on ports and secrets, before anything runs. */
import type { LoadedConfig } from '../../../config/load-config.ts';
import {
  awaitOrphans,
  awaitService,
  folderOf,
  lockFolder,
  openFolder,
  readState,
  writeState,
  type KeptState,
} from '../data-folder/index.ts';
import { chooseOpsPort, choosePorts } from './choose-ports.ts';
import { resolveSecrets } from './run-config.ts';
import { createRunningFile, type RunningFile } from '../data-folder/running-file.ts';
import { rolesOf, type Role } from '../roles.ts';
import { StartError } from '../start-error.ts';

export interface TakenFolder {
  /** The state file of this service alone: its processes, and whether it made an API key. */
  readonly file: RunningFile;
  readonly state: KeptState;
  /** Names of the processes that a killed service left behind. They have exited. */
  readonly orphans: readonly string[];
  readonly ports: KeptState['ports'];
  /** Port of the operators' listener. Undefined: there is no listener. */
  readonly opsPort: number | undefined;
  readonly secrets: Awaited<ReturnType<typeof resolveSecrets>>;
  /** URI of the MongoDB that config names or that runs on the folder. Undefined: this service runs its own MongoDB. */
  readonly uri: string | undefined;
  readonly unlock: () => Promise<void>;
}

export interface TakeOptions {
  readonly role: Role;
  readonly loaded: LoadedConfig;
  readonly signal: AbortSignal;
}

/**
 * Locks the folder, and decides on ports and secrets. Throws a StartError if another service of the role has the
 * folder, or if ports or secrets cannot be decided; the folder is unlocked then.
 */
export async function takeFolder(options: TakeOptions): Promise<TakenFolder> {
  const { role, loaded, signal } = options;
  const { dataDir } = loaded.config.database;
  await openFolder(dataDir);
  // The API and the workers do not own the data: the database's process does, and they may share its folder.
  const own = role === 'api' || role === 'worker' ? folderOf(role, dataDir) : dataDir;
  await openFolder(own);
  const unlock = (await lockFolder(own, 'service', signal)) ?? (async () => undefined);
  try {
    return { ...(await settleFolder(own, options)), unlock };
  } catch (error) {
    await unlock();
    throw error;
  }
}

async function settleFolder(own: string, { role, loaded, signal }: TakeOptions): Promise<Omit<TakenFolder, 'unlock'>> {
  const { dataDir, uri: configured } = loaded.config.database;
  const { runsSandboxes } = rolesOf[role];
  const state = await readState(own);
  const orphans = await awaitOrphans(state.running, signal);
  const file = createRunningFile(own, state);
  const opsPort = role === 'mongod' ? undefined : await chooseOpsPort(loaded.config.ops, state.opsPort);
  if (opsPort !== undefined) await file.save({ opsPort });
  if (own !== dataDir) return { file, state, orphans, opsPort, ...(await settleShared()) };
  const ports = await choosePorts(loaded.config, state.ports, runsSandboxes);
  const secrets = await resolveSecrets(loaded);
  await file.save({ ports });
  return { file, state, orphans, opsPort, ports, secrets, uri: configured };

  /** Uses what the owner of the data decided. If no owner runs, decides here, one process at a time. */
  async function settleShared(): Promise<Pick<TakenFolder, 'ports' | 'secrets' | 'uri'>> {
    for (;;) {
      const owner = await awaitService(dataDir);
      if (owner) {
        const { ports } = await readState(dataDir);
        return { ports, secrets: await resolveSecrets(loaded), uri: configured ?? owner.mongodbUri };
      }
      if (configured === undefined) {
        throw new StartError([
          `No MongoDB found: set MONGODB_URI, or, for development, run paywright mongod on the data folder ${dataDir} first.`,
        ]);
      }
      const release = await lockFolder(dataDir, 'command', signal);
      if (!release) continue; // An owner has started in the meantime.
      try {
        const kept = await readState(dataDir);
        const ports = await choosePorts(loaded.config, kept.ports, runsSandboxes);
        await writeState(dataDir, { ...kept, ports });
        return { ports, secrets: await resolveSecrets(loaded), uri: configured };
      } finally {
        await release();
      }
    }
  }
}
