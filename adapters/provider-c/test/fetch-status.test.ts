import type { Action, StoredPayment } from '@paywright/contract';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import providerC from '../index.ts';
import { harness, answer, answered, error, formReply, unreadable, type Fields } from './messages.ts';

const { now, stored } = harness;

const find = async (given: ReturnType<typeof answer>, payment: StoredPayment = stored, at = now) =>
  (await answered(given, (ctx) => providerC.fetchStatus!(payment, ctx), at)).result;

async function eventsOf(changes: Fields, payment = stored) {
  const report = await find(answer(changes), payment);
  if (report.result !== 'events') throw new Error(report.result);
  return report.events.map(({ facts: _, ...event }) => {
    return { ...event, status: providerC.mapStatus({ ...event, facts: _! }, 'fetch') };
  });
}

const about = { reference: 'GW-10042-1', providerReference: '700000000000000181', currency: 'EUR' };

describe('a find', () => {
  for (const [state, status] of [
    ['success', 'succeeded'],
    ['failure', 'failed'],
    ['pending', 'pending'],
    ['challenge', 'pending'],
    ['usercancel', 'cancelled'],
    ['lapsed', 'expired'],
    ['settled', 'unknown'],
    ['refunded', 'unknown'],
    ['toString', 'unknown'],
  ] as const) {
    it(`reports ${state} as payment ${status}`, async () => {
      const [event, ...more] = await eventsOf({ c_state: state, c_refunded: '0.00', c_disputed: 'no' });
      expect(event).to.include({ ...about, kind: 'payment', providerStatus: state, status, amount: '25.90' });
      expect(event).to.include({ dedupeKey: `GW-10042-1:${state}` });
      expect('decline' in event!).to.equal(state === 'failure');
      expect(more).to.deep.equal([]);
    });
  }

  it('reports the reason for a refused card', async () => {
    const [poor] = await eventsOf({ c_state: 'failure', c_why: 'no_funds', c_msg: 'Poor' });
    expect(poor).to.include({ decline: '51', declineText: 'Poor' }).and.not.have.any.keys('threeDsResult');
    const [strange] = await eventsOf({ c_state: 'failure', c_why: 'moon' });
    expect(strange).to.include({ decline: '05', declineText: 'moon' });
    const [failed] = await eventsOf({ c_state: 'failure', c_why: 'auth_failed', c_auth: 'R' });
    expect(failed).to.include({ decline: '05', threeDsResult: 'R' });
  });

  it('reports a refunded sum and a dispute', async () => {
    for (const [providerStatus, status] of [
      ['open', 'opened'],
      ['won', 'won'],
      ['lost', 'lost'],
      ['back', 'reversed'],
      ['maybe', 'unknown'],
      ['disputed', 'unknown'],
    ] as const) {
      const [, refund, dispute, ...more] = await eventsOf({ c_refunded: '5', c_disputed: providerStatus });
      expect(refund).to.deep.equal({
        ...about,
        kind: 'refund',
        providerStatus: 'c_refunded',
        status: 'succeeded',
        amount: '5.00',
        dedupeKey: 'GW-10042-1:c_refunded:5.00',
        cumulative: true,
      });
      const dedupeKey = `GW-10042-1:c_disputed:${providerStatus}`;
      expect(dispute).to.deep.equal({
        ...about,
        kind: 'chargeback',
        providerStatus,
        status,
        amount: '25.90',
        dedupeKey,
      });
      expect(more).to.deep.equal([]);
    }
  });

  it('treats missing or empty values as none', async () => {
    expect(await eventsOf({})).to.have.length(1);
    expect(await eventsOf({ c_refunded: '', c_disputed: '' })).to.have.length(1);
  });

  const action: Action = {
    type: 'redirect',
    method: 'POST',
    url: 'https://acs.example',
    fields: { creq: 'x', threeDSSessionData: 't' },
    transactionId: '5f6b1f0e-9f0a-4d8e-8c55-0b1a2f6f7c11',
  };

  it('returns the stored action of an open challenge, or the action that the answer brings', async () => {
    const [bare] = await eventsOf({ c_state: 'challenge' });
    expect(bare).to.include({ awaitsPayer: true }).and.not.have.property('action');
    const [event] = await eventsOf({ c_state: 'challenge' }, { ...stored, action });
    expect(event).to.deep.include({ action }).and.not.have.property('awaitsPayer');
    const fields = { c_step: 'creq', c_acs: 'https://acs.example/2', c_tds: action.transactionId!, c_creq: 'y' };
    const [other] = await eventsOf({ c_state: 'challenge', ...fields }, { ...stored, action });
    expect(other).to.have.nested.property('action.url', 'https://acs.example/2');
    const [paid] = await eventsOf({}, { ...stored, action });
    expect(paid).not.to.have.property('action');
  });

  const noSuch = error(404, 'no_such_payment');
  it('reports nothing charged for a payment that C never received, once its submission has ended', async () => {
    expect(await find(noSuch)).to.deep.equal({ result: 'nothing_charged' });
    expect(await find(noSuch, { ...stored, action })).to.deep.equal({ result: 'nothing_charged' });
    expect((await find(noSuch, { ...stored, endedAt: null })).result).to.equal('no_information');
  });

  const until = String(now.getTime() / 1000 + 1800);
  const toPage: Action = { ...action, url: 'https://c.example/base/v1/page', fields: { c_until: until } };
  for (const [seconds, result] of [
    [0, 'waiting'],
    [1800, 'waiting'],
    [1800.001, 'events'],
  ] as const) {
    it(`waits 30 minutes for the payer at the page: ${result} after ${seconds} s`, async () => {
      const at = new Date(now.getTime() + seconds * 1000);
      const report = await find(noSuch, { ...stored, method: 'hosted_page', action: toPage }, at);
      expect(report.result).to.equal(result);
      if (report.result === 'waiting') expect(report.action).to.deep.equal(toPage);
      if (report.result !== 'events') return;
      expect(report.events).to.have.length(1);
      expect(report.events[0]).to.include({
        kind: 'payment',
        providerStatus: 'no_such_payment',
        reference: 'GW-10042-1',
        providerReference: null,
        amount: null,
        currency: null,
        dedupeKey: 'GW-10042-1:lapsed',
      });
      expect(providerC.mapStatus(report.events[0]!, 'fetch')).to.equal('expired');
    });
  }

  for (const [name, given] of [
    ...unreadable.filter(([what]) => what !== '404'),
    ['404 without a word', formReply(404, {})],
    ['404 with another word', error(404, 'closed')],
    ['429', error(429, 'slow_down')],
    ['500', error(500, 'not_started')],
    ['503', error(503, 'closed')],
    ['401', error(401, 'bad_hash')],
    ['a refunded sum that is not a number', answer({ c_refunded: 'much' })],
    ['a sum given back with a digit too many', answer({ c_refunded: '5.001' })],
  ] as const) {
    it(`treats ${name} as no information`, async () => {
      expect((await find(given)).result).to.equal('no_information');
    });
  }

  it('sends no request if the account was removed', async () => {
    const payment = { ...stored, money: { amount: '1', currency: 'USD' } };
    const { result, requests } = await answered(answer(), (ctx) => providerC.fetchStatus!(payment, ctx));
    expect([result.result, requests.length]).to.deep.equal(['no_information', 0]);
  });
});
