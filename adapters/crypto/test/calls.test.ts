import { JsonNumber, readJsonObject, type HttpReply, type Outcome, type StatusReport } from '@gateway/contract';
import { reply, scriptedHttp, scriptedProvider } from '@gateway/contract/testing';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import coinServer from '../index.ts';
import { answered, invoice, now, options, pageOptions, stored, submission, submit, type Members } from './helpers.ts';

const providerReference = 'inv_1';
const html = reply(502, '<html></html>');
const { providerReference: _known, ...nameless } = stored;

/** What an error answer means, to a submission and to a refund alike. */
const errors: readonly (readonly [HttpReply, string])[] = [
  [reply(400, { code: 'validation', items: [] }), 'nothing charged'],
  [reply(400, { code: 'other' }), 'unknown'],
  [reply(401, { code: 'unauthenticated' }), 'misconfigured'],
  [reply(401, { code: 'other' }), 'unknown'],
  [reply(403, { code: 'forbidden' }), 'misconfigured'],
  [reply(409, { code: 'reference-in-use' }), 'unknown'],
  [reply(429, { code: 'throttled' }), 'nothing charged'],
  [reply(500, { code: 'unavailable', created: false }), 'nothing charged'],
  [reply(503, { code: 'unavailable', created: false }), 'nothing charged'],
  [reply(500, { code: 'unavailable', created: true }), 'unknown'],
  [reply(500, { code: 'unavailable', created: 'false' }), 'unknown'],
  [reply(500, { code: 'unavailable' }), 'unknown'],
  [reply(502, { code: 'unavailable', created: false }), 'unknown'],
  [reply(504, { code: 'unavailable', created: false }), 'unknown'],
  [reply(404, { code: 'not-found' }), 'unknown'],
  [reply(422, { code: 'other', reason: 'limit' }), 'unknown'],
  [html, 'unknown'],
];

function claimOf(outcome: Outcome): string {
  if (outcome.outcome !== 'failed') return outcome.outcome;
  if (outcome.misconfigured) return 'misconfigured';
  return outcome.nothingCharged ? 'nothing charged' : 'declined';
}
const titleOf = (given: HttpReply): string => `${given.status} ${Buffer.from(given.body).toString().slice(0, 44)}`;

describe('submission to the coin server', () => {
  it('names price, coin, addresses and buyer, under the reference as key', async () => {
    const http = scriptedHttp([html]);
    await coinServer.submit(submission, scriptedProvider({ options, now, http }));
    const { method, path, headers, body } = http.requests[0]!;
    expect([method, path]).to.deep.equal(['POST', '/api/stores/st_Test1/invoices']);
    expect(headers).to.deep.equal({
      'Content-Type': 'application/json',
      Authorization: 'token tok_test_1',
      'Idempotency-Key': 'GW-10042-1',
    });
    const { buyer, minutes, ...rest } = readJsonObject(Buffer.from(body!))!;
    expect(rest).to.deep.equal({
      ref: 'GW-10042-1',
      price: '25.90',
      unit: 'EUR',
      coin: 'BTC',
      hook: 'https://gateway.example/callbacks/crypto',
      back: 'https://gateway.example/pay/10042',
    });
    expect(minutes).to.deep.equal(new JsonNumber('15'));
    expect(buyer).to.deep.equal({ name: 'Ines Duarte', mail: 'ines.duarte@shop.example', country: 'PT' });
  });

  for (const [amount, currency, price] of [
    ['1500', 'JPY', '1500'],
    ['1.25', 'KWD', '1.250'],
    ['90071992547409930.01', 'EUR', '90071992547409930.01'],
  ] as const) {
    it(`spells ${amount} ${currency} as ${price}`, async () => {
      const http = scriptedHttp([html]);
      const given = { ...submission, money: { amount, currency } };
      await coinServer.submit(given, scriptedProvider({ options, now, http }));
      expect(readJsonObject(Buffer.from(http.requests[0]!.body!))).to.include({ price, unit: currency });
    });
  }

  it('is never sent for what the currency cannot express', async () => {
    const given = { ...submission, money: { amount: '1.5', currency: 'JPY' } };
    const outcome = await coinServer.submit(given, scriptedProvider({ options, now }));
    expect(claimOf(outcome)).to.equal('nothing charged');
  });

  const action = {
    type: 'crypto',
    address: 'bc1qxyz',
    coin: 'BTC',
    amount: '0.00041440',
    network: 'bitcoin',
    expiry: '2026-03-02T09:30:30Z',
  };
  const redirect = { type: 'redirect', method: 'GET', url: 'https://coins.example/i/inv_1' };
  for (const state of ['new', 'seen', 'processing', 'partial']) {
    it(`waits with the way to pay while ${state}, first and repeated`, async () => {
      for (const status of [201, 200]) {
        const given = reply(status, invoice(state));
        expect(await submit(given)).to.deep.equal({ outcome: 'pending', providerReference, action });
        expect(await submit(given, pageOptions)).to.deep.equal({
          outcome: 'pending',
          providerReference,
          action: redirect,
        });
      }
    });
  }
  it('pays by the method of its flow', () => {
    expect(coinServer.methodOf!(submission, options)).to.equal('crypto');
    expect(coinServer.methodOf!(submission, pageOptions)).to.equal('hosted_page');
  });

  it('needs of an answer only what its flow shows', async () => {
    expect((await submit(reply(201, invoice('new', { page: undefined })))).outcome).to.equal('pending');
    const bare = invoice('new', { due: undefined, closesAt: undefined });
    expect((await submit(reply(201, bare), pageOptions)).outcome).to.equal('pending');
  });

  for (const [name, members, own = options] of [
    ['no address', { due: undefined }],
    ['no time', { closesAt: undefined }],
    ['a time that never comes', { closesAt: 9_000_000_000_000_000 }],
    ['no page', { page: undefined }, pageOptions],
    ['a page that is no address', { page: 'javascript:alert(1)' }, pageOptions],
    ['another store', { storeId: 'st_Other' }],
    ['another reference', { ref: 'GW-10042-2' }],
    ['another price', { price: '25.91' }],
    ['another unit', { unit: 'USD' }],
    ['no flags', { flags: undefined }],
    ['no id', { invoice: '' }],
    ['a paid sum that is none', { paid: 'much' }],
  ] as readonly (readonly [string, Members, typeof options?])[]) {
    it(`is unknown where the answer has ${name}`, async () => {
      expect((await submit(reply(201, invoice('new', members)), own)).outcome).to.equal('unknown');
    });
  }

  for (const [state, members, expected] of [
    ['settled', {}, { outcome: 'succeeded' }],
    ['settled', { flags: ['late'] }, { outcome: 'succeeded' }],
    ['settled', { flags: ['over', 'late'] }, { outcome: 'succeeded' }],
    ['expired', {}, { outcome: 'failed', decline: '05' }],
    ['cancelled', {}, { outcome: 'failed', decline: '05' }],
    ['invalid', { reason: 'too-low' }, { outcome: 'failed', decline: '51' }],
    ['invalid', {}, { outcome: 'failed', decline: '05' }],
    [
      'invalid',
      { reason: 'eclipse' },
      { outcome: 'failed', decline: '05', declineText: 'eclipse', unknownWord: 'eclipse' },
    ],
    ['frozen', {}, { outcome: 'pending', unknownWord: 'frozen' }],
    ['created', {}, { outcome: 'pending', unknownWord: 'created' }],
  ] as readonly (readonly [string, Members, Outcome])[]) {
    it(`takes ${state} ${JSON.stringify(members)} as ${expected.outcome}`, async () => {
      const outcome = await submit(reply(200, invoice(state, members)));
      expect(outcome).to.deep.equal({ providerReference, ...expected });
    });
  }

  for (const [reason, expected] of [
    ['limit', { outcome: 'failed', decline: '61' }],
    [null, { outcome: 'failed', decline: '05' }],
    ['eclipse', { outcome: 'failed', decline: '05', declineText: 'eclipse', unknownWord: 'eclipse' }],
  ] as const) {
    it(`is declined for ${reason} without an invoice`, async () => {
      expect(await submit(reply(422, { code: 'refused', reason, text: 'for people' }))).to.deep.equal(expected);
    });
  }

  for (const [given, claim] of errors) {
    it(`takes ${titleOf(given)} as ${claim}`, async () => expect(claimOf(await submit(given))).to.equal(claim));
  }
});

describe('status from the coin server', () => {
  const fetch = (given: HttpReply, payment = stored, refund?: string): Promise<StatusReport> =>
    answered(given, (provider) => coinServer.fetchStatus!(payment, provider, refund));

  it('is asked by invoice, by reference, or for a refund', async () => {
    const http = scriptedHttp([html, html, html]);
    const provider = scriptedProvider({ options, now, http });
    await coinServer.fetchStatus!({ ...stored, providerReference: 'inv/1' }, provider);
    await coinServer.fetchStatus!(nameless, provider);
    await coinServer.fetchStatus!(stored, provider, 'rf 1');
    expect(http.requests).to.deep.equal(
      ['invoices/inv%2F1', 'invoices?ref=GW-10042-1', 'refunds/rf%201'].map((below) => ({
        method: 'GET',
        path: `/api/stores/st_Test1/${below}`,
        headers: { Authorization: 'token tok_test_1' },
      })),
    );
  });

  for (const [state, flags, status] of [
    ['new', [], 'pending'],
    ['seen', ['late'], 'pending'],
    ['processing', [], 'pending'],
    ['partial', ['over'], 'underpaid'],
    ['settled', [], 'succeeded'],
    ['settled', ['over'], 'overpaid'],
    ['settled', ['late'], 'late'],
    ['settled', ['over', 'late'], 'late'],
    ['settled', ['fast'], 'succeeded'],
    ['expired', ['late'], 'expired'],
    ['cancelled', [], 'cancelled'],
    ['invalid', [], 'failed'],
    ['created', [], 'unknown'],
    ['frozen', [], 'unknown'],
  ] as const) {
    it(`reads ${[state, ...flags].join(' ')} as ${status}`, async () => {
      const report = await fetch(reply(200, { items: [invoice(state, { flags, paid: '25.9' })] }), nameless);
      const [event] = report.news === 'events' ? report.events : [];
      expect(event).to.include({
        kind: 'payment',
        word: `invoice.${state}`,
        reference: 'GW-10042-1',
        providerReference,
        amount: '25.90',
        currency: 'EUR',
        dedupeKey: `inv_1:${state}:25.9`,
      });
      expect(event).to.not.have.property('mustFetch');
      expect(coinServer.mapStatus(event!)).to.equal(status);
      expect(event!.action?.type).to.equal(status === 'pending' || status === 'underpaid' ? 'crypto' : undefined);
    });
  }

  it('says why an invoice is invalid, and where its page is', async () => {
    const report = await fetch(reply(200, invoice('invalid', { reason: 'eclipse' })));
    expect(report.news === 'events' && report.events[0]).to.include({ decline: '05', declineText: 'eclipse' });
    const open = await fetch(reply(200, invoice('seen')), { ...stored, method: 'hosted_page' });
    expect(open.news === 'events' && open.events[0]).to.have.nested.property('action.type', 'redirect');
  });

  it('is certain that nothing was made where the list is empty, once our call has ended', async () => {
    expect(await fetch(reply(200, { items: [] }), nameless)).to.deep.equal({ news: 'nothing_charged' });
    expect((await fetch(reply(200, { items: [] }), { ...nameless, endedAt: null })).news).to.equal('none');
  });

  const good = invoice('settled');
  for (const [name, given, payment] of [
    ['a 404', reply(404, { code: 'not-found' }), stored],
    ['a 404 to the list', reply(404, { code: 'not-found' }), nameless],
    ['a 401', reply(401, { code: 'unauthenticated' }), stored],
    ['an invoice under another status', reply(500, good), stored],
    ['another store', reply(200, { ...good, storeId: 'st_Other' }), stored],
    ['another reference', reply(200, { ...good, ref: 'GW-10043-1' }), stored],
    ['another invoice', reply(200, { ...good, invoice: 'inv_2' }), stored],
    ['a list instead of an invoice', reply(200, { items: [good] }), stored],
    ['an empty list instead of an invoice', reply(200, { items: [] }), stored],
    ['an invoice instead of a list', reply(200, good), nameless],
    ['two invoices', reply(200, { items: [good, good] }), nameless],
    ['another reference in the list', reply(200, { items: [{ ...good, ref: 'GW-1-1' }] }), nameless],
    ['a page', html, stored],
  ] as const) {
    it(`has no news with ${name}`, async () => expect((await fetch(given, payment)).news).to.equal('none'));
  }

  describe('of a refund', () => {
    const refund = { refund: 'rf_1', invoice: 'inv_1', storeId: 'st_Test1', state: 'done', sum: '10', unit: 'EUR' };
    for (const [state, status] of [
      ['created', 'pending'],
      ['done', 'succeeded'],
      ['failed', 'failed'],
      ['reversed', 'reversed'],
      ['lost', 'unknown'],
    ] as const) {
      it(`reads ${state} as ${status}`, async () => {
        const report = await fetch(reply(200, { ...refund, state }), stored, 'rf_1');
        const [event] = report.news === 'events' ? report.events : [];
        expect(event).to.deep.equal({
          kind: 'refund',
          word: `refund.${state}`,
          reference: 'GW-10042-1',
          providerReference: 'inv_1',
          subReference: 'rf_1',
          amount: '10.00',
          currency: 'EUR',
          dedupeKey: `rf_1:${state}`,
        });
        expect(coinServer.mapStatus(event!)).to.equal(status);
      });
    }

    for (const [name, given, payment = stored] of [
      ['a 404', reply(404, { code: 'not-found' })],
      ['another store', reply(200, { ...refund, storeId: 'st_Other' })],
      ['another invoice', reply(200, { ...refund, invoice: 'inv_2' })],
      ['another refund', reply(200, { ...refund, refund: 'rf_2' })],
      ['a refund under another status', reply(500, refund)],
      ['no sum', reply(200, { ...refund, sum: undefined })],
      ['an invoice', reply(200, good)],
      ['a page', html],
      ['no invoice known', reply(200, refund), nameless],
    ] as readonly (readonly [string, HttpReply, typeof nameless?])[]) {
      it(`has no news with ${name}`, async () => expect((await fetch(given, payment, 'rf_1')).news).to.equal('none'));
    }
  });
});

describe('refund by the coin server', () => {
  const refund = { reference: 'GW-10042-1-R1', money: { amount: '10', currency: 'EUR' }, note: null };
  const ask = (given: HttpReply): Promise<Outcome> =>
    answered(given, (provider) => coinServer.refund!(stored, refund, provider));
  const made = (state: string, members: Members = {}): Members => ({
    refund: 'rf_1',
    invoice: 'inv_1',
    storeId: 'st_Test1',
    state,
    sum: '10.00',
    unit: 'EUR',
    ...members,
  });

  it('is asked of the invoice, under its own key', async () => {
    const http = scriptedHttp([html]);
    await coinServer.refund!(stored, refund, scriptedProvider({ options, now, http }));
    const { path, headers, body } = http.requests[0]!;
    expect(path).to.equal('/api/stores/st_Test1/invoices/inv_1/refunds');
    expect(headers).to.include({ 'Idempotency-Key': 'GW-10042-1-R1', Authorization: 'token tok_test_1' });
    expect(body).to.equal('{"sum":"10.00","unit":"EUR"}');
  });

  for (const [state, expected] of [
    ['created', { outcome: 'pending' }],
    ['done', { outcome: 'succeeded' }],
    ['failed', { outcome: 'failed', nothingCharged: true, reason: 'the refund is failed' }],
    ['reversed', { outcome: 'failed', nothingCharged: true, reason: 'the refund is reversed' }],
    ['asleep', { outcome: 'pending', unknownWord: 'asleep' }],
  ] as const) {
    it(`takes ${state} as ${expected.outcome}, first and repeated`, async () => {
      for (const status of [202, 200]) {
        expect(await ask(reply(status, made(state)))).to.deep.equal({ ...expected, providerReference: 'rf_1' });
      }
    });
  }

  for (const [name, members] of [
    ['another invoice', { invoice: 'inv_2' }],
    ['another store', { storeId: 'st_Other' }],
    ['another sum', { sum: '10.01' }],
    ['another unit', { unit: 'USD' }],
    ['no number', { refund: '' }],
  ] as const) {
    it(`is unknown where the answer shows ${name}`, async () => {
      expect((await ask(reply(202, made('done', members)))).outcome).to.equal('unknown');
    });
  }

  it('is refused where it is too much, which is no decline', async () => {
    const outcome = await ask(reply(422, { code: 'refused', reason: 'too-much', text: '' }));
    expect(claimOf(outcome)).to.equal('nothing charged');
    expect(outcome).to.not.have.property('decline');
  });
  for (const [given, claim] of errors) {
    it(`takes ${titleOf(given)} as ${claim}`, async () => expect(claimOf(await ask(given))).to.equal(claim));
  }

  it('is never sent without an invoice, or for what the currency cannot express', async () => {
    const provider = scriptedProvider({ options, now });
    expect(claimOf(await coinServer.refund!(nameless, refund, provider))).to.equal('nothing charged');
    const yen = { ...refund, money: { amount: '1.5', currency: 'JPY' } };
    expect(claimOf(await coinServer.refund!(stored, yen, provider))).to.equal('nothing charged');
  });
});
