import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  replyHeader,
  type CompletionStep,
  type HttpRequest,
  type Outcome,
  type Provider,
  type StoredPayment,
  type Submission,
} from '@gateway/contract';
import { sendRequest, type CallbackReply } from '@gateway/contract/sandbox';
import { realHttp, startRoundTrip, type RoundTrip } from '@gateway/contract/testing';
import { expect } from 'chai';
import { afterEach, beforeEach, describe, it } from 'mocha';
import providerG from '../index.ts';
import type { Options } from '../options.ts';
import { get, post } from '../request.ts';
import createSandbox from '../sandbox/index.ts';
import { learned, options, plaintextOf, providerSide, submission } from './helpers.ts';

type Press = 'pass' | 'fail';

describe('the adapter and its sandbox', () => {
  let trip: RoundTrip<Options>;
  let lent: Provider<Options>;
  let count = 0;

  async function start(delayMs = 8, side: object = providerSide): Promise<void> {
    const setup = { adapter: providerG, createSandbox, options, delayMs };
    trip = await startRoundTrip({ ...setup, providerSide: side as Record<string, unknown> });
    lent = { ...trip.provider, threeDsToken: 'the-token' };
  }
  beforeEach(() => start());
  afterEach(() => trip.close());

  function payment(number = '4111111111111111', amount = '25.9', more: Partial<Submission> = {}): Submission {
    count += 1;
    const card = { ...submission.card!, number };
    const money = { amount, currency: 'EUR' };
    return { ...submission, reference: `GW-${count}-1`, money, sandbox: true, card, ...more };
  }

  /** Waits until exactly this was told, in any order: two connections may overtake each other. */
  async function hears(...told: readonly string[]): Promise<void> {
    await trip.until(() => trip.told().length >= told.length);
    expect(trip.told().sort()).to.deep.equal([...told].sort());
  }
  /** The provider as lent, which notes what is sent. */
  const watching = (sent: HttpRequest[]): Provider<Options> => ({
    ...lent,
    http: {
      send(request) {
        sent.push(request);
        return lent.http.send(request);
      },
    },
  });
  const eventsHeard = () => trip.heard.flatMap(({ events }) => events);
  const refund = (paid: StoredPayment, number: number, amount: string): Promise<Outcome> => {
    const request = { reference: `${paid.reference}-R${number}`, money: { ...paid.money, amount }, note: null };
    return providerG.refund!(paid, request, lent);
  };

  for (const number of ['4111111111111111', '5555555555554444', '4000000000003220', '6304000000000000']) {
    it(`approves card ${number} where 3D Secure is skipped`, async () => {
      const given = payment(number, '25.9', { is3ds: false });
      const outcome = await trip.submit(given);
      expect(outcome).to.include({ outcome: 'succeeded' });
      await hears('PAID succeeded');
      const { providerReference } = outcome;
      expect(eventsHeard()[0]).to.include({ reference: given.reference, providerReference, amount: '25.90' });
      expect(trip.deliveries[0]).to.include({ acknowledged: true, number: 1 });
      const report = await trip.fetchStatus(trip.toStored(given, outcome));
      expect(report.news === 'events' && report.events[0]!.dedupeKey).to.equal(eventsHeard()[0]!.dedupeKey);
      expect(await trip.fetched(trip.toStored(given, outcome))).to.deep.equal(['PAID succeeded 25.90']);
    });
  }

  for (const [number, decline] of [
    ['4000000000000002', '05'],
    ['4000000000009995', '51'],
    ['4000000000000069', '54'],
    ['4000000000000127', '57'],
    ['4000000000000259', '61'],
  ] as const) {
    it(`declines card ${number} with ${decline}, in answer, callback and status, 3D Secure or not`, async () => {
      const given = payment(number, '25.9', { is3ds: true });
      const outcome = await trip.submit(given);
      expect(outcome).to.include({ outcome: 'failed', decline });
      await hears('UNPAID failed');
      expect(eventsHeard()[0]).to.include({ decline });
      const report = await trip.fetchStatus(trip.toStored(given, outcome));
      expect(report.news === 'events' && report.events[0]).to.include({ word: 'UNPAID', decline });
    });
  }

  it('leaves a card pending and settles it by callback', async () => {
    const given = [payment('4000000000003063'), payment('4000000000003089'), payment('4000000000003097')] as const;
    const outcomes: Outcome[] = [];
    for (const one of given) outcomes.push(await trip.submit(one));
    expect(outcomes.map(({ outcome }) => outcome)).to.deep.equal(['pending', 'pending', 'pending']);
    await hears('PAID succeeded', 'UNPAID failed');
    const fetched = await Promise.all(given.map((one, at) => trip.fetched(trip.toStored(one, outcomes[at]!))));
    expect(fetched).to.deep.equal([['PAID succeeded 25.90'], ['UNPAID failed 25.90'], ['waiting']]);
  });

  it('says nothing of a pending card before its callback', async () => {
    await trip.close();
    await start(5000);
    const given = payment('4000000000003063');
    const outcome = await trip.submit(given);
    expect(await trip.fetched(trip.toStored(given, outcome))).to.deep.equal(['waiting']);
  });

  it('authorises first where capture waits', async () => {
    await trip.close();
    await start(80);
    const given = payment(undefined, undefined, { captureDelayHours: 3 });
    const outcome = await trip.submit(given);
    expect(outcome).to.include({ outcome: 'pending', authorised: true });
    expect(await trip.fetched(trip.toStored(given, outcome))).to.deep.equal(['AUTHED authorised 25.90']);
    await hears('PAID succeeded');
    expect(await trip.fetched(trip.toStored(given, outcome))).to.deep.equal(['PAID succeeded 25.90']);
  });

  it('charges and closes the connection for the silent card', async () => {
    const given = payment('4000000000006975');
    const outcome = await trip.submit(given);
    expect(outcome.outcome).to.equal('unknown');
    expect(await trip.fetched(trip.toStored(given, outcome))).to.deep.equal(['PAID succeeded 25.90']);
    await hears('PAID succeeded');
    expect((await trip.submit(given)).outcome).to.equal('succeeded');
  });

  it('gives all of it back later for card 0341', async () => {
    const given = payment('4000000000000341');
    const outcome = await trip.submit(given);
    await hears('PAID succeeded', 'REFUND_OK succeeded');
    const back = eventsHeard().find(({ kind }) => kind === 'refund');
    expect(back).to.include({ amount: '25.90', providerReference: outcome.providerReference });
    expect(await refund(trip.toStored(given, outcome), 1, '0.01')).to.include({ nothingCharged: true });
  });

  it('opens a dispute and loses it for card 0440', async () => {
    const given = payment('4000000000000440');
    const outcome = await trip.submit(given);
    await hears('PAID succeeded', 'DISPUTED opened', 'DISPUTE_LOST lost');
    expect(await trip.fetched(trip.toStored(given, outcome))).to.deep.equal([
      'PAID succeeded 25.90',
      'DISPUTED opened 25.90',
      'DISPUTE_LOST lost 25.90',
    ]);
  });

  it('answers a repetition as the charge stands, and refuses another amount, card or currency', async () => {
    const given = payment('4000000000003063');
    const outcome = await trip.submit(given);
    await hears('PAID succeeded');
    const again = await trip.submit(given);
    expect(again).to.deep.equal({ outcome: 'succeeded', providerReference: outcome.providerReference });
    for (const other of [
      { money: { amount: '25.91', currency: 'EUR' } },
      { money: { amount: '25.9', currency: 'USD' } },
      { card: { ...given.card!, number: '5555555555554444' } },
      { card: { ...given.card!, expiryYear: '2032' } },
    ]) {
      expect(await trip.submit({ ...given, ...other })).to.include({ outcome: 'unknown' });
    }
    expect(trip.heard).to.have.length(1);
  });

  it('charges amounts that no double holds', async () => {
    const given = payment(undefined, '90071992547409.93');
    expect((await trip.submit(given)).outcome).to.equal('succeeded');
    await hears('PAID succeeded');
    expect(eventsHeard()[0]).to.include({ amount: '90071992547409.93' });
  });

  it('refuses a number that is none, and a currency that is none', async () => {
    for (const given of [
      payment('4111111111111112'),
      payment(undefined, undefined, { money: { amount: '1', currency: 'XQX' } }),
    ]) {
      const outcome = await trip.submit(given);
      expect(outcome).to.include({ outcome: 'failed', nothingCharged: true });
      expect(await trip.fetched(trip.toStored(given, outcome))).to.deep.equal(['nothing_charged']);
    }
  });

  describe('3D Secure', () => {
    const actionOf = (outcome: Outcome) => {
      const action = outcome.outcome === 'pending' ? outcome.action : undefined;
      if (action?.type !== 'redirect') throw new Error(`no challenge: ${outcome.outcome}`);
      return action;
    };
    const form = (fields: Readonly<Record<string, string>>): string => new URLSearchParams(fields).toString();
    const opened = (outcome: Outcome): Promise<CallbackReply> => {
      const { url, fields = {} } = actionOf(outcome);
      return sendRequest({ method: 'POST', url, body: form(fields) }, 2000);
    };
    async function press(outcome: Outcome, choice: Press): Promise<Readonly<Record<string, string>>> {
      const { url } = actionOf(outcome);
      const headers = { Accept: 'application/json' };
      const body = form({ choice, threeDSSessionData: 'the-token' });
      const back = await sendRequest({ method: 'POST', url: `${url}/answer`, headers, body }, 2000);
      const { action, method, fields } = JSON.parse(back.body.toString()) as Record<string, never>;
      expect([method, action]).to.deep.equal(['POST', `${lent.publicUrl}/callbacks/3ds`]);
      return fields!;
    }
    const complete = (given: Submission, outcome: Outcome, value: string): Promise<Outcome> => {
      const step: CompletionStep = { kind: '3ds', field: 'cres', value, transactionId: null, hint: 'Y' };
      return providerG.complete!(trip.toStored(given, outcome), step, lent);
    };
    const challenged = (given: Submission): Promise<Outcome> => providerG.submit(given, lent);

    for (const [number, more, choice, expected, told] of [
      ['4000000000003220', {}, 'pass', { outcome: 'succeeded' }, 'PAID succeeded'],
      ['4000000000003220', {}, 'fail', { outcome: 'failed', decline: '05', threeDsResult: 'N' }, 'UNPAID failed'],
      ['4111111111111111', { is3ds: true }, 'pass', { outcome: 'succeeded' }, 'PAID succeeded'],
      ['4111111111111111', { is3ds: true }, 'fail', { outcome: 'failed', threeDsResult: 'N' }, 'UNPAID failed'],
    ] as const) {
      it(`${choice === 'pass' ? 'passes' : 'fails'} card ${number}${'is3ds' in more ? ' on demand' : ''}, once`, async () => {
        const given = payment(number, '25.9', more);
        const outcome = await challenged(given);
        const { transactionId, fields } = actionOf(outcome);
        expect(fields).to.have.keys('creq', 'threeDSSessionData').and.include({ threeDSSessionData: 'the-token' });
        expect(await trip.fetched(trip.toStored(given, outcome))).to.deep.equal(['waiting']);

        const { cres, threeDSSessionData } = await press(outcome, choice);
        expect(threeDSSessionData).to.equal('the-token');
        expect(JSON.parse(Buffer.from(cres!, 'base64url').toString())).to.include({
          threeDSServerTransID: transactionId,
          messageType: 'CRes',
          transStatus: choice === 'pass' ? 'Y' : 'N',
        });
        const completed = await complete(given, outcome, cres!);
        expect(completed).to.include(expected);
        await hears(told);
        expect(await complete(given, outcome, cres!)).to.deep.equal(completed);
        expect(trip.heard).to.have.length(1);
      });
    }

    it('is not completed before the payer has pressed, nor with a result that was not issued', async () => {
      const given = payment('4000000000003220');
      const outcome = await challenged(given);
      expect((await complete(given, outcome, 'eyJ0')).outcome).to.equal('unknown');
      const { cres } = await press(outcome, 'fail');
      const result = JSON.parse(Buffer.from(cres!, 'base64url').toString()) as object;
      const lie = Buffer.from(JSON.stringify({ ...result, transStatus: 'Y' })).toString('base64url');
      expect((await complete(given, outcome, lie)).outcome).to.equal('unknown');
      expect(await trip.fetched(trip.toStored(given, outcome))).to.deep.equal(['waiting']);
      expect((await complete(given, outcome, cres!)).outcome).to.equal('failed');
    });

    it('answers a completion the same way again where capture waits', async () => {
      const given = payment('4000000000003220', '25.9', { captureDelayHours: 1 });
      const outcome = await challenged(given);
      const { cres } = await press(outcome, 'pass');
      expect(await complete(given, outcome, cres!)).to.include({ outcome: 'pending', authorised: true });
      await hears('PAID succeeded');
      expect(await complete(given, outcome, cres!)).to.include({ outcome: 'pending', authorised: true });
    });

    it('keeps the first press', async () => {
      const outcome = await challenged(payment('4000000000003220'));
      expect(await press(outcome, 'fail')).to.deep.equal(await press(outcome, 'pass'));
    });

    it('shows a page with two buttons, then one that posts itself back', async () => {
      const outcome = await challenged(payment('4000000000003220'));
      const { url } = actionOf(outcome);
      const page = (await opened(outcome)).body.toString();
      expect(page).to.contain(`<form method="post" action="${new URL(url).pathname}/answer">`);
      expect(page).to.contain('<input type="hidden" name="threeDSSessionData" value="the-token">');
      for (const choice of ['pass', 'fail']) {
        expect(page).to.contain(`<button type="submit" name="choice" value="${choice}">`);
      }
      const tried = await sendRequest({ method: 'GET', url }, 2000);
      expect([tried.status, tried.body.toString().includes('name="choice"')]).to.deep.equal([200, true]);

      const body = form({ choice: 'pass', threeDSSessionData: 'a"b' });
      const back = (await sendRequest({ method: 'POST', url: `${url}/answer`, body }, 2000)).body.toString();
      expect(back).to.contain(`<form id="return" method="post" action="${lent.publicUrl}/callbacks/3ds">`);
      expect(back).to.contain('name="threeDSSessionData" value="a&#34;b"').and.contain('name="cres"');
    });

    it('knows no other challenge, and no third choice', async () => {
      const outcome = await challenged(payment('4000000000003220'));
      const { url } = actionOf(outcome);
      const other = `${trip.sandboxUrl}/acs/8a880dc0-d2d2-4067-bcb1-b08d1690b26e`;
      expect((await sendRequest({ method: 'POST', url: other }, 2000)).status).to.equal(404);
      const third = await sendRequest({ method: 'POST', url: `${url}/answer`, body: 'choice=maybe' }, 2000);
      expect(third.body.toString()).to.contain('name="choice"');
    });

    it('asks nothing of cards that are not approved at once, also on demand', async () => {
      for (const [number, expected] of [
        ['4000000000000002', 'failed'],
        ['4000000000003063', 'pending'],
        ['4000000000006975', 'unknown'],
      ] as const) {
        const outcome = await trip.submit(payment(number, '25.9', { is3ds: true }));
        expect(outcome.outcome).to.equal(expected);
        expect(outcome).not.to.have.property('action');
      }
    });
  });

  describe('amounts that misbehave', () => {
    it('fails .50 and nothing is charged', async () => {
      const given = payment(undefined, '25.50');
      const outcome = await trip.submit(given);
      expect(outcome).to.include({ outcome: 'failed', nothingCharged: true });
      expect(await trip.fetched(trip.toStored(given, outcome))).to.deep.equal(['nothing_charged']);
    });

    it('asks to wait once for .51', async () => {
      const sent: HttpRequest[] = [];
      const given = payment(undefined, '25.51');
      expect((await providerG.submit(given, watching(sent))).outcome).to.equal('succeeded');
      const other = { ...JSON.parse(JSON.stringify(plaintextOf(sent[0]!.body))), gw_ref: 'GW-0-51' } as object;
      const refused = await realHttp(trip.sandboxUrl).send(post('/v1/charges', 'GW-0-51', JSON.stringify(other), lent));
      expect([refused.status, refused.body.toString()]).to.deep.equal([
        429,
        '{"code":"FAIL","reason":"SLOW_DOWN","begun":false}',
      ]);
      expect(replyHeader(refused, 'Retry-After')).to.equal('1');
    });

    it('shows the page of a proxy for .52 and charges nothing', async () => {
      const given = payment(undefined, '25.52');
      const outcome = await trip.submit(given);
      expect(outcome.outcome).to.equal('unknown');
      expect(await trip.fetched(trip.toStored(given, outcome))).to.deep.equal(['nothing_charged']);
    });

    it('cuts the answer for .53, and gives it whole to a repetition', async () => {
      const given = payment(undefined, '25.53');
      expect((await trip.submit(given)).outcome).to.equal('unknown');
      await hears('PAID succeeded');
      expect((await trip.submit(given)).outcome).to.equal('succeeded');
      expect(trip.heard).to.have.length(1);
    });

    it('delivers three times for .54: one gid, newly boxed and signed', async () => {
      await trip.submit(payment(undefined, '25.54'));
      await trip.until(() => trip.heard.length === 3);
      expect(new Set(eventsHeard().map(({ dedupeKey }) => dedupeKey)).size).to.equal(1);
      expect(new Set(trip.deliveries.map(({ request }) => String(request?.body))).size).to.equal(3);
      expect(new Set(trip.deliveries.map(({ request }) => request?.headers?.['G-Nonce'])).size).to.equal(3);
    });

    it('tells before it answers for .55, also what the answer calls WAITING', async () => {
      for (const [number, outcome] of [
        ['4111111111111111', 'succeeded'],
        ['4000000000003063', 'pending'],
      ] as const) {
        const before = trip.heard.length;
        const given = payment(number, '25.55');
        const answered = await trip.submit(given);
        expect([answered.outcome, trip.heard.length]).to.deep.equal([outcome, before + 1]);
      }
    });

    it('tells the end before WAITING for .56, under two gids', async () => {
      await trip.close();
      await start(80); // Far enough apart that no connection overtakes another.
      for (const [number, end] of [
        ['4111111111111111', 'PAID succeeded'],
        ['4000000000003089', 'UNPAID failed'],
      ] as const) {
        const before = trip.heard.length;
        const given = payment(number, '25.56');
        const outcome = await trip.submit(given);
        await trip.until(() => trip.heard.length === before + 2);
        expect(trip.told().slice(before)).to.deep.equal([end, 'WAITING pending']);
        expect(await trip.fetched(trip.toStored(given, outcome))).to.deep.equal([
          'WAITING pending 25.56',
          `${end} 25.56`,
        ]);
      }
      expect(new Set(eventsHeard().map(({ dedupeKey }) => dedupeKey)).size).to.equal(4);
    });

    it('signs wrongly first for .57', async () => {
      await trip.submit(payment(undefined, '25.57'));
      await hears('PAID succeeded');
      expect(trip.heard.map(({ outcome }) => outcome)).to.deep.equal(['bad_signature', 'accepted']);
    });

    it('has no such rules in a currency without decimals, and reads .500 of three decimals as .50', async () => {
      const yen = payment(undefined, '', { money: { amount: '2550', currency: 'JPY' } });
      expect((await trip.submit(yen)).outcome).to.equal('succeeded');
      const dinar = payment(undefined, '', { money: { amount: '25.5', currency: 'KWD' } });
      expect(await trip.submit(dinar)).to.include({ nothingCharged: true });
    });
  });

  describe('refunds', () => {
    it('gives back parts, repeats its answers, and no more than is left', async () => {
      const given = payment();
      const outcome = await trip.submit(given);
      await hears('PAID succeeded');
      const paid = trip.toStored(given, outcome);
      const { providerReference } = outcome;
      expect(await refund(paid, 1, '10')).to.deep.equal({ outcome: 'pending', providerReference });
      expect(await refund(paid, 1, '10')).to.deep.equal({ outcome: 'pending', providerReference });
      await hears('PAID succeeded', 'REFUND_OK succeeded');
      expect(eventsHeard()[1]).to.include({ amount: '10.00', providerReference });
      expect(await refund(paid, 2, '15.91')).to.include({ outcome: 'failed', nothingCharged: true });
      expect((await refund(paid, 1, '11')).outcome).to.equal('unknown');
      expect((await refund(paid, 2, '15.9')).outcome).to.equal('pending');
      await hears('PAID succeeded', 'REFUND_OK succeeded', 'REFUND_OK succeeded');
      expect(await trip.fetched(paid)).to.deep.equal([
        'PAID succeeded 25.90',
        'REFUND_OK succeeded 10.00',
        'REFUND_OK succeeded 15.90',
      ]);
    });

    it('gives nothing back of what was not paid, or in another currency', async () => {
      const failed = payment('4000000000000002');
      const declined = await trip.submit(failed);
      expect(await refund(trip.toStored(failed, declined), 1, '1')).to.include({ nothingCharged: true });
      const given = payment();
      const paid = trip.toStored(given, await trip.submit(given));
      const dollars = { ...paid, money: { ...paid.money, currency: 'USD' } };
      expect(await refund(dollars, 1, '1')).to.include({ nothingCharged: true });
    });

    it('tells of one before it answers for .55, and wrongly signed first for .57', async () => {
      const given = payment(undefined, '90');
      const paid = trip.toStored(given, await trip.submit(given));
      await hears('PAID succeeded');
      await refund(paid, 1, '5.55');
      expect(trip.told()).to.deep.equal(['PAID succeeded', 'REFUND_OK succeeded']);
      await refund(paid, 2, '5.57');
      await trip.until(() => trip.heard.length === 4);
      expect(trip.heard.map(({ outcome }) => outcome).slice(2)).to.deep.equal(['bad_signature', 'accepted']);
    });
  });

  describe('deliveries', () => {
    it('are five in all while nobody takes them, and end with the first acknowledgement', async () => {
      await trip.close();
      await start(1);
      trip.answer('try_later');
      await trip.submit(payment());
      await trip.until(() => trip.deliveries.length === 5);
      expect(trip.deliveries.every(({ acknowledged, reply }) => !acknowledged && reply?.status === 503)).to.equal(true);
      trip.answer('accepted');
      await trip.submit(payment());
      await trip.until(() => trip.deliveries.length === 6);
      expect(trip.deliveries[5]).to.include({ acknowledged: true });
    });
  });

  describe('keys', () => {
    it('are learned by serial: for a reply, and once for all callbacks after it', async () => {
      await trip.close();
      const sent: HttpRequest[] = [];
      await start(8, { ...providerSide, keys: [learned] });
      const watched = watching(sent);
      expect((await providerG.submit(payment(), watched)).outcome).to.equal('succeeded');
      expect((await providerG.submit(payment(), watched)).outcome).to.equal('succeeded');
      const asked = sent.map(({ path }) => path).filter((path) => path.startsWith('/v1/keys/'));
      expect(asked).to.deep.equal([`/v1/keys/${learned.serial}`]);
      await hears('PAID succeeded', 'PAID succeeded');
    });

    it('are told to us alone, and only where there is one', async () => {
      const unsigned = await sendRequest({ method: 'GET', url: `${trip.sandboxUrl}/v1/keys/${learned.serial}` }, 2000);
      expect([unsigned.status, unsigned.body.toString()]).to.deep.equal([
        401,
        '{"code":"FAIL","reason":"SIGNATURE","begun":false}',
      ]);
      const none = await lent.http.send(get('/v1/keys/00C0FFEE00C0FFEE', lent));
      expect([none.status, none.body.toString()]).to.deep.equal([
        404,
        '{"code":"FAIL","reason":"NO_KEY","begun":false}',
      ]);
    });

    it('must be given to the sandbox', () => {
      const setup = { options, baseUrl: 'http://127.0.0.1:9', publicUrl: 'http://127.0.0.1:9', delayMs: 1 };
      for (const side of [{}, { ...providerSide, keys: [] }, { keys: providerSide.keys }]) {
        expect(() => createSandbox({ ...setup, providerSide: side })).to.throw(TypeError, 'sandbox.options.keys');
      }
    });
  });

  describe('what the sandbox reads', () => {
    const path = '/v1/charges';
    const charge = async (): Promise<HttpRequest> => {
      const sent: HttpRequest[] = [];
      await providerG.submit(payment(), watching(sent));
      return sent[0]!;
    };

    it('is signed by us, now, over every byte, with each header once', async () => {
      const good = await charge();
      const headers = good.headers!;
      const { 'G-Sign': sign } = headers;
      const far = { ...lent, now: () => new Date(Date.now() - 302_000) };
      for (const [what, request] of [
        ['another body', { ...good, body: `${String(good.body)} ` }],
        ['another path', { ...good, path: `${path}?a=1` }],
        ['another mid', { ...good, headers: { ...headers, 'G-Mid': 'M1000428' } }],
        ['another serial', { ...good, headers: { ...headers, 'G-Serial': '6D1F00A10B2C3D4F' } }],
        ['another time', { ...good, headers: { ...headers, 'G-Time': String(Number(headers['G-Time']) + 1) } }],
        ['a short nonce', { ...good, headers: { ...headers, 'G-Nonce': 'abc' } }],
        ['no nonce', { ...good, headers: { ...headers, 'G-Nonce': '' } }],
        ['another signature', { ...good, headers: { ...headers, 'G-Sign': `A${sign!.slice(1)}` } }],
        ['a time long ago', post(path, 'GW-1-1', JSON.stringify(plaintextOf(good.body)), far)],
      ] as const) {
        const { status, body } = await lent.http.send(request);
        const seen = [what, status, body.toString()];
        expect(seen).to.deep.equal([what, 401, '{"code":"FAIL","reason":"SIGNATURE","begun":false}']);
      }
    });

    it('is a charge in a box that is bound to us and to its reference', async () => {
      const said = plaintextOf((await charge()).body);
      const reference = String(said['gw_ref']);
      const text = (changes: object): string => JSON.stringify({ ...said, ...changes });
      const stranger = { ...lent, options: { ...options, boxKeys: [Buffer.alloc(32, 9).toString('base64')] } };
      for (const [what, request] of [
        ['another reference', post(path, 'GW-9-1', text({}), lent)],
        ['another mid', post(path, reference, text({ mid: 'M1000428' }), lent)],
        ['no card', post(path, reference, text({ card: null }), lent)],
        ['an address that is none', post(path, reference, text({ termUrl: 'javascript:1' }), lent)],
        ['a list', post(path, reference, '[]', lent)],
        ['a box key that G does not have', post(path, reference, text({}), stranger)],
      ] as const) {
        const { status, body } = await lent.http.send(request);
        const seen = [what, status, body.toString()];
        expect(seen).to.deep.equal([what, 400, '{"code":"FAIL","reason":"BAD_REQUEST","begun":false}']);
      }
    });

    it('may lie below a path', async () => {
      const server = createServer();
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/gate`;
      const sandbox = createSandbox({
        options,
        providerSide: { ...providerSide },
        baseUrl,
        publicUrl: lent.publicUrl,
        delayMs: 1,
      });
      server.on('request', (request, response) => void sandbox.handle(request, response));
      try {
        const below = { ...lent, baseUrl, http: realHttp(baseUrl) };
        const given = payment('4000000000003220');
        const outcome = await providerG.submit(given, below);
        const action = outcome.outcome === 'pending' ? outcome.action : undefined;
        expect(action).to.have.property('url').that.contains(`${baseUrl}/acs/`);
        const page = await sendRequest({ method: 'GET', url: (action as { url: string }).url }, 2000);
        expect(page.body.toString()).to.contain('action="/gate/acs/');
        expect((await providerG.fetchStatus!(trip.toStored(given, outcome), below)).news).to.equal('waiting');
      } finally {
        await sandbox.close();
        server.closeAllConnections();
        server.close();
      }
    });
  });

  describe('on demand', () => {
    const facts = { reference: 'GW-77-1', providerReference: '4200000000000000099', times: 1, forge: false };
    const money = { amount: '1.5', currency: 'KWD' };

    for (const [event, told] of [
      ['PAID', 'PAID succeeded'],
      ['UNPAID', 'UNPAID failed'],
      ['REFUND_BACK', 'REFUND_BACK reversed'],
      ['DISPUTE_WON', 'DISPUTE_WON won'],
    ] as const) {
      it(`sends ${event} of a payment that it does not know`, async () => {
        const replies = await trip.trigger({ ...facts, event, money, times: 2 });
        expect(replies.map(({ status }) => status)).to.deep.equal([200, 200]);
        expect(trip.told()).to.deep.equal([told, told]);
        expect(eventsHeard()[0]).to.include({ reference: 'GW-77-1', amount: '1.500', currency: 'KWD' });
        expect(eventsHeard()[0]!.dedupeKey).to.equal(eventsHeard()[1]!.dedupeKey);
      });
    }

    it('sends a probe, and one that is wrongly signed', async () => {
      const [reply] = await trip.trigger({ ...facts, event: 'probe', money });
      expect(reply!.body.toString()).to.match(/^\{"code":"SUCCESS","echo":"[0-9a-f]{64}"\}$/);
      const [refused] = await trip.trigger({ ...facts, event: 'probe', money, forge: true });
      expect(refused!.status).to.equal(401);
    });

    it('forges, shows what it told of its own charges, and knows no other word', async () => {
      const given = payment();
      const outcome = await trip.submit(given);
      await hears('PAID succeeded');
      const about = { ...facts, reference: given.reference, providerReference: null, money: given.money };
      expect((await trip.trigger({ ...about, event: 'DISPUTED', forge: true }))[0]!.status).to.equal(401);
      await trip.trigger({ ...about, event: 'DISPUTED' });
      expect(eventsHeard().at(-1)).to.include({ word: 'DISPUTED', providerReference: outcome.providerReference });
      expect(await trip.fetched(trip.toStored(given, outcome))).to.deep.equal([
        'PAID succeeded 25.90',
        'DISPUTED opened 25.90',
      ]);
      const failed = await trip.trigger({ ...about, event: 'SCORED' }).catch((error: unknown) => error);
      expect(failed).to.be.instanceOf(RangeError);
    });
  });
});
