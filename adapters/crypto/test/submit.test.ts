import { JsonNumber, readJsonObject, refuseSubmission, type HttpReply, type Outcome } from '@paywright/contract';
import { claimOf, titleOf, reply, scriptedHttp } from '@paywright/contract/testing';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import coinServer from '../index.ts';
import type { Options } from '../options.ts';
import { harness, errors, html, invoice, pageOptions, type Members } from './messages.ts';

const { options, submission, createContext } = harness;

const providerReference = 'inv_1';
const submit = (given: HttpReply, own: Options = options): Promise<Outcome> =>
  harness.submit(given, submission, { options: own });

describe('submit at the coin server', () => {
  it('sends price, coin, addresses and buyer, with the reference as key', async () => {
    const http = scriptedHttp([html]);
    await coinServer.submit(submission, createContext([], { http }));
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
      await coinServer.submit(given, createContext([], { http }));
      expect(readJsonObject(Buffer.from(http.requests[0]!.body!))).to.include({ price, unit: currency });
    });
  }

  it('is never sent for an amount that the currency cannot express', () => {
    const outcome = refuseSubmission(coinServer.manifest, { money: { amount: '1.5', currency: 'JPY' } });
    expect(claimOf(outcome!)).to.equal('nothing charged');
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
    it(`returns the way to pay while ${state}, for a first request and a repetition`, async () => {
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

  it('requires of an answer only the facts that its flow shows', async () => {
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
    ['a paid sum that is not a number', { paid: 'much' }],
  ] as readonly (readonly [string, Members, typeof options?])[]) {
    it(`is unknown if the answer has ${name}`, async () => {
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
      { outcome: 'failed', decline: '05', declineText: 'eclipse', unknownStatus: 'eclipse' },
    ],
    ['frozen', {}, { outcome: 'pending', unknownStatus: 'frozen' }],
    ['created', {}, { outcome: 'pending', unknownStatus: 'created' }],
  ] as readonly (readonly [string, Members, Outcome])[]) {
    it(`treats ${state} ${JSON.stringify(members)} as ${expected.outcome}`, async () => {
      const outcome = await submit(reply(200, invoice(state, members)));
      expect(outcome).to.deep.equal({ providerReference, ...expected });
    });
  }

  for (const [reason, expected] of [
    ['limit', { outcome: 'failed', decline: '61' }],
    [null, { outcome: 'failed', decline: '05' }],
    ['eclipse', { outcome: 'failed', decline: '05', declineText: 'eclipse', unknownStatus: 'eclipse' }],
  ] as const) {
    it(`is declined for ${reason} without an invoice`, async () => {
      expect(await submit(reply(422, { code: 'refused', reason, text: 'for people' }))).to.deep.equal(expected);
    });
  }

  for (const [given, claim] of errors) {
    it(`treats ${titleOf(given)} as ${claim}`, async () => expect(claimOf(await submit(given))).to.equal(claim));
  }
});

describe('a refusal of a field', () => {
  for (const [name, field] of [
    ['buyer.mail', 'email'],
    ['price', 'amount'],
    ['hook', 'body'],
  ] as const) {
    it(`names ${field} for ${name}`, async () => {
      const refusal = reply(400, { code: 'validation', items: [{ path: name, message: 'for people' }] });
      expect(await harness.submit(refusal)).to.include({ nothingCharged: true, refusedField: field });
    });
  }
});
