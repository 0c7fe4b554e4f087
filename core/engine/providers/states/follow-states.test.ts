import { expect } from 'chai';
import { describe, it } from 'mocha';
import { pino } from 'pino';
import { until } from '../../../base/testing/until.ts';
import type { Registry } from '../registry.ts';
import type { AdapterStateStore } from './adapter-states.ts';
import { followAdapterStates } from './follow-states.ts';

describe('followAdapterStates', () => {
  it('polls again after a notification that comes during a poll, because that poll may have read already', async () => {
    let version = 1;
    const reads: (() => void)[] = [];
    const reported: number[] = [];
    const adapterStates = {
      async read() {
        const read = version;
        await new Promise<void>((resolve) => reads.push(resolve));
        return { version: read, states: {} };
      },
      report: async (_process: string, at: number) => void reported.push(at),
      forget: async () => undefined,
    } as unknown as AdapterStateStore;
    const following = followAdapterStates({
      adapterStates,
      registry: { replace: () => undefined } as unknown as Registry,
      load: async () => [],
      process: 'worker-1',
      version,
      log: pino({ level: 'silent' }),
    });
    await until('the first read', () => reads.length === 1);
    version = 2;
    following.pollSoon();
    following.pollSoon();
    reads[0]!();
    await until('the second read', () => reads.length === 2);
    reads[1]!();
    await until('the new version is reported', () => reported.includes(2));
    await following.stop();
    expect([reads.length, reported]).to.deep.equal([2, [1, 2]]);
  });
});
