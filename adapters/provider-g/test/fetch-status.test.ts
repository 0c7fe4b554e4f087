import type { HttpReply } from '@paywright/contract';
import { reply, scriptedHttp } from '@paywright/contract/testing';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import providerG from '../index.ts';
import { harness, chargeReply, errorReply, news, txn, unverified, unclear } from './messages.ts';

const { now, stored, createContext, fetchStatus } = harness;

describe('fetchStatus', () => {
  const statusReply = (status: string, events: unknown, more: object = {}): HttpReply =>
    chargeReply(status, { at: '2026-03-02T09:15:29Z', events, ...more });
  const event = (gid: string, status: string, more: object = {}) => {
    const { g_txn: _txn, gw_ref: _ref, ...movement } = news(status);
    return { gid, ...movement, ...more };
  };
  const reported = async (answer: HttpReply): Promise<string[]> => {
    const report = await fetchStatus(answer);
    if (report.result !== 'events') return [report.result];
    return report.events.map(
      (one) => `${one.kind} ${one.providerStatus} ${providerG.mapStatus(one, 'fetch')} ${one.amount} ${one.dedupeKey}`,
    );
  };

  it('uses our reference, signed over the path with its query', async () => {
    const http = scriptedHttp([errorReply(503, 'CLOSED', false)]);
    await providerG.fetchStatus!(stored, createContext([], { http }));
    expect(http.requests[0]).to.include({ method: 'GET', path: '/v1/charges?ref=GW-10042-1' });
    expect(http.requests[0]).not.to.have.property('body');
  });

  it('reports every event as its callback reported it', async () => {
    const events = [
      event('g_1', 'WAITING'),
      event('g_2', 'PAID'),
      event('g_3', 'REFUND_OK', { minor: 500 }),
      event('g_4', 'DISPUTED'),
      event('g_5', 'SCORED'),
    ];
    expect(await reported(statusReply('PAID', events))).to.deep.equal([
      'payment WAITING pending 25.90 g_1',
      'payment PAID succeeded 25.90 g_2',
      'refund REFUND_OK succeeded 5.00 g_3',
      'chargeback DISPUTED opened 25.90 g_4',
      'payment SCORED unknown 25.90 g_5',
    ]);
  });

  it('carries the decline of an event', async () => {
    const report = await fetchStatus(statusReply('UNPAID', [event('g_1', 'UNPAID', { why: 'NO_FUNDS' })]));
    expect(report.result === 'events' && report.events[0]).to.include({ decline: '51', dedupeKey: 'g_1' });
  });

  for (const [status, expected] of [
    ['PAID', `payment PAID succeeded 25.90 ${txn}:PAID`],
    ['UNPAID', `payment UNPAID failed 25.90 ${txn}:UNPAID`],
    ['AUTHED', `payment AUTHED authorised 25.90 ${txn}:AUTHED`],
    ['CLOSED', `payment CLOSED cancelled 25.90 ${txn}:CLOSED`],
    ['LAPSED', `payment LAPSED expired 25.90 ${txn}:LAPSED`],
    ['WAITING', 'waiting'],
    ['CHALLENGE', 'waiting'],
    ['SCORED', 'no_information'],
  ] as const) {
    it(`reports ${status} without an event as ${expected}`, async () => {
      expect(await reported(statusReply(status, []))).to.deep.equal([expected]);
      const waiting = [event('g_1', 'WAITING')];
      const after = expected.startsWith('payment') ? [expected] : [];
      expect(await reported(statusReply(status, waiting))).to.deep.equal([
        'payment WAITING pending 25.90 g_1',
        ...after,
      ]);
    });
  }

  it("reports a challenge as waiting for the payer's step, which no status shows", async () => {
    expect(await fetchStatus(statusReply('CHALLENGE', []))).to.deep.equal({ result: 'waiting', awaitsPayer: true });
    expect(await fetchStatus(statusReply('WAITING', []))).to.deep.equal({ result: 'waiting' });
  });

  for (const [what, events] of [
    ['no events', undefined],
    ['events that are no list', {}],
    ['an event without gid', [{ ...event('g_1', 'PAID'), gid: undefined }]],
    ['an event with an empty gid', [event('', 'PAID')]],
    ['an event whose amount has a decimal point', [event('g_1', 'PAID', { minor: 25.9 })]],
    ['an event with an unknown currency', [event('g_1', 'PAID', { cur: 'eur' })]],
  ] as const) {
    it(`gets no information from ${what}`, async () => {
      expect(await reported(statusReply('PAID', events))).to.deep.equal(['no_information']);
    });
  }

  for (const [what, answer] of [
    ...unverified,
    ...unclear,
    ['503 CLOSED', errorReply(503, 'CLOSED', false)],
    ['a 404 that is not G’s', reply(404, '<html>')],
    ['a 404 with another reason', errorReply(404, 'NO_KEY', false)],
    ['NO_CHARGE with status 200', errorReply(200, 'NO_CHARGE', false)],
  ] as const) {
    it(`gets no information from ${what}`, async () => {
      expect((await fetchStatus(answer)).result).to.equal('no_information');
    });
  }

  it('treats 404 NO_CHARGE as final once the submission has ended', async () => {
    const none = errorReply(404, 'NO_CHARGE', false);
    expect((await fetchStatus(none, { ...stored, endedAt: now })).result).to.equal('nothing_charged');
    expect((await fetchStatus(none, { ...stored, endedAt: null })).result).to.equal('no_information');
  });
});
