import { expect } from 'chai';
import { describe, it } from 'mocha';
import { toPaymentOutcome, toRefundOutcome, type Action, type EventStatus } from '../../index.ts';

const action: Action = { type: 'confirm', paymentId: '1' };
const decline = { decline: '51', declineText: 'poor' } as const;
const shown = { providerReference: 'P-1', providerStatus: 'ODD' };

describe('the outcome of a status', () => {
  for (const [status, expected] of [
    ['succeeded', { outcome: 'succeeded' }],
    ['overpaid', { outcome: 'succeeded' }],
    ['late', { outcome: 'succeeded' }],
    ['authorised', { outcome: 'pending', authorised: true }],
    ['pending', { outcome: 'pending', action }],
    ['underpaid', { outcome: 'pending', action }],
    ['failed', { outcome: 'failed', ...decline }],
    ['expired', { outcome: 'failed', decline: '05' }],
    ['cancelled', { outcome: 'failed', decline: '05' }],
    ['unknown', { outcome: 'pending', unknownStatus: 'ODD' }],
    ['opened', { outcome: 'pending', unknownStatus: 'ODD' }],
  ] as readonly (readonly [EventStatus, object])[]) {
    it(`is ${(expected as { outcome: string }).outcome} for a payment that is ${status}`, () => {
      const outcome = toPaymentOutcome(status, { ...shown, action, decline });
      expect(outcome).to.deep.equal({ ...expected, providerReference: 'P-1' });
    });
  }

  it('has no reference of the provider if the answer names none', () => {
    const unnamed = { providerStatus: 'ODD', decline };
    for (const status of ['succeeded', 'authorised', 'pending', 'failed', 'expired', 'unknown'] as const) {
      for (const shown of [unnamed, { ...unnamed, providerReference: undefined }]) {
        expect(toPaymentOutcome(status, shown)).to.not.have.property('providerReference');
        expect(toRefundOutcome(status, shown)).to.not.have.property('providerReference');
      }
    }
    expect(toPaymentOutcome('pending', { ...unnamed, action })).to.deep.equal({ outcome: 'pending', action });
    const noAction = 'nothing says how to pay';
    expect(toPaymentOutcome('pending', { ...unnamed, noAction })).to.deep.equal({
      outcome: 'unknown',
      reason: noAction,
    });
  });

  it('has an action only if there is one', () => {
    expect(toPaymentOutcome('pending', { ...shown, decline })).to.not.have.property('action');
  });

  it('is unknown while the payment is open, if it needs an action and has none', () => {
    const noAction = 'nothing says how to pay';
    for (const status of ['pending', 'underpaid'] as const) {
      const outcome = toPaymentOutcome(status, { ...shown, noAction, decline });
      expect(outcome).to.deep.equal({ outcome: 'unknown', providerReference: 'P-1', reason: noAction });
      expect(toPaymentOutcome(status, { ...shown, action, noAction, decline })).to.include({ outcome: 'pending' });
    }
    expect(toPaymentOutcome('succeeded', { ...shown, noAction, decline })).to.include({ outcome: 'succeeded' });
  });

  for (const [status, expected] of [
    ['pending', { outcome: 'pending' }],
    ['needs_merchant', { outcome: 'pending', needsMerchant: true, reason: 'too late' }],
    ['succeeded', { outcome: 'succeeded' }],
    ['failed', { outcome: 'failed', nothingCharged: true, reason: 'too late' }],
    ['reversed', { outcome: 'failed', nothingCharged: true, reason: 'too late' }],
    ['unknown', { outcome: 'pending', unknownStatus: 'ODD' }],
    ['late', { outcome: 'pending', unknownStatus: 'ODD' }],
  ] as readonly (readonly [EventStatus, object])[]) {
    it(`is ${(expected as { outcome: string }).outcome} for a refund that is ${status}`, () => {
      const outcome = toRefundOutcome(status, { ...shown, reason: 'too late' });
      expect(outcome).to.deep.equal({ ...expected, providerReference: 'P-1' });
    });
  }

  it('has a reason only if there is one', () => {
    expect(toRefundOutcome('failed', shown)).to.not.have.property('reason');
  });
});
