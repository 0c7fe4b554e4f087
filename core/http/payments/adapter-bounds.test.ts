import { expect } from 'chai';
import { describe, it } from 'mocha';
import * as v from 'valibot';
import type { AdapterManifest } from '../deps.ts';
import { inOwnUnit } from './adapter-bounds.ts';

describe('the example body of one provider', () => {
  const manifest = { title: 'Acme', code: 59, inputs: ['billing', 'upi'] } as const;
  const unitOf = (own: Pick<AdapterManifest, 'currencies' | 'bounds' | 'units'>, body: object): unknown =>
    (inOwnUnit({ ...manifest, ...own }, body) as { unit: unknown }).unit;

  it('uses EUR if the provider accepts it, else the provider’s first currency', () => {
    expect(unitOf({ currencies: 'any' }, {})).to.equal('EUR');
    expect(unitOf({ currencies: ['USD', 'EUR'] }, {})).to.equal('EUR');
    expect(unitOf({ currencies: ['INR', 'USD'] }, {})).to.equal('INR');
    expect(unitOf({ currencies: ['RUB'], units: { RU: 'RUB' } }, {})).to.equal('RU');
  });

  it('uses a unit that the provider’s limits allow in this body', () => {
    const bounds = v.pipe(
      v.looseObject({ upiId: v.optional(v.string()), unit: v.string() }),
      v.check(({ upiId, unit }) => upiId === undefined || unit === 'INR'),
    );
    const currencies = ['USD', 'EUR', 'INR'];
    expect(unitOf({ currencies, bounds }, { upiId: 'asha@okbank' })).to.equal('INR');
    expect(unitOf({ currencies, bounds }, {})).to.equal('EUR');
  });
});
