import type { AdapterContext, HttpReply } from '@paywright/contract';
import { reply } from '@paywright/contract/testing';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import mollie from '../index.ts';
import type { Options } from '../options.ts';
import { harness, refusal } from './messages.ts';

const { options, recordCall } = harness;

const liveKey = `live_${'a1'.repeat(15)}`;
const profile = (status: string) => reply(200, { resource: 'profile', mode: 'live', status });
const methods = (...ids: string[]) =>
  reply(200, { count: ids.length, _embedded: { methods: ids.map((id) => ({ id })) } });
const method = reply(200, { resource: 'method', id: 'ideal' });

interface Asking {
  readonly sandbox?: boolean;
  readonly own?: Partial<Options>;
  readonly publicUrl?: string;
}

async function check(answers: readonly HttpReply[], { sandbox = true, own = {}, ...more }: Asking = {}) {
  const call = (ctx: AdapterContext<Options>) => mollie.checkAccount!(ctx);
  const { result: findings, requests } = await recordCall(answers, call, { options: own, sandbox, ...more });
  expect(JSON.stringify(findings)).to.not.contain({ ...options, ...own }.apiKey);
  const bad = findings.flatMap((one) => (one.ok ? [] : [one.finding]));
  const said = findings.map(({ finding, cure }) => (cure === undefined ? finding : `${finding}: ${cure}`));
  return { bad, good: findings.length - bad.length, said, paths: requests.map(({ path }) => path) };
}

describe('checkAccount', () => {
  it('accepts a correct account', async () => {
    const { bad, good, paths } = await check([profile('verified'), methods('ideal')]);
    expect([bad, good]).to.deep.equal([[], 3]);
    expect(paths).to.deep.equal(['/v2/profiles/me', '/v2/methods']);
  });

  it('says which wallets the page offers with cards, and how to offer Apple Pay', async () => {
    const asking = [profile('verified'), methods('ideal', 'creditcard')];
    const google = 'the page offers Google Pay with cards, on devices that have it';
    const enabled = await check([...asking, method]);
    expect(enabled.said.slice(3)).to.deep.equal([google, 'the page offers Apple Pay']);
    expect(enabled.paths.at(-1)).to.equal('/v2/methods/applepay');
    const missing = await check([...asking, refusal(403)]);
    expect(missing.bad).to.deep.equal([]);
    expect(missing.said.slice(3)).to.deep.equal([
      google,
      'Apple Pay is not enabled (403): to offer it, enable it in the Mollie Web app, Payment methods',
    ]);
  });

  it('says how to offer Apple Pay if methods names cards alone', async () => {
    const google = 'the page offers Google Pay with cards, on devices that have it';
    const cards = await check([profile('verified'), method], { own: { methods: ['creditcard'] } });
    expect(cards.said.slice(2)).to.deep.equal([
      'creditcard is enabled',
      google,
      'methods does not name applepay: to offer Apple Pay, add it to methods',
    ]);
    const both = await check([profile('verified'), method, method], { own: { methods: ['creditcard', 'applepay'] } });
    expect(both.said.slice(4)).to.deep.equal([google]);
  });

  for (const [sandbox, apiKey, said] of [
    [true, liveKey, 'apiKey is a live key, but this is the test side'],
    [false, options.apiKey, 'apiKey is a test key, but this is the live side'],
  ] as const) {
    it(`sends no request if ${said}`, async () => {
      const { bad, good, paths } = await check([], { sandbox, own: { apiKey } });
      expect({ bad, good, paths }).to.deep.equal({ bad: [said], good: 0, paths: [] });
    });
  }

  const faults: readonly (readonly [string, readonly HttpReply[], Asking, readonly string[]])[] = [
    ['a refused key', [refusal(401)], {}, ['Mollie answered 401 unauthorized']],
    ['a blocked profile', [profile('blocked')], {}, ['the profile is blocked: Mollie accepts no such payments for it']],
    [
      'an unverified profile, for live payments',
      [profile('unverified')],
      { sandbox: false, own: { apiKey: liveKey } },
      ['the profile is unverified: Mollie accepts no such payments for it'],
    ],
    ['no fault in an unverified profile, for test payments', [profile('unverified'), methods('ideal')], {}, []],
    ['no method', [profile('verified'), methods()], {}, ['no enabled payment method accepts euros']],
    [
      'a method of the options that is not enabled or not available',
      [profile('verified'), refusal(403), method, refusal(404)],
      { own: { methods: ['swish', 'ideal', 'twint'] } },
      ['swish is not enabled (403)', 'twint is not enabled (404)'],
    ],
    [
      'an address that Mollie cannot reach',
      [profile('verified'), methods('ideal')],
      { publicUrl: 'http://127.0.0.1:8080' },
      ['Mollie cannot reach http://127.0.0.1:8080'],
    ],
  ];
  for (const [name, answers, asking, bad] of faults) {
    it(`finds ${name}`, async () => expect((await check(answers, asking)).bad).to.deep.equal(bad));
  }
});
