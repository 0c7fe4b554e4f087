import { reply } from '@paywright/contract/testing';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import providerA from '../index.ts';
import { harness, charge, error } from './messages.ts';

const { fetchStatus, now, stored } = harness;

describe('fetchStatus at A', () => {
  for (const [state, status, identity] of [
    ['OK', 'succeeded', 'CAPTURE:true'],
    ['HOLD', 'authorised', 'AUTH:true'],
    ['NO', 'failed', 'AUTH:false'],
    ['VOID', 'cancelled', 'VOID:true'],
    ['EXPIRED', 'expired', 'EXPIRE:true'],
    ['WAIT', 'pending', 'WAIT'],
    ['STEP_UP', 'pending', 'STEP_UP'],
    ['LOST', 'unknown', 'LOST'],
    ['CAPTURE:true', 'unknown', 'CAPTURE:true'],
    ['constructor', 'unknown', 'constructor'],
  ] as const) {
    it(`reports ${state} as payment ${status}`, async () => {
      const report = await fetchStatus(reply(200, charge(state)));
      if (report.result !== 'events') throw new Error(report.result);
      const [event] = report.events;
      expect(report.events).to.have.length(1);
      expect(event).to.include({ kind: 'payment', providerStatus: state, dedupeKey: `A-7H2K9Q:${identity}` });
      expect(providerA.mapStatus(event!, 'fetch')).to.equal(status);
      expect('decline' in event!).to.equal(state === 'NO');
    });
  }

  it('reports the redirect to the challenge, and that the payment awaits its completion', async () => {
    const url = 'https://api.provider-a.example/v1/challenge/A-7H2K9Q';
    const eventFor = async (answered: boolean) => {
      const report = await fetchStatus(reply(200, charge('STEP_UP', { stepUp: { url, answered }, disputed: false })));
      return report.result === 'events' ? report.events[0]! : undefined;
    };
    expect((await eventFor(false))?.action).to.deep.equal({
      type: 'redirect',
      method: 'GET',
      url,
      transactionId: 'A-7H2K9Q',
    });
    expect(await eventFor(false)).not.to.have.property('awaitsCompletion');
    expect(await eventFor(true)).to.include({ awaitsCompletion: true });
  });

  const noSuch = error(404, 'NO_SUCH');
  for (const [name, answer, endedMsAgo, result] of [
    ['10 s after the end', noSuch, 10_000, 'nothing_charged'],
    ['9.999 s after the end', noSuch, 9_999, 'no_information'],
    ['while it may still run', noSuch, null, 'no_information'],
    ['from another server', reply(404, '<html>'), 60_000, 'no_information'],
  ] as const) {
    it(`treats 404 ${name} as ${result}`, async () => {
      const endedAt = endedMsAgo === null ? null : new Date(now.getTime() - endedMsAgo);
      expect((await fetchStatus(answer, { ...stored, endedAt })).result).to.equal(result);
    });
  }

  for (const [name, answer] of [
    ['500', error(500, 'INTERNAL', { charged: 'no' })],
    ['401', error(401, 'NO_KEY')],
    ['429', reply(429, '')],
    ['another ref', reply(200, charge('OK', { ref: 'GW-1-1' }))],
    ['another sum', reply(200, charge('OK', { sum: { minor: 1, cur: 'EUR' } }))],
    ['a returned sum that is not an object', reply(200, charge('OK', { returned: 5 }))],
    ['a page', reply(200, '<html>')],
  ] as const) {
    it(`treats ${name} as no information`, async () => {
      expect((await fetchStatus(answer)).result).to.equal('no_information');
    });
  }
});
