import { openCountText } from '../../engine/providers/states/adapter-states.ts';
import { loadConfig } from '../../../config/load-config.ts';
import { checkAdapterName } from '../adapter-name.ts';
import { defineCommand } from '../command.ts';
import { url, withManagement } from '../management.ts';
import { stateCommands } from './state-commands.ts';

export const adaptersList = defineCommand({
  options: { url, json: { type: 'boolean', help: 'print JSON' } },
  async run({ values, shell }) {
    const { running, ...found } = await withManagement(shell, values, async ({ call }) => call('getAdapters', {}));
    if (values.json) {
      const listed = running.map(({ process: _id, ...one }) => ({ _id, ...one }));
      shell.print(
        JSON.stringify({ version: found.version, adapters: found.adapters, running: listed, changes: found.changes }),
      );
      return 0;
    }
    for (const { name, state, pending, recentlyPaid } of found.adapters) {
      shell.print(
        `${name.padEnd(14)}${state.padEnd(10)}${openCountText(pending)} pending, ` +
          `${openCountText(recentlyPaid)} paid in the chargeback window`,
      );
    }
    for (const { process: name, version, problem } of running) {
      if (problem) shell.print(`${name} still runs version ${version}: ${problem}`);
    }
    for (const { at, adapter, from, to, by, reason } of found.changes) {
      shell.print(`${at}  ${adapter}  ${from ?? 'new'} to ${to}  by ${by}: ${reason}`);
    }
    return 0;
  },
});

const turned = stateCommands({
  as: 'adapter',
  notes: [
    'Waits until every running process follows. A later edit of the state in a config file overrides this change.',
  ],
  async read(name, shell, { url: at }) {
    // A misspelled name is a wrong call. Only the service knows the adapters of the service.
    if (at === undefined) checkAdapterName(name, (await loadConfig({ env: shell.env, root: shell.root })).config);
    return name;
  },
  turn: async (call, adapter, change) => call('setAdapterState', { adapter, ...change }),
});
export const { on: adaptersOn, drain: adaptersDrain, off: adaptersOff } = turned;
