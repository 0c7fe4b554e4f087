import type { HttpReply, ReportedEvent } from '@paywright/contract';
import { reply } from '@paywright/contract/testing';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import providerF from '../index.ts';
import { harness, deal, dealId, fault, shows, unreadable, type Members } from './messages.ts';

const { recordCall, fetchStatus, stored, unanswered } = harness;

const lists = (...deals: readonly Members[]): HttpReply => reply(200, { deals });

async function eventsOf(members: Members): Promise<readonly (ReportedEvent & { readonly status: string })[]> {
  const report = await fetchStatus(shows(members));
  if (report.result !== 'events') throw new Error(report.result);
  return report.events.map((event) => ({ ...event, status: providerF.mapStatus(event, 'fetch') }));
}

const about = { reference: 'GW-10042-1', providerReference: dealId, currency: 'EUR', orderHint: 2 };

describe('fetchStatus', () => {
  it('looks up by the id of the deal, or by our reference', async () => {
    const headers = { Authorization: 'Bearer f_tok_test_0123456789' };
    for (const [payment, path] of [
      [stored, `/v1/deals/${dealId}`],
      [unanswered, '/v1/deals?ref=GW-10042-1'],
      [{ ...stored, providerReference: 'd_1/../2' }, '/v1/deals/d_1%2F..%2F2'],
    ] as const) {
      const { requests } = await recordCall(shows(), (ctx) => providerF.fetchStatus!(payment, ctx));
      expect(requests).to.deep.equal([{ method: 'GET', path, headers }]);
    }
  });

  it('finds the same in both ways, and keeps the mark for markSeen', async () => {
    const found = await fetchStatus(shows({ mark: 7 }));
    expect(found).to.include({ result: 'events', seenToken: '7' });
    expect(await fetchStatus(lists(deal({ mark: 7 })), unanswered)).to.deep.equal(found);
  });

  for (const [phase, status] of [
    ['settled', 'succeeded'],
    ['open', 'pending'],
    ['held', 'authorised'],
    ['dropped', 'failed'],
    ['left', 'cancelled'],
    ['lapsed', 'expired'],
    ['brewing', 'unknown'],
    ['returned', 'unknown'],
    ['won', 'unknown'],
    ['toString', 'unknown'],
  ] as const) {
    it(`reads ${phase} as ${status}`, async () => {
      const dedupeKey = `${dealId}/${phase}`;
      expect(await eventsOf({ phase, why: null })).to.deep.equal([
        {
          ...about,
          kind: 'payment',
          status,
          providerStatus: phase,
          amount: '25.90',
          dedupeKey,
          ...(phase === 'dropped' ? { decline: '05' } : {}),
        },
      ]);
    });
  }

  it('reports the reason only for a dropped deal', async () => {
    expect((await eventsOf({ phase: 'dropped', why: 'limit_reached' }))[0]).to.include({ decline: '61' });
    const [strange] = await eventsOf({ phase: 'dropped', why: 'moon' });
    expect(strange).to.include({ decline: '05', declineText: 'moon' }).and.not.have.property('unknownStatus');
    expect((await eventsOf({ phase: 'left', why: 'limit_reached' }))[0]).to.not.have.property('decline');
  });

  it('returns the redirect to the wallet if the answer with it was lost', async () => {
    const url = 'https://api.provider-f.example/wallet/1';
    const action = { type: 'redirect', method: 'GET', url };
    expect((await eventsOf({ phase: 'open', goTo: url }))[0]?.action).to.deep.equal(action);
    expect((await eventsOf({ phase: 'settled', goTo: url }))[0]).to.not.have.property('action');
    const [elsewhere] = await eventsOf({ phase: 'open', goTo: 'https://elsewhere.example/' });
    expect(elsewhere).to.include({ status: 'pending' }).and.not.have.property('action');
  });

  it('reports the total refunded so far', async () => {
    const [, returned, ...others] = await eventsOf({ returned: '5' });
    expect(others).to.deep.equal([]);
    expect(returned).to.deep.equal({
      ...about,
      kind: 'refund',
      status: 'succeeded',
      providerStatus: 'returned',
      amount: '5.00',
      dedupeKey: `${dealId}/returned/5.00`,
      cumulative: true,
    });
    for (const none of ['0', '0.00', '00']) expect(await eventsOf({ returned: none })).to.have.length(1);
    expect((await eventsOf({ returned: '0.01' }))[1]).to.include({ amount: '0.01' });
  });

  for (const [claim, status] of [
    ['open', 'opened'],
    ['won', 'won'],
    ['lost', 'lost'],
    ['reversed', 'reversed'],
    ['heard', 'unknown'],
    ['settled', 'unknown'],
  ] as const) {
    it(`reads the claim ${claim} as ${status}, with the amount taken`, async () => {
      const dispute = {
        ...about,
        kind: 'chargeback',
        status,
        providerStatus: claim,
        amount: '13.40',
        dedupeKey: `${dealId}/claim/${claim}`,
      };
      expect((await eventsOf({ claim, clawed: '13.4' }))[1]).to.deep.equal(dispute);
      expect((await eventsOf({ claim, clawed: '0.00' }))[1]).to.deep.equal({ ...dispute, amount: '25.90' });
    });
  }

  it('reports payment, refunds and dispute in this order', async () => {
    const events = await eventsOf({ claim: 'open', clawed: '1', returned: '2' });
    expect(events.map(({ kind, amount }) => `${kind} ${amount}`)).to.deep.equal([
      'payment 25.90',
      'refund 2.00',
      'chargeback 1.00',
    ]);
  });

  for (const [sent, currency, amount, returned] of [
    ['25', 'KWD', '25.000', '0.500'],
    ['2590.0', 'JPY', '2590', '0.5'],
    ['25', 'QQQ', '25', '0.50'],
    ['025.9', 'QQQ', '025.9', '0.50'],
  ] as const) {
    it(`writes ${sent} ${currency} as ${amount}, for any requested amount`, async () => {
      const events = await eventsOf({ gross: { v: sent, c: currency }, returned: '0.50' });
      expect(events.map((event) => [event.amount, event.currency])).to.deep.equal([
        [amount, currency],
        [returned, currency],
      ]);
      expect(events[1]?.dedupeKey).to.equal(`${dealId}/returned/${returned}`);
    });
  }

  describe('fetchStatus without a usable answer', () => {
    for (const [what, members] of [...unreadable, ['another id', { id: 'd_Other001' }]] as const) {
      it(what, async () => {
        expect((await fetchStatus(shows(members))).result).to.equal('no_information');
        if (what !== 'another id')
          expect((await fetchStatus(lists(deal(members)), unanswered)).result).to.equal('no_information');
      });
    }

    for (const [what, answer, payment] of [
      ['a list instead of a deal', lists(deal()), stored],
      ['an empty list instead of a deal', lists(), stored],
      ['a deal instead of a list', shows(), unanswered],
      ['two deals', lists(deal(), deal()), unanswered],
      ['a good deal and an unreadable one', lists(deal(), {}), unanswered],
      ['an invalid list', reply(200, { deals: {} }), unanswered],
      ['a 404', fault(404, 'no_deal', false), stored],
      ['a 404 for the reference', fault(404, 'no_deal', false), unanswered],
      ['a 401', fault(401, 'bad_token', false), unanswered],
      ['a 429', fault(429, 'slow_down', false), unanswered],
      ['a 503', fault(503, 'closed', false), unanswered],
      ['a good deal under 201', shows({}, 201), stored],
      ['a good deal under 500', shows({}, 500), stored],
    ] as const) {
      it(what, async () => {
        expect((await fetchStatus(answer, payment)).result).to.equal('no_information');
      });
    }
  });

  it('treats an empty list as final once the submission has ended', async () => {
    expect((await fetchStatus(lists(), unanswered)).result).to.equal('nothing_charged');
    expect((await fetchStatus(lists(), { ...unanswered, endedAt: null })).result).to.equal('no_information');
  });
});
