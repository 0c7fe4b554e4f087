import { expect } from 'chai';
import fc from 'fast-check';
import { describe, it } from 'mocha';
import {
  addDecimals,
  compareDecimals,
  currencyCodes,
  decimalsOf,
  fitsCurrency,
  readMoney,
  formatAmount,
  formatMoney,
  fromMinor,
  isAboveZero,
  isCurrency,
  isCryptocurrency,
  hasDecimals,
  isDecimal,
  divideDecimals,
  moneyFromMinor,
  multiplyDecimals,
  readDecimal,
  shiftDecimal,
  subtractDecimals,
  toMinor,
  trimDecimal,
} from '../../index.ts';

const digits = fc.bigInt({ min: 0n, max: 10n ** 30n }).map(String);
const currency = fc.constantFrom(...currencyCodes);
const places = fc.integer({ min: 0, max: 18 });
/** A plain decimal, built as `digits` × 10^-`places`. */
const decimal = fc.tuple(digits, places).map(([value, at]) => shiftDecimal(value, at, 'CLF'));

describe('money', () => {
  it('reads decimal text that the currency can express, and nothing else', () => {
    expect(readMoney('25.9', 'EUR')).to.deep.equal({ amount: '25.90', currency: 'EUR' });
    expect(readMoney('2590', 'JPY')).to.deep.equal({ amount: '2590', currency: 'JPY' });
    expect(readMoney('25.900', 'XYZ'), 'no ISO code').to.deep.equal({ amount: '25.900', currency: 'XYZ' });
    const wrong = [
      ['25.900', 'EUR'],
      ['25.0', 'JPY'],
      ['-1', 'EUR'],
      ['1e2', 'EUR'],
      ['1,00', 'EUR'],
      ['', 'EUR'],
      ['1', 'eur'],
      [undefined, 'EUR'],
      ['1', undefined],
    ] as const;
    for (const [amount, currency] of wrong)
      expect(readMoney(amount, currency), `${amount} ${currency}`).to.equal(undefined);
  });

  it('writes minor units with exactly the decimals of the currency', () => {
    const cases = [
      ['2590', 'EUR', '25.90'],
      ['2590', 'JPY', '2590'],
      ['25900', 'KWD', '25.900'],
      ['0', 'EUR', '0.00'],
      ['7', 'KWD', '0.007'],
      ['9007199254740993', 'EUR', '90071992547409.93'],
      ['2590', 'XYZ', '25.90'],
    ] as const;
    for (const [minor, code, major] of cases) expect(fromMinor(minor, code)).to.equal(major);
  });

  it('reads its own spelling back into the same minor units', () => {
    fc.assert(
      fc.property(digits, currency, (minor, code) => {
        expect(toMinor({ amount: fromMinor(minor, code), currency: code })).to.equal(minor);
      }),
    );
  });

  it('gives minor units however many trailing zeros the amount has', () => {
    for (const amount of ['25.9', '25.90', '25.900', '0025.90']) {
      expect(toMinor({ amount, currency: 'EUR' })).to.equal('2590');
    }
    expect(toMinor({ amount: '2590.000', currency: 'JPY' })).to.equal('2590');
    expect(toMinor({ amount: '0', currency: 'EUR' })).to.equal('0');
  });

  it('refuses minor units of an amount that the currency cannot express', () => {
    expect(() => toMinor({ amount: '25.905', currency: 'EUR' })).to.throw(RangeError, '2 decimals');
    expect(() => toMinor({ amount: '0.5', currency: 'JPY' })).to.throw(RangeError, '0 decimals');
    expect(fitsCurrency({ amount: '25.905', currency: 'KWD' })).to.equal(true);
    expect(fitsCurrency({ amount: '25.9050', currency: 'EUR' })).to.equal(false);
  });

  it('makes money from minor units, and from an amount in any spelling', () => {
    expect(moneyFromMinor('2590', 'EUR')).to.deep.equal({ amount: '25.90', currency: 'EUR' });
    expect(moneyFromMinor('2590', 'JPY')).to.deep.equal({ amount: '2590', currency: 'JPY' });
    expect(formatMoney('025.9', 'EUR')).to.deep.equal({ amount: '25.90', currency: 'EUR' });
    expect(() => formatMoney('-1', 'EUR')).to.throw(RangeError);
  });

  it('refuses to format text that is not a plain decimal', () => {
    for (const amount of ['', 'abc', '-5', '1e3', '1.', '.5', '1.2.3', ' 1', '1,5', 'NaN', '0x10']) {
      expect(() => toMinor({ amount, currency: 'EUR' }), amount).to.throw(RangeError);
      expect(() => formatAmount({ amount, currency: 'EUR' }), amount).to.throw(RangeError);
    }
    for (const minor of ['', '-1', '1.0', '1e3', 25.5, 1e21]) {
      expect(() => fromMinor(minor, 'EUR'), String(minor)).to.throw(RangeError);
    }
  });

  it('keeps digits beyond the currency when it formats', () => {
    expect(formatAmount({ amount: '25.905', currency: 'EUR' })).to.equal('25.905');
    expect(formatAmount({ amount: '25.9000', currency: 'EUR' })).to.equal('25.90');
    expect(formatAmount({ amount: '0.00041440', currency: 'USDT' })).to.equal('0.0004144');
  });

  it('reads a number of any JSON spelling exactly', () => {
    const cases = [
      ['25.90', '25.9'],
      ['2.59E+1', '25.9'],
      ['259e-1', '25.9'],
      ['1.2e-6', '0.0000012'],
      ['0', '0'],
      ['-0.0', '0'],
      ['1e3', '1000'],
      ['9007199254740993', '9007199254740993'],
      ['0.000000000000000001', '0.000000000000000001'],
      ['1.0000000000000000000', '1'],
    ] as const;
    for (const [spelled, plain] of cases) expect(readDecimal(spelled), spelled).to.equal(plain);
  });

  it('reads no amount from other text, a negative number or a number with too many decimals', () => {
    for (const text of ['', '-1', '-0.01', 'abc', '1e', '1.', '.5', '+1', '1e-19', '1e1000', '0x1', '1_000', '١']) {
      expect(readDecimal(text), text).to.equal(undefined);
    }
  });

  it('reads back every plain decimal unchanged', () => {
    fc.assert(fc.property(decimal, (value) => readDecimal(value) === trimDecimal(value)));
  });

  it('moves the point by the exponent', () => {
    fc.assert(
      fc.property(digits, fc.integer({ min: 0, max: 18 }), (value, exponent) => {
        expect(readDecimal(`${value}e-${exponent}`)).to.equal(trimDecimal(shiftDecimal(value, exponent, 'CLF')));
        expect(readDecimal(`${value}e${exponent}`)).to.equal(trimDecimal(value + '0'.repeat(exponent)));
      }),
    );
  });

  it('adds and subtracts without loss', () => {
    expect(addDecimals('0.1', '0.2')).to.equal('0.3');
    expect(addDecimals()).to.equal('0');
    expect(subtractDecimals('25.90', '25.9')).to.equal('0');
    expect(subtractDecimals('1', '2')).to.equal('0');
    fc.assert(
      fc.property(decimal, decimal, (left, right) => {
        expect(addDecimals(left, right)).to.equal(addDecimals(right, left));
        expect(subtractDecimals(addDecimals(left, right), right)).to.equal(trimDecimal(left));
      }),
    );
  });

  it('compares by value', () => {
    expect(compareDecimals('25.9', '25.900')).to.equal(0);
    expect(compareDecimals('9', '10')).to.equal(-1);
    expect(compareDecimals('0.000000000000000001', '0')).to.equal(1);
    fc.assert(
      fc.property(decimal, decimal, (left, right) => {
        expect(compareDecimals(left, right) + compareDecimals(right, left)).to.equal(0);
        expect(compareDecimals(addDecimals(left, '0.000000000000000001'), left)).to.equal(1);
      }),
    );
    expect(() => compareDecimals('25.9', 'much')).to.throw(RangeError);
  });

  it('recognises an amount above 0', () => {
    for (const decimal of ['0.000000000000000001', '1', '00.10']) expect(isAboveZero(decimal), decimal).to.equal(true);
    for (const decimal of ['0', '00', '0.00']) expect(isAboveZero(decimal), decimal).to.equal(false);
    expect(() => isAboveZero('-1')).to.throw(RangeError);
  });

  it('multiplies and divides, rounding half up or, on request, down', () => {
    expect(divideDecimals('1', '3', 2)).to.equal('0.33');
    expect(divideDecimals('2', '3', 0)).to.equal('1');
    expect(divideDecimals('0.005', '1', 2)).to.equal('0.01');
    expect(() => divideDecimals('1', '0.0', 2)).to.throw(RangeError);
    expect(divideDecimals('2', '3', 0, 'down')).to.equal('0');
    expect(divideDecimals('0.02999', '1', 2, 'down')).to.equal('0.02');
    expect(divideDecimals('9', '3', 2, 'down')).to.equal('3');
    expect(multiplyDecimals('0.1', '0.2', 2)).to.equal('0.02');
    expect(multiplyDecimals('1.005', '1', 2)).to.equal('1.01');
    expect(multiplyDecimals('1.0049', '1', 2)).to.equal('1');
    expect(multiplyDecimals('123456789012345678.99', '100', 0)).to.equal('12345678901234567899');
    fc.assert(fc.property(decimal, (value) => multiplyDecimals(value, '1', 18) === trimDecimal(value)));
  });

  it('distinguishes decimals from other text', () => {
    fc.assert(fc.property(decimal, isDecimal));
    for (const text of ['', '-1', '1.', '.1', '1e3', `0.${'0'.repeat(18)}1`]) expect(isDecimal(text)).to.equal(false);
    expect(isDecimal(`0.1${'0'.repeat(40)}`)).to.equal(true);
  });

  it('knows the decimals of ISO 4217, not those of a platform', () => {
    const cases = { EUR: 2, JPY: 0, KRW: 0, KWD: 3, TND: 3, CLF: 4, HUF: 2, IDR: 2, COP: 2, PKR: 2, ISK: 0 };
    for (const [code, decimals] of Object.entries(cases)) expect(decimalsOf(code), code).to.equal(decimals);
    expect(isCurrency('EUR')).to.equal(true);
    for (const code of ['eur', 'BTC', 'XYZ', '', 'HRK', '__proto__']) expect(isCurrency(code), code).to.equal(false);
    expect(new Set(currencyCodes).size).to.equal(currencyCodes.length);
  });

  it('knows the decimals of the cryptocurrencies that a price may be in', () => {
    for (const [code, decimals] of Object.entries({ BTC: 8, LTC: 8, XMR: 12, ETH: 18 })) {
      expect(decimalsOf(code), code).to.equal(decimals);
      expect([isCryptocurrency(code), hasDecimals(code), isCurrency(code)], code).to.deep.equal([true, true, false]);
    }
    for (const code of ['btc', 'USDT', 'EUR', '__proto__']) expect(isCryptocurrency(code), code).to.equal(false);
    expect(hasDecimals('EUR')).to.equal(true);
    expect(formatAmount({ amount: '0.00041', currency: 'BTC' })).to.equal('0.00041000');
    expect(toMinor({ amount: '0.00041', currency: 'BTC' })).to.equal('41000');
    expect(readMoney('0.000410000', 'BTC')).to.equal(undefined);
    expect(fitsCurrency({ amount: '0.000000001', currency: 'BTC' })).to.equal(false);
  });
});
