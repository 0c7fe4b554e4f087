import { fitsManifest, v } from '@paywright/contract';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import providerE from '../index.ts';

describe('bounds', () => {
  const issueOf = (body: Readonly<Record<string, unknown>>): string | null | undefined => {
    const { issues } = v.safeParse(providerE.manifest.bounds!, body);
    expect(JSON.stringify(issues ?? '')).not.to.contain('4111');
    return issues && v.getDotPath(issues[0]);
  };

  const fits = (amount: string, currency: string): boolean => fitsManifest(providerE.manifest, { amount, currency });

  it('accepts captures that wait and payments that leave 3D Secure open', () => {
    const good = { amount: 25.9, unit: 'EUR', number: '4111111111111111', captureDelayHours: 7 };
    for (const is3ds of [undefined, false, null]) expect(issueOf({ ...good, is3ds })).to.equal(undefined);
    expect(fits('9999999999999999.99', 'EUR')).to.equal(true);
    expect(issueOf({})).to.equal(undefined);
  });

  for (const [name, body] of [
    ['is3ds', { is3ds: true }],
    ['wallet', { wallet: { xid: 'x' } }],
  ] as const) {
    it(`refuses ${name} ${JSON.stringify(body)}`, () => expect(issueOf(body)).to.equal(name));
  }

  it('accepts 18 digits in minor units and no more', () => {
    expect([fits('10000000000000000', 'EUR'), fits('1000000000000000', 'KWD')]).to.deep.equal([false, false]);
  });

  it('gives a reason without repeating a value, because such values are not shown', () => {
    const { issues } = v.safeParse(providerE.manifest.bounds!, { is3ds: true, wallet: {} });
    expect(issues?.map(({ message }) => message)).to.deep.equal([
      'cannot be demanded: Provider E has no 3D Secure',
      'must be left out: Provider E accepts no wallets',
    ]);
    expect(issues?.some(({ message, received }) => message.includes(received))).to.equal(false);
  });
});
