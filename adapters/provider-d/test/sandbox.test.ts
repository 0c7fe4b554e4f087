import type { Action, Outcome, StoredPayment, Submission } from '@gateway/contract';
import { sendRequest, type CallbackReply } from '@gateway/contract/sandbox';
import { startRoundTrip, type RoundTrip } from '@gateway/contract/testing';
import { expect } from 'chai';
import { afterEach, beforeEach, describe, it } from 'mocha';
import providerD from '../index.ts';
import type { Options } from '../options.ts';
import createSandbox from '../sandbox.ts';
import { current, encoded, options, pack, paid, signed, submission, triple } from './helpers.ts';

describe('the adapter and its sandbox', () => {
  let trip: RoundTrip<Options>;
  let count = 0;

  const start = async (delayMs = 8): Promise<void> => {
    trip = await startRoundTrip({ adapter: providerD, createSandbox, options, delayMs });
  };
  beforeEach(() => start());
  afterEach(() => trip.close());

  function payment(amount = '25.9', currency = 'EUR'): Submission {
    count += 1;
    const paymentRequestId = String(count);
    return { ...submission, paymentRequestId, reference: `GW-${count}-1`, money: { amount, currency }, sandbox: true };
  }

  interface Opened {
    readonly given: Submission;
    readonly outcome: Outcome;
    readonly stored: StoredPayment;
    readonly url: string;
  }
  async function open(given = payment()): Promise<Opened> {
    const outcome = await trip.submit(given);
    expect(outcome).to.include({ outcome: 'pending' });
    const { action } = outcome as { readonly action: Action & { readonly type: 'redirect' } };
    return { given, outcome, stored: trip.toStored(given, outcome), url: action.url };
  }
  const get = (url: string): Promise<CallbackReply> => sendRequest({ method: 'GET', url }, 2000);
  const choose = (url: string, fields: Readonly<Record<string, string>>): Promise<CallbackReply> =>
    sendRequest({ method: 'POST', url, body: encoded(fields) }, 2000);
  const locationOf = ({ headers }: CallbackReply): string => Object.fromEntries(headers)['Location'] ?? '';

  /** Pays on the page, and lets the browser bring what it was given; gives the words that it brought. */
  async function pay(url: string, pan = '4111111111111111', choice = 'pay'): Promise<string[]> {
    return land(await choose(url, { pan, choice }));
  }
  async function land(sent: CallbackReply): Promise<string[]> {
    expect(sent.status).to.equal(303);
    const before = trip.heard.length;
    const back = await get(locationOf(sent));
    expect(back.status).to.equal(303);
    expect(locationOf(back)).to.match(/^http:\/\/127\.0\.0\.1:\d+\/pay\/\d+$/);
    return trip.heard
      .slice(before)
      .filter(({ events }) => events.length > 0)
      .flatMap(({ events }) => events.map(({ word }) => word))
      .slice(0, 1);
  }
  /** Words that D's servers sent and that were acknowledged. */
  const posted = (): string[] => trip.deliveries.filter(({ acknowledged }) => acknowledged).map(({ name }) => name);
  /** Waits until exactly this was posted, in any order: two connections may overtake each other. */
  async function hears(...words: readonly string[]): Promise<void> {
    await trip.until(() => posted().length >= words.length);
    expect(posted().sort()).to.deep.equal([...words].sort());
  }
  const heardOf = (kind: string) => trip.heard.flatMap(({ events }) => events).filter((event) => event.kind === kind);

  it('shows a page with one form, a card number typed in, and two buttons', async () => {
    const { url } = await open();
    const shown = (await get(url)).body.toString();
    expect(shown.match(/<form/g)).to.have.length(1);
    expect(shown).to.contain('<input name="pan" value="4111111111111111">');
    for (const choice of ['pay', 'cancel']) {
      expect(shown).to.contain(`<button type="submit" name="choice" value="${choice}">`);
    }
    expect(shown).to.contain(`action="${new URL(url).pathname}"`);
    expect((await choose(url, { pan: '4111111111111112', choice: 'pay' })).status).to.equal(200);
    expect((await get(`${trip.sandboxUrl}/d/page/7`)).status).to.equal(404);
  });

  for (const pan of ['4111111111111111', '5555555555554444', '6304000000000000', undefined]) {
    it(`approves card ${pan ?? 'that nobody changed'} and tells it twice, as one fact`, async () => {
      const { given, outcome, stored, url } = await open();
      expect(await trip.fetched(stored)).to.deep.equal(['0:8000 pending 25.90']);
      expect(await land(await choose(url, { choice: 'pay', ...(pan === undefined ? {} : { pan }) }))).to.deep.equal([
        '0:0000',
      ]);
      await hears('0:0000');
      const [browser, server] = trip.heard.map(({ events }) => events[0]!);
      expect(browser).to.deep.equal(server);
      expect(browser).to.include({
        status: 'succeeded',
        reference: given.reference,
        providerReference: outcome.providerReference,
        amount: '25.90',
        currency: 'EUR',
      });
      expect(outcome.providerReference).to.match(/^\d{20}$/);
      expect(await trip.fetched(stored)).to.deep.equal(['0:0000 succeeded 25.90']);
      expect(await trip.submit(given)).to.deep.equal({
        outcome: 'succeeded',
        providerReference: outcome.providerReference,
      });
    });
  }

  for (const [pan, word, decline] of [
    ['4000000000000002', '0:0190', '05'],
    ['4000000000009995', '0:0116', '51'],
    ['4000000000000069', '0:0101', '54'],
    ['4000000000000127', '0:0104', '57'],
    ['4000000000000259', '0:0121', '61'],
  ] as const) {
    it(`declines card ${pan} with ${decline}`, async () => {
      const { given, stored, url } = await open();
      expect(await pay(url, pan)).to.deep.equal([word]);
      await hears(word);
      for (const { events } of trip.heard) expect(events[0]).to.include({ status: 'failed', decline });
      expect(await trip.fetched(stored)).to.deep.equal([`${word} failed 25.90`]);
      expect(await trip.submit(given)).to.include({ outcome: 'failed', decline });
    });
  }

  it('is cancelled by the payer', async () => {
    const { stored, url } = await open();
    expect(await pay(url, '', 'cancel')).to.deep.equal(['0:9915']);
    await hears('0:9915');
    expect(await trip.fetched(stored)).to.deep.equal(['0:9915 cancelled 25.90']);
  });

  for (const [choice, word, more] of [
    ['pass', '0:0000', { status: 'succeeded' }],
    ['fail', '0:0184', { status: 'failed', decline: '05', threeDsResult: 'N' }],
  ] as const) {
    it(`asks for 3D Secure on a second page: ${choice}`, async () => {
      const { stored, url } = await open();
      const second = await choose(url, { pan: '4000000000003220', choice: 'pay' });
      expect(second.status).to.equal(200);
      for (const button of ['pass', 'fail']) {
        expect(second.body.toString()).to.contain(`<button type="submit" name="choice" value="${button}">`);
      }
      expect(await trip.fetched(stored)).to.deep.equal(['0:8000 pending 25.90']);
      expect(await land(await choose(url, { choice }))).to.deep.equal([word]);
      await hears(word);
      expect(trip.heard[1]!.events[0]).to.include(more);
      const report = await trip.fetchStatus(stored);
      expect(report.news === 'events' && report.events[0]).to.include({
        word,
        ...('decline' in more ? { threeDsResult: 'N' } : {}),
      });
    });
  }

  for (const [pan, word, status] of [
    ['4000000000003063', '0:0000', 'succeeded'],
    ['4000000000003089', '0:0190', 'failed'],
  ] as const) {
    it(`leaves card ${pan} pending in the browser and settles it by the post`, async () => {
      const { outcome, stored, url } = await open();
      const sent = await choose(url, { pan, choice: 'pay' });
      expect(Buffer.from(new URL(locationOf(sent)).searchParams.get('d_data')!, 'base64').toString()).to.contain(
        '9997',
      );
      await land(sent);
      await hears(word);
      expect(trip.told().sort()).to.deep.equal([`${word} ${status}`, '0:9997 pending'].sort());
      const ids = trip.heard.map(({ events }) => events[0]!.providerReference);
      expect(ids).to.deep.equal([outcome.providerReference, outcome.providerReference]);
      expect(await trip.fetched(stored)).to.deep.equal([`${word} ${status} 25.90`]);
    });
  }

  it('leaves card 3097 pending for ever', async () => {
    const { stored, url } = await open();
    expect(await pay(url, '4000000000003097')).to.deep.equal(['0:9997']);
    await hears('0:9997');
    expect(await trip.fetched(stored)).to.deep.equal(['0:9997 pending 25.90']);
  });

  it('charges the silent card, closes the browser’s connection, and posts', async () => {
    const { stored, url } = await open();
    const failure = await choose(url, { pan: '4000000000006975', choice: 'pay' }).catch((error: unknown) => error);
    expect(failure).to.be.instanceOf(Error);
    await hears('0:0000');
    expect(await trip.fetched(stored)).to.deep.equal(['0:0000 succeeded 25.90']);
  });

  it('gives all of it back later for card 0341', async () => {
    const { stored, url } = await open();
    await pay(url, '4000000000000341');
    await hears('0:0000', '3:0900');
    const refund = heardOf('refund')[0]!;
    expect(refund).to.include({ kind: 'refund', status: 'succeeded', amount: '25.90', providerReference: null });
    expect(refund.subReference).not.to.equal(stored.providerReference);
    expect(await trip.fetched(stored)).to.deep.equal(['0:0000 succeeded 25.90', 'D_Back succeeded 25.90']);
  });

  it('opens and loses a dispute for card 0440', async () => {
    const { stored, url } = await open();
    await pay(url, '4000000000000440');
    await hears('0:0000', '7:0700', '7:0702');
    const cases = heardOf('chargeback');
    expect(cases.map(({ status }) => status)).to.have.members(['opened', 'lost']);
    expect(new Set(cases.map(({ subReference }) => subReference)).size).to.equal(1);
    expect(await trip.fetched(stored)).to.deep.equal(['0:0000 succeeded 25.90', 'lost lost 25.90']);
  });

  it('sends the browser straight back from a page that was used, and tells nothing new', async () => {
    const { url } = await open();
    await pay(url, '4000000000000002');
    await hears('0:0190');
    expect(await land(await get(url))).to.deep.equal(['0:0190']);
    expect(await pay(url)).to.deep.equal(['0:0190']);
    expect(trip.deliveries).to.have.length(1);
  });

  it('ends a page that nobody used', async () => {
    const { given, stored, url } = await open();
    const clock = Date.now;
    Date.now = () => clock() + 30 * 60_000 + 1000;
    try {
      expect(await trip.fetched(stored)).to.deep.equal(['0:9970 expired 25.90']);
    } finally {
      Date.now = clock;
    }
    await hears('0:9970');
    expect(await land(await get(url))).to.deep.equal(['0:9970']);
    expect((await trip.submit(given)).outcome).to.equal('pending');
  });

  it('answers a repeated order as it stands, with the same page, and refuses other facts', async () => {
    const { given, outcome } = await open();
    expect(await trip.submit(given)).to.deep.equal(outcome);
    const dearer = { ...given, money: { amount: '26', currency: 'EUR' } };
    expect(await trip.submit(dearer)).to.include({ outcome: 'unknown', reason: 'D answered 409 order_taken' });
    const dollars = { ...given, money: { amount: '25.9', currency: 'USD' } };
    expect((await trip.submit(dollars)).outcome).to.equal('unknown');
  });

  it('takes amount 0, empty texts and long texts', async () => {
    const payer = { ...submission.payer, name: '', address: 'é'.repeat(5000), ipAddress: '' };
    const { url } = await open({ ...payment('0'), payer });
    expect(await pay(url)).to.deep.equal(['0:0000']);
  });

  describe('amounts that misbehave', () => {
    for (const [amount, outcome] of [
      ['25.50', { outcome: 'failed', nothingCharged: true }],
      ['25.52', { outcome: 'unknown' }],
    ] as const) {
      it(`charges nothing for ${amount}`, async () => {
        const given = payment(amount);
        const submitted = await trip.submit(given);
        expect(submitted).to.include(outcome);
        expect(await trip.fetched(trip.toStored(given, submitted))).to.deep.equal(['nothing_charged']);
      });
    }

    it('asks to wait once for .51', async () => {
      const { url } = await open(payment('25.51'));
      expect(await pay(url)).to.deep.equal(['0:0000']);
    });

    it('cuts the answer for .53; the order is paid and told', async () => {
      const given = payment('25.53');
      const outcome = await trip.submit(given);
      expect(outcome.outcome).to.equal('unknown');
      await hears('0:0000');
      expect(await trip.fetched(trip.toStored(given, outcome))).to.deep.equal(['0:0000 succeeded 25.53']);
      expect((await trip.submit(given)).outcome).to.equal('succeeded');
    });

    it('tells for .55 before it answers with the page', async () => {
      const { url } = await open(payment('25.55'));
      expect(trip.told()).to.deep.equal(['0:0000 succeeded']);
      expect(await land(await get(url))).to.deep.equal(['0:0000']);
      expect(posted()).to.deep.equal(['0:0000']);
    });

    it('delivers three times for .54', async () => {
      const { url } = await open(payment('25.54'));
      await choose(url, { choice: 'pay' });
      await hears('0:0000', '0:0000', '0:0000');
      expect(new Set(trip.heard.map(({ events }) => JSON.stringify(events))).size).to.equal(1);
    });

    it('tells the end first for .56, and pending after', async () => {
      await trip.close();
      await start(60); // Far enough apart that no connection overtakes another.
      const { stored, url } = await open(payment('25.56'));
      expect(await pay(url)).to.deep.equal(['0:0000']);
      await hears('0:0000', '0:9997');
      expect(posted()).to.deep.equal(['0:0000', '0:9997']);
      expect(await trip.fetched(stored)).to.deep.equal(['0:0000 succeeded 25.56']);
    });

    it('signs wrongly first for .57', async () => {
      const { url } = await open(payment('25.57'));
      await choose(url, { choice: 'pay' });
      await hears('0:0000');
      expect(trip.heard.map(({ outcome }) => outcome)).to.deep.equal(['bad_signature', 'accepted']);
      expect(trip.deliveries[0]!.reply?.status).to.equal(403);
    });

    it('has no such rules in a currency without decimals, and reads .500 of three decimals as .50', async () => {
      await open(payment('2550', 'JPY'));
      expect(await trip.submit(payment('25.5', 'KWD'))).to.include({ nothingCharged: true });
    });
  });

  describe('refunds', () => {
    async function bought(amount = '100'): Promise<StoredPayment> {
      const { stored, url } = await open(payment(amount));
      await choose(url, { choice: 'pay' });
      await hears('0:0000');
      return stored;
    }
    const refund = (of: StoredPayment, n: number, amount: string): Promise<Outcome> =>
      providerD.refund!(
        of,
        { reference: `${of.reference}-R${n}`, money: { amount, currency: 'EUR' }, note: null },
        trip.provider,
      );

    it('gives a part back at once, tells it, and counts what is left', async () => {
      const stored = await bought();
      const first = await refund(stored, 1, '60');
      expect(first.outcome).to.equal('succeeded');
      expect(await refund(stored, 1, '60')).to.deep.equal(first);
      expect((await refund(stored, 1, '61')).outcome).to.equal('unknown');
      expect(await refund(stored, 2, '40.01')).to.include({ outcome: 'failed', nothingCharged: true });
      expect((await refund(stored, 3, '40')).outcome).to.equal('succeeded');
      await hears('0:0000', '3:0900', '3:0900');
      const told = heardOf('refund').map(({ amount, subReference }) => `${amount} ${subReference}`);
      expect(told).to.include(`60.00 ${first.providerReference}`);
      expect(await trip.fetched(stored)).to.deep.equal(['0:0000 succeeded 100.00', 'D_Back succeeded 100.00']);
    });

    it('leaves .58 pending first, and then gives it back', async () => {
      const stored = await bought();
      const first = await refund(stored, 1, '10.58');
      expect(first.outcome).to.equal('pending');
      await hears('0:0000', '3:0900');
      expect(heardOf('refund')[0]).to.include({ status: 'succeeded', subReference: first.providerReference });
      expect((await refund(stored, 1, '10.58')).outcome).to.equal('succeeded');
      expect(await trip.fetched(stored)).to.deep.equal(['0:0000 succeeded 100.00', 'D_Back succeeded 10.58']);
    });

    it('refuses .59, and that takes nothing from what is left', async () => {
      const stored = await bought();
      expect(await refund(stored, 1, '10.59')).to.include({ outcome: 'failed', nothingCharged: true });
      await hears('0:0000', '3:0190');
      expect(heardOf('refund')[0]).to.include({ status: 'failed' });
      expect((await refund(stored, 2, '100')).outcome).to.equal('succeeded');
      await trip.until(() => posted().length === 3);
      expect(await trip.fetched(stored)).to.deep.equal(['0:0000 succeeded 100.00', 'D_Back succeeded 100.00']);
    });

    it('gives nothing back of what is not paid, and knows no other order', async () => {
      const { stored } = await open();
      expect(await refund(stored, 1, '1')).to.include({ outcome: 'failed', nothingCharged: true });
      expect((await refund({ ...stored, reference: 'GW-999999-1' }, 1, '1')).outcome).to.equal('unknown');
    });
  });

  it('repeats what is not acknowledged, five deliveries in all, ever more rarely', async () => {
    trip.answer('try_later');
    const { url } = await open();
    await choose(url, { choice: 'pay' });
    await trip.until(() => trip.deliveries.length === 5);
    expect(trip.deliveries.map(({ reply }) => reply?.status)).to.deep.equal([503, 503, 503, 503, 503]);
    trip.answer('accepted');
    const next = await open();
    await choose(next.url, { choice: 'pay' });
    await hears('0:0000');
    expect(trip.deliveries).to.have.length(6);
  });

  it('checks version, signature, shop and members', async () => {
    const post = async (path: string, fields: Readonly<Record<string, string>>): Promise<string> => {
      const url = `${trip.sandboxUrl}${path}`;
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
    const { given } = await open();
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

  describe('on demand', () => {
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
      for (const event of events) await trip.trigger({ ...wanted, event });
      expect(trip.heard.flatMap(({ events: heard }) => heard.map(({ word }) => word))).to.deep.equal(events);
      for (const { outcome, events: heard } of trip.heard) {
        expect(outcome).to.equal('accepted');
        expect(heard[0]).to.include({ reference: 'GW-77-1', amount: '1.500', currency: 'KWD' });
        expect(heard[0]!.status).not.to.equal('unknown');
        if (heard[0]!.kind === 'payment') expect(heard[0]!.providerReference).to.equal(wanted.providerReference);
        else expect(heard[0]!.subReference).to.match(/^\d{20}$/);
      }
    });

    it('sends it as often as asked, the same fact each time', async () => {
      const replies = await trip.trigger({ ...wanted, event: '3:0900', times: 3 });
      expect(replies.map(({ status }) => status)).to.deep.equal([200, 200, 200]);
      expect(new Set(trip.heard.map(({ events: heard }) => heard[0]!.dedupeKey)).size).to.equal(1);
    });

    it('forges, makes an id up, and refuses what it cannot say', async () => {
      const [reply] = await trip.trigger({ ...wanted, event: '0:0000', forge: true });
      expect(reply!.status).to.equal(403);
      await trip.trigger({ ...wanted, event: '0:0000', providerReference: null });
      expect(trip.heard.at(-1)!.events[0]!.providerReference).to.match(/^\d{20}$/);
      const failure = (change: object) =>
        trip.trigger({ ...wanted, event: '0:0000', ...change }).then(
          () => 'sent',
          (error: unknown) => String(error),
        );
      expect(await failure({ event: '0:1234' })).to.contain('no event 0:1234');
      expect(await failure({ money: { amount: '1', currency: 'RUB' } })).to.contain('no currency RUB');
    });
  });
});
