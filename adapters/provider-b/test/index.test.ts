import { refuseRefund, refuseSubmission, v } from '@paywright/contract';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import providerB from '../index.ts';
import { harness, nothing } from './messages.ts';

const { unanswered, refundRequest, stored, submission } = harness;

describe('the limits of B', () => {
  const bounds = providerB.manifest.bounds!;

  for (const [field, wrong, right] of [
    ['captureDelayHours', [1, 7, { text: '1' }], [0, { text: '0' }, { text: '0.0' }, undefined]],
    ['wallet', [{}, { walletType: 'x' }], [undefined]],
    ['is3ds', [true], [false, undefined]],
  ] as const) {
    it(`refuses a body by the name of ${field}`, () => {
      for (const value of wrong) {
        const [issue] = v.safeParse(bounds, { amount: 1, [field]: value }).issues ?? [];
        expect(issue && v.getDotPath(issue), JSON.stringify(value)).to.equal(field);
      }
      for (const value of right) expect(v.safeParse(bounds, { amount: 1, [field]: value }).success).to.equal(true);
    });
  }

  it('refuses an amount that is too fine for its currency, and a return of a sale without an id', () => {
    const { manifest } = providerB;
    const tooFine = { amount: '25.901', currency: 'EUR' };
    expect(refuseSubmission(manifest, { ...submission, money: tooFine })).to.include(nothing);
    expect(refuseRefund(manifest, stored, { ...refundRequest, money: tooFine })).to.include(nothing);
    expect(refuseRefund(manifest, unanswered, refundRequest)).to.include(nothing);
    expect(refuseRefund(manifest, stored, refundRequest)).to.equal(undefined);
  });
});
