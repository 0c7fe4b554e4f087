import { firstRefund } from '@paywright/contract/testing';
import type { Outcome, StoredPayment } from '@paywright/contract';
import { sendRequest } from '@paywright/contract/sandbox';
import { expect } from 'chai';
import { afterEach, beforeEach, describe, it } from 'mocha';
import providerD from '../../index.ts';
import createSandbox from '../../sandbox/index.ts';
import { harness, current, encoded, pack, paid, signed, triple } from '../messages.ts';
import { choose, payment, startVisit, type Visit } from './visit.ts';

const { options } = harness;

describe('the sandbox', () => {
  let visit: Visit;

  beforeEach(async () => {
    visit = await startVisit();
  });
  afterEach(() => visit.trip.close());

  describe('refunds', () => {
    async function bought(amount = '100'): Promise<StoredPayment> {
      const { stored, url } = await visit.open(payment(amount));
      await choose(url, { choice: 'pay' });
      await visit.hears('0:0000');
      return stored;
    }
    const refund = (of: StoredPayment, n: number, amount: string): Promise<Outcome> =>
      providerD.refund!(
        of,
        { reference: `${of.reference}-R${n}`, money: { amount, currency: 'EUR' }, ...firstRefund },
        visit.trip.provider,
      );

    it('refunds a part immediately, reports it, and counts the rest', async () => {
      const stored = await bought();
      const first = await refund(stored, 1, '60');
      expect(first.outcome).to.equal('succeeded');
      expect(await refund(stored, 1, '60')).to.deep.equal(first);
      expect((await refund(stored, 1, '61')).outcome).to.equal('unknown');
      expect(await refund(stored, 2, '40.01')).to.include({ outcome: 'failed', nothingCharged: true });
      expect((await refund(stored, 3, '40')).outcome).to.equal('succeeded');
      await visit.hears('0:0000', '3:0900', '3:0900');
      const reported = visit.heardOf('refund').map(({ amount, subReference }) => `${amount} ${subReference}`);
      expect(reported).to.include(`60.00 ${first.providerReference}`);
      expect(await visit.trip.fetched(stored)).to.deep.equal(['0:0000 succeeded 100.00', 'D_Back succeeded 100.00']);
    });

    it('leaves .58 pending first, and then refunds it', async () => {
      const stored = await bought();
      const first = await refund(stored, 1, '10.58');
      expect(first.outcome).to.equal('pending');
      await visit.hears('0:0000', '3:0900');
      expect(visit.heardOf('refund')[0]).to.include({ status: 'succeeded', subReference: first.providerReference });
      expect((await refund(stored, 1, '10.58')).outcome).to.equal('succeeded');
      expect(await visit.trip.fetched(stored)).to.deep.equal(['0:0000 succeeded 100.00', 'D_Back succeeded 10.58']);
    });

    it('refuses .59, which does not reduce the rest', async () => {
      const stored = await bought();
      expect(await refund(stored, 1, '10.59')).to.include({ outcome: 'failed', nothingCharged: true });
      await visit.hears('0:0000', '3:0190');
      expect(visit.heardOf('refund')[0]).to.include({ status: 'failed' });
      expect((await refund(stored, 2, '100')).outcome).to.equal('succeeded');
      await visit.trip.until(() => visit.posted().length === 3);
      expect(await visit.trip.fetched(stored)).to.deep.equal(['0:0000 succeeded 100.00', 'D_Back succeeded 100.00']);
    });

    it('refunds no unpaid or unknown order', async () => {
      const { stored } = await visit.open();
      expect(await refund(stored, 1, '1')).to.include({ outcome: 'failed', nothingCharged: true });
      expect((await refund({ ...stored, reference: 'GW-999999-1' }, 1, '1')).outcome).to.equal('unknown');
    });
  });

  it('repeats an unacknowledged callback, five deliveries in total', async () => {
    const { trip } = visit;
    trip.answer('try_later');
    // A sixth delivery of the first round would come before the next rounds end.
    for (const round of [1, 2, 3]) {
      const { url } = await visit.open();
      await choose(url, { choice: 'pay' });
      await trip.until(() => trip.deliveries.length >= 5 * round);
    }
    expect(trip.deliveries.map(({ number }) => number).join('')).to.equal('123451234512345');
    expect(trip.deliveries.every(({ reply }) => reply?.status === 503)).to.equal(true);
    trip.answer('accepted');
    const { url } = await visit.open();
    await choose(url, { choice: 'pay' });
    await visit.hears('0:0000');
    expect(trip.deliveries).to.have.length(16);
  });

  it('checks version, signature, shop and members', async () => {
    const post = async (path: string, fields: Readonly<Record<string, string>>): Promise<string> => {
      const url = `${visit.trip.sandboxUrl}${path}`;
      const { status, body } = await sendRequest({ method: 'POST', url, body: encoded(fields) }, 2000);
      return `${status} ${(JSON.parse(body.toString()) as { d_error?: string }).d_error}`;
    };
    const asked = { D_Shop: options.shop, D_Term: options.terminal, D_Order: 'GW-10042-1' };
    const strange = `c${current.slice(1)}`;
    expect(await post('/d/orders', { ...triple(), d_ver: 'H2' })).to.equal('401 bad_signature');
    expect(await post('/d/orders', {})).to.equal('401 bad_signature');
    expect(await post('/d/orders', signed(pack(paid), 'GW-10042-1', strange))).to.equal('401 bad_signature');
    expect(await post('/d/orders', triple({ D_Shop: '004217391' }))).to.equal('401 bad_shop');
    expect(await post('/d/orders', triple({ D_Term: '2' }))).to.equal('401 bad_shop');
    expect(await post('/d/orders', { ...triple(), d_data: '' })).to.equal('400 bad_member');
    expect(await post('/d/orders', triple())).to.equal('400 bad_member');
    expect(await post('/d/orders/state', signed(pack(asked)))).to.equal('404 no_such_order');
    expect(await post('/d/refunds', signed(pack(asked)))).to.equal('400 bad_member');
    const { given } = await visit.open();
    const wrong = { ...asked, D_Order: given.reference, D_Refund: `${given.reference}-R1`, D_Sum: '1', D_Cur: '840' };
    expect(await post('/d/refunds', signed(pack(wrong), given.reference))).to.equal('400 bad_member');
    const address = encodeURIComponent('https://shop.example/notify');
    const order = {
      ...asked,
      D_Order: 'GW-9-9',
      D_Sum: '100',
      D_Cur: '643',
      ...Object.fromEntries(
        ['Name', 'Mail', 'Phone', 'Addr', 'City', 'Region', 'Zip', 'Land', 'Item'].map((name) => [`D_${name}`, '']),
      ),
      D_Notify: address,
      D_Return: address,
    };
    expect(await post('/d/orders', signed(pack(order), 'GW-9-9'))).to.equal('422 not_payable');
    for (const change of [{ D_Notify: 'here' }, { D_Sum: '007' }, { D_Sum: '' }, { D_Name: 7 }, { D_Mail: '%' }]) {
      expect(await post('/d/orders', signed(pack({ ...order, ...change }), 'GW-9-9'))).to.equal('400 bad_member');
    }
  });

  describe('callbacks on demand', () => {
    const wanted = {
      reference: 'GW-77-1',
      providerReference: '12345678901234567890',
      money: { amount: '1.5', currency: 'KWD' },
      times: 1,
      forge: false,
    };
    const events = createSandbox({
      options,
      providerSide: {},
      baseUrl: 'http://127.0.0.1:1',
      publicUrl: '',
      delayMs: 1,
    }).events!;

    it('sends each of its events, none of which is unknown', async () => {
      for (const event of events) await visit.trip.trigger({ ...wanted, event });
      expect(
        visit.trip.heard.flatMap(({ events: heard }) => heard.map(({ providerStatus }) => providerStatus)),
      ).to.deep.equal(events);
      for (const { outcome, events: heard } of visit.trip.heard) {
        expect(outcome).to.equal('accepted');
        expect(heard[0]).to.include({ reference: 'GW-77-1', amount: '1.500', currency: 'KWD' });
        expect(heard[0]!.status).not.to.equal('unknown');
        if (heard[0]!.kind === 'payment') expect(heard[0]!.providerReference).to.equal(wanted.providerReference);
        else expect(heard[0]!.subReference).to.match(/^\d{20}$/);
      }
    });

    it('sends an event as often as requested, always with the same facts', async () => {
      const replies = await visit.trip.trigger({ ...wanted, event: '3:0900', times: 3 });
      expect(replies.map(({ status }) => status)).to.deep.equal([200, 200, 200]);
      expect(new Set(visit.trip.heard.map(({ events: heard }) => heard[0]!.dedupeKey)).size).to.equal(1);
    });

    it('forges an event, invents an id, and refuses an unknown event', async () => {
      const [reply] = await visit.trip.trigger({ ...wanted, event: '0:0000', forge: true });
      expect(reply!.status).to.equal(403);
      await visit.trip.trigger({ ...wanted, event: '0:0000', providerReference: null });
      expect(visit.trip.heard.at(-1)!.events[0]!.providerReference).to.match(/^\d{20}$/);
      const failure = (change: object) =>
        visit.trip.trigger({ ...wanted, event: '0:0000', ...change }).then(
          () => 'sent',
          (error: unknown) => String(error),
        );
      expect(await failure({ event: '0:1234' })).to.contain('unknown event 0:1234');
      expect(await failure({ money: { amount: '1', currency: 'RUB' } })).to.contain(
        'does not support the currency RUB',
      );
    });
  });
});
