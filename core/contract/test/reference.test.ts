import { expect } from 'chai';
import { describe, it } from 'mocha';
import { namesAttempt } from '../index.ts';

describe('namesAttempt', () => {
  const known = { reference: 'GW-1-1', providerReference: 'P-1' };

  for (const [what, attempt, named, isIt] of [
    ['both names', known, known, true],
    ['our name, while the provider’s is not known', { reference: 'GW-1-1' }, known, true],
    ['another name of ours', { reference: 'GW-1-2' }, known, false],
    ['another name of the provider’s', known, { ...known, providerReference: 'P-2' }, false],
  ] as const) {
    it(`finds ${isIt ? 'this' : 'another'} attempt by ${what}`, () => {
      expect(namesAttempt(attempt, named.reference, named.providerReference)).to.equal(isIt);
    });
  }
});
