import { expect } from 'chai';
import { describe, it } from 'mocha';
import { webhook } from '../../callbacks/paypal.ts';
import type { Context } from '../../options.ts';
import { CAPTURE, harness, ORDER } from '../messages.ts';
import { genuine, type Parsed, type ReportedEvent } from '@paywright/contract';

type Verified = Parameters<typeof webhook.parseCallback>[0];

/** What the route reads in a webhook that was verified. */
function parse(event_type: string, resource: unknown): Parsed {
  const verdict = genuine({ id: 'WH-1', event_type, resource }, { key: 0 });
  if (verdict.verdict !== 'genuine') throw new Error(verdict.verdict);
  return webhook.parseCallback(verdict.verified as Verified, {} as Context);
}
function eventsOf(event_type: string, resource: unknown): readonly ReportedEvent[] {
  const parsed = parse(event_type, resource);
  if (!('events' in parsed)) throw new Error('malformed');
  return parsed.events;
}

const { reference } = harness.stored;
const amount = { currency_code: 'EUR', value: '25.90' };
const up = [{ rel: 'up', href: `https://api-m.paypal.com/v2/payments/captures/${CAPTURE}` }];
const refund = { id: '1JU08902781691411', status: 'COMPLETED', amount, links: up };

describe('a webhook about an object of another system', () => {
  for (const [type, resource] of [
    ['PAYMENT.CAPTURE.COMPLETED', { id: CAPTURE, custom_id: 'SHOP2-77' }],
    ['PAYMENT.CAPTURE.COMPLETED', { id: 'odd' }],
    ['PAYMENT.AUTHORIZATION.CREATED', { custom_id: 5 }],
    ['CHECKOUT.ORDER.APPROVED', { id: ORDER, purchase_units: [{ reference_id: 'default' }] }],
    ['CHECKOUT.PAYMENT-APPROVAL.REVERSED', { order_id: ORDER }],
    ['BILLING.SUBSCRIPTION.CREATED', { id: 'I-1' }],
    ['PAYMENT.SALE.COMPLETED', { custom: reference }],
  ] as const) {
    it(`says nothing: ${type} ${JSON.stringify(resource)}`, () => {
      expect(eventsOf(type, resource)).to.deep.equal([]);
    });
  }

  it('names the payment only by its order if a capture has no reference', () => {
    const supplementary_data = { related_ids: { order_id: ORDER } };
    const capture = { id: CAPTURE, status: 'COMPLETED', amount, supplementary_data };
    const [event] = eventsOf('PAYMENT.CAPTURE.COMPLETED', capture);
    expect(event).to.deep.include({ reference: null, providerReferences: { order: ORDER, capture: CAPTURE } });
    expect(eventsOf('PAYMENT.CAPTURE.COMPLETED', { ...capture, status: 5 })).to.deep.equal([]);
    expect(eventsOf('PAYMENT.CAPTURE.COMPLETED', { ...capture, custom_id: 'SHOP2-77' })).to.deep.equal([]);
  });

  it('names the payment only by the capture if a refund carries its reference', () => {
    const [event] = eventsOf('PAYMENT.CAPTURE.REFUNDED', { ...refund, custom_id: 'ERP-3' });
    expect(event).to.include({ reference: null, providerReference: CAPTURE, mustFetch: true });
  });
});

describe('a webhook about an object of ours', () => {
  for (const [type, resource] of [
    ['PAYMENT.CAPTURE.COMPLETED', { id: CAPTURE, custom_id: reference, status: 'COMPLETED' }],
    ['CHECKOUT.ORDER.APPROVED', { id: ORDER, purchase_units: [{ custom_id: reference }] }],
    ['CHECKOUT.PAYMENT-APPROVAL.REVERSED', { purchase_units: [{ custom_id: reference }] }],
    ['PAYMENT.CAPTURE.REFUNDED', { ...refund, amount: { currency_code: 'EUR', value: '25.905' } }],
    ['CUSTOMER.DISPUTE.CREATED', { dispute_id: 'PP-D-1', status: 'OPEN', disputed_transactions: [] }],
  ] as const) {
    it(`is malformed if it lacks a member: ${type}`, () => {
      expect(parse(type, resource)).to.have.property('malformed');
    });
  }

  it('reports a dispute of any amount, with every event fetched', () => {
    const disputed_transactions = [{ seller_transaction_id: CAPTURE, custom: reference }];
    const dispute = { dispute_id: 'PP-D-1', status: 'OPEN', disputed_transactions };
    const above = { ...dispute, dispute_amount: { currency_code: 'USD', value: '99.00' } };
    for (const [shown, sum] of [
      [above, '99.00'],
      [dispute, null],
    ] as const) {
      const [event] = eventsOf('CUSTOMER.DISPUTE.CREATED', shown);
      expect(event).to.include({ kind: 'chargeback', reference, amount: sum, mustFetch: true });
    }
  });
});
