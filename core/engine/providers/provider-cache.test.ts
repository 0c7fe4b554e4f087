import { httpFailure, type Remembered } from '@paywright/contract';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { createProviderCaches, type ProviderCacheOptions } from './provider-cache.ts';

function createSubject(options: Partial<ProviderCacheOptions> = {}) {
  const clock = { time: new Date('2026-11-21T09:00:00Z').getTime() };
  const caches = createProviderCaches({ now: () => new Date(clock.time), ...options });
  const cache = caches.forCalls;
  const loaded: string[] = [];
  const remember = async (key: string, seconds = 1000): Promise<string> =>
    cache.remember(key, async () => {
      loaded.push(key);
      return { value: `${key} ${loaded.length}`, until: new Date(clock.time + seconds * 1000) };
    });
  return { caches, cache, clock, loaded, remember };
}
const message = async (promise: Promise<unknown>): Promise<string> =>
  promise.then(
    () => 'none',
    (error: Error) => error.message,
  );

describe('createProviderCaches', () => {
  it('loads once and keeps the value until it expires', async () => {
    const { clock, remember } = createSubject();
    expect(await remember('a', 10)).to.equal('a 1');
    clock.time += 9_999;
    expect(await remember('a')).to.equal('a 1');
    clock.time += 1;
    expect(await remember('a')).to.equal('a 2');
  });

  it('runs one load at a time per key', async () => {
    const { loaded, remember } = createSubject();
    const [first, second, other] = await Promise.all([remember('a'), remember('a'), remember('b')]);
    expect([first, second, other]).to.deep.equal(['a 1', 'a 1', 'b 2']);
    expect(loaded).to.deep.equal(['a', 'b']);
  });

  it('keeps no failed load', async () => {
    const { cache, remember } = createSubject();
    const fail = async (): Promise<Remembered<string>> => Promise.reject(new Error('no key today'));
    const both = [cache.remember('a', fail), cache.remember('a', fail)];
    expect(await Promise.all(both.map(message))).to.deep.equal(['no key today', 'no key today']);
    expect(await remember('a')).to.equal('a 1');
  });

  it('allows loads for our own calls after callbacks used up their budget, and keeps the value for both', async () => {
    const { caches } = createSubject({ loadsPerMinute: 2 });
    const load = async (): Promise<Remembered<string>> => ({ value: 'key', until: new Date(8e15) });
    for (const unknown of ['x', 'y']) await caches.forVerification.remember(unknown, load);
    expect(await message(caches.forVerification.remember('a', load))).to.equal('more than 2 loads in a minute');
    expect(await caches.forCalls.remember('a', load)).to.equal('key');
    expect(await caches.forVerification.remember('a', load)).to.equal('key');
  });

  it('refuses more loads than the limit per minute, including failed loads', async () => {
    const { cache, clock, remember } = createSubject({ loadsPerMinute: 3 });
    await remember('a');
    await message(cache.remember('x', async () => Promise.reject(new Error('no'))));
    clock.time += 30_000;
    await remember('b');
    expect(await message(remember('c'))).to.equal('more than 3 loads in a minute');
    expect(await remember('a')).to.equal('a 1');
    clock.time += 30_000;
    expect(await remember('c')).to.equal('c 3');
    expect(await message(remember('d'))).to.equal('none');
    expect(await message(remember('e'))).to.equal('more than 3 loads in a minute');
  });

  it('loads a forgotten value again, once for all who found the same value wrong', async () => {
    const { cache, loaded, remember } = createSubject();
    const wrong = await remember('a');
    const replace = async (): Promise<string> => {
      cache.forget('a', wrong);
      return remember('a');
    };
    const replaced = await Promise.all(Array.from({ length: 50 }, replace));
    expect(new Set(replaced)).to.deep.equal(new Set(['a 2']));
    // A late caller still holds the wrong value. The new one stays.
    expect(await replace()).to.equal('a 2');
    cache.forget('unknown');
    cache.forget('a');
    expect(await remember('a')).to.equal('a 3');
    expect(loaded).to.have.length(3);
  });

  it('does not interrupt a load by forgetting', async () => {
    const { cache, loaded, remember } = createSubject();
    const loading = remember('a');
    cache.forget('a');
    expect(await Promise.all([loading, remember('a')])).to.deep.equal(['a 1', 'a 1']);
    expect(await remember('a')).to.equal('a 1');
    expect(loaded).to.deep.equal(['a']);
  });

  it('counts forgetting as a load, and keeps the value once the loads of the minute are used up', async () => {
    const { cache, clock, loaded, remember } = createSubject({ loadsPerMinute: 3 });
    await remember('a');
    for (const expected of ['a 2', 'a 3', 'a 3', 'a 3']) {
      cache.forget('a');
      expect(await remember('a')).to.equal(expected);
    }
    clock.time += 60_000;
    cache.forget('a');
    cache.forget('a');
    expect(await remember('a')).to.equal('a 4');
    expect(loaded).to.have.length(4);
  });

  it('lets forged callbacks that make us forget a value use up no load of our own calls', async () => {
    const { caches, remember } = createSubject({ loadsPerMinute: 2 });
    await remember('a');
    for (let forged = 0; forged < 20; forged += 1) {
      caches.forVerification.forget('a');
      await remember('a');
    }
    // Two callbacks forgot it, and one load of our own calls is left.
    expect(await remember('a')).to.equal('a 3');
    expect(await remember('b')).to.equal('b 4');
    expect(await message(remember('c'))).to.equal('more than 2 loads in a minute');
  });

  it('refuses a load as a request that was certainly not sent', async () => {
    const { cache, remember } = createSubject({ loadsPerMinute: 1 });
    await remember('a');
    const refused: unknown = await remember('b').catch((error: unknown) => error);
    expect(httpFailure(refused)).to.equal('not_sent');
    expect(await cache.remember('a', async () => Promise.reject(new Error('not needed')))).to.equal('a 1');
  });

  it('drops the least recently used entry beyond its size', async () => {
    const { loaded, remember } = createSubject({ maxEntries: 2 });
    for (const key of ['a', 'b', 'a', 'c', 'a', 'b']) await remember(key);
    expect(loaded).to.deep.equal(['a', 'b', 'c', 'b']);
  });

  it('stops waiting for a load that never ends, so that the next load can start', async () => {
    const { cache, remember } = createSubject({ loadTimeoutMs: 10 });
    expect(await message(cache.remember('a', async () => new Promise(() => undefined)))).to.contain(
      'longer than 10 ms',
    );
    expect(await remember('a')).to.equal('a 1');
  });

  it('fails for a loader that returns an invalid value', async () => {
    const { cache, remember } = createSubject();
    const invalid = async () => undefined as unknown as Remembered<string>;
    expect(await message(cache.remember('a', invalid))).to.contain('undefined');
    expect(await remember('a')).to.equal('a 1');
  });
});
