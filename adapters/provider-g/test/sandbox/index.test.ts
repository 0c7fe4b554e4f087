import { replyHeader, type HttpRequest, type Outcome } from '@paywright/contract';
import { realHttp } from '@paywright/contract/testing';
import { expect } from 'chai';
import { afterEach, beforeEach, describe, it } from 'mocha';
import providerG from '../../index.ts';
import { post } from '../../wire.ts';
import { plaintextOf } from '../messages.ts';
import { payment, startVisit, type Visit } from './visit.ts';

describe('the adapter with its sandbox', () => {
  let visit: Visit;
  beforeEach(async () => {
    visit = await startVisit();
  });
  afterEach(() => visit.trip.close());

  for (const number of ['4111111111111111', '5555555555554444', '4000000000003220', '6304000000000000']) {
    it(`approves card ${number} if 3D Secure is skipped`, async () => {
      const given = payment(number, '25.9', { is3ds: false });
      const outcome = await visit.trip.submit(given);
      expect(outcome).to.include({ outcome: 'succeeded' });
      await visit.hears('PAID succeeded');
      const { providerReference } = outcome;
      expect(visit.events()[0]).to.include({ reference: given.reference, providerReference, amount: '25.90' });
      await visit.trip.until(() => visit.trip.deliveries.length > 0);
      expect(visit.trip.deliveries[0]).to.include({ acknowledged: true, number: 1 });
      const report = await visit.trip.fetchStatus(visit.trip.toStored(given, outcome));
      expect(report.result === 'events' && report.events[0]!.dedupeKey).to.equal(visit.events()[0]!.dedupeKey);
      expect(await visit.trip.fetched(visit.trip.toStored(given, outcome))).to.deep.equal(['PAID succeeded 25.90']);
    });
  }

  for (const [number, decline] of [
    ['4000000000000002', '05'],
    ['4000000000009995', '51'],
    ['4000000000000069', '54'],
    ['4000000000000127', '57'],
    ['4000000000000259', '61'],
  ] as const) {
    it(`declines card ${number} with ${decline}, in answer, callback and status, with and without 3D Secure`, async () => {
      const given = payment(number, '25.9', { is3ds: true });
      const outcome = await visit.trip.submit(given);
      expect(outcome).to.include({ outcome: 'failed', decline });
      await visit.hears('UNPAID failed');
      expect(visit.events()[0]).to.include({ decline });
      const report = await visit.trip.fetchStatus(visit.trip.toStored(given, outcome));
      expect(report.result === 'events' && report.events[0]).to.include({ providerStatus: 'UNPAID', decline });
    });
  }

  it('leaves a card pending and settles it by callback', async () => {
    const given = [payment('4000000000003063'), payment('4000000000003089'), payment('4000000000003097')] as const;
    const outcomes: Outcome[] = [];
    for (const one of given) outcomes.push(await visit.trip.submit(one));
    expect(outcomes.map(({ outcome }) => outcome)).to.deep.equal(['pending', 'pending', 'pending']);
    await visit.hears('PAID succeeded', 'UNPAID failed');
    const fetched = await Promise.all(
      given.map((one, at) => visit.trip.fetched(visit.trip.toStored(one, outcomes[at]!))),
    );
    expect(fetched).to.deep.equal([['PAID succeeded 25.90'], ['UNPAID failed 25.90'], ['waiting']]);
  });

  it('reports no event of a pending card before its callback', async () => {
    await visit.trip.close();
    visit = await startVisit(5000);
    const given = payment('4000000000003063');
    const outcome = await visit.trip.submit(given);
    expect(await visit.trip.fetched(visit.trip.toStored(given, outcome))).to.deep.equal(['waiting']);
  });

  it('authorises first if capture waits', async () => {
    await visit.trip.close();
    visit = await startVisit(80);
    const given = payment(undefined, undefined, { captureDelayHours: 3 });
    const outcome = await visit.trip.submit(given);
    expect(outcome).to.include({ outcome: 'pending', authorised: true });
    expect(await visit.trip.fetched(visit.trip.toStored(given, outcome))).to.deep.equal(['AUTHED authorised 25.90']);
    await visit.hears('PAID succeeded');
    expect(await visit.trip.fetched(visit.trip.toStored(given, outcome))).to.deep.equal(['PAID succeeded 25.90']);
  });

  it('charges and closes the connection for the silent card', async () => {
    const given = payment('4000000000006975');
    const outcome = await visit.trip.submit(given);
    expect(outcome.outcome).to.equal('unknown');
    expect(await visit.trip.fetched(visit.trip.toStored(given, outcome))).to.deep.equal(['PAID succeeded 25.90']);
    await visit.hears('PAID succeeded');
    expect((await visit.trip.submit(given)).outcome).to.equal('succeeded');
  });

  it('refunds card 0341 completely later', async () => {
    const given = payment('4000000000000341');
    const outcome = await visit.trip.submit(given);
    await visit.hears('PAID succeeded', 'REFUND_OK succeeded');
    const back = visit.events().find(({ kind }) => kind === 'refund');
    expect(back).to.include({ amount: '25.90', providerReference: outcome.providerReference });
    expect(await visit.refund(visit.trip.toStored(given, outcome), 1, '0.01')).to.include({ nothingCharged: true });
  });

  it('opens a dispute and loses it for card 0440', async () => {
    const given = payment('4000000000000440');
    const outcome = await visit.trip.submit(given);
    await visit.hears('PAID succeeded', 'DISPUTED opened', 'DISPUTE_LOST lost');
    expect(await visit.trip.fetched(visit.trip.toStored(given, outcome))).to.deep.equal([
      'PAID succeeded 25.90',
      'DISPUTED opened 25.90',
      'DISPUTE_LOST lost 25.90',
    ]);
  });

  it('answers a repetition with the current charge, and refuses another amount, card or currency', async () => {
    const given = payment('4000000000003063');
    const outcome = await visit.trip.submit(given);
    await visit.hears('PAID succeeded');
    const again = await visit.trip.submit(given);
    expect(again).to.deep.equal({ outcome: 'succeeded', providerReference: outcome.providerReference });
    for (const other of [
      { money: { amount: '25.91', currency: 'EUR' } },
      { money: { amount: '25.9', currency: 'USD' } },
      { card: { ...given.card, number: '5555555555554444' } },
      { card: { ...given.card, expiryYear: '2032' } },
    ]) {
      expect(await visit.trip.submit({ ...given, ...other })).to.include({ outcome: 'unknown' });
    }
    expect(visit.trip.heard).to.have.length(1);
  });

  it('charges amounts that no double can hold', async () => {
    const given = payment(undefined, '90071992547409.93');
    expect((await visit.trip.submit(given)).outcome).to.equal('succeeded');
    await visit.hears('PAID succeeded');
    expect(visit.events()[0]).to.include({ amount: '90071992547409.93' });
  });

  it('refuses an invalid number, and an unknown currency', async () => {
    for (const given of [
      payment('4111111111111112'),
      payment(undefined, undefined, { money: { amount: '1', currency: 'XQX' } }),
    ]) {
      const outcome = await visit.trip.submit(given);
      expect(outcome).to.include({ outcome: 'failed', nothingCharged: true });
      expect(await visit.trip.fetched(visit.trip.toStored(given, outcome))).to.deep.equal(['nothing_charged']);
    }
  });

  describe('the sandbox, by amount', () => {
    it('fails .50 and charges nothing', async () => {
      const given = payment(undefined, '25.50');
      const outcome = await visit.trip.submit(given);
      expect(outcome).to.include({ outcome: 'failed', nothingCharged: true });
      expect(await visit.trip.fetched(visit.trip.toStored(given, outcome))).to.deep.equal(['nothing_charged']);
    });

    it('asks to wait once for .51', async () => {
      const sent: HttpRequest[] = [];
      const given = payment(undefined, '25.51');
      expect((await providerG.submit(given, visit.watching(sent))).outcome).to.equal('succeeded');
      const other = { ...plaintextOf(sent[0]!.body), gw_ref: 'GW-0-51' };
      const refused = await realHttp(visit.trip.sandboxUrl).send(post('/v1/charges', 'GW-0-51', other, visit.ctx));
      expect([refused.status, refused.body.toString()]).to.deep.equal([
        429,
        '{"code":"FAIL","reason":"SLOW_DOWN","begun":false}',
      ]);
      expect(replyHeader(refused, 'Retry-After')).to.equal('1');
    });

    it('shows the page of a proxy for .52 and charges nothing', async () => {
      const given = payment(undefined, '25.52');
      const outcome = await visit.trip.submit(given);
      expect(outcome.outcome).to.equal('unknown');
      expect(await visit.trip.fetched(visit.trip.toStored(given, outcome))).to.deep.equal(['nothing_charged']);
    });

    it('truncates the answer for .53, and gives it completely to a repetition', async () => {
      const given = payment(undefined, '25.53');
      expect((await visit.trip.submit(given)).outcome).to.equal('unknown');
      await visit.hears('PAID succeeded');
      expect((await visit.trip.submit(given)).outcome).to.equal('succeeded');
      expect(visit.trip.heard).to.have.length(1);
    });

    it('delivers three times for .54: one gid, with a new box and signature', async () => {
      await visit.trip.submit(payment(undefined, '25.54'));
      await visit.trip.until(() => visit.trip.heard.length === 3);
      expect(new Set(visit.events().map(({ dedupeKey }) => dedupeKey)).size).to.equal(1);
      expect(new Set(visit.trip.deliveries.map(({ request }) => String(request?.body))).size).to.equal(3);
      expect(new Set(visit.trip.deliveries.map(({ request }) => request?.headers?.['G-Nonce'])).size).to.equal(3);
    });

    it('reports before the answer for .55, including a payment that the answer calls WAITING', async () => {
      for (const [number, outcome] of [
        ['4111111111111111', 'succeeded'],
        ['4000000000003063', 'pending'],
      ] as const) {
        const before = visit.trip.heard.length;
        const given = payment(number, '25.55');
        const answered = await visit.trip.submit(given);
        expect([answered.outcome, visit.trip.heard.length]).to.deep.equal([outcome, before + 1]);
      }
    });

    it('reports the end before WAITING for .56, under two gids', async () => {
      await visit.trip.close();
      visit = await startVisit(80); // Long enough apart that no connection overtakes another.
      for (const [number, end] of [
        ['4111111111111111', 'PAID succeeded'],
        ['4000000000003089', 'UNPAID failed'],
      ] as const) {
        const before = visit.trip.heard.length;
        const given = payment(number, '25.56');
        const outcome = await visit.trip.submit(given);
        await visit.trip.until(() => visit.trip.heard.length === before + 2);
        expect(visit.trip.reported().slice(before)).to.deep.equal([end, 'WAITING pending']);
        expect(await visit.trip.fetched(visit.trip.toStored(given, outcome))).to.deep.equal([
          'WAITING pending 25.56',
          `${end} 25.56`,
        ]);
      }
      expect(new Set(visit.events().map(({ dedupeKey }) => dedupeKey)).size).to.equal(4);
    });

    it('signs incorrectly first for .57', async () => {
      await visit.trip.submit(payment(undefined, '25.57'));
      await visit.hears('PAID succeeded');
      expect(visit.trip.heard.map(({ outcome }) => outcome)).to.deep.equal(['invalid_signature', 'accepted']);
    });

    it('has no such rules in a currency without decimals, and reads .500 of three decimals as .50', async () => {
      const yen = payment(undefined, '', { money: { amount: '2550', currency: 'JPY' } });
      expect((await visit.trip.submit(yen)).outcome).to.equal('succeeded');
      const dinar = payment(undefined, '', { money: { amount: '25.5', currency: 'KWD' } });
      expect(await visit.trip.submit(dinar)).to.include({ nothingCharged: true });
    });
  });

  describe('a refund', () => {
    it('is possible in parts, repeats its answer, and stops at the remaining amount', async () => {
      const given = payment();
      const outcome = await visit.trip.submit(given);
      await visit.hears('PAID succeeded');
      const paid = visit.trip.toStored(given, outcome);
      const { providerReference } = outcome;
      expect(await visit.refund(paid, 1, '10')).to.deep.equal({ outcome: 'pending', providerReference });
      expect(await visit.refund(paid, 1, '10')).to.deep.equal({ outcome: 'pending', providerReference });
      await visit.hears('PAID succeeded', 'REFUND_OK succeeded');
      expect(visit.events()[1]).to.include({ amount: '10.00', providerReference });
      expect(await visit.refund(paid, 2, '15.91')).to.include({ outcome: 'failed', nothingCharged: true });
      expect((await visit.refund(paid, 1, '11')).outcome).to.equal('unknown');
      expect((await visit.refund(paid, 2, '15.9')).outcome).to.equal('pending');
      await visit.hears('PAID succeeded', 'REFUND_OK succeeded', 'REFUND_OK succeeded');
      expect(await visit.trip.fetched(paid)).to.deep.equal([
        'PAID succeeded 25.90',
        'REFUND_OK succeeded 10.00',
        'REFUND_OK succeeded 15.90',
      ]);
    });

    it('is refused for an unpaid charge, or in another currency', async () => {
      const failed = payment('4000000000000002');
      const declined = await visit.trip.submit(failed);
      expect(await visit.refund(visit.trip.toStored(failed, declined), 1, '1')).to.include({ nothingCharged: true });
      const given = payment();
      const paid = visit.trip.toStored(given, await visit.trip.submit(given));
      const dollars = { ...paid, money: { ...paid.money, currency: 'USD' } };
      expect(await visit.refund(dollars, 1, '1')).to.include({ nothingCharged: true });
    });

    it('is reported before the answer for .55, and first with a wrong signature for .57', async () => {
      const given = payment(undefined, '90');
      const paid = visit.trip.toStored(given, await visit.trip.submit(given));
      await visit.hears('PAID succeeded');
      await visit.refund(paid, 1, '5.55');
      expect(visit.trip.reported()).to.deep.equal(['PAID succeeded', 'REFUND_OK succeeded']);
      await visit.refund(paid, 2, '5.57');
      await visit.trip.until(() => visit.trip.heard.length === 4);
      expect(visit.trip.heard.map(({ outcome }) => outcome).slice(2)).to.deep.equal(['invalid_signature', 'accepted']);
    });
  });

  describe('a delivery', () => {
    it('is repeated five times in total, and ends with the first acknowledgement', async () => {
      await visit.trip.close();
      visit = await startVisit(1);
      visit.trip.answer('try_later');
      await visit.trip.submit(payment());
      await visit.trip.until(() => visit.trip.deliveries.length === 5);
      expect(visit.trip.deliveries.every(({ acknowledged, reply }) => !acknowledged && reply?.status === 503)).to.equal(
        true,
      );
      visit.trip.answer('accepted');
      await visit.trip.submit(payment());
      await visit.trip.until(() => visit.trip.deliveries.length === 6);
      expect(visit.trip.deliveries[5]).to.include({ acknowledged: true });
    });
  });
});
