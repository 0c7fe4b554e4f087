import type { HttpReply } from '@paywright/contract';
import { reply } from '@paywright/contract/testing';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import token from '../index.ts';
import { harness, error, whole } from './messages.ts';

const { fetchStatus, unanswered } = harness;

describe('fetchStatus at the vault', () => {
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
      const [event] = report.result === 'events' ? report.events : [];
      expect(token.mapStatus(event!, 'fetch')).to.equal(status);
      expect(event).to.include({
        kind: 'payment',
        providerStatus: `charge.${state}`,
        dedupeKey: `ch_1:${state}`,
        amount: '9.99',
      });
      expect('decline' in event!).to.equal(state === 'failed');
    });
  }

  it('reports a failed 3D Secure step, and an open challenge', async () => {
    const failed = await fetchStatus(reply(200, whole({ state: 'failed', why: 'auth_failed' })));
    expect(failed.result === 'events' && failed.events[0]).to.include({ decline: '05', threeDsResult: 'N' });
    const url = 'https://vault.example/challenge/ch_1';
    const open = await fetchStatus(reply(200, whole({ state: 'challenge' }, { url })));
    expect(open.result === 'events' && open.events[0]).to.have.nested.property('action.url', url);
  });

  it('asks by reference if no id is known, and trusts an empty list', async () => {
    const list = (...charges: unknown[]): HttpReply => reply(200, { charges });
    expect((await fetchStatus(list(), unanswered)).result).to.equal('nothing_charged');
    expect((await fetchStatus(list(whole({ state: 'pending' })), unanswered)).result).to.equal('events');
    const two = list(whole({ state: 'pending' }), whole({ state: 'succeeded' }));
    for (const answer of [two, list(whole({ state: 'succeeded', ref: 'GW-1-1' })), list('x'), reply(200, [])]) {
      expect((await fetchStatus(answer, unanswered)).result).to.equal('no_information');
    }
    expect((await fetchStatus(list())).result).to.equal('no_information');
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
    it(`treats ${name} as no information`, async () => {
      expect((await fetchStatus(answer)).result).to.equal('no_information');
    });
  }
});
