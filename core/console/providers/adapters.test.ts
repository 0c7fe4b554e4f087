import { expect } from 'chai';
import { describe, it } from 'mocha';
import type { AdapterChange } from '../../database/collections/adapter-state.ts';
import { table, textOf } from '../../html/components/table.ts';
import type { ConsoleDeps } from '../deps.ts';
import { adaptersPage } from './adapters.ts';

const names = ['alpha', 'beta', 'gamma', 'delta'];
const at = new Date('2026-11-27T10:20:00Z');

function depsOf(changes: readonly AdapterChange[], counts: Readonly<Record<string, number>> = {}): ConsoleDeps {
  const deps = {
    adapterStates: {
      read: async () => ({ version: 1, states: Object.fromEntries(names.map((name) => [name, 'on'])) }),
      running: async () => [],
      changes: async () => changes,
    },
    adapters: {
      get: () => undefined,
      title: (name: string) => `${name.slice(0, 1).toUpperCase()}${name.slice(1)} Pay`,
    },
    alarms: { list: async () => [] },
    attemptsOpen: async () => [],
    traffic: async () => ({ minutes: [{ at, counts }], lastCallbacks: {} }),
  };
  return deps as unknown as ConsoleDeps;
}

const textOfPage = async (deps: ConsoleDeps): Promise<string> =>
  textOf(await adaptersPage(deps, (_, shown) => table(shown)));

describe('adaptersPage', () => {
  it('shows the changes of one start as one row, and each later change with its reason', async () => {
    const first = names.map((adapter) => {
      const to = adapter === 'delta' ? 'off' : 'on';
      return { at, version: 1, adapter, from: null, to, by: 'file', reason: 'config file' } as const;
    });
    const drained = { at, version: 2, adapter: 'beta', from: 'on', to: 'draining', by: 'command' } as const;
    const text = await textOfPage(depsOf([{ ...drained, reason: 'moves to another bank' }, ...first]));
    expect(text).to.contain('Beta Pay on draining operator moves to another bank');
    expect(text).to.contain('4 providers Alpha Pay, Beta Pay, Gamma Pay, Delta Pay – 3 on, 1 off config file –');
  });

  it('says of a provider whose calls have answers that it is reachable, whatever its payments came to', async () => {
    const counts = {
      'calls|alpha|2xx': 4,
      'results|alpha|ok': 4,
      'ended|alpha|failed': 4,
      'calls|beta|5xx': 4,
      'results|beta|failed': 4,
    };
    const text = await textOfPage(depsOf([], counts));
    expect(text).to.match(/Alpha Pay alpha on – reachable 0 0\.0 % 4 0\.0 %/);
    expect(text).to.match(/Beta Pay beta on – calls fail/);
    expect(text).to.match(/Gamma Pay gamma on – idle/);
  });
});
