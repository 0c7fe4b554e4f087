import { loadCheckedConfig } from '../../../workers/supervisor/load-checked-config.ts';
import { runSupervisor } from '../../../workers/supervisor/run-supervisor.ts';
import { defineCommand } from '../command.ts';

export const start = defineCommand({
  options: {},
  notes: [
    'It runs until Ctrl-C or SIGTERM, ends what is under way, and keeps data, ports and keys in its data folder.',
  ],
  async run({ shell }) {
    const { env, root, print, stderr } = shell;
    return runSupervisor({ loaded: await loadCheckedConfig({ env, root }), env, print, stderr });
  },
});
