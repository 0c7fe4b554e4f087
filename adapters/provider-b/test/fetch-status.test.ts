import type { HttpReply, ReportedEvent } from '@paywright/contract';
import { reply } from '@paywright/contract/testing';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import providerB from '../index.ts';
import { harness, answer, problem, type Parameters } from './messages.ts';

const { fetchStatus, now, stored } = harness;

const usual = {
  outcome: 'approved',
  step: 'none',
  total: '25.90',
  cur: 'EUR',
  last4: '1111',
  code: '',
  note: 'ok',
  returned: '0.00',
  dispute: 'none',
};
const status = (changes: Parameters = {}): HttpReply => answer('status', { ...usual, ...changes });
async function eventsOf(changes: Parameters): Promise<readonly (ReportedEvent & { readonly status: string })[]> {
  const report = await fetchStatus(status(changes));
  if (report.result !== 'events') throw new Error(report.result);
  return report.events.map((event) => ({ ...event, status: providerB.mapStatus(event, 'fetch') }));
}

describe('fetchStatus at B', () => {
  for (const [outcome, meaning] of [
    ['approved', 'succeeded'],
    ['declined', 'failed'],
    ['filtered', 'failed'],
    ['error', 'failed'],
    ['processing', 'pending'],
    ['unknown', 'pending'],
    ['half_way', 'unknown'],
  ] as const) {
    it(`reads ${outcome} as ${meaning}`, async () => {
      const events = await eventsOf({ outcome, code: meaning === 'failed' ? '221' : '' });
      expect(events).to.have.length(1);
      expect(events[0]).to.include({
        kind: 'payment',
        status: meaning,
        providerStatus: `sale/${outcome}`,
        amount: '25.90',
        currency: 'EUR',
        dedupeKey: `8812003:status:${outcome}`,
      });
      expect(events[0]?.decline).to.equal(meaning === 'failed' ? '61' : undefined);
    });
  }

  it('reports the decline of the code, or 05 with B’s note', async () => {
    expect((await eventsOf({ outcome: 'filtered', code: '301', note: 'risk' }))[0]).to.include({ decline: '05' });
    const [strange] = await eventsOf({ outcome: 'declined', code: '299', note: 'moon' });
    expect(strange).to.include({ decline: '05', declineText: 'moon' }).and.not.have.property('unknownStatus');
    expect((await eventsOf({ outcome: 'error', note: '' }))[0]).to.include({ decline: '05' });
  });

  it('shows the confirm action while a pending payment waits for its code', async () => {
    const action = { type: 'confirm', paymentId: '8812003' };
    expect((await eventsOf({ outcome: 'processing', step: 'code' }))[0]?.action).to.deep.equal(action);
    expect((await eventsOf({ outcome: 'processing' }))[0]).to.not.have.property('action');
    expect((await eventsOf({ outcome: 'approved', step: 'code' }))[0]).to.not.have.property('action');
  });

  it('reports the sum of all returns', async () => {
    const [, returned, ...others] = await eventsOf({ returned: '10' });
    expect(others).to.deep.equal([]);
    expect(returned).to.deep.equal({
      kind: 'refund',
      status: 'succeeded',
      providerStatus: 'returned',
      reference: 'GW-10042-1',
      providerReference: '8812003',
      amount: '10.00',
      currency: 'EUR',
      cumulative: true,
      dedupeKey: '8812003:returned:10.00',
    });
    for (const none of ['0', '0.00', '', undefined]) {
      expect(await eventsOf({ returned: none })).to.have.length(1);
    }
  });

  for (const [dispute, meaning] of [
    ['open', 'opened'],
    ['lost', 'lost'],
    ['won', 'won'],
    ['arbitration', 'unknown'],
  ] as const) {
    it(`reads the dispute ${dispute} as ${meaning}, with the sale's amount`, async () => {
      expect((await eventsOf({ dispute, returned: '1' }))[2]).to.deep.equal({
        kind: 'chargeback',
        status: meaning,
        providerStatus: dispute,
        reference: 'GW-10042-1',
        providerReference: '8812003',
        amount: '25.90',
        currency: 'EUR',
        dedupeKey: `8812003:dispute:${dispute}`,
      });
    });
  }

  it('reports amounts in the decimals of their currency, even if another amount was requested', async () => {
    const [sale, returned] = await eventsOf({ total: '25', cur: 'KWD', returned: '0.5' });
    expect([sale?.amount, returned?.amount, sale?.currency]).to.deep.equal(['25.000', '0.500', 'KWD']);
  });

  for (const [what, given] of [
    ['another gw_ref', status({ gw_ref: 'GW-10042-2' })],
    ['no gw_ref', status({ gw_ref: undefined })],
    ['no b_txn', status({ b_txn: undefined })],
    ['a b_txn with a letter', status({ b_txn: 'x' })],
    ['no outcome', status({ outcome: undefined })],
    ['an outcome of another form', status({ outcome: 'Approved' })],
    ['no total', status({ total: undefined })],
    ['more decimals than the currency has', status({ total: '25.901' })],
    ['a negative returned sum', status({ returned: '-1' })],
    ['another kind', answer('taken', usual)],
    ['a cut answer', reply(200, 'kind=status\n&gw_ref=GW-10042-1\n&b_txn=8812003\n&outcome=appr')],
    ['another problem', problem('102')],
    ['problem 110 about another gw_ref', problem('110', { gw_ref: 'GW-10042-2' })],
    ['a 404', reply(404)],
    ['a 500', { ...problem('110'), status: 500 }],
  ] as const) {
    it(`treats ${what} as no information`, async () => {
      expect((await fetchStatus(given)).result).to.equal('no_information');
    });
  }

  for (const [what, endedAt, result] of [
    ['10 s after the submission ended', new Date(now.getTime() - 10_000), 'nothing_charged'],
    ['a millisecond earlier', new Date(now.getTime() - 9_999), 'no_information'],
    ['while the submission may still run', null, 'no_information'],
  ] as const) {
    it(`treats *no such order* ${what} as ${result}`, async () => {
      expect((await fetchStatus(problem('110'), { ...stored, endedAt })).result).to.equal(result);
    });
  }
});
