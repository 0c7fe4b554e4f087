import { decimalsOf, isCurrency, v } from '@gateway/contract';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { currencies, readNumeric, toNumeric, units } from '../countries.ts';
import providerD from '../index.ts';

describe("D's currencies", () => {
  it('are those of ISO 4217, each with a numeric code of its own', () => {
    expect(currencies).to.have.length(61);
    expect(new Set(currencies).size).to.equal(61);
    expect(new Set(currencies.map(toNumeric)).size).to.equal(61);
    for (const currency of currencies) {
      expect(isCurrency(currency), currency).to.equal(true);
      expect(toNumeric(currency), currency).to.match(/^\d{3}$/);
      expect(readNumeric(toNumeric(currency)!)).to.equal(currency);
    }
  });

  it('have the decimals of D’s table', () => {
    const by = (decimals: number) => currencies.filter((currency) => decimalsOf(currency) === decimals).join(' ');
    expect(by(0)).to.equal('ISK JPY KRW VND CLP PYG');
    expect(by(3)).to.equal('KWD BHD OMR JOD TND');
    expect(currencies.filter((currency) => ![0, 2, 3].includes(decimalsOf(currency)))).to.deep.equal([]);
  });

  it('are found by country; EU means the euro', () => {
    expect(Object.keys(units)).to.have.length(88);
    for (const [unit, currency, numeric] of [
      ['EU', 'EUR', '978'],
      ['HR', 'EUR', '978'],
      ['BG', 'EUR', '978'],
      ['VA', 'EUR', '978'],
      ['US', 'USD', '840'],
      ['LI', 'CHF', '756'],
      ['AM', 'AMD', '051'],
      ['AU', 'AUD', '036'],
      ['AR', 'ARS', '032'],
      ['BH', 'BHD', '048'],
      ['BD', 'BDT', '050'],
      ['JP', 'JPY', '392'],
      ['PY', 'PYG', '600'],
    ] as const) {
      expect([units[unit], toNumeric(units[unit]!)]).to.deep.equal([currency, numeric]);
    }
  });

  it('lack what is no country of the table', () => {
    for (const unit of ['UK', 'eu', 'Eu', 'XX', 'RU', 'EUR', '', '__proto__', 'constructor']) {
      expect(Object.hasOwn(units, unit), unit).to.equal(false);
    }
    for (const numeric of ['36', '0978', '999', '', '978 ']) expect(readNumeric(numeric)).to.equal(undefined);
  });
});

describe('what D takes of a merchant’s body', () => {
  const refused = (body: object): string[] =>
    (v.safeParse(providerD.manifest.bounds!, body).issues ?? []).map((issue) => v.getDotPath(issue) ?? '');

  it('has a state of at most 50 characters, counted as the interface does', () => {
    expect(refused({ state: 'x'.repeat(50) })).to.deep.equal([]);
    expect(refused({ state: '😀'.repeat(50) })).to.deep.equal([]);
    expect(refused({ state: 'x'.repeat(51) })).to.deep.equal(['state']);
  });

  it('has a unit of exactly two letters', () => {
    for (const unit of ['EU', 'us', 'UK']) expect(refused({ unit })).to.deep.equal([]);
    for (const unit of ['E', 'EUR', '', 'E1', 'E ', 'ÄÖ']) expect(refused({ unit })).to.deep.equal(['unit']);
  });

  it('has at most 15 digits in minor units of the country’s currency', () => {
    expect(refused({ unit: 'EU', amount: 9999999999999.99 })).to.deep.equal([]);
    expect(refused({ unit: 'JP', amount: 1e14 })).to.deep.equal([]);
    expect(refused({ unit: 'EU', amount: 1e13 })).to.deep.equal(['amount']);
    expect(refused({ unit: 'KW', amount: 1e12 })).to.deep.equal(['amount']);
    expect(refused({ unit: '__proto__', amount: 1e20 })).to.deep.equal(['unit']);
  });
});
