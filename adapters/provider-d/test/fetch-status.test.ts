import { reply } from '@paywright/contract/testing';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import providerD from '../index.ts';
import { harness, answer, error, open, otherMoney, page, unreadable, type Data } from './messages.ts';

const { fetchStatus, stored } = harness;

describe('fetchStatus at D', () => {
  const eventsOf = async (changes: Data) => {
    const report = await fetchStatus(answer(changes));
    return report.result === 'events' ? report.events : [];
  };
  const reported = async (changes: Data) =>
    (await eventsOf(changes)).map(
      (event) => `${event.kind} ${event.providerStatus} ${providerD.mapStatus(event, 'fetch')} ${event.amount}`,
    );

  for (const [providerStatus, status] of [
    ['0:0000', 'succeeded'],
    ['0:0190', 'failed'],
    ['0:9912', 'failed'],
    ['0:9915', 'cancelled'],
    ['0:9970', 'expired'],
    ['0:9997', 'pending'],
    ['9:0400', 'cancelled'],
    ['0:8888', 'unknown'],
  ] as const) {
    it(`reports ${providerStatus} like a callback: ${status}`, async () => {
      const [D_Op, D_Code] = providerStatus.split(':');
      expect(await reported({ D_Op, D_Code, D_Back: '0', D_Case: 'none' })).to.deep.equal([
        `payment ${providerStatus} ${status} 25.90`,
      ]);
      const [event] = await eventsOf({ D_Op, D_Code });
      expect(event).to.include({ providerReference: '90071992547409931001', reference: 'GW-10042-1' });
      expect(event!.dedupeKey).to.equal(`90071992547409931001:${providerStatus}`);
    });
  }

  it('reports the page while it is open', async () => {
    const [event, ...others] = await eventsOf(open);
    expect(others).to.deep.equal([]);
    expect(event).to.deep.include({ providerStatus: '0:8000', action: { type: 'redirect', method: 'GET', url: page } });
    expect(await reported(open)).to.deep.equal(['payment 0:8000 pending 25.90']);
    expect(await fetchStatus(answer({ D_Code: '8000' }))).to.include({ result: 'no_information' });
  });

  it('reports the decline', async () => {
    const [event] = await eventsOf({ D_Code: '0116', D_Text: 'no%20money' });
    expect(event).to.include({ decline: '51', declineText: 'no money' });
    expect((await eventsOf({ D_Code: '0184', D_Secure: '3' }))[0]).to.include({ decline: '05', threeDsResult: 'N' });
  });

  for (const [providerStatus, status] of [
    ['open', 'opened'],
    ['won', 'won'],
    ['lost', 'lost'],
    ['back', 'reversed'],
    ['moon', 'unknown'],
  ] as const) {
    it(`reports a case that is ${providerStatus}: ${status}`, async () => {
      expect(await reported({ D_Back: '0', D_Case: providerStatus })).to.deep.equal([
        'payment 0:0000 succeeded 25.90',
        `chargeback ${providerStatus} ${status} 25.90`,
      ]);
      const [, event] = await eventsOf({ D_Case: providerStatus });
      expect(event).to.include({
        providerReference: '90071992547409931001',
        dedupeKey: `90071992547409931001:D_Case:${providerStatus}`,
      });
    });
  }

  it('reports the refunded sum so far', async () => {
    const [, event] = await eventsOf({ D_Back: '0500', D_Case: 'none' });
    expect(event).to.include({
      kind: 'refund',
      providerStatus: 'D_Back',
      amount: '5.00',
      currency: 'EUR',
      cumulative: true,
      dedupeKey: '90071992547409931001:D_Back:5.00',
    });
    expect(await reported({ D_Back: '000', D_Case: 'none' })).to.have.length(1);
    expect(await reported({})).to.have.length(1);
  });

  for (const [what, given] of [
    ...unreadable,
    ...otherMoney,
    ['a sum given back that is no sum', answer({ D_Back: '-1' })],
    ['a refund', answer({ D_Op: '3', D_Code: '0900' })],
    ['429', error(429, 'slow_down')],
    ['500', error(500, 'not_started')],
    ['404 of another server', reply(404, 'not found')],
  ] as const) {
    it(`has no information after ${what}`, async () => {
      expect((await fetchStatus(given)).result).to.equal('no_information');
    });
  }

  it('reports nothing charged if D never had the order, once the submission has ended', async () => {
    const none = error(404, 'no_such_order');
    expect(await fetchStatus(none)).to.deep.equal({ result: 'nothing_charged' });
    expect((await fetchStatus(none, { ...stored, endedAt: null })).result).to.equal('no_information');
  });
});
