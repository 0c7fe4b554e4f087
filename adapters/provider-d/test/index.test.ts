import { fitsManifest, v } from '@paywright/contract';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import providerD from '../index.ts';
import { units } from '../order.ts';

describe('the manifest of D', () => {
  const refused = (body: object): string[] =>
    (v.safeParse(providerD.manifest.bounds!, body).issues ?? []).map((issue) => v.getDotPath(issue) ?? '');

  it('limits a state to 50 characters, counted as the interface does', () => {
    expect(refused({ state: 'x'.repeat(50) })).to.deep.equal([]);
    expect(refused({ state: '😀'.repeat(50) })).to.deep.equal([]);
    expect(refused({ state: 'x'.repeat(51) })).to.deep.equal(['state']);
  });

  it('requires a unit of exactly two letters', () => {
    for (const unit of ['EU', 'us', 'UK']) expect(refused({ unit })).to.deep.equal([]);
    for (const unit of ['E', 'EUR', '', 'E1', 'E ', 'ÄÖ']) expect(refused({ unit })).to.deep.equal(['unit']);
  });

  it('limits amounts to 15 digits in minor units of the country’s currency', () => {
    const fits = (amount: string, unit: string): boolean =>
      fitsManifest(providerD.manifest, { amount, currency: units[unit]! });
    expect([fits('9999999999999.99', 'EU'), fits('100000000000000', 'JP')]).to.deep.equal([true, true]);
    expect([fits('10000000000000', 'EU'), fits('1000000000000', 'KW')]).to.deep.equal([false, false]);
    expect(refused({ unit: '__proto__', amount: 1e20 })).to.deep.equal(['unit']);
  });
});
