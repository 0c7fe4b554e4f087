import { expect } from 'chai';
import { describe, it } from 'mocha';
import { expectRefusal } from './testing/expect-refusal.ts';
import { createAddressBudget, createMinuteBudget, createMinuteCounts, type MinuteBudget } from './minute-budget.ts';

const taken = async (budget: MinuteBudget, names: readonly string[]): Promise<boolean[]> => {
  const each: boolean[] = [];
  for (const name of names) each.push(await budget.take(name));
  return each;
};

describe('createMinuteBudget', () => {
  it('allows its limit per name, and starts again with each minute', async () => {
    let at = new Date('2026-01-01T00:00:20Z');
    const budget = createMinuteBudget(2, 'wrong keys of an address', { now: () => at });
    expect(await taken(budget, ['a', 'a', 'a', 'b'])).to.deep.equal([true, true, false, true]);
    const refusal = await expectRefusal('RATE_LIMIT_EXCEEDED', async () => budget.demand('a'));
    expect(refusal.message).to.equal('wrong keys of an address: at most 2 a minute; try again in 40 s');
    expect(refusal.details).to.deep.equal({ limit: 2, window: '1m', retryAfter: 40 });
    at = new Date('2026-01-01T00:01:00Z');
    expect(await budget.take('a')).to.equal(true);
  });

  it('counts all names beyond 50,000 together', () => {
    const count = createMinuteCounts(() => new Date(0));
    for (let n = 0; n < 50_000; n += 1) count('x', 1, `${n}`);
    expect([count('x', 1, 'new'), count('x', 1, 'newer')]).to.deep.equal([true, false]);
  });

  it('counts a network of IPv6 as one address', async () => {
    const budget = createAddressBudget(1, 'x', { now: () => new Date(0) });
    const given = ['192.0.2.1', '::ffff:192.0.2.1', '192.0.2.2', '2001:db8::1', '2001:db8::2', '2001:db8:0:1::1'];
    expect(await taken(budget, given)).to.deep.equal([true, false, true, true, false, true]);
    const refusal = await expectRefusal('RATE_LIMIT_EXCEEDED', async () => budget.demand('2001:db8::3'));
    expect(refusal.message).to.include('x: at most 1 a minute');
  });

  it('is shared by processes that count together, and separate from budgets of another name', async () => {
    const now = (): Date => new Date(0);
    const countOne = createMinuteCounts(now);
    const [here, there] = [0, 1].map(() => createMinuteBudget(2, 'x', { now, countOne }));
    const other = createMinuteBudget(2, 'y', { now, countOne });
    expect(await taken(here!, ['a'])).to.deep.equal([true]);
    expect(await taken(there!, ['a', 'a'])).to.deep.equal([true, false]);
    expect(await taken(other, ['a', 'a', 'a'])).to.deep.equal([true, true, false]);
  });
});
