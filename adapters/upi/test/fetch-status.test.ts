import type { StoredPayment } from '@paywright/contract';
import { reply } from '@paywright/contract/testing';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import upi from '../index.ts';
import { harness, refusal, shown, taken } from './messages.ts';

const { fetchStatus, unanswered, now, stored } = harness;

describe('fetchStatus at the switch', () => {
  for (const [state, status] of [
    ['PENDING', 'pending'],
    ['DEEMED', 'pending'],
    ['COMPLETED', 'succeeded'],
    ['FAILED', 'failed'],
    ['EXPIRED', 'expired'],
    ['CANCELLED', 'cancelled'],
    ['REFUND_DONE', 'unknown'],
    ['DISPUTED', 'unknown'],
    ['ODD', 'unknown'],
  ] as const) {
    it(`reads ${state} as the payment's ${status}`, async () => {
      const report = await fetchStatus(taken(shown(state, { paise: 999, rrn: '007', why: 'LIMIT' })));
      const events = report.result === 'events' ? report.events : [];
      expect(events).to.have.length(1);
      expect(upi.mapStatus(events[0]!, 'fetch')).to.equal(status);
      expect(events[0]).to.include({
        kind: 'payment',
        providerStatus: state,
        dedupeKey: `U001|${state}|007`,
        amount: '9.99',
      });
      expect(events[0]!.decline).to.equal(state === 'FAILED' ? '61' : undefined);
      expect('action' in events[0]!).to.equal(state === 'PENDING');
      expect(events[0]).to.not.have.any.keys('orderHint', 'occurredAt', 'subReference');
    });
  }

  it('reports late like a callback', async () => {
    const report = await fetchStatus(taken(shown('COMPLETED', { late: true })));
    expect(report.result === 'events' && upi.mapStatus(report.events[0]!, 'fetch')).to.equal('late');
  });

  it('returns the link of an intent whose answer was lost', async () => {
    const report = await fetchStatus(taken(shown('PENDING', { mode: 'INTENT', link: 'upi://pay?a=1' })), unanswered);
    expect(report.result === 'events' && report.events[0]).to.have.nested.property('action.link', 'upi://pay?a=1');
  });

  it('trusts 404 NO_TXN: nothing was charged', async () => {
    expect((await fetchStatus(refusal(404, 'NO_TXN'))).result).to.equal('nothing_charged');
  });

  for (const [name, answer] of [
    ['404 of another code', refusal(404, 'ODD')],
    ['404 of another server', reply(404, '<html>')],
    ['401', refusal(401, 'CHECK')],
    ['429', reply(429)],
    ['500 NOT_STARTED', refusal(500, 'NOT_STARTED')],
    ['400 NO_TXN', refusal(400, 'NO_TXN')],
    ['200 that is not ok', reply(200, { ok: false, code: 'NO_TXN', data: shown('COMPLETED') })],
    ['another reference', taken(shown('COMPLETED', { gw_ref: 'GW-10042-2' }))],
    ['another merchant', taken(shown('COMPLETED', { mid: 'MID2' }))],
    ['a page', reply(200, '<html>')],
  ] as const) {
    it(`treats ${name} as no information`, async () =>
      expect((await fetchStatus(answer)).result).to.equal('no_information'));
  }
});

describe('the times of status fetches', () => {
  const at = (seconds: number): Date => new Date(stored.endedAt!.getTime() + seconds * 1000);
  const action = (lapsesAfter: number) => {
    const expiry = at(lapsesAfter).toISOString();
    return { type: 'upi', mode: 'collect', expiry } as const;
  };
  const next = (payment: StoredPayment, asked: number, seconds: number): number | undefined =>
    upi.nextFetch!(payment, asked, at(seconds));
  /** Seconds after the submission's end at which core asks, at most twenty times. */
  function asks(payment: StoredPayment): number[] {
    const times: number[] = [];
    for (let time = 0; times.length < 20;) {
      const delay = next(payment, times.length, time);
      if (delay === undefined) return times;
      time += delay;
      times.push(time);
    }
    return times;
  }

  it('fetches a pending payment until ten minutes after its expiry, then as a deemed one', () => {
    const times = asks({ ...stored, action: action(1800) });
    expect(times.slice(0, 8)).to.deep.equal([30, 90, 210, 510, 1110, 1710, 2310, 5910]);
    expect(times.slice(8, 10)).to.deep.equal([9510, 13_110]);
  });

  it('fetches every hour for two days if the payment was deemed immediately', () => {
    expect(asks(stored).slice(0, 3)).to.deep.equal([3600, 7200, 10_800]);
    expect([next(stored, 47, 47 * 3600), next(stored, 48, 48 * 3600), next(stored, 49, 48 * 3600 + 1)]).to.deep.equal([
      3600,
      3600,
      undefined,
    ]);
  });

  it('fetches soon if nothing is known, because a payer may have an hour', () => {
    const times = asks(unanswered);
    expect(times.slice(0, 5)).to.deep.equal([30, 90, 210, 510, 1110]);
    expect(times.slice(9, 12)).to.deep.equal([4110, 7710, 11_310]);
  });

  it('begins with a fetch if the submission has not ended', () => {
    expect(upi.nextFetch!({ ...unanswered, endedAt: null }, 0, now)).to.equal(30);
  });
});
