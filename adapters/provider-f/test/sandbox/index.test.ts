import { sendRequest, type CallbackReply } from '@paywright/contract/sandbox';
import { expect } from 'chai';
import { afterEach, beforeEach, describe, it } from 'mocha';
import providerF from '../../index.ts';
import { dealPath, get as getOfOurs } from '../../wire.ts';
import { harness } from '../messages.ts';
import { get, locationOf, payment, startVisit, urlOf, type Visit } from './visit.ts';

const { options } = harness;

describe('the sandbox', () => {
  let visit: Visit;

  beforeEach(async () => {
    visit = await startVisit();
  });
  afterEach(() => visit.trip.close());

  describe("the payer's e-mail address", () => {
    it('settles immediately and pings: instant', async () => {
      const { outcome, stored } = await visit.buy(payment('instant'));
      expect(outcome).to.have.all.keys('outcome', 'providerReference').and.include({ outcome: 'succeeded' });
      await visit.pinged(1);
      expect(visit.trip.heard[0]).to.include({ route: 'providerF', outcome: 'accepted' });
      expect(visit.trip.heard[0]!.events[0]).to.include({ kind: 'ping', providerReference: outcome.providerReference });
      const { providerReference: _, ...unnamed } = stored;
      for (const one of [stored, unnamed]) {
        expect(await visit.trip.fetched(one)).to.deep.equal(['settled succeeded 25.90']);
      }
    });

    for (const code of ['05', '51', '54', '57', '61']) {
      it(`drops immediately with its reason: refused-${code}`, async () => {
        const { outcome, stored } = await visit.buy(payment(`refused-${code}`));
        expect(outcome).to.include({ outcome: 'failed', decline: code });
        await visit.pinged(1, 'dropped 1');
        const report = await visit.trip.fetchStatus(stored);
        expect(report.result === 'events' && report.events[0]).to.include({ providerStatus: 'dropped', decline: code });
      });
    }

    for (const [local, before, after] of [
      ['slow', {}, 'settled succeeded'],
      ['slow-fail', {}, 'dropped failed'],
      ['held', { authorised: true }, 'settled succeeded'],
    ] as const) {
      it(`shows no page and reports ${after} after a delay: ${local}`, async () => {
        const { outcome, stored } = await visit.buy(payment(local));
        const { providerReference } = outcome;
        expect(outcome).to.deep.equal({ outcome: 'pending', providerReference, ...before });
        await visit.pinged(1, `${after.split(' ')[0]} 2`);
        expect(await visit.see(stored)).to.deep.equal([`${after} 25.90`]);
        expect(visit.pings('held 1').length > 0).to.equal(local === 'held');
        expect(visit.pings('open')).to.have.length(0);
      });
    }

    it('stays open forever without a page or a ping: never', async () => {
      const { outcome, stored } = await visit.buy(payment('never'));
      expect(outcome).to.have.all.keys('outcome', 'providerReference').and.include({ outcome: 'pending' });
      await visit.buy(payment('instant'));
      await visit.pinged(5);
      expect(await visit.trip.fetched(stored)).to.deep.equal(['open pending 25.90']);
      expect(new Set(visit.trip.deliveries.map(({ name }) => name))).to.deep.equal(new Set(['ping settled 1']));
    });

    it('shows a page that expires after a delay, unless the payer is faster: lapse', async () => {
      await visit.trip.close();
      visit = await startVisit(options, 150);
      const [{ stored: lapsing }, { stored: paid }] = [
        await visit.buy(payment('lapse')),
        await visit.buy(payment('lapse')),
      ];
      expect(urlOf(lapsing)).to.match(/\/wallet\/d_[A-Z0-9]+$/);
      await visit.choose(paid, 'pass');
      await visit.pinged(1, 'lapsed 2');
      expect(await visit.trip.fetched(lapsing)).to.deep.equal(['lapsed expired 25.90']);
      expect(await visit.trip.fetched(paid)).to.deep.equal(['settled succeeded 25.90']);
    });

    it('settles and closes the connection: silent', async () => {
      const given = payment('silent');
      const { outcome, stored } = await visit.buy(given);
      expect(outcome).to.deep.equal({ outcome: 'unknown', reason: 'no answer' });
      await visit.pinged(1, 'settled 1');
      expect(await visit.trip.fetched(stored)).to.deep.equal(['settled succeeded 25.90']);
      expect((await visit.trip.submit(given)).outcome).to.equal('succeeded');
    });

    it('refunds completely after two delays: returns', async () => {
      const { stored } = await visit.buy(payment('returns'));
      await visit.pinged(1, 'settled 2');
      expect(await visit.see(stored)).to.deep.equal(['settled succeeded 25.90', 'returned succeeded 25.90']);
      expect(await visit.refund(stored, 1, '0.01')).to.include({ outcome: 'failed', nothingCharged: true });
    });

    it('disputes after two delays and loses one delay later: claims', async () => {
      await visit.trip.close();
      visit = await startVisit(options, 80);
      const { outcome, stored } = await visit.buy(payment('claims'));
      expect(outcome).to.include({ outcome: 'succeeded' });
      // When the ping about the open claim arrives, the claim is already lost. Only a fetch in between shows it open.
      const seen = new Set<string>();
      for (let asked = 0; asked < 2000 && !seen.has('lost lost 25.90'); asked += 1) {
        const [, dispute = 'none'] = await visit.trip.fetched(stored);
        seen.add(dispute);
      }
      expect([...seen]).to.deep.equal(['none', 'open opened 25.90', 'lost lost 25.90']);
      await visit.pinged(1, 'settled 3');
      expect(visit.pings('settled 2').length).to.be.greaterThan(0);
      expect(await visit.refund(stored, 1, '0.01')).to.include({ outcome: 'failed', nothingCharged: true });
    });
  });

  describe('the wallet’s page', () => {
    it('has one form with a button for each choice', async () => {
      const { stored } = await visit.buy(payment('anybody'));
      const shown = await get(urlOf(stored));
      expect(shown.status).to.equal(200);
      const html = shown.body.toString();
      expect(html.match(/<form/g)).to.have.length(1);
      expect(html).to.contain(`<form method="post" action="/wallet/${stored.providerReference}">`);
      const buttons = [...html.matchAll(/<button type="submit" name="choice" value="(\w+)">/g)];
      expect(buttons.map(([, value]) => value)).to.deep.equal(['pass', 'fail', 'leave']);
      expect((await get(`${visit.trip.sandboxUrl}/wallet/d_nobody00`)).status).to.equal(404);
      expect((await visit.choose(stored, 'other')).status).to.equal(200);
      expect(await visit.trip.fetched(stored)).to.deep.equal(['open pending 25.90']);
    });

    for (const [choice, said] of [
      ['pass', 'settled succeeded 25.90'],
      ['fail', 'dropped failed 25.90'],
      ['leave', 'left cancelled 25.90'],
    ] as const) {
      it(`reads ${choice} as ${said}, and sends the browser back`, async () => {
        const given = payment('anybody');
        const { stored } = await visit.buy(given);
        const { providerReference } = stored;
        const back = await visit.choose(stored, choice);
        expect(back.status).to.equal(303);
        expect(locationOf(back)).to.equal(
          `${visit.trip.provider.publicUrl}/pay/${given.paymentRequestId}?f_id=${providerReference}&ref=${given.reference}`,
        );
        await visit.pinged(1, `${said.split(' ')[0]} 2`);
        expect(await visit.see(stored)).to.deep.equal([said]);
        const report = await visit.trip.fetchStatus(stored);
        if (choice === 'fail') expect(report.result === 'events' && report.events[0]?.decline).to.equal('05');
        for (const late of ['pass', 'other']) {
          const again = await visit.choose(stored, late);
          expect([again.status, locationOf(again)]).to.deep.equal([303, locationOf(back)]);
        }
        expect(await visit.trip.fetched(stored)).to.deep.equal([said]);
        expect((await get(urlOf(stored))).status).to.equal(200);
        const shown = await visit.trip.provider.http.send(getOfOurs(options, dealPath(stored.providerReference!)));
        expect(Buffer.from(shown.body).toString()).to.not.contain('goTo');
      });
    }

    it('keeps the query of the return address', async () => {
      const given = payment('anybody');
      const { provider: ctx } = visit.trip;
      const outcome = await providerF.submit(given, {
        ...ctx,
        returnUrl: () => 'https://shop.example/back?a=b%20c',
      });
      const back = await visit.choose(visit.trip.toStored(given, outcome), 'pass');
      expect(locationOf(back)).to.match(/^https:\/\/shop\.example\/back\?a=b%20c&f_id=d_[A-Z0-9]+&ref=GW-\d+-1$/);
    });
  });

  describe('a return', () => {
    it('refunds a part after a delay, reports the total, and counts the rest', async () => {
      const { stored } = await visit.buy(payment('instant', '100'));
      const first = await visit.refund(stored, 1, '60');
      expect(first).to.deep.equal({ outcome: 'pending', providerReference: stored.providerReference });
      expect(await visit.refund(stored, 1, '60')).to.deep.equal(first);
      expect((await visit.refund(stored, 1, '59')).outcome).to.equal('unknown');
      expect(await visit.refund(stored, 2, '40.01')).to.include({ outcome: 'failed', nothingCharged: true });
      await visit.pinged(1, 'settled 2');
      expect(await visit.see(stored)).to.deep.equal(['settled succeeded 100.00', 'returned succeeded 60.00']);
      expect((await visit.refund(stored, 3, '40')).outcome).to.equal('pending');
      await visit.pinged(1, 'settled 3');
      expect(await visit.see(stored)).to.deep.equal(['settled succeeded 100.00', 'returned succeeded 100.00']);
      expect(await visit.refund(stored, 4, '0.01')).to.include({ nothingCharged: true });
    });

    it('refunds nothing of an unsettled deal, and finds no other deal', async () => {
      const { stored } = await visit.buy(payment('anybody'));
      expect(await visit.refund(stored, 1, '1')).to.include({ outcome: 'failed', nothingCharged: true });
      const other = { ...stored, providerReference: 'd_nobody00' };
      expect(await visit.refund(other, 1, '1')).to.include({ outcome: 'failed', nothingCharged: true });
      expect(await visit.trip.fetched(other)).to.deep.equal(['no_information']);
    });
  });

  describe('a refused request', () => {
    const token = 'Bearer f_tok_test_0123456789';
    const body = {
      shop: 'shop-5',
      ref: 'GW-77-1',
      gross: { v: '1.00', c: 'EUR' },
      payer: { name: '', email: 'instant@x', phone: '', ip: null },
      address: { street: '', city: '', state: '', zip: '', country: '' },
      backUrl: 'https://shop.example/',
    };
    async function ask(path: string, sent?: unknown, headers: Readonly<Record<string, string>> = {}): Promise<string> {
      const reply: CallbackReply = await sendRequest(
        {
          method: sent === undefined ? 'GET' : 'POST',
          url: `${visit.trip.sandboxUrl}${path}`,
          headers: { Authorization: token, 'Idempotency-Key': 'GW-77-1', ...headers },
          ...(sent === undefined ? {} : { body: typeof sent === 'string' ? sent : JSON.stringify(sent) }),
        },
        2000,
      );
      const { fault } = JSON.parse(reply.body.toString() || '{}') as { fault?: { code: string; started: boolean } };
      return fault ? `${reply.status} ${fault.code} ${fault.started}` : String(reply.status);
    }

    it('has a wrong token, member, amount or key', async () => {
      for (const Authorization of ['', 'Bearer f_tok_test_0123456780', 'f_tok_test_0123456789']) {
        for (const sent of [body, undefined]) {
          expect(await ask('/v1/deals', sent, { Authorization })).to.equal('401 bad_token false');
        }
        expect(await ask('/v1/deals/d_nobody00', undefined, { Authorization })).to.equal('401 bad_token false');
        expect(await ask('/v1/deals/d_nobody00/seen', {}, { Authorization })).to.equal('401 bad_token false');
        expect(await ask('/v1/deals/d_nobody00/returns', {}, { Authorization })).to.equal('401 bad_token false');
      }
      const money = (v: string, c: string) => ({ ...body, gross: { v, c } });
      for (const sent of [
        '{',
        [],
        { ...body, shop: 'shop-6' },
        { ...body, ref: 'GW-77-2' },
        { ...body, payer: {} },
        { ...body, backUrl: 'here' },
        ...['1', '1.0', '1.000', '01.00', '1.001', '-1.00', '1e0', ''].map((v) => money(v, 'EUR')),
        money('1.00', 'JPY'),
        money('1.00', 'KWD'),
      ]) {
        expect(await ask('/v1/deals', sent)).to.equal('400 bad_field false');
      }
      expect(await ask('/v1/deals', body, { 'Idempotency-Key': '' })).to.equal('400 bad_field false');
      expect(await ask('/v1/deals', money('1.00', 'eur'))).to.equal('422 not_offered false');
      expect(await ask('/v1/deals')).to.equal('400 bad_field false');
      expect(await ask('/v1/deals/d_nobody00')).to.equal('404 no_deal false');
    });

    it('has another body under the same key; the same body is repeated', async () => {
      expect(await ask('/v1/deals', body)).to.equal('201');
      expect(await ask('/v1/deals', body)).to.equal('200');
      expect(await ask('/v1/deals', { ...body, backUrl: 'https://shop.example/2' })).to.equal('409 key_reused true');
    });

    it('has a wrong return or mark', async () => {
      const { stored } = await visit.buy(payment('instant'));
      const path = `/v1/deals/${stored.providerReference}`;
      for (const sent of [{ v: '1', c: 'EUR' }, { v: '1.00', c: 'USD' }, { v: '1.00' }, {}]) {
        expect(await ask(`${path}/returns`, sent)).to.equal('400 bad_field false');
      }
      expect(await ask(`${path}/returns`, { v: '1.00', c: 'EUR' }, { 'Idempotency-Key': '' })).to.equal(
        '400 bad_field false',
      );
      expect(await ask(`${path}/returns`, { v: '1.00', c: 'EUR' })).to.equal('202');
      await visit.pinged(1, 'settled 2');
      for (const mark of [0, 3, 1.5, '2', null]) {
        expect(await ask(`${path}/seen`, { mark })).to.equal('400 bad_field false');
      }
      expect(await ask(`${path}/seen`, { mark: 1 })).to.equal('409 mark_moved true');
      expect(await ask(`${path}/seen`, { mark: 2 })).to.equal('204');
      expect(await ask('/v1/deals/d_nobody00/seen', { mark: 1 })).to.equal('404 no_deal false');
      const moved = providerF.markSeen!(stored, '1', visit.trip.provider);
      expect(await moved).to.equal('changed');
    });
  });
});
