import { expect } from 'chai';
import { describe, it } from 'mocha';
import { fitsManifest, refuseRefund, refuseSubmission } from '../../index.ts';

const euros = (amount: string) => ({ money: { amount, currency: 'EUR' } });
const manifest = { title: 'Acme', maxMinorDigits: 4, refundNeeds: 'providerReference' } as const;
const reason = 'Acme cannot express the amount in EUR';
const refused = { outcome: 'failed', nothingCharged: true, reason };

describe('core before it calls a provider', () => {
  it('refuses an amount that the currency cannot express, or with more digits than the provider accepts', () => {
    expect(refuseSubmission(manifest, euros('99.99'))).to.equal(undefined);
    expect(refuseSubmission(manifest, euros('25.901'))).to.deep.equal(refused);
    expect(refuseSubmission(manifest, euros('100'))).to.deep.equal(refused);
    expect(refuseSubmission({ title: 'Acme' }, euros('100'))).to.equal(undefined);
    expect(fitsManifest({ maxMinorDigits: 3 }, { amount: '999', currency: 'JPY' })).to.equal(true);
    expect(fitsManifest({ maxMinorDigits: 3 }, { amount: '1000', currency: 'JPY' })).to.equal(false);
  });

  it('refuses a refund without the reference that it needs', () => {
    expect(refuseRefund(manifest, { providerReference: 'p1' }, euros('1'))).to.equal(undefined);
    expect(refuseRefund(manifest, { providerReference: 'p1' }, euros('100'))).to.deep.equal(refused);
    const nameless = { ...refused, reason: 'no reference of Acme to refund' };
    expect(refuseRefund(manifest, {}, euros('1'))).to.deep.equal(nameless);
    expect(refuseRefund({ title: 'Acme' }, {}, euros('1'))).to.equal(undefined);
  });
});
