/** The services of the management operations, on the database of the command. */
import { readState } from '../../workers/supervisor/data-folder/index.ts';
import { withAnySandboxes } from '../../workers/supervisor/start/run-config.ts';
import type { ManagementServices } from '../console/api/services.ts';
import { listEndpoints } from '../engine/notifications/index.ts';
import { createAccounts, sidesOf } from '../engine/providers/index.ts';
import { createAdapterStateStore } from '../engine/providers/states/adapter-states.ts';
import { turnAdapter } from '../engine/providers/states/turn-adapter.ts';
import type { Shell } from './command.ts';
import type { Access } from './with-database.ts';

const now = (): Date => new Date();

export async function createLocalServices(access: Access, shell: Shell): Promise<ManagementServices> {
  const { connection, encrypter, audit, loaded } = access;
  const { config, adapterGaps } = loaded;
  const { ports } = await readState(config.database.dataDir);
  const run = { ...loaded, config: withAnySandboxes(config, ports.sandboxes) };
  const adapterStates = createAdapterStateStore(connection, now);
  return {
    ...access,
    failingEndpoints: async (ownerId) => listEndpoints(connection, ownerId),
    accounts: createAccounts({ connection, encrypter, run, adapterStates, audit, now }),
    adapterStates,
    turn: async (by, change) => turnAdapter({ adapterStates, audit }, by, change),
    config,
    async demandComplete(adapter) {
      const gaps = adapterGaps[adapter] ?? [];
      if (gaps.length > 0) throw new Error(`${adapter} cannot be turned on: ${gaps.join('; ')}`);
    },
    // These files import half of the gateway, and most commands need neither.
    async askProvider(active) {
      const { askAboutAccount } = await import('./commands/doctor.ts');
      return askAboutAccount(active, sidesOf(active, config.keys), loaded, shell);
    },
    async explainRoute(question) {
      const { explainHere } = await import('./explain-here.ts');
      return explainHere(shell, question);
    },
  };
}
