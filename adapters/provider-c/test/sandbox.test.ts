import { expect } from 'chai';
import { afterEach, beforeEach, describe, it } from 'mocha';
import createSandbox from '../sandbox.ts';
import { options, paid, salt, withHash } from './helpers.ts';
import { callHash, forwardHash } from '../hash.ts';
import { browse, payment, startVisit, textOf, type Visit } from './visit.ts';

describe('the sandbox', () => {
  let visit: Visit;
  beforeEach(async () => {
    visit = await startVisit();
  });
  afterEach(() => visit.trip.close());

  describe('cards', () => {
    for (const [number, outcome, told, found] of [
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
      it(`makes ${outcome.outcome} of ${number}, and tells it`, async () => {
        const given = payment(number);
        const result = await visit.trip.submit(given);
        expect(result).to.include(outcome);
        await visit.hears(...told);
        expect(await visit.trip.fetched(visit.trip.toStored(given, result))).to.deep.equal(found);
      });
    }

    it('leaves 3097 pending, and tells nothing', async () => {
      const given = payment('4000000000003097');
      const stored = visit.trip.toStored(given, await visit.trip.submit(given));
      expect(await visit.trip.fetched(stored)).to.deep.equal(['pending pending 25.90']);
      expect(visit.trip.deliveries).to.deep.equal([]);
    });

    it('declines a number without its check digit, and a month past', async () => {
      const { card: _, ...cardless } = payment();
      const card = { number: '4111111111111112', expiration: '03/31', expiryMonth: '03', expiryYear: '2031', cvv: '1' };
      expect(await visit.trip.submit({ ...cardless, card })).to.include({ outcome: 'failed', decline: '57' });
      const past = { ...card, number: '4111111111111111', expiryYear: '2020' };
      expect(await visit.trip.submit({ ...cardless, card: past })).to.include({ outcome: 'failed', decline: '57' });
    });

    it('takes empty texts, and an amount of nothing', async () => {
      const bare = payment(undefined, '0', { name: '' });
      const result = await visit.trip.submit({ ...bare, payer: { ...bare.payer, email: '', city: '' } });
      expect(result).to.include({ outcome: 'succeeded' });
    });

    it('gives ids that no double holds, and one id to a dispute', async () => {
      const result = await visit.trip.submit(payment('4000000000000440'));
      expect(Number(result.providerReference)).to.be.greaterThan(Number.MAX_SAFE_INTEGER);
      await visit.hears('success', 'disputed', 'disputelost');
      const [, opened, lost] = visit.trip.heard.flatMap(({ events }) => events);
      expect(opened!.subReference).to.match(/^DP-/);
      expect(lost!.subReference).to.equal(opened!.subReference);
    });
  });

  describe('amounts that misbehave', () => {
    it('fails .50 before any charge, and then knows nothing of it', async () => {
      const given = payment(undefined, '25.50');
      const result = await visit.trip.submit(given);
      expect(result).to.include({ outcome: 'failed', nothingCharged: true });
      expect(await visit.trip.fetched(visit.trip.toStored(given, result))).to.deep.equal(['nothing_charged']);
    });

    it('asks to wait once for .51', async () => {
      expect((await visit.trip.submit(payment(undefined, '25.51'))).outcome).to.equal('succeeded');
    });

    it('shows the page of a proxy for .52, and charges nothing', async () => {
      const given = payment(undefined, '25.52');
      const result = await visit.trip.submit(given);
      expect(result.outcome).to.equal('unknown');
      expect(await visit.trip.fetched(visit.trip.toStored(given, result))).to.deep.equal(['nothing_charged']);
    });

    it('cuts the answer for .53, and gives it whole to a repetition', async () => {
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

    it('tells before it answers for .55, also what the answer calls pending', async () => {
      for (const [number, outcome] of [
        ['4111111111111111', 'succeeded'],
        ['4000000000003063', 'pending'],
      ] as const) {
        const before = visit.trip.heard.length;
        expect((await visit.trip.submit(payment(number, '25.55'))).outcome).to.equal(outcome);
        expect(visit.trip.heard).to.have.length(before + 1);
      }
    });

    it('tells pending last for .56', async () => {
      await visit.trip.close();
      visit = await startVisit(80); // Far enough apart that no connection overtakes another.
      await visit.trip.submit(payment(undefined, '25.56'));
      await visit.trip.until(() => visit.trip.heard.length === 2);
      expect(visit.trip.told()).to.deep.equal(['success succeeded', 'pending pending']);
    });

    it('signs wrongly first for .57', async () => {
      await visit.trip.submit(payment(undefined, '25.57'));
      await visit.trip.until(() => visit.trip.heard.length === 2);
      expect(visit.trip.heard.map(({ outcome }) => outcome)).to.deep.equal(['bad_signature', 'accepted']);
    });

    it('has no such rules in a currency without decimals, and reads .500 of three decimals as .50', async () => {
      expect((await visit.trip.submit(payment(undefined, '2550', { currency: 'JPY' }))).outcome).to.equal('succeeded');
      expect(await visit.trip.submit(payment(undefined, '25.5', { currency: 'KWD' }))).to.include({
        nothingCharged: true,
      });
    });
  });

  describe('refunds', () => {
    async function bought(amount = '100') {
      const given = payment(undefined, amount);
      const stored = visit.trip.toStored(given, await visit.trip.submit(given));
      await visit.hears('success');
      return stored;
    }

    it('gives a part back at once, tells it, and counts what is left', async () => {
      const stored = await bought();
      const first = await visit.refund(stored, 1, '60');
      expect(first.outcome).to.equal('succeeded');
      expect(await visit.refund(stored, 1, '60')).to.deep.equal(first);
      expect((await visit.refund(stored, 1, '61')).outcome).to.equal('unknown');
      expect(await visit.refund(stored, 2, '40.01')).to.include({ outcome: 'failed', nothingCharged: true });
      expect((await visit.refund(stored, 3, '40')).outcome).to.equal('succeeded');
      await visit.hears('success', 'refunded', 'refunded');
      const told = visit.trip.heard.flatMap(({ events }) => events.filter(({ kind }) => kind === 'refund'));
      expect(told.map(({ amount, subReference }) => `${amount} ${subReference}`)).to.include(
        `60.00 ${first.providerReference}`,
      );
      expect(await visit.trip.fetched(stored)).to.deep.equal([
        'success succeeded 100.00',
        'c_refunded succeeded 100.00',
      ]);
    });

    it('leaves .58 waiting first, and then gives it back', async () => {
      const stored = await bought();
      const first = await visit.refund(stored, 1, '10.58');
      expect(first.outcome).to.equal('pending');
      await visit.hears('success', 'refunded');
      expect(await visit.refund(stored, 1, '10.58')).to.deep.equal({ ...first, outcome: 'succeeded' });
      expect(await visit.trip.fetched(stored)).to.include('c_refunded succeeded 10.58');
    });

    it('refuses .59, and that takes nothing from what is left', async () => {
      const stored = await bought();
      expect(await visit.refund(stored, 1, '10.59')).to.include({ outcome: 'failed', nothingCharged: true });
      await visit.hears('success', 'refundfail');
      expect((await visit.refund(stored, 2, '100')).outcome).to.equal('succeeded');
    });

    it('gives nothing back of what is not paid, and knows no other payment', async () => {
      const given = payment('4000000000003097');
      const pending = visit.trip.toStored(given, await visit.trip.submit(given));
      expect(await visit.refund(pending, 1, '1')).to.include({ outcome: 'failed', nothingCharged: true });
      expect((await visit.refund({ ...pending, reference: 'GW-999999-1' }, 1, '1')).outcome).to.equal('unknown');
    });
  });

  it('answers a repetition as the payment stands, and refuses another total or card', async () => {
    const given = payment('4000000000003063');
    const first = await visit.trip.submit(given);
    await visit.hears('success');
    expect(await visit.trip.submit(given)).to.deep.equal({ ...first, outcome: 'succeeded' });
    for (const other of [
      { ...given, money: { amount: '26', currency: 'EUR' } },
      { ...payment('4111111111111111'), reference: given.reference },
    ]) {
      expect((await visit.trip.submit(other)).outcome).to.equal('unknown');
    }
    expect(visit.posted()).to.have.length(1);
  });

  it('repeats a form that is not acknowledged, five deliveries in all', async () => {
    const { trip } = visit;
    trip.answer('try_later');
    await trip.submit(payment());
    await trip.until(() => trip.deliveries.length === 5);
    expect(trip.deliveries.every(({ reply, acknowledged }) => reply?.status === 503 && !acknowledged)).to.equal(true);
    trip.answer('accepted');
    await trip.submit(payment());
    await visit.hears('success');
    expect(trip.deliveries).to.have.length(6);
  });

  it('checks form, account, hash and fields', async () => {
    const account = { salts: [salt] };
    const asked = {
      ...paid,
      c_id: undefined,
      c_state: undefined,
      c_pan: '4111111111111111',
      c_exp: '1229',
      c_cvv: '1',
      c_sec: 'auto',
      ...{ c_note: 'https://a.example', c_back: 'https://a.example', c_3ds: 'https://a.example' },
    };
    const post = async (path: string, fields: Readonly<Record<string, string | undefined>>): Promise<string> => {
      const reply = await browse(`${visit.trip.sandboxUrl}${path}`, fields);
      return `${reply.status} ${new URLSearchParams(textOf(reply)).get('c_error')}`;
    };
    const pay = (changes: Readonly<Record<string, string | undefined>>): Promise<string> => {
      const fields = { ...asked, ...changes };
      return post('/v1/payments', { ...fields, c_hash: forwardHash(account, fields) });
    };
    expect(await pay({ c_ref: 'GW-9-9' })).to.equal('200 null');
    expect(await pay({ c_key: undefined })).to.equal('400 bad_field');
    expect(await pay({ c_key: 'GWDEMO99' })).to.equal('401 bad_key');
    expect(await pay({ c_key: 'GWDEMO02' })).to.equal('401 bad_hash');
    expect(await post('/v1/payments', asked)).to.equal('401 bad_hash');
    expect(await post('/v1/payments', withHash(asked))).to.equal('401 bad_hash');
    for (const wrong of [
      { c_ref: 'gw' },
      { c_total: '25,90' },
      { c_total: undefined },
      { c_pan: undefined },
      { c_sec: 'perhaps' },
      { c_note: 'here' },
      { c_3ds: undefined },
    ]) {
      expect(await pay(wrong), JSON.stringify(wrong)).to.equal('400 bad_field');
    }
    expect(await pay({ c_exp: '1329' })).to.equal('422 not_payable');

    const { c_key, c_ref } = paid as { c_key: string; c_ref: string };
    const find = callHash(account, c_key, 'find', c_ref);
    expect(await post('/v1/payments/find', { c_key, c_ref, c_hash: find })).to.equal('404 no_such_payment');
    expect(await post('/v1/payments/find', { c_key, c_ref: 'GW-1-1', c_hash: find })).to.equal('401 bad_hash');
    const done = callHash(account, c_key, 'complete', c_ref, '1', 'done');
    const complete = { c_key, c_ref, c_id: '1', c_hash: done };
    expect(await post('/v1/payments/complete', { ...complete, c_method: 'done' })).to.equal('404 no_such_payment');
    expect(await post('/v1/payments/complete', { ...complete, c_cres: 'x' })).to.equal('401 bad_hash');
    expect(await post('/v1/payments/complete', { ...complete, c_cres: 'done', c_method: 'done' })).to.equal(
      '400 bad_field',
    );
    expect(await post('/v1/refunds', complete)).to.equal('401 bad_hash');
  });

  describe('on demand', () => {
    const events = createSandbox({
      options,
      providerSide: {},
      baseUrl: 'http://127.0.0.1:1',
      publicUrl: 'http://127.0.0.1:1',
      delayMs: 1,
    }).events!;
    const wanted = {
      reference: 'GW-77-1',
      providerReference: '12345678901234567890',
      money: { amount: '1.5', currency: 'KWD' },
      times: 1,
      forge: false,
    };

    it('sends each of its events, none of which is unknown', async () => {
      expect(events).to.have.length(17);
      for (const event of events) {
        const [reply] = await visit.trip.trigger({ ...wanted, event });
        const isPage = event.startsWith('page ');
        expect(reply!.status).to.equal(isPage ? 303 : 200);
        const heard = visit.trip.heard.at(-1)!;
        expect(heard).to.include({ route: isPage ? 'providerChp' : 'providerC', outcome: 'accepted' });
        expect(heard.events[0]).to.include({
          word: event.replace('page ', ''),
          reference: 'GW-77-1',
          providerReference: wanted.providerReference,
          amount: '1.500',
          currency: 'KWD',
        });
        expect(heard.events[0]!.status).not.to.equal('unknown');
      }
    });

    it('sends it as often as asked, the same fact each time, or forged', async () => {
      for (const event of ['refunded', 'page success']) {
        const before = visit.trip.heard.length;
        await visit.trip.trigger({ ...wanted, event, times: 3 });
        const facts = visit.trip.heard.slice(before).map(({ events: heard }) => JSON.stringify(heard));
        expect([facts.length, new Set(facts).size]).to.deep.equal([3, 1]);
        const [refused] = await visit.trip.trigger({ ...wanted, event, forge: true });
        expect(refused!.status).to.equal(403);
      }
    });

    it('stands by what it told, and knows nothing of what was forged', async () => {
      const given = payment('4000000000003097', '20');
      const stored = visit.trip.toStored(given, await visit.trip.submit(given));
      const tell = (event: string, amount: string, forge = false) =>
        visit.trip.trigger({
          ...wanted,
          event,
          forge,
          reference: given.reference,
          providerReference: null,
          money: { amount, currency: 'EUR' },
        });
      await tell('failure', '20', true);
      expect(await visit.trip.fetched(stored)).to.deep.equal(['pending pending 20.00']);
      await tell('success', '20');
      await tell('failure', '20');
      await tell('refunded', '5');
      await tell('disputeback', '20');
      expect(await visit.trip.fetched(stored)).to.deep.equal([
        'success succeeded 20.00',
        'c_refunded succeeded 5.00',
        'back reversed 20.00',
      ]);
      expect(await visit.refund(stored, 1, '15.01')).to.include({ nothingCharged: true });
      expect(visit.trip.heard.at(-1)!.events[0]!.providerReference).to.equal(stored.providerReference);

      const strange = { ...stored, reference: 'GW-78-1' };
      await visit.trip.trigger({ ...wanted, event: 'success', reference: 'GW-78-1', forge: true });
      expect(await visit.trip.fetched(strange)).to.deep.equal(['nothing_charged']);
    });

    it('says what it cannot send', async () => {
      for (const [changes, words] of [
        [{ event: 'settled' }, 'no event settled'],
        [{ event: 'success', money: { amount: '1', currency: 'USD' } }, 'no account in USD'],
      ] as const) {
        const failed = await visit.trip.trigger({ ...wanted, ...changes }).then(
          () => undefined,
          (error: unknown) => error,
        );
        expect((failed as Error).message).to.contain(words);
      }
    });
  });
});
