import { createRequire } from 'node:module';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import {
  currencyCodes,
  currencyEnd,
  decimalsOf,
  formatAmount,
  isActiveCurrency,
  isCurrency,
  isExactAmount,
} from '../../index.ts';

interface CurrencyUse {
  readonly _to?: string;
  readonly _tender?: 'false';
}

type CurrencyData = Readonly<Record<string, readonly Readonly<Record<string, CurrencyUse>>[]>>;

const { supplemental } = createRequire(import.meta.url)('cldr-core/supplemental/currencyData.json') as {
  readonly supplemental: { readonly currencyData: { readonly region: CurrencyData } };
};
const uses = Object.values(supplemental.currencyData.region).flatMap((list) =>
  list.flatMap(Object.entries<CurrencyUse>),
);
/** The codes that are legal tender in a country today, by CLDR. */
const tender = new Set(uses.filter(([, use]) => !use._to && use._tender !== 'false').map(([code]) => code));

/** Active codes of ISO 4217 that CLDR does not list as legal tender, each with its reason. */
const withoutTender = {
  CLF: 'a unit of account of Chile',
  SVC: 'ISO 4217 still lists it; El Salvador pays in USD',
  UYI: 'a unit of account of Uruguay',
  UYW: 'a unit of account of Uruguay',
  VED: 'the second code of the Venezuelan currency',
};

describe('the table of currencies', () => {
  it('lists exactly the codes that are legal tender by CLDR, and the listed units of account', () => {
    const expected = new Set([...tender, ...Object.keys(withoutTender)]);
    expect(
      currencyCodes.filter((code) => !expected.has(code)),
      'no longer active',
    ).to.deep.equal([]);
    expect(
      [...expected].filter((code) => !isActiveCurrency(code)),
      'missing',
    ).to.deep.equal([]);
  });

  for (const [code, end] of [
    ['ANG', '2025-06-30'],
    ['BGN', '2026-01-31'],
  ] as const) {
    it(`keeps ${code} readable after its end and does not count it as active`, () => {
      const dates = uses.filter(([one, { _to }]) => one === code && _to).map(([, { _to }]) => _to);
      expect(dates).to.include(end);
      expect(currencyEnd(code)).to.equal(end);
      expect([isCurrency(code), isActiveCurrency(code), currencyCodes.includes(code)]).to.deep.equal([
        true,
        false,
        false,
      ]);
      expect(isExactAmount({ amount: '20.00', currency: code })).to.equal(true);
      expect(formatAmount({ amount: '20', currency: code })).to.equal('20.00');
    });
  }

  it('knows the currencies that replaced them', () => {
    expect(['XCG', 'EUR'].map((code) => [isActiveCurrency(code), currencyEnd(code), decimalsOf(code)])).to.deep.equal([
      [true, undefined, 2],
      [true, undefined, 2],
    ]);
  });

  it('does not know a currency that ended long ago, or text in small letters', () => {
    expect(['DEM', 'HRK', 'LTL', 'eur', ''].filter(isCurrency)).to.deep.equal([]);
  });
});
