import { expect } from 'chai';
import { describe, it } from 'mocha';
import { groupBy } from './group-by.ts';

describe('groupBy', () => {
  it('keeps the order of keys and items', () => {
    const groups = groupBy(['b1', 'a1', 'b2', 'b3'], ([first]) => first);
    expect([...groups]).to.deep.equal([
      ['b', ['b1', 'b2', 'b3']],
      ['a', ['a1']],
    ]);
  });

  it('takes ten times as long for ten times as many items of one key, not a hundred times', () => {
    const fastest = (count: number): number => {
      const items = Array.from({ length: count }, (_, at) => at);
      const times = Array.from({ length: 5 }, () => {
        const startedAt = performance.now();
        expect(groupBy(items, () => 'one').get('one')).to.have.length(count);
        return performance.now() - startedAt;
      });
      return Math.min(...times);
    };
    fastest(20_000);
    expect(fastest(200_000)).to.be.below(50 * fastest(20_000));
  });
});
