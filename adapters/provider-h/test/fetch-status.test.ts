import { scriptedHttp } from '@paywright/contract/testing';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import providerH from '../index.ts';
import { digestOf } from '../signing.ts';
import { harness, answer, html, refusal, shown, spelled } from './messages.ts';

const { unanswered, options, stored, fetchStatus, createContext } = harness;

describe('fetchStatus', () => {
  it('looks up by number or reference, signed over the target with the path of the address', async () => {
    const http = scriptedHttp([html, html]);
    const own = { ...options, baseUrl: 'https://api.provider-h.example/gate' };
    const ctx = createContext([], { options: own, http });
    await providerH.fetchStatus!(stored, ctx);
    await providerH.fetchStatus!(unanswered, ctx);
    expect(http.requests.map(({ path }) => path)).to.deep.equal([
      '/v2/pays/9007199254740993771',
      '/v2/pays?gw_ref=GW-10042-1',
    ]);
    for (const { method, path, headers, body } of http.requests) {
      expect([method, body]).to.deep.equal(['GET', undefined]);
      expect(headers!['X-H-Digest']).to.equal(digestOf(options.apiSecret, `/gate${path}`).toString('hex'));
    }
  });

  it('reports the pay as a callback does, with the way to pay while it is open', async () => {
    const report = await fetchStatus(answer(200, shown('part', { got: { n: spelled('0.00024'), coin: 'BTC' } })));
    expect(report.result === 'events' && report.events[0]).to.deep.include({
      providerStatus: 'part',
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
    const done = await fetchStatus(answer(200, shown('done')), unanswered);
    expect(done.result === 'events' && done.events[0]).to.not.have.property('action');
  });

  it('proves that an unknown pay was never created, once our call has ended', async () => {
    expect(await fetchStatus(refusal(404, 'unknown_pay'), unanswered)).to.deep.equal({ result: 'nothing_charged' });
    expect((await fetchStatus(refusal(404, 'unknown_pay'), { ...unanswered, endedAt: null })).result).to.equal(
      'no_information',
    );
  });

  for (const [name, given] of [
    ['another 404', refusal(404, 'not_found')],
    ['a 401', refusal(401, 'bad_digest')],
    ['a 500', refusal(500, 'not_made')],
    ['a page', html],
    ['another shop', answer(200, shown('done', { shop: 'M-0000002' }))],
    ['another reference', answer(200, shown('done', { gw_ref: 'GW-10043-1' }))],
    ['another number', answer(200, shown('done', { pay_no: spelled('1') }))],
    ['a return', answer(200, shown('returned'))],
    ['a 201', answer(201, shown('done'))],
  ] as const) {
    it(`reports no information with ${name}`, async () =>
      expect((await fetchStatus(given)).result).to.equal('no_information'));
  }
});
