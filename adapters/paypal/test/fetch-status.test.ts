import type { HttpReply, StatusReport, StoredPayment } from '@paywright/contract';
import { reply } from '@paywright/contract/testing';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { CAPTURE, granted, harness, ORDER } from './messages.ts';

const { fetchStatus, stored, unanswered } = harness;
const amount = { currency_code: 'EUR', value: '25.90' };
const named = { custom_id: stored.reference, invoice_id: stored.reference, amount };
const links = [{ rel: 'up', href: `https://api-m.paypal.com/v2/payments/captures/${CAPTURE}` }];
const capture = { ...named, id: CAPTURE, status: 'COMPLETED' };
const refund = { id: '1JU08902781691411', status: 'COMPLETED', amount: { ...amount, value: '10.00' }, links };

function order(payments: object = { captures: [capture] }, status = 'COMPLETED'): HttpReply {
  return reply(200, { id: ORDER, status, purchase_units: [{ ...named, payments }] });
}
function dispute(members: object = {}): HttpReply {
  const disputed_transactions = [{ seller_transaction_id: CAPTURE }];
  const shown = { dispute_id: 'PP-D-4012', status: 'OPEN', dispute_amount: amount, disputed_transactions };
  return reply(200, { ...shown, dispute_life_cycle_stage: 'CHARGEBACK', ...members });
}
const gone = reply(404, { name: 'RESOURCE_NOT_FOUND', details: [{ issue: 'INVALID_RESOURCE_ID' }] });

const fetched = async (
  answers: readonly HttpReply[],
  payment: StoredPayment = stored,
  subReference?: string,
): Promise<StatusReport> => fetchStatus([granted(), ...answers], payment, subReference);
const statusesOf = (report: StatusReport): readonly string[] =>
  report.result === 'events'
    ? report.events.map(({ kind, providerStatus }) => `${kind} ${providerStatus}`)
    : [report.result];

describe('fetchStatus of the order', () => {
  it('leaves out a refund that it cannot read, and does not say that it shows all', async () => {
    const report = await fetched([order({ captures: [capture], refunds: [refund, { id: 'X', amount: 'odd' }] })]);
    expect(statusesOf(report)).to.deep.equal(['payment capture:COMPLETED', 'refund COMPLETED']);
    expect(report).to.not.have.property('showsAllRefunds');
    expect(await fetched([order()])).to.include({ showsAllRefunds: true });
  });

  it('gives no information about an order with a capture that it cannot read', async () => {
    expect(statusesOf(await fetched([order({ captures: [{ ...capture, amount: null }] })]))).to.deep.equal([
      'no_information',
    ]);
  });

  it('reads the capture alone once PayPal has deleted the order', async () => {
    expect(statusesOf(await fetched([gone, reply(200, capture)]))).to.deep.equal(['payment capture:COMPLETED']);
  });

  const unpaid = { ...unanswered, providerReference: ORDER, providerReferences: { order: ORDER } };
  const after = (hours: number) => ({ ...unpaid, endedAt: new Date(harness.now.getTime() - hours * 3_600_000) });
  for (const [title, payment, expected] of [
    ['no information before 6 hours', after(5.9), 'no_information'],
    ['expired after 6 hours', after(6), 'payment order:GONE'],
    [
      'no information if the answer to its completion was lost',
      { ...after(6), adapterState: { intent: 'capture', completing: true } },
      'no_information',
    ],
  ] as const) {
    it(`reports a deleted order: ${title}`, async () => {
      expect(statusesOf(await fetched([gone], payment))).to.deep.equal([expected]);
    });
  }
});

describe('fetchStatus of a case', () => {
  const paid = { ...stored, isPaid: true } as const;

  it('lists the disputes of a paid payment, and shows each', async () => {
    const list = reply(200, { items: [{ dispute_id: 'PP-D-4012' }] });
    expect(statusesOf(await fetched([order(), list, dispute()], paid))).to.deep.equal([
      'payment capture:COMPLETED',
      'chargeback OPEN',
    ]);
  });

  for (const [title, answer, expected] of [
    ['an app that may not read disputes', reply(403, { name: 'NOT_AUTHORIZED' }), 'payment capture:COMPLETED'],
    ['an answer without a list', reply(200, {}), 'payment capture:COMPLETED'],
    ['an error', reply(500), 'no_information'],
  ] as const) {
    it(`shows "${expected}" after ${title}`, async () => {
      expect(statusesOf(await fetched([order(), answer], paid))).to.deep.equal([expected]);
    });
  }

  for (const [title, answer] of [
    ['of another payment', dispute({ disputed_transactions: [{ seller_transaction_id: '9TK53561YB803214S' }] })],
    ['with another id', dispute({ dispute_id: 'PP-D-4013' })],
    ['that the app may not read', reply(403, { name: 'NOT_AUTHORIZED' })],
  ] as const) {
    it(`gives no information about a named dispute ${title}`, async () => {
      expect(statusesOf(await fetched([order(), answer], stored, 'PP-D-4012'))).to.deep.equal(['no_information']);
    });
  }

  it('shows no chargeback for an inquiry', async () => {
    const inquiry = dispute({ dispute_life_cycle_stage: 'INQUIRY' });
    expect(statusesOf(await fetched([order(), inquiry], stored, 'PP-D-4012'))).to.deep.equal([
      'payment capture:COMPLETED',
    ]);
  });

  it('shows a named refund that the order lacks, and refuses a refund of another capture', async () => {
    const own = await fetched([order(), reply(200, refund)], stored, refund.id);
    expect(statusesOf(own)).to.deep.equal(['payment capture:COMPLETED', 'refund COMPLETED']);
    const foreign = { ...refund, links: [{ rel: 'up', href: 'https://api-m.paypal.com/v2/payments/captures/OTHER1' }] };
    expect(statusesOf(await fetched([order(), reply(200, foreign)], stored, refund.id))).to.deep.equal([
      'no_information',
    ]);
    expect(statusesOf(await fetched([order(), reply(200, foreign)], stored, `REVERSAL-${refund.id}`))).to.deep.equal([
      'no_information',
    ]);
  });
});
