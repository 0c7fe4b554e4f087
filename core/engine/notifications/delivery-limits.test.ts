import { expect } from 'chai';
import { describe, it } from 'mocha';
import { until } from '../../base/testing/until.ts';
import { concurrency, createDeliveryLimits, perOwner, type EndAttempt } from './delivery-limits.ts';

function setUp({ perReceiverConcurrency = 2, breakerFailures = 3, slowAfterMs = 60_000 } = {}) {
  let time = 1000;
  const limits = createDeliveryLimits({
    perReceiverConcurrency,
    breakerFailures,
    breakerCoolOffMs: 30_000,
    slowAfterMs,
    now: () => new Date(time),
  });
  const fail = (receiver: string, times = 1): void => {
    for (let count = 0; count < times; count += 1) limits.begin({ receiver, ownerId: 1 })?.('unreachable');
  };
  const answer = (receiver: string): void => limits.begin({ receiver, ownerId: 99 })?.('answered');
  const timeOut = (receiver: string): void =>
    limits.begin({ receiver, ownerId: 1 })?.('unreachable', { timedOut: true });
  return { limits, fail, answer, timeOut, pass: (ms: number) => (time += ms) };
}

describe('the limits of deliveries', () => {
  it('hold for one receiver, and give the room back', () => {
    const { limits, answer } = setUp();
    const target = { receiver: 'a', ownerId: 1 };
    answer('a');
    const end = limits.begin(target);
    limits.begin(target);
    expect(limits.begin(target)).to.equal(undefined);
    expect(limits.full()).to.deep.equal({ receivers: ['a'], owners: [] });
    end?.('answered');
    expect(limits.full().receivers).to.deep.equal([]);
    expect(limits.begin(target)).to.be.a('function');
  });

  it('hold for one owner and for all, and what finds no room takes none', () => {
    const { limits, answer } = setUp();
    for (let ownerId = 1; ownerId <= 3; ownerId += 1) {
      for (let count = 0; count < perOwner; count += 1) {
        answer(`${ownerId}-${count}`);
        limits.begin({ receiver: `${ownerId}-${count}`, ownerId });
      }
    }
    expect(limits.free()).to.equal(0);
    expect(limits.full().owners).to.deep.equal([1, 2]);
    expect(limits.begin({ receiver: 'new', ownerId: 9 })).to.equal(undefined);
    expect(limits.full().owners).to.deep.equal([1, 2]);
    expect(3 * perOwner).to.be.above(concurrency);
  });

  it('give a receiver one attempt at a time until it answers, and again once it timed out', () => {
    const { limits, answer, timeOut } = setUp();
    const target = { receiver: 'a', ownerId: 1 };
    const beginTwo = () => [limits.begin(target), limits.begin(target)];
    const endAll = (attempts: ReturnType<typeof beginTwo>) => attempts.forEach((end) => end?.('unknown'));
    for (const [before, standing] of [
      [() => undefined, 'new'],
      [() => timeOut('a'), 'timed out'],
    ] as const) {
      before();
      const [first, second] = beginTwo();
      expect(second, standing).to.equal(undefined);
      expect(limits.full().receivers, standing).to.deep.equal(['a']);
      endAll([first]);
      answer('a');
      const both = beginTwo();
      expect(both.filter(Boolean), standing).to.have.length(2);
      endAll(both);
    }
    const [late, quick] = beginTwo();
    quick?.('answered');
    late?.('answered', { timedOut: true });
    expect(beginTwo().filter(Boolean)).to.have.length(1);
  });

  it('follow how fast a receiver answers, and how often it fails', () => {
    const { limits, answer } = setUp({ perReceiverConcurrency: 48, breakerFailures: 100 });
    const target = { receiver: 'a', ownerId: 1 };
    answer('a');
    const fill = () => {
      const ends = [];
      for (let end = limits.begin(target); end; end = limits.begin(target)) ends.push(end);
      return ends;
    };
    const room = (...end: Parameters<EndAttempt>) => {
      const ends = fill();
      for (const one of ends) one(...end);
      return ends.length;
    };
    expect(Array.from({ length: 6 }, () => room('answered', { ms: 200 }))).to.deep.equal([8, 11, 15, 20, 27, 36]);
    fill().forEach((end, at, all) => end('answered', { ms: at === all.length - 1 ? 1500 : 200 }));
    const after = fill();
    expect(after).to.have.length(24);
    after.forEach((end, at) => (at < 2 ? end('answered', { ms: 3, isFailing: true }) : end('unknown')));
    expect(room('unreachable')).to.equal(6);
    expect(room('answered', { ms: 1 })).to.equal(1);
    expect(room('answered', { ms: 1 })).to.equal(2);
  });

  it('leave half of an owner’s places, and half of all, to receivers that answer', () => {
    const { limits, answer } = setUp();
    answer('a');
    const begin = (count: number, ownerId: number) =>
      Array.from({ length: count }, (_, at) => limits.begin({ receiver: `${ownerId}-${at}`, ownerId })).filter(Boolean);
    expect(begin(perOwner, 1)).to.have.length(perOwner / 2);
    expect(limits.room().answering).to.deep.equal({ owners: [1], receivers: ['a'] });
    expect(limits.begin({ receiver: 'a', ownerId: 1 })).to.be.a('function');
    expect(begin(perOwner, 2)).to.have.length(perOwner / 2);
    expect(begin(perOwner, 3)).to.have.length(concurrency / 2 - perOwner);
    expect(limits.room().answering).to.deep.equal({ owners: 'all', receivers: ['a'] });
    expect(limits.begin({ receiver: 'b', ownerId: 4 })).to.equal(undefined);
    expect(limits.begin({ receiver: 'a', ownerId: 4 })).to.be.a('function');
    expect(limits.free()).to.equal(concurrency / 2 - 2);
  });

  it('free the place of an attempt that waits for its receiver, which has no second one', async () => {
    const { limits } = setUp({ slowAfterMs: 1 });
    const ends = Array.from({ length: perOwner / 2 }, (_, at) => limits.begin({ receiver: `slow-${at}`, ownerId: 1 }));
    await until('all are slow', () => limits.free() === concurrency);
    expect(limits.room()).to.not.have.property('answering');
    expect(limits.begin({ receiver: 'slow-0', ownerId: 1 })).to.equal(undefined);
    const end = limits.begin({ receiver: 'b', ownerId: 1 });
    for (const one of [...ends, end]) one?.('answered');
    expect(limits.free()).to.equal(concurrency);
    expect(limits.full()).to.deep.equal({ receivers: [], owners: [] });
  });

  it('leave a bounded number of slow attempts beside them', async () => {
    const { limits } = setUp({ slowAfterMs: 1 });
    let count = 0;
    await until('the owner has all it may have', () => {
      while (limits.begin({ receiver: `slow-${count}`, ownerId: 1 })) count += 1;
      return count === 64 + perOwner / 2;
    });
    expect(limits.free()).to.equal(concurrency - perOwner / 2);
  });

  it('name those that timed out in turns, the one that was tried longest ago first', () => {
    const { limits, answer, timeOut } = setUp();
    for (const receiver of ['a', 'b', 'c', 'd']) timeOut(receiver);
    answer('d');
    expect(limits.room().receivers).to.deep.equal(['a', 'b', 'c']);
    expect(limits.nextTurns(new Set())?.only).to.deep.equal(['a', 'b', 'c']);
    timeOut('a');
    limits.begin({ receiver: 'c', ownerId: 1 });
    expect(limits.nextTurns(new Set())?.only).to.deep.equal(['b', 'a']);
    expect(limits.nextTurns(new Set(['b']))?.only).to.deep.equal(['a']);
    expect(limits.nextTurns(new Set(['a', 'b']))).to.equal(undefined);
  });

  it('spare a receiver after so many failures in a row, and then let one attempt probe', () => {
    const { limits, fail, pass } = setUp();
    fail('a', 3);
    fail('b', 2);
    expect(limits.spared()).to.deep.equal({ receivers: ['a'], forMs: 30_000 });
    expect(limits.begin({ receiver: 'a', ownerId: 1 })).to.equal(undefined);
    pass(30_000);
    expect([limits.spared().receivers, limits.full().receivers]).to.deep.equal([[], []]);
    const end = limits.begin({ receiver: 'a', ownerId: 1 });
    expect([limits.full().receivers, limits.begin({ receiver: 'a', ownerId: 1 })]).to.deep.equal([['a'], undefined]);
    end?.('answered');
    expect(limits.full().receivers).to.deep.equal([]);
  });

  it('remember a bounded number of failing receivers', () => {
    const { limits, fail } = setUp();
    fail('a', 3);
    for (let count = 0; count < 10_000; count += 1) fail(`other-${count}`);
    expect(limits.spared().receivers).to.deep.equal([]);
  });
});
