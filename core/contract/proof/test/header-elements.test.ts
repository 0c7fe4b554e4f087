import { expect } from 'chai';
import { describe, it } from 'mocha';
import { elementsNamed } from '../../index.ts';

describe('elementsNamed', () => {
  const header = 't=1785801600, v1=5257a8 ,v0=dead\t,v1=b=c,v1=,T=2,v10=no';

  for (const [name, expected] of [
    ['t', ['1785801600']],
    ['v1', ['5257a8', 'b=c', '']],
    ['v0', ['dead']],
    ['v2', []],
  ] as const) {
    it(`returns ${JSON.stringify(expected)} for ${name}`, () => {
      expect(elementsNamed(header, name)).to.deep.equal(expected);
    });
  }
});
