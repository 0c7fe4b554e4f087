import { BigNumber } from '@medusajs/framework/utils';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { isLess, toAmount } from '../amounts.ts';

describe('toAmount', () => {
  for (const [amount, currency, expected] of [
    [25.9, 'EUR', '25.90'],
    [0.1 + 0.2, 'EUR', '0.30'],
    [1.005, 'EUR', '1.01'],
    ['24.5877', 'EUR', '24.59'],
    ['8.635', 'EUR', '8.64'],
    [2000, 'JPY', '2000'],
    ['1999.5', 'JPY', '2000'],
    ['1.2345', 'KWD', '1.235'],
    ['1234567890123.45', 'EUR', '1234567890123.45'],
    ['0.00000001', 'EUR', '0.00'],
    [1e21, 'JPY', '1000000000000000000000'],
    [{ value: '33.333333333333333', precision: 20 }, 'EUR', '33.33'],
    [new BigNumber('19.99'), 'EUR', '19.99'],
  ] as const) {
    it(`gives ${JSON.stringify(amount)} the digits of ${currency}`, () => {
      expect(toAmount(amount as Parameters<typeof toAmount>[0], currency)).to.equal(expected);
    });
  }

  it('refuses what is not an amount', () => {
    for (const wrong of ['', 'ten', '-1', Number.NaN])
      expect(() => toAmount(wrong, 'EUR'), `${wrong}`).to.throw('not a number');
    expect(() => toAmount(1, 'EURO')).to.throw('"EURO" is not the code of a currency.');
  });
});

describe('isLess', () => {
  it('compares decimals by their value', () => {
    expect(['9.5', '9.50', '10'].map((one) => isLess(one, '9.50'))).to.deep.equal([false, false, false]);
    expect(isLess('9.50', '10')).to.equal(true);
  });
});
