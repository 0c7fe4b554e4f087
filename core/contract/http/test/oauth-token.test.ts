import { expect } from 'chai';
import { describe, it } from 'mocha';
import { clientCredentials, isMisconfigured, MisconfiguredError, oauthToken, unknown } from '../../index.ts';
import { createAcme } from '../../test/acme/adapter.ts';
import { options } from '../../test/acme/vectors.ts';
import type { Options } from '../../test/acme/protocol.ts';
import { createAdapterHarness, reply, runVectors, type Script } from '../../testing/index.ts';

const access = oauthToken<Options>({
  provider: 'Acme',
  account: ({ shop }) => shop,
  credentials: 'shop and apiKey',
  request: (ctx) => clientCredentials('/token', { id: ctx.options.shop, secret: ctx.options.apiKey }),
});
const adapter = createAcme({
  adapter: {
    submit: async (_, ctx) => {
      const { status } = await access.send(ctx, { method: 'POST', path: '/charges', headers: { 'X-Shop': '7' } });
      return status === 200 ? { outcome: 'succeeded' } : unknown(`answered ${status}`);
    },
  },
});
const harness = createAdapterHarness(adapter, { options });
const granted = (token: string) => reply(200, { access_token: token, expires_in: 3600 });

describe('oauthToken in the tests of an adapter', () => {
  it('asks for a token first, and sends it with the headers of the request', async () => {
    const { requests, result } = await harness.recordCall([granted('t-1'), reply(200)], (ctx) =>
      adapter.submit(harness.submission, ctx),
    );
    expect(result).to.deep.equal({ outcome: 'succeeded' });
    const basic = Buffer.from(`${options.shop}:${options.apiKey}`).toString('base64');
    expect(requests).to.deep.equal([
      {
        method: 'POST',
        path: '/token',
        headers: { 'Content-Type': 'application/x-www-form-urlencoded', Authorization: `Basic ${basic}` },
        body: 'grant_type=client_credentials',
        chargesNothing: true,
      },
      { method: 'POST', path: '/charges', headers: { 'X-Shop': '7', Authorization: 'Bearer t-1' } },
    ]);
  });

  it('replaces a refused token once, also for calls at the same time', async () => {
    let loads = 0;
    const script: Script = ({ path, headers }) => {
      if (path === '/token') return granted(`t-${(loads += 1)}`);
      return reply(headers?.['Authorization'] === 'Bearer t-1' ? 401 : 200);
    };
    const ctx = harness.createContext(script);
    const all = await Promise.all(Array.from({ length: 50 }, async () => adapter.submit(harness.submission, ctx)));
    expect(all.every(({ outcome }) => outcome === 'succeeded')).to.equal(true);
    expect(loads).to.equal(2);
  });

  it('never uses a token of another scope, although both are for one account', async () => {
    const tokens = ['pay', 'refund'].map((scope) =>
      oauthToken<Options>({
        provider: 'Acme',
        account: ({ shop }) => shop,
        credentials: 'shop and apiKey',
        request: ({ options: { shop: id, apiKey } }) => clientCredentials('/token', { id, secret: apiKey }, { scope }),
      }),
    );
    const script: Script = ({ path, headers, body }) => {
      if (path === '/token') return granted(new URLSearchParams(String(body)).get('scope')!);
      return reply(headers?.['Authorization'] === `Bearer ${path.slice(1)}` ? 200 : 403);
    };
    const ctx = harness.createContext(script);
    const [pay, refund] = tokens;
    expect((await pay!.send(ctx, { method: 'POST', path: '/pay' })).status).to.equal(200);
    expect((await refund!.send(ctx, { method: 'POST', path: '/refund' })).status).to.equal(200);
  });

  it('throws an error that two copies of the contract recognise if the credentials are refused', async () => {
    const refused: unknown = await harness.submit(reply(401, '')).catch((error: unknown) => error);
    expect(refused).to.be.instanceOf(MisconfiguredError);
    expect(isMisconfigured(refused)).to.equal(true);
    expect(isMisconfigured(Object.assign(new Error(), { failure: 'not_sent', misconfigured: true }))).to.equal(true);
    for (const other of [undefined, new Error('no'), Object.assign(new Error(), { misconfigured: true })])
      expect(isMisconfigured(other)).to.equal(false);
  });

  const token = { method: 'POST', path: '/token', body: 'grant_type=client_credentials' };
  const charge = { method: 'POST', path: '/charges' };
  const grantedReply = { status: 200, body: '{"access_token":"t-1"}' };
  for (const [name, exchanges, expected] of [
    [
      'credentials that are refused',
      [{ request: token, reply: { status: 400, body: '{"error":"invalid_client"}' } }],
      { outcome: 'failed', nothingCharged: true, misconfigured: true },
    ],
    [
      'a token endpoint without an answer',
      [{ request: token, reply: null }],
      { outcome: 'failed', nothingCharged: true },
    ],
    [
      'a refused token that cannot be replaced',
      [
        { request: token, reply: grantedReply },
        { request: charge, reply: { status: 401, body: '' } },
        { request: token, reply: null },
      ],
      { outcome: 'failed', nothingCharged: true },
    ],
    [
      'a repeated request without an answer',
      [
        { request: token, reply: grantedReply },
        { request: charge, reply: { status: 401, body: '' } },
        { request: token, reply: { status: 200, body: '{"access_token":"t-2"}' } },
        { request: charge, reply: null },
      ],
      { outcome: 'unknown' },
    ],
  ] as const) {
    it(`is settled by vectors as core settles it: ${name}`, async () => {
      const payment = { number: '4111111111111111', amount: '25.90', unit: 'EUR', reference: 'GW-10042-1' };
      const file = {
        provider: 'acme',
        options,
        callbacks: [],
        submissions: [{ name, payment, exchanges, expect: expected }],
      };
      const [result] = await runVectors(adapter, JSON.stringify(file));
      expect(result).to.deep.equal({ name, call: 'submit', passed: true, differences: [] });
    });
  }
});
