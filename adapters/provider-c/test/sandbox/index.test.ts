import { expect } from 'chai';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { payment, startVisit, type Visit } from './visit.ts';

describe('the sandbox', () => {
  let visit: Visit;
  beforeEach(async () => {
    visit = await startVisit();
  });
  afterEach(() => visit.trip.close());

  describe('cards', () => {
    for (const [number, outcome, reported, found] of [
      ['4111111111111111', { outcome: 'succeeded' }, ['success'], ['success succeeded 25.90']],
      ['4242424242424242', { outcome: 'succeeded' }, ['success'], ['success succeeded 25.90']],
      ['4000000000000002', { outcome: 'failed', decline: '05' }, ['failure'], ['failure failed 25.90']],
      ['4000000000009995', { outcome: 'failed', decline: '51' }, ['failure'], ['failure failed 25.90']],
      ['4000000000000069', { outcome: 'failed', decline: '54' }, ['failure'], ['failure failed 25.90']],
      ['4000000000000127', { outcome: 'failed', decline: '57' }, ['failure'], ['failure failed 25.90']],
      ['4000000000000259', { outcome: 'failed', decline: '61' }, ['failure'], ['failure failed 25.90']],
      ['4000000000003063', { outcome: 'pending' }, ['success'], ['success succeeded 25.90']],
      ['4000000000003089', { outcome: 'pending' }, ['failure'], ['failure failed 25.90']],
      ['4000000000006975', { outcome: 'unknown' }, ['success'], ['success succeeded 25.90']],
      [
        '4000000000000341',
        { outcome: 'succeeded' },
        ['success', 'refunded'],
        ['success succeeded 25.90', 'c_refunded succeeded 25.90'],
      ],
      [
        '4000000000000440',
        { outcome: 'succeeded' },
        ['success', 'disputed', 'disputelost'],
        ['success succeeded 25.90', 'lost lost 25.90'],
      ],
    ] as const) {
      it(`ends ${number} as ${outcome.outcome}, and reports it`, async () => {
        const given = payment(number);
        const result = await visit.trip.submit(given);
        expect(result).to.include(outcome);
        await visit.hears(...reported);
        expect(await visit.trip.fetched(visit.trip.toStored(given, result))).to.deep.equal(found);
      });
    }

    it('leaves 3097 pending, and reports nothing', async () => {
      const given = payment('4000000000003097');
      const stored = visit.trip.toStored(given, await visit.trip.submit(given));
      expect(await visit.trip.fetched(stored)).to.deep.equal(['pending pending 25.90']);
      expect(visit.trip.deliveries).to.deep.equal([]);
    });

    it('declines a number without its check digit, and a past month', async () => {
      const { card: _, ...cardless } = payment();
      const card = { number: '4111111111111112', expiration: '03/31', expiryMonth: '03', expiryYear: '2031', cvv: '1' };
      expect(await visit.trip.submit({ ...cardless, card })).to.include({ outcome: 'failed', decline: '57' });
      const past = { ...card, number: '4111111111111111', expiryYear: '2020' };
      expect(await visit.trip.submit({ ...cardless, card: past })).to.include({ outcome: 'failed', decline: '57' });
    });

    it('accepts empty texts, and an amount of zero', async () => {
      const bare = payment(undefined, '0', { name: '' });
      const result = await visit.trip.submit({ ...bare, payer: { ...bare.payer, email: '', city: '' } });
      expect(result).to.include({ outcome: 'succeeded' });
    });

    it('returns ids that exceed a double, and one id per dispute', async () => {
      const result = await visit.trip.submit(payment('4000000000000440'));
      expect(Number(result.providerReference)).to.be.greaterThan(Number.MAX_SAFE_INTEGER);
      await visit.hears('success', 'disputed', 'disputelost');
      const [, opened, lost] = visit.trip.heard.flatMap(({ events }) => events);
      expect(opened!.subReference).to.match(/^DP-/);
      expect(lost!.subReference).to.equal(opened!.subReference);
    });
  });

  describe('amounts that misbehave', () => {
    it('fails .50 before any charge, and does not know the payment afterwards', async () => {
      const given = payment(undefined, '25.50');
      const result = await visit.trip.submit(given);
      expect(result).to.include({ outcome: 'failed', nothingCharged: true });
      expect(await visit.trip.fetched(visit.trip.toStored(given, result))).to.deep.equal(['nothing_charged']);
    });

    it('asks to wait once for .51', async () => {
      expect((await visit.trip.submit(payment(undefined, '25.51'))).outcome).to.equal('succeeded');
    });

    it('shows the page of a proxy for .52, without a charge', async () => {
      const given = payment(undefined, '25.52');
      const result = await visit.trip.submit(given);
      expect(result.outcome).to.equal('unknown');
      expect(await visit.trip.fetched(visit.trip.toStored(given, result))).to.deep.equal(['nothing_charged']);
    });

    it('cuts the answer for .53, and returns the whole answer to a repetition', async () => {
      const given = payment(undefined, '25.53');
      expect((await visit.trip.submit(given)).outcome).to.equal('unknown');
      await visit.hears('success');
      expect((await visit.trip.submit(given)).outcome).to.equal('succeeded');
      expect(visit.posted()).to.have.length(1);
    });

    it('delivers three times for .54', async () => {
      await visit.trip.submit(payment(undefined, '25.54'));
      await visit.hears('success', 'success', 'success');
    });

    it('reports before it answers for .55, even if the answer is pending', async () => {
      for (const [number, outcome] of [
        ['4111111111111111', 'succeeded'],
        ['4000000000003063', 'pending'],
      ] as const) {
        const before = visit.trip.heard.length;
        expect((await visit.trip.submit(payment(number, '25.55'))).outcome).to.equal(outcome);
        expect(visit.trip.heard).to.have.length(before + 1);
      }
    });

    it('reports pending last for .56', async () => {
      await visit.trip.close();
      visit = await startVisit(80); // Far enough apart that no connection overtakes another.
      await visit.trip.submit(payment(undefined, '25.56'));
      await visit.trip.until(() => visit.trip.heard.length === 2);
      expect(visit.trip.reported()).to.deep.equal(['success succeeded', 'pending pending']);
    });

    it('sends a wrong signature first for .57', async () => {
      await visit.trip.submit(payment(undefined, '25.57'));
      await visit.trip.until(() => visit.trip.heard.length === 2);
      expect(visit.trip.heard.map(({ outcome }) => outcome)).to.deep.equal(['invalid_signature', 'accepted']);
    });

    it('ignores these rules in a currency without decimals, and reads .500 of three decimals as .50', async () => {
      expect((await visit.trip.submit(payment(undefined, '2550', { currency: 'JPY' }))).outcome).to.equal('succeeded');
      expect(await visit.trip.submit(payment(undefined, '25.5', { currency: 'KWD' }))).to.include({
        nothingCharged: true,
      });
    });
  });
});
