import { expect } from 'chai';
import { describe, it } from 'mocha';
import { createCachedRead, createCachedReads } from './cached-read.ts';

describe('createCachedRead', () => {
  it('reads once for concurrent readers, and reads again when the value is old', async () => {
    let reads = 0;
    const read = async (): Promise<number> => (reads += 1);
    const cached = createCachedRead(read, 60_000);
    expect(await Promise.all([cached(), cached(), cached()])).to.deep.equal([1, 1, 1]);
    expect(await cached()).to.equal(1);
    const old = createCachedRead(read, 0);
    expect([await old(), await old()]).to.deep.equal([2, 3]);
  });

  it('reads again after a failed read', async () => {
    let isAway = true;
    const cached = createCachedRead(async () => (isAway ? Promise.reject(new Error('away')) : 'here'), 60_000);
    expect(await cached().catch((error: Error) => error.message)).to.equal('away');
    isAway = false;
    expect(await cached()).to.equal('here');
  });
});

describe('createCachedReads', () => {
  it('caches one value per name', async () => {
    const asked: string[] = [];
    const cached = createCachedReads(async (name) => asked.push(name), 60_000);
    await Promise.all([cached('a'), cached('b'), cached('a')]);
    expect(asked).to.deep.equal(['a', 'b']);
  });
});
