/**
 * The example config of the real providers: its settings are valid, and its routes lead to the intended providers.
 */
import { generateKeyPairSync } from 'node:crypto';
import type { InputKind, PaymentMethod, Submission } from '@paywright/contract';
import { expect } from 'chai';
import { before, describe, it } from 'mocha';
import { loadConfig } from '../config/load-config.ts';
import { openCurrencies } from '../core/engine/payments/config.ts';
import { createRouting, type Routing } from '../core/engine/payments/submit/routing.ts';
import { createRegistry, loadAdapters, type LoadedAdapter } from '../core/engine/providers/index.ts';
import type { ActiveAdapter } from '../core/engine/providers/load/load-adapters.ts';
import { withAnySandboxes } from '../workers/supervisor/start/run-config.ts';
import { payer } from './support/bodies.ts';
import { root } from './support/start-gateway.ts';

const keys = {
  STRIPE_TEST_KEY: 'sk_test_0123456789',
  STRIPE_TEST_WEBHOOK_SECRET: 'whsec_0123456789',
  ADYEN_TEST_ACCOUNT: 'ShopECOM',
  ADYEN_TEST_KEY: 'AQE-0123456789-abcdef',
  ADYEN_TEST_HMAC_KEY: '0f'.repeat(32),
  ADYEN_TEST_WEBHOOK_PASSWORD: 'a password of ours',
  RAZORPAY_ACCOUNT_ID: 'acc_0123456789',
  RAZORPAY_TEST_KEY_ID: 'rzp_test_0123456789',
  RAZORPAY_TEST_KEY_SECRET: 'a key secret of ours',
  RAZORPAY_TEST_WEBHOOK_SECRET: 'a secret of ours',
  MOLLIE_TEST_KEY: 'test_0123456789abcdefghijklmnop',
  BTCPAY_TEST_URL: 'https://testnet.demo.btcpayserver.org',
  BTCPAY_TEST_STORE_ID: 'S0123456789',
  BTCPAY_TEST_API_KEY: 'an api key of ours',
  BTCPAY_TEST_WEBHOOK_SECRET: 'another secret of ours',
  PAYPAL_TEST_CLIENT_ID: 'AbClientIdOfOurs',
  PAYPAL_TEST_CLIENT_SECRET: 'EF-secret-of-our-app-1',
  PAYPAL_TEST_WEBHOOK_ID: '1JE4291016473214C',
};
const real = ['stripe', 'adyen', 'razorpay', 'mollie', 'btcpay', 'paypal'];

describe('config/examples/real-providers.yaml', () => {
  let adapters: readonly LoadedAdapter[];
  let routing: Routing;
  before(async () => {
    const env = { GATEWAY_ENV: 'development', GATEWAY_CONFIG: 'config/examples/real-providers.yaml', ...keys };
    const { config: loaded, environment, isProduction } = await loadConfig({ env, root });
    const config = withAnySandboxes(loaded, {});
    const entries = Object.entries(config.adapters).map(([name, one]) => ({ ...one, name, from: root }));
    adapters = await loadAdapters(entries, { gatewayRoot: root, environment, isProduction });
    const registry = createRegistry(adapters);
    const methodOf = ({ adapter, sandboxOptions }: ActiveAdapter, payment: Submission): PaymentMethod =>
      adapter.methodOf?.(payment, sandboxOptions) ?? adapter.manifest.ways[0].method;
    routing = createRouting({
      rules: config.routes,
      registry,
      openCurrencies: openCurrencies(config),
      calls: { methodOf },
    });
  });

  it('gives each provider its options, and the address of its own test mode', () => {
    const ours = adapters.filter(({ name }) => real.includes(name));
    expect(ours.map(({ name }) => name)).to.have.members(real);
    for (const one of ours) {
      expect('options' in one, `${one.name}: ${JSON.stringify(one)}`).to.equal(true);
      const { sandboxOptions } = one as { readonly sandboxOptions: { readonly sandboxBaseUrl: string } };
      expect(sandboxOptions.sandboxBaseUrl, one.name).to.match(/^https:\/\/(?!127)/);
    }
  });

  const input = (kind: InputKind) => ({ kind, payer: { ...payer, ipAddress: null }, body: { ...payer } });
  for (const [kind, unit, adapter] of [
    ['card', 'EUR', 'adyen'],
    ['billing', 'EUR', 'mollie'],
    ['billing', 'INR', 'razorpay'],
    ['upi', 'INR', 'razorpay'],
    ['card', 'INR', 'stripe'],
    ['card', 'USD', 'stripe'],
    ['token', 'USD', 'stripe'],
    ['billing', 'GBP', 'stripe'],
    ['billing', 'BTC', 'btcpay'],
  ] as const) {
    it(`routes ${kind} in ${unit} to ${adapter}`, () => {
      const facts = { unit, amount: '25.90', sandbox: true, input: input(kind) };
      expect(routing.choose(facts)?.candidates[0].active.name).to.equal(adapter);
    });
  }

  for (const unit of ['EUR', 'INR', 'USD']) {
    it(`routes a payer who chooses a coin to btcpay, also for a price in ${unit}`, () => {
      const facts = { unit, amount: '25.90', sandbox: true, input: input('billing') };
      const way = { method: 'crypto', coin: 'BTC', adapter: null } as const;
      expect(routing.choose({ ...facts, way })?.candidates[0].active.name).to.equal('btcpay');
    });
  }

  for (const unit of ['EUR', 'USD', 'GBP']) {
    it(`routes a payer who chooses the e-wallet to paypal, for a price in ${unit}`, () => {
      const facts = { unit, amount: '25.90', sandbox: true, input: input('billing') };
      const way = { method: 'ewallet_redirect', coin: null, adapter: null } as const;
      expect(routing.choose({ ...facts, way })?.candidates[0].active.name).to.equal('paypal');
    });
  }
});

describe('config/examples/wechat-pay.yaml', () => {
  it('gives WeChat Pay its live options', async () => {
    const { publicKey, privateKey } = generateKeyPairSync('rsa', {
      modulusLength: 2048,
      publicKeyEncoding: { type: 'spki', format: 'pem' },
      privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    });
    const env = {
      GATEWAY_ENV: 'development',
      GATEWAY_CONFIG: 'config/examples/wechat-pay.yaml',
      WECHAT_PAY_MCHID: '1230000109',
      WECHAT_PAY_APPID: 'wxd678efh567hg6787',
      WECHAT_PAY_MERCHANT_SERIAL: '3775B6A45ACD588826D15E583A95F5DD',
      WECHAT_PAY_PRIVATE_KEY: privateKey,
      WECHAT_PAY_API_V3_KEY: 'a'.repeat(32),
      WECHAT_PAY_PUBLIC_KEY_ID: 'PUB_KEY_ID_0112300001092026120200000000',
      WECHAT_PAY_PUBLIC_KEY: publicKey,
    };
    const { config, environment, isProduction } = await loadConfig({ env, root });
    const entries = [{ ...config.adapters['wechat-pay']!, name: 'wechat-pay', from: root }];
    const [loaded] = await loadAdapters(entries, { gatewayRoot: root, environment, isProduction });
    expect(loaded).to.have.nested.property('options.merchantKey.privateKey', privateKey.trim());
    expect(loaded).to.have.nested.property('options.baseUrl', 'https://api.mch.weixin.qq.com');
    expect(config.routes.map(({ use }) => use)).to.deep.equal([['wechat-pay']]);
  });
});
