/**
 * `npm run test:shops`: payers of a real Medusa shop pay at a gateway, also in the ways that merchants report as bugs.
 * It installs the lock file of `core/client/shops/medusa`, and needs PostgreSQL and Chromium; a message names what is
 * missing. `npm run test:shops -- --grep twice` tries some of the cases.
 */
import { join } from 'node:path';
import { expect } from 'chai';
import { after, before, beforeEach, describe, it } from 'mocha';
import type { Browser, Page } from 'playwright-core';
import { until } from '../../core/base/testing/until.ts';
import { chooseFreePort } from '../../workers/supervisor/dev/mongod/index.ts';
import { launchBrowser, openPage, type OpenPage } from '../browser/browser.ts';
import { fillForm, submitForm } from '../browser/fill-form.ts';
import { runInBackground, type Background } from '../clients/run-program.ts';
import { startProxy, type Proxy } from '../support/proxy.ts';
import { startGateway, type TestGateway } from '../support/start-gateway.ts';
import { installShop, shopFolder, startMedusa, type Json, type Medusa } from './medusa.ts';
import { startPostgres, type Postgres } from './postgres.ts';

const approved = '4111 1111 1111 1111';
const challenged = '4000 0000 0000 3220';
const declined = '4000 0000 0000 0002';
/** Succeeds some seconds after it was submitted. */
const later = '4000 0000 0000 3063';

/** Medusa processes a notification 5 s after it acknowledged it. */
const webhookLimit = 30_000;

let gateway: TestGateway;
let postgres: Postgres;
let medusa: Medusa;
let storefront: Background;
let storefrontUrl: string;
/** Between the gateway and Medusa's webhook route. */
let hooks: Proxy;
let browser: Browser;

async function startShop(): Promise<void> {
  await installShop();
  browser = await launchBrowser();
  postgres = await startPostgres();
  gateway = await startGateway({
    adapters: ['provider-a', 'stripe'],
    delayMs: 6000,
    worksLater: true,
    config: (config) => {
      Object.assign(config.adapters.stripe.options, { captureMethod: 'manual', secretKey: 'sk_test_openShops21' });
      config.routes = [
        { id: 1, when: { method: ['card'], currency: ['EUR'] }, use: ['provider-a'], fallback: false },
        { id: 2, when: { method: ['card'], currency: ['USD'] }, use: ['stripe'], fallback: false },
      ];
    },
  });
  hooks = await startProxy();
  const [port, storefrontPort] = [await chooseFreePort(), await chooseFreePort()];
  storefrontUrl = `http://127.0.0.1:${storefrontPort}`;
  const options = (id: string, more: object = {}): object => ({
    baseUrl: gateway.url,
    apiKey: gateway.key,
    webhookSecret: gateway.webhookSecret,
    returnUrl: `${storefrontUrl}/return`,
    notifyUrl: `${hooks.url}/hooks/payment/paywright_${id}`,
    ...more,
  });
  const providers = { paywright: options('paywright'), manual: options('manual', { capture: 'manual' }) };
  medusa = await startMedusa({ port, databaseUrl: postgres.url, providers });
  hooks.target = medusa.url;
  storefront = runInBackground(['node', join(shopFolder, 'example/storefront.mjs')], {
    cwd: shopFolder,
    env: { MEDUSA_URL: medusa.url, MEDUSA_KEY: medusa.key, PORT: `${storefrontPort}` },
  });
  await until('the storefront answers', () => storefront.lines().some((line) => line.startsWith('Shop at')));
}

interface Checkout {
  readonly email: string;
  readonly cart: string;
  /** The payer's page. */
  readonly link: string;
  /** The payment request. */
  readonly id: number;
}

let count = 0;

/** A payer puts the book into a cart, and starts to pay. */
async function checkOut(currency: 'EUR' | 'USD' = 'EUR', provider = 'paywright'): Promise<Checkout> {
  count += 1;
  const email = `payer-${count}@client.example`;
  const { cart } = await medusa.store('POST', '/carts', { region_id: medusa.regions[currency], email });
  await medusa.store('POST', `/carts/${cart.id}/line-items`, { variant_id: medusa.variant, quantity: 1 });
  return { email, cart: cart.id, ...(await startPayment(cart.id, provider)) };
}

async function startPayment(
  cart: string,
  provider = 'paywright',
  data?: object,
): Promise<Pick<Checkout, 'link' | 'id'>> {
  const { payment_collection: collection } = await medusa.store('POST', '/payment-collections', { cart_id: cart });
  const { payment_collection: started } = await medusa.store(
    'POST',
    `/payment-collections/${collection.id}/payment-sessions`,
    { provider_id: `pp_paywright_${provider}`, ...(data && { data }) },
  );
  const [session] = started.payment_sessions;
  expect(started.payment_sessions).to.have.length(1);
  return { link: session.data.link, id: session.data.id };
}

async function openLink(link: string): Promise<OpenPage> {
  const opened = await openPage(browser);
  await opened.page.goto(link);
  return opened;
}

async function sees(page: Page, text: string): Promise<void> {
  await page.getByText(text, { exact: false }).first().waitFor({ state: 'visible' });
}

/** The payer types the card and submits it. Resolves when the page shows the text. */
async function pay(page: Page, number: string, text: string): Promise<void> {
  await fillForm(page, { number });
  await submitForm(page);
  await sees(page, text);
}

/** Pays at the payer's page, and closes the browser there: the payer does not return. */
async function payAndLeave({ link }: Checkout, number = approved, text = 'Payment complete'): Promise<void> {
  const { page, close } = await openLink(link);
  await pay(page, number, text);
  await close();
}

/** What the storefront's return page does. */
async function completeCart({ cart }: Pick<Checkout, 'cart'>): Promise<Json> {
  return medusa.store('POST', `/carts/${cart}/complete`);
}

async function refusalOf(work: () => Promise<unknown>): Promise<string> {
  return work().then(
    () => expect.fail('it was not refused'),
    ({ message }: Error) => message,
  );
}

const orderFields =
  'id,email,payment_status,status,total,*payment_collections.payments,*payment_collections.payments.captures,*payment_collections.payments.refunds';

async function ordersOf({ email }: Pick<Checkout, 'email'>): Promise<Json[]> {
  const { orders } = await medusa.admin('GET', `/orders?limit=200&fields=${encodeURIComponent(orderFields)}`);
  return orders.filter((order: Json) => order.email === email);
}

async function waitForOrder(checkout: Pick<Checkout, 'email'>): Promise<Json> {
  const found = await until('the order is placed', async () => (await ordersOf(checkout))[0], webhookLimit).catch(
    (error: unknown) => {
      throw new Error(medusa.lines().slice(-30).join('\n'), { cause: error });
    },
  );
  return found;
}

/** Expects one order, which is captured once with its whole amount. */
async function expectOnePaidOrder(checkout: Pick<Checkout, 'email'>, amount = 25.9): Promise<Json> {
  const orders = await ordersOf(checkout);
  expect(orders).to.have.length(1);
  const [order] = orders;
  const payments = order.payment_collections.flatMap(({ payments }: Json) => payments);
  expect(payments).to.have.length(1);
  expect(payments[0].captures.map((capture: Json) => capture.amount)).to.deep.equal([amount]);
  expect(order).to.include({ payment_status: 'captured', total: amount });
  return order;
}

async function paymentOf({ id }: Pick<Checkout, 'id'>): Promise<Json> {
  return (await gateway.get(`/payment-requests/${id}`)).json;
}

async function waitForStatus(checkout: Pick<Checkout, 'id'>, status: number): Promise<Json> {
  const payments = gateway.gateway.connection.collection<{ _id: number; statusId: number }>('paymentRequests');
  const hasStatus = async (): Promise<boolean> => (await payments.findOne({ _id: checkout.id }))?.statusId === status;
  await until(`status ${status}`, hasStatus, webhookLimit);
  return paymentOf(checkout);
}

const chargesOf = async ({ id }: Pick<Checkout, 'id'>): Promise<number> => {
  const found = await gateway.gateway.connection.collection<{ _id: number }>('paymentRequests').findOne({ _id: id });
  const { attempts } = found as unknown as { attempts: readonly { readonly outcome: string }[] };
  return attempts.filter(({ outcome }) => outcome === 'succeeded').length;
};

const notificationsOf = async ({ id }: Pick<Checkout, 'id'>, state: string): Promise<Json[]> =>
  (await gateway.get(`/notifications?paymentRequestId=${id}&state=${state}`)).json.items;

async function waitForDelivery(checkout: Checkout, type: string): Promise<Json> {
  return until(
    `${type} is delivered`,
    async () => (await notificationsOf(checkout, 'delivered')).find((one) => one.type === type),
    webhookLimit,
  );
}

/** Holds notifications back. Resolves with what lets them through. */
function holdNotifications(): () => void {
  let release = (): void => undefined;
  const gate = new Promise<void>((resolve) => {
    release = resolve;
  });
  hooks.before = async () => gate;
  return release;
}

describe('a Medusa shop', function () {
  this.timeout(1_200_000);
  before(startShop);
  after(async () => {
    await storefront?.stop();
    await medusa?.stop();
    await hooks?.close();
    await gateway?.close();
    await postgres?.stop();
    await browser?.close();
  });
  beforeEach(() => {
    hooks.before = async () => undefined;
    hooks.after = async () => undefined;
  });

  describe('whose payer uses the storefront', () => {
    async function buy(): Promise<OpenPage> {
      const opened = await openPage(browser);
      await opened.page.goto(storefrontUrl);
      await opened.page.getByRole('button', { name: 'Buy for €25.90' }).click();
      await opened.page.locator('form.pay').waitFor();
      return opened;
    }
    const shownId = (page: Page): number => Number(/\/pay\/(\d+)/.exec(page.url())?.[1]);

    it('places the order when the payer returns from the payer’s page', async () => {
      const { page, close } = await buy();
      const id = shownId(page);
      await fillForm(page, { number: approved });
      await submitForm(page);
      await page.waitForURL(/\/return/, { timeout: webhookLimit });
      await sees(page, 'Your order has the number');
      const payment = await paymentOf({ id });
      expect(payment).to.include({ paymentRequestStatusId: 2, amount: 25.9, grossAmount: 25.9, unit: 'EUR' });
      expect(payment.referenceId).to.match(/^payses_/);
      await close();
    });

    it('places the order after 3D Secure', async () => {
      const { page, close } = await buy();
      const id = shownId(page);
      await fillForm(page, { number: challenged });
      await submitForm(page);
      await page.locator('button[value=pass]').click();
      await page.waitForURL(/\/return/, { timeout: webhookLimit });
      await sees(page, 'Your order has the number');
      expect(await paymentOf({ id })).to.include({ paymentRequestStatusId: 2, threeDs: true });
      await close();
    });

    it('places the order when a declined payer pays with another card', async () => {
      const { page, close } = await buy();
      const id = shownId(page);
      await pay(page, declined, 'Your bank declined the payment');
      const { page: other, close: closeOther } = await openPage(browser);
      await other.context().addCookies(await page.context().cookies());
      await other.goto(`${storefrontUrl}/return`);
      await sees(other, 'Not paid yet');
      await closeOther();
      await fillForm(page, { number: approved });
      await submitForm(page);
      await page.waitForURL(/\/return/, { timeout: webhookLimit });
      await sees(page, 'Your order has the number');
      expect(await chargesOf({ id })).to.equal(1);
      await close();
    });
  });

  describe('with an order', () => {
    interface Placed {
      readonly checkout: Checkout;
      readonly order: string;
      readonly payment: string;
      readonly paymentStatus: string;
    }

    async function placeOrder(currency: 'EUR' | 'USD', provider: string): Promise<Placed> {
      const checkout = await checkOut(currency, provider);
      const { page, close } = await openLink(checkout.link);
      await fillForm(page, { number: approved });
      await submitForm(page);
      await until('the payer has paid', async () => {
        const { paymentRequestStatusId: status, isAuthorised } = await paymentOf(checkout);
        return status === 2 || isAuthorised;
      });
      await close();
      expect((await completeCart(checkout)).type).to.equal('order');
      const [order] = await ordersOf(checkout);
      const [payment] = order.payment_collections[0].payments;
      return { checkout, order: order.id, payment: payment.id, paymentStatus: order.payment_status };
    }

    it('captures the reserved money when staff capture the payment', async () => {
      const { checkout, payment, paymentStatus } = await placeOrder('USD', 'manual');
      expect(paymentStatus).to.equal('authorized');
      expect(await paymentOf(checkout)).to.include({ paymentRequestStatusId: 1, isAuthorised: true });
      await medusa.admin('POST', `/payments/${payment}/capture`, {});
      expect(await paymentOf(checkout)).to.include({ paymentRequestStatusId: 2, grossAmount: 30 });
      await expectOnePaidOrder(checkout, 30);
    });

    it('captures the reserved money before the order is placed', async () => {
      const { checkout, paymentStatus } = await placeOrder('USD', 'paywright');
      expect(paymentStatus).to.equal('captured');
      expect(await paymentOf(checkout)).to.include({ paymentRequestStatusId: 2, grossAmount: 30 });
      await expectOnePaidOrder(checkout, 30);
    });

    it('refunds in parts, and never more than was paid', async () => {
      const { checkout, payment } = await placeOrder('EUR', 'paywright');
      const refund = async (amount: number): Promise<unknown> =>
        medusa.admin('POST', `/payments/${payment}/refund`, { amount });
      await refund(10.1);
      await refund(5);
      const { refunds } = await until('both refunds succeed', async () => {
        const view = await paymentOf(checkout);
        return view.refundedAmount === 15.1 && view;
      });
      expect(refunds.map(({ amount }: Json) => amount)).to.deep.equal([10.1, 5]);
      expect(await refusalOf(async () => refund(10.81))).to.match(/more than is left/);
      await refund(10.8);
      await waitForStatus(checkout, 4);
      const [order] = await ordersOf(checkout);
      expect(order.payment_status).to.equal('refunded');
    });

    it('refunds once when Medusa repeats a refund', async () => {
      const { checkout } = await placeOrder('EUR', 'paywright');
      const { referenceId } = await paymentOf(checkout);
      const { data } = (await medusa.store('GET', `/sessions/${referenceId}`)).session;
      const refund = async (id: string): Promise<unknown> =>
        medusa.store('PUT', `/sessions/${referenceId}`, { data, amount: 7, context: { idempotency_key: id } });
      await refund('ref_1');
      await refund('ref_1');
      await refund('ref_2');
      const { refunds } = await paymentOf(checkout);
      expect(refunds.map(({ amount }: Json) => amount)).to.deep.equal([7, 7]);
    });

    it('releases the reserved money when the order is cancelled', async () => {
      const { checkout, order } = await placeOrder('USD', 'manual');
      await medusa.admin('POST', `/orders/${order}/cancel`, {});
      expect(await waitForStatus(checkout, 5)).to.include({ grossAmount: null });
      const [{ status }] = await ordersOf(checkout);
      expect(status).to.equal('canceled');
    });

    it('refunds a paid order that is cancelled', async () => {
      const { checkout, order } = await placeOrder('EUR', 'paywright');
      await medusa.admin('POST', `/orders/${order}/cancel`, {});
      expect(await waitForStatus(checkout, 4)).to.include({ refundedAmount: 25.9 });
    });
  });

  describe('that hears of a payment twice or in another order', () => {
    it('places one order when the payer returns before the notification', async () => {
      const release = holdNotifications();
      const checkout = await checkOut();
      await payAndLeave(checkout);
      expect((await completeCart(checkout)).type).to.equal('order');
      await expectOnePaidOrder(checkout);
      release();
      await waitForDelivery(checkout, 'payment.succeeded');
      await waitForWebhooks();
      await expectOnePaidOrder(checkout);
    });

    it('places the order when the notification comes first, also if the payer never returns', async () => {
      const checkout = await checkOut();
      await payAndLeave(checkout);
      const { id } = await waitForOrder(checkout);
      await expectOnePaidOrder(checkout);
      expect((await completeCart(checkout)).order.id).to.equal(id);
      await expectOnePaidOrder(checkout);
    });

    it('places one order when the notification comes twice', async () => {
      const checkout = await checkOut();
      await payAndLeave(checkout);
      await waitForOrder(checkout);
      const { id } = await waitForDelivery(checkout, 'payment.succeeded');
      const repeated: string[] = [];
      hooks.after = async ({ body }) => void repeated.push(JSON.parse(body).id);
      for (const times of [1, 2]) {
        const { status } = await gateway.post(`/notifications/${id}/resend`, undefined);
        expect(status).to.equal(200);
        await until('it is delivered again', () => repeated.filter((one) => one === id).length === times);
      }
      await waitForWebhooks();
      await expectOnePaidOrder(checkout);
    });

    it('places one order when the return and the notification come at the same time', async () => {
      const release = holdNotifications();
      const checkout = await checkOut();
      await payAndLeave(checkout);
      release();
      await Promise.allSettled([completeCart(checkout), completeCart(checkout), completeCart(checkout)]);
      await waitForOrder(checkout);
      await waitForWebhooks();
      await expectOnePaidOrder(checkout);
    });

    it('ignores what a browser sends as the data of a payment session', async () => {
      const paid = await checkOut();
      await payAndLeave(paid);
      await waitForOrder(paid);
      const checkout = await checkOut();
      const { referenceId } = await paymentOf(paid);
      const data = { id: paid.id, session_id: referenceId, amount: '0.01', link: 'https://other.example/' };
      const session = await startPayment(checkout.cart, 'paywright', data);
      expect(session.id).not.to.equal(paid.id);
      expect(session.link).to.match(new RegExp(`^${gateway.url}/pay/`));
      expect(await paymentOf(session)).to.include({ amount: 25.9, paymentRequestStatusId: 0 });
      await refusalOf(async () => completeCart(checkout));
      expect(await ordersOf(checkout)).to.deep.equal([]);
    });

    it('ignores a forged notification', async () => {
      const checkout = await checkOut();
      await forge(JSON.stringify({ type: 'payment.succeeded', data: { paymentRequest: { id: checkout.id } } }));
      await waitForWebhooks();
      expect(await ordersOf(checkout)).to.deep.equal([]);
    });
  });

  describe('whose payer pays late, twice, or for another amount', () => {
    it('places the order when the payment succeeds after its time is over', async () => {
      const checkout = await checkOut();
      await payAndLeave(checkout, later, 'Don’t pay twice');
      const payments = gateway.gateway.connection.collection<{ _id: number }>('paymentRequests');
      await payments.updateOne({ _id: checkout.id }, { $set: { expiresAt: new Date(Date.now() - 1000) } });
      expect(await refusalOf(async () => completeCart(checkout))).to.match(/not authorized|authorization failed/i);
      expect(await ordersOf(checkout)).to.deep.equal([]);
      await waitForOrder(checkout);
      await expectOnePaidOrder(checkout);
    });

    it('charges once in two tabs of the payer’s page', async () => {
      const checkout = await checkOut();
      const { page, context, close } = await openLink(checkout.link);
      const other = await context.newPage();
      await other.goto(checkout.link);
      await fillForm(page, { number: approved });
      await fillForm(other, { number: approved });
      await Promise.all([submitForm(page), submitForm(other)]);
      await sees(page, 'Payment complete');
      await sees(other, 'Payment complete');
      await close();
      await waitForOrder(checkout);
      expect(await chargesOf(checkout)).to.equal(1);
      await expectOnePaidOrder(checkout);
    });

    it('lets the payer pay only in the tab that started last', async () => {
      const first = await checkOut();
      const { page, close } = await openLink(first.link);
      await fillForm(page, { number: approved });
      const second = { ...first, ...(await startPayment(first.cart)) };
      expect(second.id).not.to.equal(first.id);
      await submitForm(page);
      await until('the first tab says that it is over', async () => !(await page.locator('form.pay').count()));
      await close();
      expect(await paymentOf(first)).to.include({ paymentRequestStatusId: 5 });
      expect(await chargesOf(first)).to.equal(0);
      await payAndLeave(second);
      await waitForOrder(second);
      await expectOnePaidOrder(second);
    });

    it('starts no second payment of a cart that is paid', async () => {
      const release = holdNotifications();
      const checkout = await checkOut();
      await payAndLeave(checkout);
      expect(await refusalOf(async () => startPayment(checkout.cart))).to.match(/delete/);
      release();
      await waitForOrder(checkout);
      await expectOnePaidOrder(checkout);
    });

    const setQuantity = async ({ cart }: Checkout, quantity: number): Promise<unknown> => {
      const { cart: found } = await medusa.store('GET', `/carts/${cart}`);
      return medusa.store('POST', `/carts/${cart}/line-items/${found.items[0].id}`, { quantity });
    };

    it('cancels the open payment when the cart’s amount changes', async () => {
      const first = await checkOut();
      await setQuantity(first, 2);
      expect(await paymentOf(first)).to.include({ paymentRequestStatusId: 5 });
      const second = { ...first, ...(await startPayment(first.cart)) };
      expect(await paymentOf(second)).to.include({ amount: 51.8, paymentRequestStatusId: 0 });
      await payAndLeave(second);
      await waitForOrder(second);
      await expectOnePaidOrder(second, 51.8);
    });

    it('replaces the payment of a session whose amount is updated, unless it is paid', async () => {
      const first = await checkOut();
      const { referenceId } = await paymentOf(first);
      const update = async (amount: number): Promise<Json> => {
        const { session } = await medusa.store('GET', `/sessions/${referenceId}`);
        const input = { id: referenceId, data: session.data, amount, currency_code: 'eur' };
        return (await medusa.store('POST', `/sessions/${referenceId}`, input)).session.data;
      };
      expect((await update(25.9)).id).to.equal(first.id);
      const next = await update(40.005);
      expect(next).to.include({ amount: '40.01', session_id: referenceId });
      expect(await paymentOf(first)).to.include({ paymentRequestStatusId: 5 });
      expect((await update(40.005)).id).to.equal(next.id);
      await payAndLeave({ ...first, ...next });
      expect(await refusalOf(async () => update(41))).to.match(/is paid or in progress/);
      const { json } = await gateway.get(`/payment-requests?referenceId=${referenceId}`);
      expect(json.items.map((one: Json) => one.paymentRequestStatusId)).to.deep.equal([2, 5]);
    });

    it('refuses to change the cart while its payment is in progress, and places the order that was paid', async () => {
      const checkout = await checkOut();
      await payAndLeave(checkout, later, 'Don’t pay twice');
      expect(await refusalOf(async () => setQuantity(checkout, 2))).to.match(/is paid or in progress/);
      await waitForOrder(checkout);
      await expectOnePaidOrder(checkout);
      expect(await chargesOf(checkout)).to.equal(1);
    });

    it('refuses to change a paid cart whose order is not placed yet', async () => {
      const release = holdNotifications();
      const checkout = await checkOut();
      await payAndLeave(checkout);
      expect(await refusalOf(async () => setQuantity(checkout, 2))).to.match(/is paid or in progress/);
      expect((await completeCart(checkout)).type).to.equal('order');
      release();
      await waitForWebhooks();
      await expectOnePaidOrder(checkout);
    });
  });
});

/**
 * Waits until Medusa has processed the notifications that it acknowledged so far. It processes each after 5 s, and says
 * so about a forged one. When the second of two forged ones is processed, every earlier notification had 5 s to end.
 */
async function waitForWebhooks(): Promise<void> {
  const isMark = (line: string): boolean => line.includes('no signature matches');
  for (const _ of [1, 2]) {
    const before = medusa.lines().filter(isMark).length;
    await forge('{}');
    const isProcessed = (): boolean => medusa.lines().filter(isMark).length > before;
    await until('Medusa has processed its notifications', isProcessed, webhookLimit);
  }
}

/** Posts a notification whose signature is not the gateway's. */
async function forge(body: string): Promise<void> {
  const headers = {
    'content-type': 'application/json',
    'webhook-id': 'forged-1',
    'webhook-timestamp': String(Math.floor(Date.now() / 1000)),
    'webhook-signature': `v1,${Buffer.alloc(32, 7).toString('base64')}`,
  };
  const { status } = await fetch(`${medusa.url}/hooks/payment/paywright_paywright`, { method: 'POST', headers, body });
  expect(status).to.equal(200);
}
