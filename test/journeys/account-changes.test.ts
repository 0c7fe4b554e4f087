/** An attempt keeps its account for life, whatever operators do to the account while it is open. */
import { expect } from 'chai';
import { after, before, describe, it } from 'mocha';
import { pino } from 'pino';
import { createAudit } from '../../core/engine/audit/index.ts';
import { createAccounts, type Accounts } from '../../core/engine/providers/index.ts';
import { createAdapterStateStore, type AdapterStateStore } from '../../core/engine/providers/states/adapter-states.ts';
import { until } from '../../core/base/testing/until.ts';
import { startAccountSandbox, type AccountSandbox } from '../support/account-sandbox.ts';
import { cardBody, payer } from '../support/bodies.ts';
import { completeChallenge, openAction, press, type Redirect } from '../support/payer.ts';
import { startProxy, type Proxy } from '../support/proxy.ts';
import { toTestPayment, type TestPayment } from '../support/scenarios.ts';
import { startGateway, type TestGateway } from '../support/start-gateway.ts';

const ada = { type: 'command', name: 'Ada Lovelace', from: 'here' } as const;
const secure = '4000000000003220';
const now = (): Date => new Date();
/** The account of each provider, next to `main`. */
const identities = {
  'provider-a': { account: 'ShopEU' },
  'provider-f': { shopId: 'shop-88' },
  'provider-g': { merchantId: 'M1000428' },
};

describe('an attempt whose account changes', () => {
  let gateway: TestGateway;
  let accounts: Accounts;
  let adapterStates: AdapterStateStore;
  let proxy: Proxy;
  const sandboxes: AccountSandbox[] = [];

  before(async () => {
    proxy = await startProxy();
    gateway = await startGateway({ adapters: ['provider-a', 'provider-f', 'provider-g'], worksLater: true });
    const { connection, httpDeps } = gateway.gateway;
    const { encrypter } = httpDeps;
    adapterStates = createAdapterStateStore(connection, now);
    const audit = createAudit({ connection, encrypter, now, log: pino({ level: 'silent' }) });
    accounts = createAccounts({ connection, encrypter, run: gateway.run, adapterStates, audit, now });
  });
  after(async () => {
    await gateway.close();
    await Promise.all([proxy, ...sandboxes].map(async (one) => one.close()));
  });

  const registry = () => gateway.gateway.providers.registry;
  const optionsOf = (adapter: string): Record<string, unknown> => ({
    ...(gateway.run.config.adapters[adapter]?.options as Record<string, unknown>),
  });

  /** Adds the account `shop` of the merchant, and waits until this process has it. */
  async function assignShop(adapter: keyof typeof identities, more: object = {}): Promise<string> {
    const ref = `${adapter}/shop`;
    const where = { publicUrl: gateway.url, delayMs: 20 };
    const sandbox = await startAccountSandbox(gateway.run.config.adapters[adapter]!, identities[adapter], where);
    sandboxes.push(sandbox);
    const options = { ...optionsOf(adapter), ...sandbox.options, ...more };
    await accounts.add(ada, ref, { options, assign: ['demo'] });
    await until('the account is loaded', () => registry().byName(ref) !== undefined);
    return ref;
  }

  /** Takes the account from the merchant and drains it, and waits until this process knows. */
  async function takeAway(ref: string): Promise<void> {
    await accounts.set(ada, ref, { unassign: ['demo'] });
    await adapterStates.set(ref, 'draining', 'it moves');
    const user = { name: 'demo', ownAccountsOnly: false };
    await until(
      'the account is draining',
      () => registry().stateOf(ref) === 'draining' && !registry().isOpenTo(ref, user),
    );
  }

  async function submit(path: string, body: unknown, account: string): Promise<TestPayment> {
    const payment = toTestPayment(gateway, await gateway.post(path, body));
    expect(payment.answer.status, payment.answer.text).to.equal(200);
    expect((await payment.view()).providerAccount).to.equal(account);
    return payment;
  }

  /** Waits until the ability was called, and returns the accounts that every call about the payment used. */
  async function accountsOf({ id }: TestPayment, call: string): Promise<unknown[]> {
    const exchanges = gateway.gateway.connection.collection('exchanges');
    await until(`${call} is logged`, async () => (await exchanges.countDocuments({ paymentRequestId: id, call })) > 0);
    return exchanges.distinct('adapter', { paymentRequestId: id });
  }

  it('is completed at its account after the merchant moved to another one', async () => {
    const ref = await assignShop('provider-g');
    const payment = await submit('/payments/h2h/16', cardBody(secure), ref);
    await takeAway(ref);
    await completeChallenge(payment.action as Redirect, 'pass');
    await payment.waitForStatus(2);
    expect(await accountsOf(payment, 'complete')).to.deep.equal([ref]);
    await submit('/payments/h2h/16', cardBody(secure), 'provider-g/main');
  });

  it('is fetched, marked as seen and closed at its account after the merchant moved to another one', async () => {
    const ref = await assignShop('provider-f');
    const body = { amount: 25.9, unit: 'EUR', ...payer };
    const [paid, closed] = [await submit('/payments/h2h/15', body, ref), await submit('/payments/h2h/15', body, ref)];
    await takeAway(ref);
    await press(await openAction(paid.action as Redirect), 'choice', 'pass');
    await paid.waitForStatus(2);
    expect(await accountsOf(paid, 'markSeen')).to.deep.equal([ref]);
    const cancelled = await gateway.post(`/payment-requests/${closed.id}/cancel`, undefined);
    expect(cancelled.status, cancelled.text).to.equal(200);
    expect(await accountsOf(closed, 'close')).to.deep.equal([ref]);
    const removal = await accounts.remove(ada, ref).then(
      () => 'removed',
      (error: Error) => error.message,
    );
    expect(removal).to.contain('payments of the last 180 days that can be refunded: 1');
  });

  it('is submitted with the options with which it began, and refunded with those of then', async () => {
    const ref = await assignShop('provider-a', { sandboxBaseUrl: proxy.url });
    proxy.target = sandboxes.at(-1)!.baseUrl;
    let change: Promise<unknown> | undefined;
    proxy.before = async () => {
      // The provider answers only after this process has the new options.
      change ??= accounts
        .set(ada, ref, { options: { sandboxBaseUrl: proxy.target } })
        .then(async () =>
          until('the options are loaded', () => registry().byName(ref)?.sandboxOptions.sandboxBaseUrl !== proxy.url),
        );
      await change;
    };
    const payment = await submit('/payments/h2h/11', cardBody('4111111111111111'), ref);
    await payment.waitForStatus(2);
    expect(change).to.be.instanceOf(Promise);
    let isReached = false;
    proxy.before = async () => void (isReached = true);
    const refund = await gateway.post(`/payment-requests/${payment.id}/refund`, undefined);
    expect(refund.status, refund.text).to.equal(200);
    await payment.waitForStatus(4);
    expect(isReached, 'the earlier address').to.equal(false);
  });
});
