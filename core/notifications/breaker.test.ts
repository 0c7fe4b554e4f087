import { expect } from 'chai';
import { describe, it } from 'mocha';
import { createBreaker } from './breaker.ts';

function setUp() {
  let time = 1000;
  const breaker = createBreaker({ failures: 20, coolOffMs: 30_000, now: () => new Date(time) });
  return {
    breaker,
    pass: (ms: number) => (time += ms),
    fail: (times: number) => {
      for (let count = 0; count < times; count += 1) breaker.note('a', false);
    },
  };
}

describe('breaker', () => {
  it('opens after 20 failures in a row, and not before', () => {
    const { breaker, fail } = setUp();
    fail(19);
    expect(breaker.openForMs('a')).to.equal(0);
    fail(1);
    expect(breaker.openForMs('a')).to.equal(30_000);
    expect(breaker.openForMs('b')).to.equal(0);
  });

  it('counts anew after an answer', () => {
    const { breaker, fail } = setUp();
    fail(19);
    breaker.note('a', true);
    fail(19);
    expect(breaker.openForMs('a')).to.equal(0);
  });

  it('lets one probe through after cooling off; its result decides', () => {
    const { breaker, fail, pass } = setUp();
    expect(breaker.isProbing('a')).to.equal(false);
    fail(20);
    expect(breaker.isProbing('a')).to.equal(false);
    pass(30_000);
    expect([breaker.openForMs('a'), breaker.isProbing('a')]).to.deep.equal([0, true]);
    fail(1);
    expect([breaker.openForMs('a'), breaker.isProbing('a')]).to.deep.equal([30_000, false]);
    pass(30_000);
    breaker.note('a', true);
    expect([breaker.openForMs('a'), breaker.isProbing('a')]).to.deep.equal([0, false]);
  });

  it('remembers a bounded number of receivers', () => {
    const { breaker, fail } = setUp();
    fail(20);
    for (let count = 0; count < 10_000; count += 1) breaker.note(`other-${count}`, false);
    expect(breaker.openForMs('a')).to.equal(0);
  });
});
