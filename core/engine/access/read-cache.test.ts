import { expect } from 'chai';
import { describe, it } from 'mocha';
import { createReadCache } from './read-cache.ts';
import { createTestClock } from './testing/test-database.ts';

describe('createReadCache', () => {
  function build(read: (key: string) => Promise<string | undefined>) {
    const reads: string[] = [];
    const clock = createTestClock();
    const counted = (key: string) => {
      reads.push(key);
      return read(key);
    };
    return { clock, reads, cache: createReadCache({ read: counted, keepMs: 2000, maxEntries: 2, now: clock.now }) };
  }

  it('reads once for concurrent calls and for later calls within the time kept', async () => {
    const { cache, clock, reads } = build((key) => Promise.resolve(key));
    expect(await Promise.all([cache.get('a'), cache.get('a')])).to.deep.equal(['a', 'a']);
    clock.advance(1999);
    await cache.get('a');
    expect(reads).to.deep.equal(['a']);
    clock.advance(1);
    await cache.get('a');
    expect(reads).to.deep.equal(['a', 'a']);
  });

  it('reads again after the clock was set back', async () => {
    const { cache, clock, reads } = build((key) => Promise.resolve(key));
    await cache.get('a');
    clock.advance(-1);
    await cache.get('a');
    expect(reads).to.have.length(2);
  });

  it('keeps neither a missing value nor a failure', async () => {
    const answers = [Promise.resolve(undefined), Promise.reject(new Error('down')), Promise.resolve('there')];
    const { cache } = build(() => answers.shift() ?? Promise.resolve('called too often'));
    expect(await cache.get('a')).to.equal(undefined);
    expect(await cache.get('a').catch((error: Error) => error.message)).to.equal('down');
    expect(await cache.get('a')).to.equal('there');
    expect(await cache.get('a')).to.equal('there');
  });

  for (const old of ['old', undefined]) {
    it(`keeps a later value when a read from before "forget" ends with ${old}`, async () => {
      let finish = (_value: string | undefined) => {};
      const first = new Promise<string | undefined>((resolve) => {
        finish = resolve;
      });
      const answers = [first, Promise.resolve('new')];
      const { cache, reads } = build(() => answers.shift() ?? first);
      const early = cache.get('a');
      cache.forget('a');
      expect(await cache.get('a')).to.equal('new');
      finish(old);
      expect(await early).to.equal(old);
      expect(await cache.get('a')).to.equal('new');
      expect(reads).to.have.length(2);
    });
  }

  it('drops the value that was read first when it is full', async () => {
    const { cache, reads } = build((key) => Promise.resolve(key));
    for (const key of ['a', 'b', 'c', 'b', 'c', 'a']) await cache.get(key);
    expect(reads).to.deep.equal(['a', 'b', 'c', 'a']);
  });
});
