import type { HttpReply, Outcome, StatusReport, StoredPayment } from '@gateway/contract';
import { reply } from '@gateway/contract/testing';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import token from '../index.ts';
import { answered, error, nameless, stored, whole } from './helpers.ts';

const fetchStatus = (answer: HttpReply, payment: StoredPayment = stored): Promise<StatusReport> =>
  answered(answer, (provider) => token.fetchStatus!(payment, provider));
const refundOf = { reference: 'GW-10042-1-R1', money: { amount: '10', currency: 'EUR' }, note: null };
const refund = (answer: HttpReply): Promise<Outcome> =>
  answered(answer, (provider) => token.refund!(stored, refundOf, provider));

describe('what the vault answers to a status question', () => {
  for (const [state, status] of [
    ['succeeded', 'succeeded'],
    ['failed', 'failed'],
    ['challenge', 'pending'],
    ['pending', 'pending'],
    ['authorised', 'authorised'],
    ['cancelled', 'cancelled'],
    ['expired', 'expired'],
    ['odd', 'unknown'],
  ] as const) {
    it(`reads ${state} as ${status}`, async () => {
      const report = await fetchStatus(reply(200, whole({ state, minor: 999 })));
      const [event] = report.news === 'events' ? report.events : [];
      expect(token.mapStatus(event!)).to.equal(status);
      expect(event).to.include({
        kind: 'payment',
        word: `charge.${state}`,
        dedupeKey: `ch_1:${state}`,
        amount: '9.99',
      });
      expect('decline' in event!).to.equal(state === 'failed');
    });
  }

  it('shows a failed 3D Secure step, and the challenge that is still open', async () => {
    const failed = await fetchStatus(reply(200, whole({ state: 'failed', why: 'auth_failed' })));
    expect(failed.news === 'events' && failed.events[0]).to.include({ decline: '05', threeDsResult: 'N' });
    const url = 'https://vault.example/challenge/ch_1';
    const open = await fetchStatus(reply(200, whole({ state: 'challenge' }, { url })));
    expect(open.news === 'events' && open.events[0]).to.have.nested.property('action.url', url);
  });

  it('asks by reference where no id is known, and believes an empty list', async () => {
    const list = (...charges: unknown[]): HttpReply => reply(200, { charges });
    expect((await fetchStatus(list(), nameless)).news).to.equal('nothing_charged');
    expect((await fetchStatus(list(whole({ state: 'pending' })), nameless)).news).to.equal('events');
    const two = list(whole({ state: 'pending' }), whole({ state: 'succeeded' }));
    for (const answer of [two, list(whole({ state: 'succeeded', ref: 'GW-1-1' })), list('x'), reply(200, [])]) {
      expect((await fetchStatus(answer, nameless)).news).to.equal('none');
    }
    expect((await fetchStatus(list())).news).to.equal('none');
  });

  for (const [name, answer] of [
    ['404', error(404, 'not_found')],
    ['401', error(401, 'unauthorised')],
    ['429', reply(429)],
    ['500 that says nothing was charged', error(500, 'unavailable', { charged: false })],
    ['402 with a charge', reply(402, whole({ state: 'failed' }))],
    ['another ref', reply(200, whole({ state: 'succeeded', ref: 'GW-1-1' }))],
    ['another merchant', reply(200, whole({ state: 'succeeded', mid: 'V-2' }))],
    ['another charge', reply(200, whole({ state: 'succeeded', id: 'ch_2' }))],
    ['a page', reply(200, '<html>')],
  ] as const) {
    it(`takes ${name} as no news`, async () => {
      expect((await fetchStatus(answer)).news).to.equal('none');
    });
  }
});

describe('what the vault answers to a refund', () => {
  const made = (status: number, more: Readonly<Record<string, unknown>> = {}): HttpReply =>
    reply(status, { refund: { id: 'rf_1', charge: 'ch_1', state: 'pending', minor: 1000, cur: 'EUR', ...more } });

  for (const [name, answer, expected] of [
    ['202 pending', made(202), { outcome: 'pending', providerReference: 'rf_1' }],
    ['200 succeeded', made(200, { state: 'succeeded' }), { outcome: 'succeeded', providerReference: 'rf_1' }],
    [
      '200 failed',
      made(200, { state: 'failed' }),
      { outcome: 'failed', nothingCharged: true, providerReference: 'rf_1' },
    ],
    [
      '200 reversed',
      made(200, { state: 'reversed' }),
      { outcome: 'failed', nothingCharged: true, providerReference: 'rf_1' },
    ],
    [
      '200 of a strange state',
      made(200, { state: 'odd' }),
      { outcome: 'pending', providerReference: 'rf_1', unknownWord: 'odd' },
    ],
    [
      '422 too_much',
      error(422, 'too_much'),
      { outcome: 'failed', nothingCharged: true, reason: 'the vault answered 422 too_much' },
    ],
    [
      '422 of another code',
      error(422, 'token_deleted'),
      { outcome: 'failed', nothingCharged: true, reason: 'the vault answered 422 token_deleted' },
    ],
    [
      '429',
      error(429, 'throttled'),
      { outcome: 'failed', nothingCharged: true, reason: 'the vault answered 429 throttled' },
    ],
  ] as const) {
    it(`reads ${name}`, async () => expect(await refund(answer)).to.deep.equal(expected));
  }

  for (const [name, answer] of [
    ['409', error(409, 'key_reused')],
    ['422 without words', reply(422)],
    ['500', reply(500)],
    ['402', made(402)],
    ['404', error(404, 'not_found')],
    ['another charge', made(202, { charge: 'ch_2' })],
    ['another amount', made(202, { minor: 999 })],
    ['another currency', made(202, { cur: 'USD' })],
    ['no id', made(202, { id: '' })],
    ['no JSON', reply(202, 'ok')],
  ] as const) {
    it(`takes ${name} as unknown`, async () => expect((await refund(answer)).outcome).to.equal('unknown'));
  }

  it('asks nothing without the charge’s id', async () => {
    const outcome = await answered(made(202), (provider) => token.refund!(nameless, refundOf, provider));
    expect(outcome).to.include({ outcome: 'failed', nothingCharged: true });
  });
});
