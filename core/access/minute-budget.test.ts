import { expect } from 'chai';
import { describe, it } from 'mocha';
import { createAddressBudget, createMinuteBudget } from './minute-budget.ts';

describe('a budget of a minute', () => {
  it('lets so many through by name, and begins anew with the minute', () => {
    let at = new Date('2026-01-01T00:00:20Z');
    const budget = createMinuteBudget(2, 'wrong keys of an address', () => at);
    expect([budget.take('a'), budget.take('a'), budget.take('a'), budget.take('b')]).to.deep.equal([
      true,
      true,
      false,
      true,
    ]);
    expect(() => budget.demand('a'))
      .to.throw('wrong keys of an address: at most 2 a minute; try again in 40 s')
      .with.deep.property('details', { limit: 2, window: '1m', retryAfter: 40 });
    at = new Date('2026-01-01T00:01:00Z');
    expect(budget.take('a')).to.equal(true);
  });

  it('counts what comes beyond 50,000 names together', () => {
    const budget = createMinuteBudget(1, 'x', () => new Date(0));
    for (let n = 0; n < 50_000; n += 1) budget.take(`${n}`);
    expect([budget.take('new'), budget.take('newer')]).to.deep.equal([true, false]);
  });

  it('counts a network of IPv6 as one address', () => {
    const budget = createAddressBudget(1, 'x', () => new Date(0));
    const given = ['192.0.2.1', '::ffff:192.0.2.1', '192.0.2.2', '2001:db8::1', '2001:db8::2', '2001:db8:0:1::1'];
    expect(given.map((address) => budget.take(address))).to.deep.equal([true, false, true, true, false, true]);
    expect(() => budget.demand('2001:db8::3')).to.throw('x: at most 1 a minute');
  });
});
