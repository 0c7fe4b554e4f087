import { firstRefund } from '@paywright/contract/testing';
import { expect } from 'chai';
import { afterEach, beforeEach, describe, it } from 'mocha';
import providerD from '../../index.ts';
import { choose, get, land, startVisit, type Visit } from './visit.ts';

describe('the sandbox’s page', () => {
  let visit: Visit;

  beforeEach(async () => {
    visit = await startVisit();
  });
  afterEach(() => visit.trip.close());

  it('shows a page with one form, a card number typed in, and two buttons', async () => {
    const { url } = await visit.open();
    const shown = (await get(url)).body.toString();
    expect(shown.match(/<form/g)).to.have.length(1);
    expect(shown).to.contain('<input name="pan" value="4111111111111111"');
    for (const choice of ['pay', 'cancel']) {
      expect(shown).to.contain(`<button type="submit" name="choice" value="${choice}">`);
    }
    expect(shown).to.contain(`action="${new URL(url).pathname}"`);
    expect((await choose(url, { pan: '4111111111111112', choice: 'pay' })).status).to.equal(200);
    expect((await get(`${visit.trip.sandboxUrl}/d/page/7`)).status).to.equal(404);
  });

  for (const pan of ['4111111111111111', '5555555555554444', '6304000000000000', undefined]) {
    it(`approves card ${pan ?? 'as shown at first'} and reports it twice, as one fact`, async () => {
      const { given, outcome, stored, url } = await visit.open();
      expect(await visit.trip.fetched(stored)).to.deep.equal(['0:8000 pending 25.90']);
      expect(await land(await choose(url, { choice: 'pay', ...(pan === undefined ? {} : { pan }) }))).to.equal(
        '0:0000',
      );
      await visit.hears('0:0000');
      const [browser, server] = visit.trip.heard.map(({ events }) => events[0]!);
      expect(browser).to.deep.equal(server);
      expect(browser).to.include({
        status: 'succeeded',
        reference: given.reference,
        providerReference: outcome.providerReference,
        amount: '25.90',
        currency: 'EUR',
      });
      expect(outcome.providerReference).to.match(/^\d{20}$/);
      expect(await visit.trip.fetched(stored)).to.deep.equal(['0:0000 succeeded 25.90']);
      expect(await visit.trip.submit(given)).to.deep.equal({
        outcome: 'succeeded',
        providerReference: outcome.providerReference,
      });
    });
  }

  for (const [pan, providerStatus, decline] of [
    ['4000000000000002', '0:0190', '05'],
    ['4000000000009995', '0:0116', '51'],
    ['4000000000000069', '0:0101', '54'],
    ['4000000000000127', '0:0104', '57'],
    ['4000000000000259', '0:0121', '61'],
  ] as const) {
    it(`declines card ${pan} with ${decline}`, async () => {
      const { given, stored, url } = await visit.open();
      expect(await visit.pay(url, pan)).to.equal(providerStatus);
      await visit.hears(providerStatus);
      for (const { events } of visit.trip.heard) expect(events[0]).to.include({ status: 'failed', decline });
      expect(await visit.trip.fetched(stored)).to.deep.equal([`${providerStatus} failed 25.90`]);
      expect(await visit.trip.submit(given)).to.include({ outcome: 'failed', decline });
    });
  }

  it('lets the payer cancel', async () => {
    const { stored, url } = await visit.open();
    expect(await land(await choose(url, { choice: 'cancel' }))).to.equal('0:9915');
    await visit.hears('0:9915');
    expect(await visit.trip.fetched(stored)).to.deep.equal(['0:9915 cancelled 25.90']);
  });

  for (const [choice, providerStatus, more] of [
    ['pass', '0:0000', { status: 'succeeded' }],
    ['fail', '0:0184', { status: 'failed', decline: '05', threeDsResult: 'N' }],
  ] as const) {
    it(`shows 3D Secure on a second page: ${choice}`, async () => {
      const { stored, url } = await visit.open();
      const second = await choose(url, { pan: '4000000000003220', choice: 'pay' });
      expect(second.status).to.equal(200);
      for (const button of ['pass', 'fail']) {
        expect(second.body.toString()).to.contain(`<button type="submit" name="choice" value="${button}">`);
      }
      expect(await visit.trip.fetched(stored)).to.deep.equal(['0:8000 pending 25.90']);
      expect(await land(await choose(url, { choice }))).to.equal(providerStatus);
      await visit.hears(providerStatus);
      expect(visit.trip.heard[1]!.events[0]).to.include(more);
      const report = await visit.trip.fetchStatus(stored);
      expect(report.result === 'events' && report.events[0]).to.include({
        providerStatus,
        ...('decline' in more ? { threeDsResult: 'N' } : {}),
      });
    });
  }

  for (const [pan, providerStatus, status] of [
    ['4000000000003063', '0:0000', 'succeeded'],
    ['4000000000003089', '0:0190', 'failed'],
  ] as const) {
    it(`leaves card ${pan} pending in the browser and settles it by the post`, async () => {
      const { outcome, stored, url } = await visit.open();
      expect(await visit.pay(url, pan)).to.equal('0:9997');
      await visit.hears(providerStatus);
      expect(visit.trip.reported().sort()).to.deep.equal([`${providerStatus} ${status}`, '0:9997 pending'].sort());
      const ids = visit.trip.heard.map(({ events }) => events[0]!.providerReference);
      expect(ids).to.deep.equal([outcome.providerReference, outcome.providerReference]);
      expect(await visit.trip.fetched(stored)).to.deep.equal([`${providerStatus} ${status} 25.90`]);
    });
  }

  it('leaves card 3097 pending forever', async () => {
    const { stored, url } = await visit.open();
    expect(await visit.pay(url, '4000000000003097')).to.equal('0:9997');
    await visit.hears('0:9997');
    expect(await visit.trip.fetched(stored)).to.deep.equal(['0:9997 pending 25.90']);
  });

  it('charges the silent card, closes the browser’s connection, and posts', async () => {
    const { stored, url } = await visit.open();
    const failure = await choose(url, { pan: '4000000000006975', choice: 'pay' }).catch((error: unknown) => error);
    expect(failure).to.be.instanceOf(Error);
    await visit.hears('0:0000');
    expect(await visit.trip.fetched(stored)).to.deep.equal(['0:0000 succeeded 25.90']);
  });

  it('refunds the whole amount later for card 0341', async () => {
    const { stored, url } = await visit.open();
    await visit.pay(url, '4000000000000341');
    await visit.hears('0:0000', '3:0900');
    const refund = visit.heardOf('refund')[0]!;
    expect(refund).to.include({ kind: 'refund', status: 'succeeded', amount: '25.90', providerReference: null });
    expect(refund.subReference).not.to.equal(stored.providerReference);
    expect(await visit.trip.fetched(stored)).to.deep.equal(['0:0000 succeeded 25.90', 'D_Back succeeded 25.90']);
    const more = { reference: `${stored.reference}-R1`, money: { amount: '1', currency: 'EUR' }, ...firstRefund };
    expect(await providerD.refund!(stored, more, visit.trip.provider)).to.include({ nothingCharged: true });
  });

  it('opens and loses a dispute for card 0440', async () => {
    const { stored, url } = await visit.open();
    await visit.pay(url, '4000000000000440');
    await visit.hears('0:0000', '7:0700', '7:0702');
    const cases = visit.heardOf('chargeback');
    expect(cases.map(({ status }) => status)).to.have.members(['opened', 'lost']);
    expect(new Set(cases.map(({ subReference }) => subReference)).size).to.equal(1);
    expect(await visit.trip.fetched(stored)).to.deep.equal(['0:0000 succeeded 25.90', 'lost lost 25.90']);
  });

  it('redirects the browser from a used page immediately, and reports nothing new', async () => {
    const { url } = await visit.open();
    await visit.pay(url, '4000000000000002');
    await visit.hears('0:0190');
    expect(await land(await get(url))).to.equal('0:0190');
    expect(await visit.pay(url)).to.equal('0:0190');
    expect(visit.trip.deliveries).to.have.length(1);
  });

  it('ends an abandoned page', async () => {
    const { given, stored, url } = await visit.open();
    const clock = Date.now;
    Date.now = () => clock() + 30 * 60_000 + 1000;
    try {
      expect(await visit.trip.fetched(stored)).to.deep.equal(['0:9970 expired 25.90']);
    } finally {
      Date.now = clock;
    }
    await visit.hears('0:9970');
    expect(await land(await get(url))).to.equal('0:9970');
    expect((await visit.trip.submit(given)).outcome).to.equal('pending');
  });
});
