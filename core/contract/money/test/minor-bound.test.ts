import { expect } from 'chai';
import { describe, it } from 'mocha';
import { minorBound, readAmount, readJson, readMinor, v } from '../../index.ts';

describe('minor units with a limited number of digits', () => {
  it('are read exactly, and refused if the amount does not fit', () => {
    expect(readMinor({ amount: '25.9', currency: 'EUR' }, 15)).to.equal('2590');
    expect(readMinor({ amount: '0', currency: 'JPY' }, 15)).to.equal('0');
    expect(readMinor({ amount: '9999999999999.99', currency: 'EUR' }, 15)).to.equal('999999999999999');
    expect(readMinor({ amount: '10000000000000', currency: 'EUR' }, 15)).to.equal(undefined);
    expect(readMinor({ amount: '25.901', currency: 'EUR' }, 15)).to.equal(undefined);
  });

  const body = v.looseObject({ amount: v.optional(v.unknown()), unit: v.optional(v.unknown()) });
  const bounds = v.pipe(body, minorBound(15));
  const fits = (amount: unknown, unit?: unknown): boolean => v.is(bounds, { amount, unit });

  it('limit an amount however it was read', () => {
    const spelled = (text: string) => (readJson(`{"amount":${text}}`) as { amount: unknown }).amount;
    for (const amount of [9999999999999.99, '25.9', 0, spelled('9999999999999.99')]) {
      expect(fits(amount, 'EUR')).to.equal(true);
    }
    for (const amount of [1e13, '10000000000000', spelled('1E+13')]) expect(fits(amount, 'EUR')).to.equal(false);
    expect([fits(1e12, 'KWD'), fits(1e15, 'JPY'), fits(1e14, 'JPY')]).to.deep.equal([false, false, true]);
  });

  it('leave an amount that cannot be checked to other checks', () => {
    const judged = [
      fits(undefined, 'EUR'),
      fits(1e13),
      fits(1e13, 'no currency'),
      fits('much', 'EUR'),
      fits(1.5, 'JPY'),
    ];
    expect(judged).to.deep.equal([true, true, true, true, true]);
  });

  it('find the currency by the unit, and name only the amount', () => {
    const byCountry = v.pipe(
      body,
      minorBound(15, (unit) => (unit === 'KW' ? 'KWD' : undefined)),
    );
    const { issues } = v.safeParse(byCountry, { amount: 1e12, unit: 'KW', number: '4111' });
    expect([v.getDotPath(issues![0]), issues![0].input]).to.deep.equal(['amount', 1e12]);
    expect(JSON.stringify(issues)).not.to.contain('4111');
    expect(v.is(byCountry, { amount: 1e12, unit: 'EU' })).to.equal(true);
  });
});

describe('readAmount', () => {
  it('reads an amount digit for digit, whichever way its number was read', () => {
    const { amount } = readJson('{"amount":2.590E+1}') as { amount: unknown };
    expect([amount, 25.9, '25.90'].map(readAmount)).to.deep.equal(['25.9', '25.9', '25.9']);
    expect([undefined, null, {}, true, 'much', -1].map(readAmount)).to.deep.equal(Array(6).fill(undefined));
  });
});
