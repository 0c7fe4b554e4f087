import { readAs, readJson } from '@paywright/contract';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { PaymentLink, toLinkEvent } from '../payment-link.ts';

/** The event of a link for 2590 of the smallest unit. */
function eventOf(members: object) {
  const text = JSON.stringify({
    id: 'plink_1',
    amount: 2590,
    amount_paid: 0,
    currency: 'INR',
    reference_id: 'GW-10042-1',
    status: 'paid',
    ...members,
  });
  return toLinkEvent(readAs(PaymentLink, readJson(text))!);
}

describe('the event of a payment link', () => {
  it('names what was paid once the link is paid, and what was asked for before', () => {
    expect(eventOf({ amount_paid: 2600 })).to.include({ amount: '26.00', currency: 'INR' });
    expect(eventOf({ amount_paid: 1000, status: 'partially_paid' })).to.include({ amount: '25.90' });
    expect(eventOf({ status: 'created' })).to.include({ amount: '25.90' });
  });

  it('counts in the smallest unit of the currency', () => {
    expect(eventOf({ amount_paid: 2590, currency: 'JPY' })).to.include({ amount: '2590' });
    expect(eventOf({ amount_paid: 2590, currency: 'KWD' })).to.include({ amount: '2.590' });
  });
});
