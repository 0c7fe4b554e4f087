import { expect } from 'chai';
import { describe, it } from 'mocha';
import { concurrency, createDeliveryLimits, perOwner } from './delivery-limits.ts';

function setUp({ perReceiverConcurrency = 2, breakerFailures = 3 } = {}) {
  let time = 1000;
  const limits = createDeliveryLimits({
    perReceiverConcurrency,
    breakerFailures,
    breakerCoolOffMs: 30_000,
    now: () => new Date(time),
  });
  const fail = (receiver: string, times = 1): void => {
    for (let count = 0; count < times; count += 1) limits.begin({ receiver, ownerId: 1 })?.('unreachable');
  };
  return { limits, fail, pass: (ms: number) => (time += ms) };
}

describe('the limits of deliveries', () => {
  it('hold for one receiver, and give the room back', () => {
    const { limits } = setUp();
    const target = { receiver: 'a', ownerId: 1 };
    const end = limits.begin(target);
    limits.begin(target);
    expect(limits.begin(target)).to.equal(undefined);
    expect(limits.full()).to.deep.equal({ receivers: ['a'], owners: [] });
    end?.('answered');
    expect(limits.full().receivers).to.deep.equal([]);
    expect(limits.begin(target)).to.be.a('function');
  });

  it('hold for one owner and for all, and what finds no room takes none', () => {
    const { limits } = setUp();
    for (let ownerId = 1; ownerId <= 3; ownerId += 1)
      for (let count = 0; count < perOwner; count += 1) limits.begin({ receiver: `${ownerId}-${count}`, ownerId });
    expect(limits.free()).to.equal(0);
    expect(limits.full().owners).to.deep.equal([1, 2]);
    expect(limits.begin({ receiver: 'new', ownerId: 9 })).to.equal(undefined);
    expect(limits.full().owners).to.deep.equal([1, 2]);
    expect(3 * perOwner).to.be.above(concurrency);
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
