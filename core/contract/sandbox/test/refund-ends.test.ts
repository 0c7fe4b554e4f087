import { expect } from 'chai';
import { describe, it } from 'mocha';
import { refundEnds } from '../index.ts';

describe('refundEnds', () => {
  for (const [rule, ends] of [
    ['.58', ['failed']],
    ['.59', ['done', 'reversed']],
    ['.54', ['done']],
    [undefined, ['done']],
  ] as const) {
    it(`returns ${ends.join(', ')} for ${rule}`, () => expect(refundEnds(rule)).to.deep.equal(ends));
  }
});
