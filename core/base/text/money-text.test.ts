import { expect } from 'chai';
import { describe, it } from 'mocha';
import { amountText, moneyText } from './money-text.ts';

describe('moneyText', () => {
  for (const [amount, currency, text] of [
    ['25.9', 'EUR', '25.90 EUR'],
    ['25', 'EUR', '25.00 EUR'],
    ['500', 'JPY', '500 JPY'],
    ['1.5', 'KWD', '1.500 KWD'],
    ['0.01', 'BTC', '0.01000000 BTC'],
    ['0.12345678901234567', 'EUR', '0.12345678901234567 EUR'],
    ['90071992547409930.1', 'EUR', '90071992547409930.10 EUR'],
    ['-12', 'EUR', '-12.00 EUR'],
    ['much', 'EUR', 'much EUR'],
    ['25.9', '', '25.90'],
  ] as const)
    it(`formats ${amount} in ${currency || 'no currency'} as ${text}`, () => {
      expect(moneyText(amount, currency)).to.equal(text);
      expect(amountText(amount, currency)).to.equal(text.split(' ')[0]);
    });
});
