import { expect } from 'chai';
import { describe, it } from 'mocha';
import { testEncrypter } from '../../../base/testing/test-encrypter.ts';
import { at, newAttempt, paymentRecord } from '../testing/steps.ts';
import { toStoredPayment } from './stored-payment.ts';

describe('toStoredPayment', () => {
  const capture = { reference: 'GW-10042-1-C', amount: '6', state: 'succeeded', requestedAt: at(30) } as const;

  it('includes the captured amount, so that a fetch can report the amount of a success', () => {
    const attempts = [newAttempt(1, { capture }), newAttempt(2)];
    const [captured, whole] = attempts.map((one) => toStoredPayment(testEncrypter(), paymentRecord({ attempts }), one));
    expect([captured?.money.amount, captured?.capturedAmount]).to.deep.equal(['10', '6']);
    expect(whole).to.not.have.property('capturedAmount');
  });

  it('says whether the payment is paid, so that a fetch can list what happened afterwards', () => {
    const attempts = [newAttempt(1, { outcome: 'succeeded' }), newAttempt(2)];
    const [paid, open] = attempts.map((one) => toStoredPayment(testEncrypter(), paymentRecord({ attempts }), one));
    expect(paid?.isPaid).to.equal(true);
    expect(open).to.not.have.property('isPaid');
  });
});
