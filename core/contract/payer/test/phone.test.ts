import { expect } from 'chai';
import fc from 'fast-check';
import { describe, it } from 'mocha';
import { readPhone } from '../../index.ts';

describe('readPhone', () => {
  for (const [typed, read] of [
    ['+351 912 345 678', '+351912345678'],
    ['+971 50 123 4567', '+971501234567'],
    ['+٩٧١ ٥٠ ١٢٣ ٤٥٦٧', '+971501234567'],
    ['＋８１ ３－１２３４－５６７８', '+81312345678'],
    ['(030) 901-820.55', '03090182055'],
    ['030/90182055', '03090182055'],
    ['+1 (415) 555‑2671', '+14155552671'],
    ['+1 415 555–2671', '+14155552671'],
    ['\u202a+351912345678\u202c', '+351912345678'],
    ['+44 (0)20 7946 0018', '+442079460018'],
    ['+49(0)30 90182055', '+493090182055'],
    ['(0)30 90182055', '03090182055'],
    ['+351912345678', '+351912345678'],
  ] as const) {
    it(`reads ${JSON.stringify(typed)} as ${read}`, () => {
      expect(readPhone(typed)).to.equal(read);
    });
  }

  it('keeps every digit of a number, whatever separates them', () => {
    const separators = fc.constantFrom('', ' ', '-', '.', '/', ' - ', '\u00a0', '\u2011', ')', '(');
    const pieces = fc.array(fc.tuple(fc.stringMatching(/^[1-9]{1,4}$/), separators), { minLength: 1, maxLength: 6 });
    fc.assert(
      fc.property(pieces, (given) => {
        const digits = given.map(([digit]) => digit).join('');
        expect(readPhone(`+${given.flat().join('')}`)).to.equal(`+${digits}`);
      }),
    );
  });

  it('leaves letters in place, so that they are refused', () => {
    expect(readPhone('call 912 345 678')).to.equal('call912345678');
  });
});
