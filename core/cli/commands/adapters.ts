import {
  createAdapterStateStore,
  openCountText,
  type AdapterStateStore,
} from '../../engine/providers/states/adapter-states.ts';
import { awaitFollowers } from '../../engine/providers/states/await-followers.ts';
import { OpenMoneyError, turnAdapter } from '../../engine/providers/states/turn-adapter.ts';
import { checkAdapterName } from '../adapter-name.ts';
import { json, printProblems, printResult } from '../json.ts';
import { defineCommand, type Shell } from '../command.ts';
import { operatorOf } from '../operator.ts';
import { withDatabase } from '../with-database.ts';

const now = (): Date => new Date();

export const adaptersList = defineCommand({
  options: { json: { type: 'boolean', help: 'print JSON' } },
  async run({ values, shell }) {
    const found = await withDatabase(shell, async ({ connection, loaded }) => {
      const adapterStates = createAdapterStateStore(connection, now);
      const { version, states } = await adapterStates.read();
      const adapters = await Promise.all(
        Object.entries(loaded.config.adapters).map(async ([name, { package: packageName, state }]) => {
          return { name, package: packageName, state: states[name] ?? state, ...(await adapterStates.openMoney(name)) };
        }),
      );
      return { version, adapters, running: await adapterStates.running(), changes: await adapterStates.changes(10) };
    });
    if (values.json) {
      shell.print(JSON.stringify(found));
      return 0;
    }
    for (const { name, state, pending, recentlyPaid } of found.adapters) {
      shell.print(
        `${name.padEnd(14)}${state.padEnd(10)}${openCountText(pending)} pending, ` +
          `${openCountText(recentlyPaid)} paid in the chargeback window`,
      );
    }
    for (const { _id, version, problem } of found.running) {
      if (problem) shell.print(`${_id} still runs version ${version}: ${problem}`);
    }
    for (const { at, adapter, from, to, by, reason } of found.changes) {
      shell.print(`${at.toISOString()}  ${adapter}  ${from ?? 'new'} to ${to}  by ${by}: ${reason}`);
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
  options: { reason, json, force: { type: 'boolean', help: 'turn it off even if money is open' } },
  notes,
  run: async ({ values, operands: [name = ''], shell }) => turn(shell, name, 'off', values),
});

function stateCommand(action: 'on' | 'drain') {
  return defineCommand({
    options: { reason, json },
    notes,
    run: async ({ values, operands: [name = ''], shell }) => turn(shell, name, action, values),
  });
}

async function turn(
  shell: Shell,
  name: string,
  action: 'on' | 'drain' | 'off',
  values: { readonly reason?: string; readonly force?: boolean; readonly json?: boolean },
): Promise<number> {
  const { reason: why, force = false } = values;
  const to = action === 'drain' ? 'draining' : action;
  return withDatabase(shell, async ({ connection, audit, loaded }) => {
    checkAdapterName(name, loaded.config);
    const gaps = loaded.adapterGaps[name] ?? [];
    if (to !== 'off' && gaps.length) throw new Error(`${name} cannot be turned ${action}: ${gaps.join('; ')}`);
    const adapterStates = createAdapterStateStore(connection, now);
    const turned = turnAdapter({ adapterStates, audit }, operatorOf(shell), {
      adapter: name,
      to,
      reason: why,
      isForced: force,
    });
    const version = await turned.catch(withCure);
    return printFollowed(adapterStates, version, shell, values, {
      words: `${name} is ${to}`,
      result: { adapter: name, state: to },
    });
  });
}

export function withCure(error: unknown): never {
  if (error instanceof OpenMoneyError)
    throw new Error(`${error.message}. Drain it first, or add --force.`, { cause: error });
  throw error;
}

/** Prints the result once every running process follows. */
export async function printFollowed(
  adapterStates: AdapterStateStore,
  version: number,
  shell: Shell,
  values: { readonly json?: boolean },
  { words, result }: { readonly words: string; readonly result: object },
): Promise<number> {
  const { processes, behind, refusing } = await awaitFollowers(adapterStates, version);
  if (behind.length === 0) {
    const following = processes ? `${processes} processes follow` : 'no process is running';
    printResult(shell, values, { ...result, version, processes }, `${words} (version ${version}, ${following})`);
    return 0;
  }
  const late = `${behind.map(({ _id }) => _id).join(', ')} did not follow in time`;
  const problems = refusing.map(({ _id, problem }) => `${_id} could not follow: ${problem}`);
  printProblems(shell, values, problems.length > 0 ? problems : [late]);
  return 1;
}
