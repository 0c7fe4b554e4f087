import { JsonNumber, readJsonObject, type HttpReply, type Outcome, type StatusReport } from '@gateway/contract';
import { reply, scriptedHttp, scriptedProvider } from '@gateway/contract/testing';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { canonicalText, digestOf } from '../signing.ts';
import providerH from '../index.ts';
import type { Options } from '../options.ts';
import { answer, answered, now, options, shown, spelled, stored, submission, submit, type Members } from './helpers.ts';

const providerReference = '9007199254740993771';
const error = (status: number, code: string): HttpReply => answer(status, { error: { code, text: 'for people' } });
const html = reply(502, '<html></html>');

/** What an error answer means, to a submission and to a refund alike. */
const errors: readonly (readonly [HttpReply, string])[] = [
  [error(400, 'bad_request'), 'nothing charged'],
  [error(400, 'other'), 'unknown'],
  [error(401, 'bad_digest'), 'misconfigured'],
  [error(401, 'other'), 'unknown'],
  [error(409, 'ref_reused'), 'unknown'],
  [error(429, 'slow_down'), 'nothing charged'],
  [error(500, 'not_made'), 'nothing charged'],
  [error(503, 'not_made'), 'nothing charged'],
  [error(502, 'not_made'), 'unknown'],
  [error(504, 'not_made'), 'unknown'],
  [error(500, 'other'), 'unknown'],
  [html, 'unknown'],
];

function claimOf(outcome: Outcome): string {
  if (outcome.outcome !== 'failed') return outcome.outcome;
  if (outcome.misconfigured) return 'misconfigured';
  return outcome.nothingCharged ? 'nothing charged' : 'declined';
}

describe('submission to H', () => {
  async function asked(given = submission, own: Options = options) {
    const http = scriptedHttp([reply(500)]);
    await providerH.submit(given, scriptedProvider({ options: own, now, http }));
    const [request] = http.requests;
    return { request: request!, body: readJsonObject(Buffer.from(request!.body!))! };
  }

  it('names shop, price, coin, addresses and payer', async () => {
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
    it(`spells ${amount} ${currency} as ${n}`, async () => {
      const { body } = await asked({ ...submission, money: { amount, currency } });
      expect(body['want']).to.deep.equal({ n: new JsonNumber(n), cur: currency });
    });
  }

  it('is never sent for what the currency cannot express', async () => {
    const money = { amount: '1.5', currency: 'JPY' };
    expect(await submit(html, { ...submission, money })).to.include({ outcome: 'failed', nothingCharged: true });
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
    it(`waits with the way to pay while ${phase}`, async () => {
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
    ['a time that is none', { lapses_at: 'soon' }],
    ['no chain', { chain: null }],
    ['another shop', { shop: 'M-0000002' }, 'done'],
    ['another reference', { gw_ref: 'GW-10042-2' }, 'done'],
    ['another price', { want: { n: spelled('25.91'), cur: 'EUR' } }, 'done'],
    ['another currency', { want: { n: spelled('25.90'), cur: 'USD' } }, 'done'],
    ['no coins', { got: undefined }, 'done'],
  ] as readonly (readonly [string, Members, string?])[]) {
    it(`is unknown where the answer has ${name}`, async () => {
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
      { outcome: 'unknown', reason: 'an open pay that does not say how to pay it' },
    ],
    ['done', { got: { n: spelled('1'), coin: 'LTC' } }, { outcome: 'pending', unknownWord: 'done' }],
    ['bad', { why: 'limit' }, { outcome: 'failed', decline: '61' }],
    ['bad', {}, { outcome: 'failed', decline: '05' }],
    ['bad', { why: 'eclipse' }, { outcome: 'failed', decline: '05', declineText: 'eclipse', unknownWord: 'eclipse' }],
    ['lapsed', {}, { outcome: 'failed', decline: '05' }],
    ['void', {}, { outcome: 'failed', decline: '05' }],
    ['thinking', {}, { outcome: 'pending', unknownWord: 'thinking' }],
    ['returned', {}, { outcome: 'pending', unknownWord: 'returned' }],
  ] as readonly (readonly [string, Members, Outcome])[]) {
    it(`takes ${phase} ${JSON.stringify(members)} as ${expected.outcome}`, async () => {
      expect(await submit(answer(200, shown(phase, members)))).to.deep.equal({ providerReference, ...expected });
    });
  }

  it('is declined by a 422 that is a bad pay about it, and by nothing else', async () => {
    const bad = shown('bad', { why: 'sanctioned' });
    expect(await submit(answer(422, bad))).to.deep.equal({ outcome: 'failed', decline: '57', providerReference });
    for (const members of [{ ...bad, gw_ref: 'GW-1-1' }, shown('done'), { error: { code: 'bad' } }]) {
      expect((await submit(answer(422, members))).outcome).to.equal('unknown');
    }
  });

  for (const [given, claim] of errors) {
    it(`takes ${given.status} ${Buffer.from(given.body).toString().slice(0, 24)} as ${claim}`, async () => {
      expect(claimOf(await submit(given))).to.equal(claim);
    });
  }
});

describe('status from H', () => {
  const fetch = (given: HttpReply, payment = stored): Promise<StatusReport> =>
    answered(given, (provider) => providerH.fetchStatus!(payment, provider));
  const { providerReference: _, ...nameless } = stored;

  it('is asked by number or reference, signed over the target with the path of the address', async () => {
    const http = scriptedHttp([html, html]);
    const own = { ...options, baseUrl: 'https://api.provider-h.example/gate' };
    const provider = scriptedProvider({ options: own, now, http });
    await providerH.fetchStatus!(stored, provider);
    await providerH.fetchStatus!(nameless, provider);
    expect(http.requests.map(({ path }) => path)).to.deep.equal([
      '/v2/pays/9007199254740993771',
      '/v2/pays?gw_ref=GW-10042-1',
    ]);
    for (const { method, path, headers, body } of http.requests) {
      expect([method, body]).to.deep.equal(['GET', undefined]);
      expect(headers!['X-H-Digest']).to.equal(digestOf(options.apiSecret, `/gate${path}`).toString('hex'));
    }
  });

  it('is told as by callback, with the way to pay while that is open', async () => {
    const report = await fetch(answer(200, shown('part', { got: { n: spelled('0.00024'), coin: 'BTC' } })));
    expect(report.news === 'events' && report.events[0]).to.deep.include({
      word: 'part',
      dedupeKey: '9007199254740993771|part|0.00024|3',
      action: {
        type: 'crypto',
        address: 'bc1qxyz',
        coin: 'BTC',
        amount: '0.00041440',
        network: 'bitcoin',
        expiry: '2026-03-02T09:30:30Z',
      },
    });
    const done = await fetch(answer(200, shown('done')), nameless);
    expect(done.news === 'events' && done.events[0]).to.not.have.property('action');
  });

  it('is certain that a pay that H does not know was never made, once our call has ended', async () => {
    expect(await fetch(error(404, 'unknown_pay'), nameless)).to.deep.equal({ news: 'nothing_charged' });
    expect((await fetch(error(404, 'unknown_pay'), { ...nameless, endedAt: null })).news).to.equal('none');
  });

  for (const [name, given] of [
    ['another 404', error(404, 'not_found')],
    ['a 401', error(401, 'bad_digest')],
    ['a 500', error(500, 'not_made')],
    ['a page', html],
    ['another shop', answer(200, shown('done', { shop: 'M-0000002' }))],
    ['another reference', answer(200, shown('done', { gw_ref: 'GW-10043-1' }))],
    ['another number', answer(200, shown('done', { pay_no: spelled('1') }))],
    ['a return', answer(200, shown('returned'))],
    ['a 201', answer(201, shown('done'))],
  ] as const) {
    it(`has no news with ${name}`, async () => expect((await fetch(given)).news).to.equal('none'));
  }
});

describe('refund by H', () => {
  const refund = { reference: 'GW-10042-1-R1', money: { amount: '10', currency: 'EUR' }, note: null };
  const ask = (given: HttpReply): Promise<Outcome> =>
    answered(given, (provider) => providerH.refund!(stored, refund, provider));
  const returned = (state: string, members: Members = {}): Members => ({
    pay_no: spelled(providerReference),
    back: { id: 'rt118', state, n: spelled('10.00'), cur: 'EUR', ...members },
  });

  for (const [state, expected] of [
    ['queued', { outcome: 'pending' }],
    ['done', { outcome: 'succeeded' }],
    ['failed', { outcome: 'failed', nothingCharged: true, reason: 'the return is failed' }],
    ['reversed', { outcome: 'failed', nothingCharged: true, reason: 'the return is reversed' }],
    ['asleep', { outcome: 'pending', unknownWord: 'asleep' }],
  ] as const) {
    it(`takes ${state} as ${expected.outcome}, first and repeated`, async () => {
      for (const status of [202, 200]) {
        expect(await ask(answer(status, returned(state)))).to.deep.equal({ ...expected, providerReference: 'rt118' });
      }
    });
  }

  for (const [name, message] of [
    ['another pay', { ...returned('done'), pay_no: spelled('1') }],
    ['another sum', returned('done', { n: spelled('10.01') })],
    ['another currency', returned('done', { cur: 'USD' })],
    ['no number', returned('done', { id: '' })],
    ['no return', shown('done')],
  ] as const) {
    it(`is unknown where the answer shows ${name}`, async () => {
      expect((await ask(answer(202, message))).outcome).to.equal('unknown');
    });
  }

  it('is refused where it is too much', async () => {
    expect(claimOf(await ask(error(422, 'too_much')))).to.equal('nothing charged');
    expect(claimOf(await ask(error(422, 'other')))).to.equal('unknown');
    expect(claimOf(await ask(error(409, 'key_reused')))).to.equal('unknown');
  });
  for (const [given, claim] of errors) {
    it(`takes ${given.status} ${Buffer.from(given.body).toString().slice(0, 24)} as ${claim}`, async () => {
      expect(claimOf(await ask(given))).to.equal(claim);
    });
  }

  it('is never sent without a number of H, or for what the currency cannot express', async () => {
    const { providerReference: _, ...nameless } = stored;
    const provider = scriptedProvider({ options, now });
    expect(claimOf(await providerH.refund!(nameless, refund, provider))).to.equal('nothing charged');
    const yen = { ...refund, money: { amount: '1.5', currency: 'JPY' } };
    expect(claimOf(await providerH.refund!(stored, yen, provider))).to.equal('nothing charged');
  });
});
