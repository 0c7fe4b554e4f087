import { JsonNumber, readJsonObject, refuseSubmission, type Outcome } from '@paywright/contract';
import { reply, scriptedHttp, claimOf } from '@paywright/contract/testing';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import providerH from '../index.ts';
import type { Options } from '../options.ts';
import { canonicalText, digestOf } from '../signing.ts';
import { harness, answer, errors, shown, spelled, type Members } from './messages.ts';

const { options, submission, submit, createContext } = harness;

const providerReference = '9007199254740993771';

describe('submit', () => {
  async function asked(given = submission, own: Options = options) {
    const http = scriptedHttp([reply(500)]);
    await providerH.submit(given, createContext([], { options: own, http }));
    const [request] = http.requests;
    return { request: request!, body: readJsonObject(Buffer.from(request!.body!))! };
  }

  it('sends shop, price, coin, addresses and payer', async () => {
    const { request, body } = await asked();
    expect([request.method, request.path]).to.deep.equal(['POST', '/v2/pays']);
    const { want, ttl, payer, ...rest } = body;
    expect(rest).to.deep.equal({
      shop: 'M-0000001',
      gw_ref: 'GW-10042-1',
      coin: 'BTC',
      chain: 'bitcoin',
      ipn: 'https://gateway.example/callbacks/providerH',
      ret: 'https://gateway.example/pay/10042',
    });
    expect([want, ttl]).to.deep.equal([{ n: new JsonNumber('25.90'), cur: 'EUR' }, new JsonNumber('900')]);
    expect(payer).to.deep.equal({ name: 'Ines Duarte', mail: 'ines.duarte@shop.example', country: 'PT', ip: null });
  });

  it('signs the canonical text with the secret for requests', async () => {
    const name = 'Zoë \ud800/"\n';
    const { request, body } = await asked({ ...submission, payer: { ...submission.payer, name } });
    const { 'X-H-Key': key, 'X-H-Digest': digest } = request.headers!;
    expect(key).to.equal(options.apiKey);
    expect(digest).to.equal(digestOf(options.apiSecret, canonicalText(String(request.body))).toString('hex'));
    expect(body['payer']).to.include({ name });
  });

  for (const [amount, currency, n] of [
    ['1500', 'JPY', '1500'],
    ['1.25', 'KWD', '1.250'],
    ['0', 'EUR', '0.00'],
    ['90071992547409930.01', 'EUR', '90071992547409930.01'],
  ] as const) {
    it(`writes ${amount} ${currency} as ${n}`, async () => {
      const { body } = await asked({ ...submission, money: { amount, currency } });
      expect(body['want']).to.deep.equal({ n: new JsonNumber(n), cur: currency });
    });
  }

  it('sends no request for an amount that the currency cannot express', () => {
    const outcome = refuseSubmission(providerH.manifest, { money: { amount: '1.5', currency: 'JPY' } });
    expect(outcome).to.include({ outcome: 'failed', nothingCharged: true });
  });

  const action = {
    type: 'crypto',
    address: 'bc1qxyz',
    coin: 'BTC',
    amount: '0.00041440',
    network: 'bitcoin',
    expiry: '2026-03-02T09:30:30Z',
  };
  for (const phase of ['awaiting', 'seen', 'confirming', 'settling', 'part']) {
    it(`waits with the way to pay in phase ${phase}`, async () => {
      const pending = { outcome: 'pending', providerReference, action };
      expect(await submit(answer(201, shown(phase)))).to.deep.equal(pending);
      expect(await submit(answer(200, shown(phase)))).to.deep.equal(pending);
    });
  }
  for (const memo of ['104', '']) {
    it(`adds the memo "${memo}"`, async () => {
      expect(await submit(answer(201, shown('awaiting', { memo })))).to.have.deep.property('action', {
        ...action,
        memo,
      });
    });
  }
  it('writes coins and time plainly', async () => {
    const members = {
      asked: { n: spelled('4.1440e-4'), coin: 'XRP' },
      lapses_at: '2026-03-02T10:30:30.250+01:00',
    };
    expect(await submit(answer(201, shown('awaiting', members)))).to.have.deep.property('action', {
      ...action,
      coin: 'XRP',
      amount: '0.0004144',
    });
  });

  for (const [name, members, phase = 'awaiting'] of [
    ['no address', { address: undefined }],
    ['no time', { lapses_at: undefined }],
    ['an invalid time', { lapses_at: 'soon' }],
    ['no chain', { chain: null }],
    ['another shop', { shop: 'M-0000002' }, 'done'],
    ['another reference', { gw_ref: 'GW-10042-2' }, 'done'],
    ['another price', { want: { n: spelled('25.91'), cur: 'EUR' } }, 'done'],
    ['another currency', { want: { n: spelled('25.90'), cur: 'USD' } }, 'done'],
    ['no coins', { got: undefined }, 'done'],
  ] as readonly (readonly [string, Members, string?])[]) {
    it(`is unknown if the answer has ${name}`, async () => {
      expect((await submit(answer(201, shown(phase, members)))).outcome).to.equal('unknown');
    });
  }

  for (const [phase, members, expected] of [
    ['done', {}, { outcome: 'succeeded' }],
    ['over', { got: { n: spelled('1'), coin: 'BTC' } }, { outcome: 'succeeded' }],
    ['late', {}, { outcome: 'succeeded' }],
    [
      'done',
      { got: { n: spelled('0.0001'), coin: 'BTC' } },
      { outcome: 'unknown', reason: 'an open pay that does not show how to pay it' },
    ],
    ['done', { got: { n: spelled('1'), coin: 'LTC' } }, { outcome: 'pending', unknownStatus: 'done' }],
    ['bad', { why: 'limit' }, { outcome: 'failed', decline: '61' }],
    ['bad', {}, { outcome: 'failed', decline: '05' }],
    ['bad', { why: 'eclipse' }, { outcome: 'failed', decline: '05', declineText: 'eclipse', unknownStatus: 'eclipse' }],
    ['lapsed', {}, { outcome: 'failed', decline: '05' }],
    ['void', {}, { outcome: 'failed', decline: '05' }],
    ['thinking', {}, { outcome: 'pending', unknownStatus: 'thinking' }],
    ['returned', {}, { outcome: 'pending', unknownStatus: 'returned' }],
  ] as readonly (readonly [string, Members, Outcome])[]) {
    it(`reads ${phase} ${JSON.stringify(members)} as ${expected.outcome}`, async () => {
      expect(await submit(answer(200, shown(phase, members)))).to.deep.equal({ providerReference, ...expected });
    });
  }

  it('is declined only by a 422 with a bad pay about this payment', async () => {
    const bad = shown('bad', { why: 'sanctioned' });
    expect(await submit(answer(422, bad))).to.deep.equal({ outcome: 'failed', decline: '57', providerReference });
    for (const members of [{ ...bad, gw_ref: 'GW-1-1' }, shown('done'), { error: { code: 'bad' } }]) {
      expect((await submit(answer(422, members))).outcome).to.equal('unknown');
    }
  });

  for (const [given, claim] of errors) {
    it(`reads ${given.status} ${Buffer.from(given.body).toString().slice(0, 24)} as ${claim}`, async () => {
      expect(claimOf(await submit(given))).to.equal(claim);
    });
  }
});

describe('a refusal of a field', () => {
  for (const [name, field] of [['for people', 'body']] as const) {
    it(`names ${field} for ${name}`, async () => {
      const refusal = reply(400, { error: { code: 'bad_request', text: name } });
      expect(await harness.submit(refusal)).to.include({ nothingCharged: true, refusedField: field });
    });
  }
});
