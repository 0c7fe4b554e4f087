import { fitsManifest, refuseSubmission } from '@paywright/contract';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import providerA from '../index.ts';
import { harness } from './messages.ts';

const { submission } = harness;

describe('the manifest of A', () => {
  it('accepts amounts of at most 15 digits in minor units', () => {
    const fits = (amount: string, currency: string): boolean => fitsManifest(providerA.manifest, { amount, currency });
    expect([fits('9999999999999.99', 'EUR'), fits('25.9', 'EUR'), fits('0', 'JPY')]).to.deep.equal([true, true, true]);
    for (const [amount, currency] of [
      ['10000000000000', 'EUR'],
      ['1000000000000', 'KWD'],
      ['1000000000000000', 'JPY'],
    ] as const) {
      expect(fits(amount, currency), currency).to.equal(false);
      const refused = refuseSubmission(providerA.manifest, { ...submission, money: { amount, currency } });
      expect(refused).to.include({ outcome: 'failed', nothingCharged: true });
    }
  });

  it('enforces requested 3D Secure for cards, and leaves wallets to their own authentication', () => {
    const support = providerA.manifest.ways.map(({ method, threeDs }) => [method, threeDs]);
    expect(support).to.deep.equal([
      ['card', 'enforced'],
      ['wallet_card', 'by_other_means'],
    ]);
  });
});
