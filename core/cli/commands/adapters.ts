import { openCountText } from '../../engine/providers/states/adapter-states.ts';
import { loadConfig } from '../../../config/load-config.ts';
import { checkAdapterName } from '../adapter-name.ts';
import { json, printProblems, printResult } from '../json.ts';
import { defineCommand, type Shell } from '../command.ts';
import { url, withManagement } from '../management.ts';

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

const reason = { type: 'string', value: '<text>', help: 'the reason, for the audit log' } as const;
const notes = [
  'Waits until every running process follows. A later edit of the state in a config file overrides this change.',
];

export const adaptersOn = stateCommand('on');
export const adaptersDrain = stateCommand('drain');

export const adaptersOff = defineCommand({
  options: { reason, url, json, force: { type: 'boolean', help: 'turn it off even if money is open' } },
  notes,
  run: async ({ values, operands: [name = ''], shell }) => turn(shell, name, 'off', values),
});

function stateCommand(action: 'on' | 'drain') {
  return defineCommand({
    options: { reason, url, json },
    notes,
    run: async ({ values, operands: [name = ''], shell }) => turn(shell, name, action, values),
  });
}

async function turn(
  shell: Shell,
  adapter: string,
  action: 'on' | 'drain' | 'off',
  values: { readonly reason?: string; readonly force?: boolean; readonly json?: boolean; readonly url?: string },
): Promise<number> {
  const { reason: why, force, url: at } = values;
  const state = action === 'drain' ? 'draining' : action;
  // A misspelled name is a wrong call. Only the service knows the adapters of the service.
  if (at === undefined) checkAdapterName(adapter, (await loadConfig({ env: shell.env, root: shell.root })).config);
  const turned = await withManagement(shell, values, async ({ call }) =>
    call('setAdapterState', { adapter, state, force, reason: why }),
  );
  return printFollowed(shell, values, turned, { words: `${adapter} is ${state}`, result: { adapter, state } });
}

interface Followed {
  readonly version: number;
  readonly processes: number;
  readonly behind: readonly { readonly process: string; readonly problem: string | null }[];
}

/** Prints the result if every running process follows, otherwise which process does not, and why. */
export function printFollowed(
  shell: Shell,
  values: { readonly json?: boolean },
  { version, processes, behind }: Followed,
  { words, result }: { readonly words: string; readonly result: object },
): number {
  if (behind.length === 0) {
    const following = processes ? `${processes} processes follow` : 'no process is running';
    printResult(shell, values, { ...result, version, processes }, `${words} (version ${version}, ${following})`);
    return 0;
  }
  const late = `${behind.map(({ process: name }) => name).join(', ')} did not follow in time`;
  const problems = behind.flatMap(({ process: name, problem }) =>
    problem === null ? [] : [`${name} could not follow: ${problem}`],
  );
  printProblems(shell, values, problems.length > 0 ? problems : [late]);
  return 1;
}
