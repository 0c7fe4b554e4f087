import { expect } from 'chai';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { harness } from '../messages.ts';
import { choose, get, land, payment, startVisit, type Visit } from './visit.ts';

const { submission } = harness;

describe('the sandbox’s orders', () => {
  let visit: Visit;

  beforeEach(async () => {
    visit = await startVisit();
  });
  afterEach(() => visit.trip.close());

  it('answers a repeated order with its current state and the same page, and refuses other facts', async () => {
    const { given, outcome } = await visit.open();
    expect(await visit.trip.submit(given)).to.deep.equal(outcome);
    const dearer = { ...given, money: { amount: '26', currency: 'EUR' } };
    expect(await visit.trip.submit(dearer)).to.include({ outcome: 'unknown', reason: 'D answered 409 order_taken' });
    const dollars = { ...given, money: { amount: '25.9', currency: 'USD' } };
    expect(await visit.trip.submit(dollars)).to.include({ outcome: 'unknown', reason: 'D answered 409 order_taken' });
  });

  it('accepts amount 0, empty texts and long texts', async () => {
    const payer = { ...submission.payer, name: '', address: 'é'.repeat(5000), ipAddress: '' };
    const { url } = await visit.open({ ...payment('0'), payer });
    expect(await visit.pay(url)).to.equal('0:0000');
  });

  describe('amounts that misbehave', () => {
    for (const [amount, outcome] of [
      ['25.50', { outcome: 'failed', nothingCharged: true }],
      ['25.52', { outcome: 'unknown' }],
    ] as const) {
      it(`charges nothing for ${amount}`, async () => {
        const given = payment(amount);
        const submitted = await visit.trip.submit(given);
        expect(submitted).to.include(outcome);
        expect(await visit.trip.fetched(visit.trip.toStored(given, submitted))).to.deep.equal(['nothing_charged']);
      });
    }

    it('asks to wait once for .51', async () => {
      const { url } = await visit.open(payment('25.51'));
      expect(await visit.pay(url)).to.equal('0:0000');
    });

    it('cuts the answer for .53, although the order is paid and reported', async () => {
      const given = payment('25.53');
      const outcome = await visit.trip.submit(given);
      expect(outcome.outcome).to.equal('unknown');
      await visit.hears('0:0000');
      expect(await visit.trip.fetched(visit.trip.toStored(given, outcome))).to.deep.equal(['0:0000 succeeded 25.53']);
      expect((await visit.trip.submit(given)).outcome).to.equal('succeeded');
    });

    it('reports for .55 before it answers with the page', async () => {
      const { url } = await visit.open(payment('25.55'));
      expect(visit.trip.reported()).to.deep.equal(['0:0000 succeeded']);
      expect(await land(await get(url))).to.equal('0:0000');
      expect(visit.posted()).to.deep.equal(['0:0000']);
    });

    it('delivers three times for .54', async () => {
      const { url } = await visit.open(payment('25.54'));
      await choose(url, { choice: 'pay' });
      await visit.hears('0:0000', '0:0000', '0:0000');
      expect(new Set(visit.trip.heard.map(({ events }) => JSON.stringify(events))).size).to.equal(1);
    });

    it('reports the end first for .56, and pending after', async () => {
      await visit.trip.close();
      visit = await startVisit(60); // Far enough apart that no connection overtakes another.
      const { stored, url } = await visit.open(payment('25.56'));
      expect(await visit.pay(url)).to.equal('0:0000');
      await visit.hears('0:0000', '0:9997');
      expect(visit.posted()).to.deep.equal(['0:0000', '0:9997']);
      expect(await visit.trip.fetched(stored)).to.deep.equal(['0:0000 succeeded 25.56']);
    });

    it('sends a wrong signature first for .57', async () => {
      const { url } = await visit.open(payment('25.57'));
      await choose(url, { choice: 'pay' });
      await visit.hears('0:0000');
      expect(visit.trip.heard.map(({ outcome }) => outcome)).to.deep.equal(['invalid_signature', 'accepted']);
      expect(visit.trip.deliveries[0]!.reply?.status).to.equal(403);
    });

    it('ignores these rules in a currency without decimals, and reads .500 of three decimals as .50', async () => {
      await visit.open(payment('2550', 'JPY'));
      expect(await visit.trip.submit(payment('25.5', 'KWD'))).to.include({ nothingCharged: true });
    });
  });
});
