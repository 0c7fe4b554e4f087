import { expect } from 'chai';
import { describe, it } from 'mocha';
import { fitsCurrency, readReference } from '../index.ts';
import { cardBehaviour, isCardNumber } from '../sandbox/index.ts';
import { sampleStored, sampleSubmission } from '../testing/index.ts';

describe('the sample payment', () => {
  it('can be charged, and is approved by every sandbox', () => {
    const { card, money, reference, paymentRequestId, attempt } = sampleSubmission;
    expect(isCardNumber(card.number)).to.equal(true);
    expect(cardBehaviour(card.number)).to.deep.equal({ kind: 'approved' });
    expect(card.expiration).to.equal(`${card.expiryMonth}/${card.expiryYear.slice(2)}`);
    expect(fitsCurrency(money)).to.equal(true);
    expect(readReference(reference)).to.deep.equal({ paymentRequestId, attempt });
  });

  it('is stored without payer and card', () => {
    const now = new Date('2026-03-02T09:15:30.000Z');
    const stored = sampleStored('77', now);
    expect(stored).to.include({ reference: sampleSubmission.reference, providerReference: '77', method: 'card' });
    expect(stored.endedAt).to.deep.equal(new Date('2026-03-02T09:14:30.000Z'));
    expect(stored).to.not.have.any.keys('payer', 'card');
  });
});
