import { expect } from 'chai';
import { describe, it } from 'mocha';
import { createCachedRead, createCachedReads } from './cached-read.ts';

describe('what is kept for many readers', () => {
  it('is read once for all that ask at a time, and again when it is old', async () => {
    let reads = 0;
    const read = async (): Promise<number> => (reads += 1);
    const kept = createCachedRead(read, 60_000);
    expect(await Promise.all([kept(), kept(), kept()])).to.deep.equal([1, 1, 1]);
    expect(await kept()).to.equal(1);
    const old = createCachedRead(read, 0);
    expect([await old(), await old()]).to.deep.equal([2, 3]);
  });

  it('is read anew after it could not be', async () => {
    let isAway = true;
    const kept = createCachedRead(async () => (isAway ? Promise.reject(new Error('away')) : 'here'), 60_000);
    expect(await kept().catch((error: Error) => error.message)).to.equal('away');
    isAway = false;
    expect(await kept()).to.equal('here');
  });

  it('is kept for each of several by itself', async () => {
    const asked: string[] = [];
    const kept = createCachedReads(async (name) => asked.push(name), 60_000);
    await Promise.all([kept('a'), kept('b'), kept('a')]);
    expect(asked).to.deep.equal(['a', 'b']);
  });
});
