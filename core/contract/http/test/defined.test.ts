import { expect } from 'chai';
import { describe, it } from 'mocha';
import { defined } from '../../index.ts';

describe('defined members', () => {
  it('are those that have a value, null, false and zero too', () => {
    const members = { a: undefined, b: null, c: false, d: 0, e: '' };
    expect(defined(members)).to.deep.equal({ b: null, c: false, d: 0, e: '' });
  });

  it('are none where every member is undefined', () => {
    expect(Object.keys(defined({ a: undefined }))).to.deep.equal([]);
  });
});
