import { expect } from 'chai';
import { describe, it } from 'mocha';
import { until } from '../../../core/base/testing/until.ts';
import { watchAdapterStates } from './watch-adapter-states.ts';

describe('watchAdapterStates', () => {
  it('notifies of every new version, also after a failure, and of no version twice', async () => {
    const versions = [3, 3, new Error('the database is away'), 4, 4];
    let [reads, failures] = [0, 0];
    const notified: number[] = [];
    const stop = watchAdapterStates({
      adapterStates: {
        async read() {
          const version = versions[Math.min(reads, versions.length - 1)]!;
          reads += 1;
          if (version instanceof Error) throw version;
          return { version, states: {} };
        },
      },
      onChange: () => notified.push(reads),
      log: { warn: () => (failures += 1) },
      everyMs: 5,
    });
    await until('it has read often', () => reads > versions.length + 2);
    stop();
    // At the first read too: a process may have started before a change that this one never saw.
    expect([notified, failures]).to.deep.equal([[1, 4], 1]);
  });
});
