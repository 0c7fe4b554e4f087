import { expect } from 'chai';
import { describe, it } from 'mocha';
import { defined } from '../../index.ts';

describe('defined', () => {
  it('keeps the members that have a value, including null, false and zero', () => {
    const members = { a: undefined, b: null, c: false, d: 0, e: '' };
    expect(defined(members)).to.deep.equal({ b: null, c: false, d: 0, e: '' });
  });

  it('returns no members if every member is undefined', () => {
    expect(Object.keys(defined({ a: undefined }))).to.deep.equal([]);
  });
});
