import { expect } from 'chai';
import { describe, it } from 'mocha';
import { matchOwners } from './match-owners.ts';

const owners = ['Book shop', 'Bookworm', 'book', 'Café Luz'].map((name) => ({ name }));

describe('matchOwners', () => {
  for (const [text, names] of [
    ['book', ['book']],
    ['Book Shop', ['Book shop']],
    ['boo', ['Book shop', 'Bookworm', 'book']],
    ['cafe', ['Café Luz']],
    ['hotel', []],
    ['', []],
  ] as const) {
    it(`finds ${names.length} for "${text}"`, () =>
      expect(matchOwners(owners, text).map(({ name }) => name)).to.deep.equal(names));
  }
});
