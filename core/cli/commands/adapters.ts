import { setTimeout as sleep } from 'node:timers/promises';
import {
  createAdapterStateStore,
  type OpenMoney,
  type AdapterStateStore,
} from '../../providers/states/adapter-states.ts';
import { defineCommand, UsageError, type Shell } from '../command.ts';
import { withDatabase } from '../../../workers/supervisor/with-database.ts';

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
        `${name.padEnd(14)}${state.padEnd(10)}${pending} pending, ${recentlyPaid} paid in the chargeback window`,
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

export const adaptersOn = stateCommand('on');
export const adaptersDrain = stateCommand('drain');
export const adaptersOff = stateCommand('off');

/** How long the running processes may take to follow. */
const FOLLOW_LIMIT_MS = 15_000;

function stateCommand(action: 'on' | 'drain' | 'off') {
  return defineCommand({
    options: {
      reason: { type: 'string', value: '<text>', help: 'why, for the audit' },
      force: { type: 'boolean', help: 'turn it off although money is open' },
    },
    notes: ['It waits until every running process follows. A later edit of the state in a config file counts again.'],
    async run({ values, operands, shell }) {
      const [name = ''] = operands;
      const to = action === 'drain' ? 'draining' : action;
      return withDatabase(shell, async ({ connection, loaded }) => {
        const known = Object.keys(loaded.config.adapters);
        if (!known.includes(name)) throw new UsageError(`There is no adapter ${name}; there are: ${known.join(', ')}.`);
        const gaps = loaded.adapterGaps[name] ?? [];
        if (to !== 'off' && gaps.length) throw new Error(`${name} cannot be turned ${action}: ${gaps.join('; ')}`);
        const adapterStates = createAdapterStateStore(connection, now);
        if (to === 'off' && !values.force) throwIfOpen(name, await adapterStates.openMoney(name));
        const version = await adapterStates.set(name, to, values.reason ?? 'no reason given');
        return awaitFollowers(adapterStates, name, to, version, shell);
      });
    },
  });
}

function throwIfOpen(name: string, { pending, recentlyPaid }: OpenMoney): void {
  if (!pending && !recentlyPaid) return;
  throw new Error(
    `${name} has ${pending} pending payments and ${recentlyPaid} paid ones in the chargeback window: off means that its ` +
      'callbacks are answered 404, which some providers take as final. Drain it, or say --force.',
  );
}

async function awaitFollowers(
  adapterStates: AdapterStateStore,
  name: string,
  to: string,
  version: number,
  shell: Shell,
): Promise<number> {
  const end = Date.now() + FOLLOW_LIMIT_MS;
  for (;;) {
    const running = await adapterStates.running();
    const refusing = running.filter(({ refused }) => refused !== null && refused >= version);
    const behind = running.filter((run) => run.version < version);
    if (!behind.length) {
      shell.print(
        `${name} is ${to} (version ${version}, ${running.length ? `${running.length} processes follow` : 'nothing runs'})`,
      );
      return 0;
    }
    if (refusing.length || Date.now() > end) {
      for (const { _id, problem } of refusing) shell.stderr(`${_id} could not follow: ${problem}`);
      if (!refusing.length) shell.stderr(`${behind.map(({ _id }) => _id).join(', ')} did not follow in time`);
      return 1;
    }
    await sleep(100);
  }
}
