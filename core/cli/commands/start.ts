import type { Role } from '../../../workers/supervisor/roles.ts';
import { loadCheckedConfig } from '../load-checked-config.ts';
import { runSupervisor } from '../../../workers/supervisor/run-supervisor.ts';
import { defineCommand, type CommandBody } from '../command.ts';

/** Starts the service, or only a part of it. */
export const start = startCommand('all');
export const startApi = startCommand('api');
export const startWorker = startCommand('worker');
export const startDatabase = startCommand('mongod');

function startCommand(role: Role): CommandBody {
  return defineCommand({
    options: {},
    notes: [
      'Runs until Ctrl-C or SIGTERM, then finishes the work in progress. Keeps data, ports and keys in the data folder.',
    ],
    async run({ shell }) {
      const { env, root, print, stderr } = shell;
      const loaded = await loadCheckedConfig({ env, root });
      for (const warning of loaded.warnings) stderr(`warning: ${warning}`);
      return runSupervisor({ role, loaded, env, print, stderr });
    },
  });
}
