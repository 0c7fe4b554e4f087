import { expect } from 'chai';
import { describe, it } from 'mocha';
import { detailLimits, notFound, refundTotal, toPing, withDetails } from '../index.ts';

const endedAt = new Date('2026-03-02T09:15:30.000Z');
const later = (ms: number): Date => new Date(endedAt.getTime() + ms);

describe('notFound', () => {
  it('says nothing while the submission may still run', () => {
    expect(notFound({ endedAt: null }).result).to.equal('no_information');
    expect(notFound({ endedAt: null }, { now: later(60_000), afterMs: 10_000 }).result).to.equal('no_information');
  });

  it('is final after the submission has ended', () => {
    expect(notFound({ endedAt })).to.deep.equal({ result: 'nothing_charged' });
  });

  it('waits as long as the provider may take to register a payment', () => {
    expect(notFound({ endedAt }, { now: later(9_999), afterMs: 10_000 }).result).to.equal('no_information');
    expect(notFound({ endedAt }, { now: later(10_000), afterMs: 10_000 }).result).to.equal('nothing_charged');
  });
});

describe('withDetails', () => {
  it('cuts long values and leaves out unknown ones and those beyond the limit', () => {
    const { details = {} } = withDetails({ arn: 'x'.repeat(201), rrn: null, utr: undefined, note: '' });
    expect(details).to.deep.equal({ arn: 'x'.repeat(detailLimits.value) });
    const many = Object.fromEntries(Array.from({ length: 12 }, (_, at) => [`d${at}`, 'x']));
    expect(Object.keys(withDetails(many).details ?? {})).to.have.length(detailLimits.members);
  });

  it('returns no member if nothing is known', () => {
    expect(withDetails({ rrn: null })).to.deep.equal({});
  });
});

describe('refundTotal', () => {
  const payment = { reference: 'GW-1-1', providerReference: 'P-7', amount: '25.90', kind: 'payment' };

  it('returns one cumulative event of the refunded sum', () => {
    expect(refundTotal(payment, 'returned', { amount: '10.00', currency: 'EUR' })).to.deep.equal([
      {
        kind: 'refund',
        providerStatus: 'returned',
        reference: 'GW-1-1',
        providerReference: 'P-7',
        amount: '10.00',
        currency: 'EUR',
        dedupeKey: 'P-7:returned:10.00',
        cumulative: true,
      },
    ]);
  });

  it('identifies the event by our reference if the provider has none', () => {
    const [event] = refundTotal({ ...payment, providerReference: null }, 'back', { amount: '1', currency: 'EUR' });
    expect(event?.dedupeKey).to.equal('GW-1-1:back:1');
  });

  it('returns no event if the sum is zero', () => {
    for (const amount of ['0', '0.00', '0.000']) {
      expect(refundTotal(payment, 'returned', { amount, currency: 'EUR' })).to.deep.equal([]);
    }
  });
});

describe('toPing', () => {
  it('names the payment only, has no dedupe key, and must be fetched', () => {
    expect(toPing('d_1')).to.deep.equal({
      kind: 'ping',
      providerStatus: 'ping',
      reference: null,
      providerReference: 'd_1',
      amount: null,
      currency: null,
      dedupeKey: null,
      mustFetch: true,
    });
  });
});
