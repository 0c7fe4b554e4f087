import { expect } from 'chai';
import { describe, it } from 'mocha';
import { createSemaphore } from './semaphore.ts';

describe('createSemaphore', () => {
  it('gives its permits, and then each released permit in the order of the requests', async () => {
    const semaphore = createSemaphore(2);
    const order: string[] = [];
    const release = await semaphore.acquire(1000);
    await semaphore.acquire(1000);
    const third = semaphore.acquire(1000).then((permit) => (order.push('third'), permit));
    const fourth = semaphore.acquire(1000).then((permit) => (order.push('fourth'), permit));
    release?.();
    (await third)?.();
    await fourth;
    expect(order).to.deep.equal(['third', 'fourth']);
  });

  it('refuses after the wait, and loses no permit', async () => {
    const semaphore = createSemaphore(1);
    const release = await semaphore.acquire(1000);
    expect(await semaphore.acquire(5)).to.equal(undefined);
    release?.();
    expect(await semaphore.acquire(5)).to.be.a('function');
    expect(await semaphore.acquire(5)).to.equal(undefined);
  });

  it('returns immediately whether a permit is free', () => {
    const semaphore = createSemaphore(2);
    expect(semaphore.free).to.equal(2);
    const release = semaphore.tryAcquire();
    semaphore.tryAcquire();
    expect([semaphore.free, semaphore.tryAcquire()]).to.deep.equal([0, undefined]);
    release?.();
    expect([semaphore.free, semaphore.tryAcquire()]).to.deep.equal([1, release]);
  });
});
