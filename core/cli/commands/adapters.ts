import { setTimeout as sleep } from 'node:timers/promises';
import { createToggles, type OpenMoney, type Toggles } from '../../providers/states/adapter-states.ts';
import { defineCommand, UsageError, type Shell } from '../command.ts';
import { withAccess } from '../../../workers/supervisor/with-database.ts';

const now = (): Date => new Date();

export const adaptersList = defineCommand({
  name: 'adapters',
  summary: 'List the adapters: state, payments that are open, the latest changes',
  options: { json: { type: 'boolean', help: 'print JSON' } },
  async run({ values, shell }) {
    const found = await withAccess(shell, async ({ connection, loaded }) => {
      const toggles = createToggles(connection, now);
      const { version, states } = await toggles.read();
      const adapters = await Promise.all(
        Object.entries(loaded.config.adapters).map(async ([name, { package: packageName, state }]) => {
          return { name, package: packageName, state: states[name] ?? state, ...(await toggles.openMoney(name)) };
        }),
      );
      return { version, adapters, running: await toggles.running(), changes: await toggles.changes(10) };
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

export const adaptersOn = toggleCommand('on', 'Turn an adapter on: it takes new payments');
export const adaptersDrain = toggleCommand(
  'drain',
  'Drain an adapter: no new payments; callbacks, returns, questions and refunds go on',
);
export const adaptersOff = toggleCommand('off', 'Turn an adapter off: its callbacks are answered 404');

/** How long the running processes may take to follow. */
const FOLLOW_LIMIT_MS = 15_000;

function toggleCommand(word: 'on' | 'drain' | 'off', summary: string) {
  return defineCommand({
    name: `adapters ${word}`,
    summary,
    operands: ['<name>'],
    options: {
      reason: { type: 'string', value: '<text>', help: 'why, for the audit' },
      force: { type: 'boolean', help: 'turn it off although money is open' },
    },
    notes: ['It waits until every running process follows. A later edit of the state in a config file counts again.'],
    async run({ values, operands, shell }) {
      const [name = ''] = operands;
      const to = word === 'drain' ? 'draining' : word;
      return withAccess(shell, async ({ connection, loaded }) => {
        const known = Object.keys(loaded.config.adapters);
        if (!known.includes(name)) throw new UsageError(`There is no adapter ${name}; there are: ${known.join(', ')}.`);
        const gaps = loaded.adapterGaps[name] ?? [];
        if (to !== 'off' && gaps.length) throw new Error(`${name} cannot be turned ${word}: ${gaps.join('; ')}`);
        const toggles = createToggles(connection, now);
        if (to === 'off' && !values.force) throwIfOpen(name, await toggles.openMoney(name));
        const version = await toggles.set(name, to, values.reason ?? 'no reason given');
        return awaitFollowers(toggles, name, to, version, shell);
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
  toggles: Toggles,
  name: string,
  to: string,
  version: number,
  shell: Shell,
): Promise<number> {
  const end = Date.now() + FOLLOW_LIMIT_MS;
  for (;;) {
    const running = await toggles.running();
    const refusing = running.filter(({ refused }) => refused !== null && refused >= version);
    const behind = running.filter((run) => run.version < version);
    if (!behind.length) {
      shell.print(
        `${name} is ${to} (version ${version}, ${running.length ? `${running.length} processes follow` : 'nothing runs'})`,
      );
      return 0;
    }
    if (refusing.length || Date.now() > end) {
      for (const { _id, problem } of refusing) shell.complain(`${_id} could not follow: ${problem}`);
      if (!refusing.length) shell.complain(`${behind.map(({ _id }) => _id).join(', ')} did not follow in time`);
      return 1;
    }
    await sleep(100);
  }
}
