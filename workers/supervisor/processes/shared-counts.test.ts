import { expect } from 'chai';
import { describe, it } from 'mocha';
import { createCounter, createSharedCounts, type SharedCounts } from './shared-counts.ts';

describe('createSharedCounts', () => {
  let at = new Date('2026-01-01T00:00:20Z');
  const now = (): Date => at;

  function createProcesses(): { readonly processes: SharedCounts[]; readonly asked: () => number } {
    const count = createCounter(now);
    let asked = 0;
    const processes = [0, 1].map((_, index): SharedCounts => {
      return createSharedCounts((request) => {
        asked += 1;
        setImmediate(() => processes[index]!.receive(count(request)));
      }, now);
    });
    return { processes, asked: () => asked };
  }

  it('allows exactly the limit across all processes, and does not ask again in a minute that is full', async () => {
    const { processes, asked } = createProcesses();
    const ask = async (times: number): Promise<number> => {
      const each = Array.from({ length: times }, async (_, index) => processes[index % 2]!.countOne('x', 5, 'client'));
      return (await Promise.all(each)).filter(Boolean).length;
    };
    expect(await ask(20)).to.equal(5);
    expect(asked()).to.equal(20);
    expect(await ask(20)).to.equal(0);
    expect(asked()).to.equal(20);
    at = new Date('2026-01-01T00:01:00Z');
    expect(await ask(20)).to.equal(5);
  });
});
