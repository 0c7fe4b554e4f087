import { expect } from 'chai';
import fc from 'fast-check';
import { describe, it } from 'mocha';
import { cardBrandOf, cardBrands, passesLuhn, readCardNumber } from '../../index.ts';

describe('readCardNumber', () => {
  it('drops what separates the groups, and reads any digits', () => {
    for (const text of [
      '4111 1111 1111 1111',
      '4111-1111-1111-1111',
      '٤١١١ ١١١١ ١١١١ ١١١١',
      '４１１１１１１１１１１１１１１１',
    ])
      expect(readCardNumber(text)).to.equal('4111111111111111');
    expect(readCardNumber('4111x1111')).to.equal('4111x1111');
  });
});

describe('passesLuhn', () => {
  it('accepts exactly one check digit for each number', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^\d{1,18}$/), (digits) => {
        const checked = Array.from({ length: 10 }, (_, check) => `${digits}${check}`).filter(passesLuhn);
        expect(checked).to.have.lengthOf(1);
      }),
    );
    expect(['', '4111x', '8171999900000000021', '4111111111111111'].map(passesLuhn)).to.deep.equal([
      false,
      false,
      true,
      true,
    ]);
  });
});

describe('cardBrandOf', () => {
  it('names the scheme by the first digits', () => {
    for (const [digits, name] of [
      ['817199', 'UnionPay'],
      ['620000', 'UnionPay'],
      ['820000', 'RuPay'],
      ['606282', 'Hipercard'],
      ['607482', 'RuPay'],
      ['601111', 'Discover'],
      ['378282', 'American Express'],
      ['999999', undefined],
    ] as const)
      expect(cardBrandOf(digits)?.name, digits).to.equal(name);
  });

  it('groups up to 19 digits in every brand that has them', () => {
    for (const { name, groups } of cardBrands) {
      const length = groups.reduce((sum, size) => sum + size, 0);
      expect(length, name).to.equal(name === 'American Express' ? 15 : 19);
    }
  });
});
