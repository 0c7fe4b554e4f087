import { expect } from 'chai';
import { describe, it } from 'mocha';
import { isExactAmount, isSameMoney } from '../../index.ts';

describe('isSameMoney', () => {
  for (const [amount, currency, same] of [
    ['25.90', 'EUR', true],
    ['25.900', 'EUR', true],
    ['25.91', 'EUR', false],
    ['25.9', 'USD', false],
    ['9007199254740993', 'EUR', false],
  ] as const) {
    it(`returns ${same} for 25.9 EUR and ${amount} ${currency}`, () => {
      expect(isSameMoney({ amount: '25.9', currency: 'EUR' }, { amount, currency })).to.equal(same);
    });
  }
  it('compares amounts that a double cannot hold', () => {
    const [one, other] = ['9007199254740993', '9007199254740992'].map((amount) => ({ amount, currency: 'JPY' }));
    expect([isSameMoney(one!, one!), isSameMoney(one!, other!)]).to.deep.equal([true, false]);
  });
});

describe('isExactAmount', () => {
  for (const [amount, currency, exact] of [
    ['25.90', 'EUR', true],
    ['0.00', 'EUR', true],
    ['1500', 'JPY', true],
    ['1.250', 'KWD', true],
    ['25.9', 'EUR', false],
    ['25.901', 'EUR', false],
    ['025.90', 'EUR', false],
    ['1500.0', 'JPY', false],
    ['2.59e1', 'EUR', false],
    ['-1.00', 'EUR', false],
    ['', 'EUR', false],
    ['25.90', 'ZZZ', false],
    ['25.90', 'eur', false],
  ] as const) {
    it(`returns ${exact} for "${amount}" ${currency}`, () =>
      expect(isExactAmount({ amount, currency })).to.equal(exact));
  }
});
