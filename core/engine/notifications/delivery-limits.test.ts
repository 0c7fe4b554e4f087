import { expect } from 'chai';
import { describe, it } from 'mocha';
import { until } from '../../base/testing/until.ts';
import { concurrency, createDeliveryLimits, perOwner, unprovenPerHost, type EndAttempt } from './delivery-limits.ts';

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

describe('createDeliveryLimits', () => {
  it('limits the attempts to one receiver, and frees their permits', () => {
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

  it('limits the attempts per owner and in all, and takes no permit for an attempt that cannot start', () => {
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

  it('allows a receiver one attempt at a time until it answers, and again after a timeout', () => {
    const { limits, answer, timeOut } = setUp();
    const target = { receiver: 'a', ownerId: 1 };
    const beginTwo = () => [limits.begin(target), limits.begin(target)];
    const endAll = (attempts: ReturnType<typeof beginTwo>) => attempts.forEach((end) => end?.('unknown'));
    for (const [before, health] of [
      [() => undefined, 'new'],
      [() => timeOut('a'), 'timed out'],
    ] as const) {
      before();
      const [first, second] = beginTwo();
      expect(second, health).to.equal(undefined);
      expect(limits.full().receivers, health).to.deep.equal(['a']);
      endAll([first]);
      answer('a');
      const both = beginTwo();
      expect(both.filter(Boolean), health).to.have.length(2);
      endAll(both);
    }
    const [late, quick] = beginTwo();
    quick?.('answered');
    late?.('answered', { timedOut: true });
    expect(beginTwo().filter(Boolean)).to.have.length(1);
  });

  it('follows how fast a receiver answers, and how often it fails', () => {
    const { limits, answer } = setUp({ perReceiverConcurrency: 48, breakerFailures: 100 });
    const target = { receiver: 'a', ownerId: 1 };
    answer('a');
    const fill = () => {
      const ends = [];
      for (let end = limits.begin(target); end; end = limits.begin(target)) ends.push(end);
      return ends;
    };
    const fillAndEnd = (...end: Parameters<EndAttempt>) => {
      const ends = fill();
      for (const one of ends) one(...end);
      return ends.length;
    };
    expect(Array.from({ length: 6 }, () => fillAndEnd('answered', { ms: 200 }))).to.deep.equal([8, 11, 15, 20, 27, 36]);
    fill().forEach((end, at, all) => end('answered', { ms: at === all.length - 1 ? 1500 : 200 }));
    const after = fill();
    expect(after).to.have.length(24);
    after.forEach((end, at) => (at < 2 ? end('answered', { ms: 3, isFailing: true }) : end('unknown')));
    expect(fillAndEnd('unreachable')).to.equal(6);
    expect(fillAndEnd('answered', { ms: 1 })).to.equal(1);
    expect(fillAndEnd('answered', { ms: 1 })).to.equal(2);
  });

  it('reserves half of an owner’s permits, and half of all, for healthy receivers', () => {
    const { limits, answer } = setUp();
    answer('a');
    const begin = (count: number, ownerId: number) =>
      Array.from({ length: count }, (_, at) => limits.begin({ receiver: `${ownerId}-${at}`, ownerId })).filter(Boolean);
    expect(begin(perOwner, 1)).to.have.length(perOwner / 2);
    expect(limits.capacity().healthyOnly).to.deep.equal({ owners: [1], receivers: ['a'] });
    expect(limits.begin({ receiver: 'a', ownerId: 1 })).to.be.a('function');
    expect(begin(perOwner, 2)).to.have.length(perOwner / 2);
    expect(begin(perOwner, 3)).to.have.length(concurrency / 2 - perOwner);
    expect(limits.capacity().healthyOnly).to.deep.equal({ owners: 'all', receivers: ['a'] });
    expect(limits.begin({ receiver: 'b', ownerId: 4 })).to.equal(undefined);
    expect(limits.begin({ receiver: 'a', ownerId: 4 })).to.be.a('function');
    expect(limits.free()).to.equal(concurrency / 2 - 2);
  });

  it('frees the permit of a slow attempt, but allows its receiver no second attempt', async () => {
    const { limits } = setUp({ slowAfterMs: 1 });
    const ends = Array.from({ length: perOwner / 2 }, (_, at) => limits.begin({ receiver: `slow-${at}`, ownerId: 1 }));
    await until('all attempts are slow', () => limits.free() === concurrency);
    expect(limits.capacity()).to.not.have.property('healthyOnly');
    expect(limits.begin({ receiver: 'slow-0', ownerId: 1 })).to.equal(undefined);
    const end = limits.begin({ receiver: 'b', ownerId: 1 });
    for (const one of [...ends, end]) one?.('answered');
    expect(limits.free()).to.equal(concurrency);
    expect(limits.full()).to.deep.equal({ receivers: [], owners: [] });
  });

  it('limits the number of slow attempts', async () => {
    const { limits } = setUp({ slowAfterMs: 1 });
    let count = 0;
    await until('the owner uses all its permits', () => {
      while (limits.begin({ receiver: `slow-${count}`, ownerId: 1 })) count += 1;
      return count === 64 + perOwner / 2;
    });
    expect(limits.free()).to.equal(concurrency - perOwner / 2);
  });

  it('selects receivers that timed out for probes, the one with the oldest attempt first', () => {
    const { limits, answer, timeOut } = setUp();
    for (const receiver of ['a', 'b', 'c', 'd']) timeOut(receiver);
    answer('d');
    expect(limits.capacity().receivers).to.deep.equal(['a', 'b', 'c']);
    expect(limits.nextProbes(new Set())?.only).to.deep.equal(['a', 'b', 'c']);
    timeOut('a');
    limits.begin({ receiver: 'c', ownerId: 1 });
    expect(limits.nextProbes(new Set())?.only).to.deep.equal(['b', 'a']);
    expect(limits.nextProbes(new Set(['b']))?.only).to.deep.equal(['a']);
    expect(limits.nextProbes(new Set(['a', 'b']))).to.equal(undefined);
  });

  it('pauses a receiver after several failures in a row, and then allows one attempt to probe it', () => {
    const { limits, fail, pass } = setUp();
    fail('a', 3);
    fail('b', 2);
    expect(limits.paused()).to.deep.equal({ receivers: ['a'], forMs: 30_000 });
    expect(limits.begin({ receiver: 'a', ownerId: 1 })).to.equal(undefined);
    pass(30_000);
    expect([limits.paused().receivers, limits.full().receivers]).to.deep.equal([[], []]);
    const end = limits.begin({ receiver: 'a', ownerId: 1 });
    expect([limits.full().receivers, limits.begin({ receiver: 'a', ownerId: 1 })]).to.deep.equal([['a'], undefined]);
    end?.('answered');
    expect(limits.full().receivers).to.deep.equal([]);
  });

  it('keeps the state of one owner at a host apart from the state of another owner', () => {
    const { limits, fail } = setUp();
    limits.begin({ receiver: '1 shop.test', ownerId: 1 });
    const end = limits.begin({ receiver: '2 shop.test', ownerId: 2 });
    expect(limits.full().receivers).to.deep.equal(['1 shop.test', '2 shop.test']);
    end?.('answered');
    expect(limits.full().receivers).to.deep.equal(['1 shop.test']);
    fail('3 shop.test', 3);
    expect(limits.paused().receivers).to.deep.equal(['3 shop.test']);
    expect(limits.begin({ receiver: '2 shop.test', ownerId: 2 })).to.be.a('function');
  });

  it('keeps half of the permits of a host for owners that use none', () => {
    const { limits } = setUp({ perReceiverConcurrency: 4 });
    const to = (ownerId: number) => ({ receiver: `${ownerId} shop.test`, ownerId });
    for (let ownerId = 1; ownerId <= 9; ownerId += 1) limits.begin(to(ownerId))?.('answered');
    const begun = (ownerId: number) =>
      Array.from({ length: 10 }, () => limits.begin(to(ownerId))).filter(Boolean).length;
    expect([1, 2, 3, 4, 5, 6].map(begun)).to.deep.equal([4, 1, 1, 1, 1, 0]);
    expect(limits.full().receivers).to.have.members([1, 2, 3, 4, 5, 6, 7, 8, 9].map((id) => to(id).receiver));
    expect(limits.begin({ receiver: '1 other.test', ownerId: 1 })).to.be.a('function');
  });

  it('leaves half of the unproven share to other hosts, however many owners have receivers at one that hangs', () => {
    const { limits } = setUp({ perReceiverConcurrency: 48 });
    const ends = Array.from({ length: unprovenPerHost + 1 }, (_, at) =>
      limits.begin({ receiver: `${at} shop.test`, ownerId: at }),
    );
    expect(ends.filter(Boolean)).to.have.length(unprovenPerHost);
    // Queries exclude only what is known, so a receiver that was refused is remembered.
    expect(limits.full().receivers).to.include(`${unprovenPerHost} shop.test`);
    expect(limits.begin({ receiver: '1 other.test', ownerId: 1 })).to.be.a('function');
    ends[0]?.('unknown');
    expect(limits.full().receivers).to.not.include(`${unprovenPerHost} shop.test`);
    expect(limits.begin({ receiver: `${unprovenPerHost} shop.test`, ownerId: unprovenPerHost })).to.be.a('function');
  });

  it('remembers a limited number of failing receivers', () => {
    const { limits, fail } = setUp();
    fail('a', 3);
    for (let count = 0; count < 10_000; count += 1) fail(`other-${count}`);
    expect(limits.paused().receivers).to.deep.equal([]);
  });
});
