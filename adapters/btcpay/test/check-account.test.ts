import type { AdapterContext, HttpReply } from '@paywright/contract';
import { reply } from '@paywright/contract/testing';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import btcpay from '../index.ts';
import type { Options } from '../options.ts';
import { webhookEvents } from '../statuses.ts';
import { harness, addressOptions, html, refusal, type Members } from './messages.ts';

const { options, recordCall } = harness;

const url = 'https://gateway.example/callbacks/btcpay';
const server = (members: Members = {}) => reply(200, { version: '2.4.1', fullySynched: true, ...members });
const key = (...permissions: readonly string[]) =>
  reply(200, { apiKey: options.apiKey, label: 'gateway', permissions });
const goodKey = key(
  `btcpay.store.cancreateinvoice:${options.storeId}`,
  'btcpay.store.canviewinvoices',
  'btcpay.store.cancreatenonapprovedpullpayments',
);
const methods = (...ids: readonly string[]) =>
  reply(
    200,
    ids.map((paymentMethodId) => ({ paymentMethodId, enabled: true })),
  );
const all = Object.keys(webhookEvents);
const webhooks = (members: Members = {}, specificEvents: readonly string[] = all) =>
  reply(200, [
    {
      id: 'w0',
      url: 'https://shop.example',
      enabled: true,
      automaticRedelivery: true,
      authorizedEvents: { everything: true, specificEvents: [] },
    },
    {
      id: 'w1',
      url,
      enabled: true,
      automaticRedelivery: true,
      authorizedEvents: { everything: false, specificEvents },
      ...members,
    },
  ]);

async function check(answers: readonly HttpReply[], own: Options = options) {
  const call = (ctx: AdapterContext<Options>) => btcpay.checkAccount!(ctx);
  const { result: findings, requests } = await recordCall(answers, call, { options: own });
  expect(JSON.stringify(findings)).not.to.contain(options.apiKey);
  const bad = findings.filter(({ ok }) => !ok);
  expect(bad.every(({ cure }) => cure)).to.equal(true);
  return { findings, bad: bad.map(({ finding }) => finding), requests };
}

describe('checkAccount', () => {
  it('accepts a correct store', async () => {
    const { findings, bad, requests } = await check([server(), goodKey, methods('BTC-CHAIN', 'BTC-LN'), webhooks()]);
    expect([bad, findings.length]).to.deep.equal([[], 4]);
    expect(requests.map(({ method, path }) => `${method} ${path}`)).to.deep.equal([
      'GET /api/v1/server/info',
      'GET /api/v1/api-keys/current',
      `GET /api/v1/stores/${options.storeId}/payment-methods?onlyEnabled=true`,
      `GET /api/v1/stores/${options.storeId}/webhooks`,
    ]);
  });

  for (const [name, answer, bad] of [
    ['a refused key', refusal(401, 'unauthenticated'), 'BTCPay Server answered 401 unauthenticated'],
    ['a server that is not a BTCPay Server', html, 'BTCPay Server answered 502'],
    ['an old version', server({ version: '1.13.5' }), 'BTCPay Server 1.13.5 accepts the API key'],
    [
      'nodes that are not synchronised',
      server({ fullySynched: false }),
      'BTCPay Server 2.4.1 accepts the API key, but its nodes are not synchronised',
    ],
  ] as const) {
    it(`sends no further request after ${name}`, async () => {
      const found = await check([answer]);
      expect([found.bad, found.requests.length]).to.deep.equal([[bad], 1]);
    });
  }

  const create = 'btcpay.store.cancreateinvoice';
  const view = 'btcpay.store.canviewinvoices';
  const refund = 'btcpay.store.cancreatenonapprovedpullpayments';
  for (const [permissions, missing] of [
    [[], [create, view, refund]],
    [[create], [view, refund]],
    [[create, 'btcpay.store.canviewstoresettings'], [refund]],
    [['btcpay.store.canmodifyinvoices', 'btcpay.store.canmanagepullpayments'], []],
    [['btcpay.store.canmodifystoresettings'], []],
    [[`btcpay.store.canmodifystoresettings:${options.storeId}`], []],
    [['btcpay.store.canmodifystoresettings:SomeoneElse1'], [create, view, refund]],
    [
      ['btcpay.server.canmodifyserversettings', 'btcpay.user.canviewprofile'],
      [create, view, refund],
    ],
    [['unrestricted'], []],
  ] as const) {
    it(`finds ${missing.length} permissions missing of ${permissions.join(', ') || 'none'}`, async () => {
      const { bad } = await check([server(), key(...permissions), methods('BTC-CHAIN'), webhooks()]);
      expect(bad).to.deep.equal(missing.length > 0 ? [`the API key lacks ${missing.join(', ')}`] : []);
    });
  }

  for (const [name, answers, bad, own = options] of [
    ['a store without a wallet', [methods(), webhooks()], ['the store accepts nothing']],
    ['a store without the way to pay', [methods('BTC-LN'), webhooks()], ['the store accepts BTC-LN'], addressOptions],
    ['a store that accepts anything at its page', [methods('BTC-LN'), webhooks()], []],
    ['no webhook', [methods('BTC-CHAIN'), reply(200, [])], [`no enabled webhook for ${url}`]],
    ['a disabled webhook', [methods('BTC-CHAIN'), webhooks({ enabled: false })], [`no enabled webhook for ${url}`]],
    [
      'missing events',
      [
        methods('BTC-CHAIN'),
        webhooks(
          {},
          all.filter((event) => event.startsWith('Invoice')),
        ),
      ],
      ['the webhook lacks PayoutUpdated'],
    ],
    [
      'a webhook that sends everything',
      [methods('BTC-CHAIN'), webhooks({ authorizedEvents: { everything: true, specificEvents: [] } })],
      [],
    ],
    [
      'a webhook that never repeats',
      [methods('BTC-CHAIN'), webhooks({ automaticRedelivery: false })],
      ['the webhook lacks automatic redelivery'],
    ],
    [
      'settings that the key may not read',
      [refusal(403, 'missing-permission'), refusal(403, 'missing-permission')],
      [],
    ],
    ['another store', [refusal(404, 'store-not-found'), webhooks()], ['BTCPay Server answered 404 store-not-found']],
  ] as readonly (readonly [string, readonly HttpReply[], readonly string[], Options?])[]) {
    it(`judges ${name}`, async () =>
      expect((await check([server(), goodKey, ...answers], own)).bad).to.deep.equal(bad));
  }
});
