import type { Role } from '../../../workers/supervisor/roles.ts';
import { loadCheckedConfig } from '../load-checked-config.ts';
import { runSupervisor } from '../../../workers/supervisor/run-supervisor.ts';
import { defineCommand, type CommandBody } from '../command.ts';

/** The whole service. */
export const start = startCommand('all');
export const startApi = startCommand('api');
export const startWorker = startCommand('worker');
export const startDatabase = startCommand('mongod');

function startCommand(role: Role): CommandBody {
  return defineCommand({
    options: {},
    notes: [
      'It runs until Ctrl-C or SIGTERM, ends what is under way, and keeps data, ports and keys in its data folder.',
    ],
    async run({ shell }) {
      const { env, root, print, stderr } = shell;
      const loaded = await loadCheckedConfig({ env, root });
      for (const warning of loaded.warnings) stderr(`warning: ${warning}`);
      return runSupervisor({ role, loaded, env, print, stderr });
    },
  });
}
