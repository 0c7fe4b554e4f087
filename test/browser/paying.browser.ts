/** A payer pays in a real browser, in each way, at real sandboxes, and behaves as payers do. */
import { expect } from 'chai';
import { after, before, describe, it } from 'mocha';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { until } from '../../core/base/testing/until.ts';
import { payer } from '../support/bodies.ts';
import { startGateway, type TestGateway } from '../support/start-gateway.ts';
import { toTestPayment, type TestPayment } from '../support/scenarios.ts';
import { fillForm, submitForm, typed } from './fill-form.ts';
import { expectAccessible, launchBrowser, openPage, phone, takeScreenshot, type OpenPage } from './browser.ts';

const year = String(new Date().getUTCFullYear() + 3).slice(2);
const approved = '4111 1111 1111 1111';
const declined = '4000 0000 0000 0002';
const challenged = '4000 0000 0000 3220';
const later = '4000 0000 0000 3063';

describe('a payer in a browser', () => {
  let gateway: TestGateway;
  let browser: Browser;
  before(async () => {
    browser = await launchBrowser();
    gateway = await startGateway({
      adapters: ['provider-a', 'provider-b', 'provider-d', 'provider-f', 'upi', 'crypto', 'paypal', 'wechat-pay'],
      delayMs: 3000,
      config: (config) => {
        const use = (...of: string[]) => ({ use: of, fallback: false });
        config.routes = [
          { id: 1, when: { method: ['card'], currency: ['EUR'] }, ...use('provider-a') },
          { id: 2, when: { method: ['card'], currency: ['USD'] }, ...use('provider-b') },
          { id: 3, when: { method: ['upi_collect', 'upi_qr', 'upi_intent'] }, ...use('upi') },
          { id: 4, when: { method: ['crypto'], currency: ['USD'] }, ...use('crypto') },
          { id: 5, when: { method: ['hosted_page'], currency: ['PT'] }, ...use('provider-d') },
          { id: 6, when: { method: ['ewallet_redirect'], currency: ['GBP'] }, ...use('provider-f') },
          { id: 7, when: { method: ['ewallet_redirect'], currency: ['CHF'] }, ...use('paypal') },
          { id: 8, when: { method: ['card'], currency: ['CHF'] }, ...use('provider-a') },
          { id: 9, when: { method: ['ewallet_redirect'], currency: ['CNY'] }, ...use('wechat-pay') },
        ];
      },
    });
  });
  after(async () => {
    await browser?.close();
    await gateway?.close();
  });

  interface Visit extends OpenPage {
    readonly payment: TestPayment;
    readonly url: string;
  }

  async function visit(
    unit = 'EUR',
    { way, more = {}, ...options }: BrowserContextOptions & { way?: string; more?: Record<string, unknown> } = {},
  ): Promise<Visit> {
    const made = await gateway.post('/payment-requests', { amount: 25.9, unit, referenceId: 'order-1', ...more });
    const url = made.json.paymentRequest.link as string;
    const opened = await openPage(browser, options);
    await opened.page.goto(way ? `${url}&way=${way}` : url);
    return { ...opened, payment: toTestPayment(gateway, made), url };
  }

  const sees = async (page: Page, text: string): Promise<void> =>
    page.getByText(text, { exact: false }).first().waitFor({ state: 'visible' });
  const attemptsOf = async ({ id }: TestPayment): Promise<number> => {
    const found = await gateway.gateway.connection.collection<{ _id: number }>('paymentRequests').findOne({ _id: id });
    return (found as unknown as { attempts: unknown[] }).attempts.length;
  };

  it('pays by card with only the keyboard', async () => {
    const { page, payment, close } = await visit();
    for (const name of ['number', 'expiration', 'cvv', 'name', 'email', 'country', 'postalCode']) {
      await page.keyboard.press('Tab');
      while ((await page.evaluate('document.activeElement.name')) !== name) await page.keyboard.press('Tab');
      await page.keyboard.type(name === 'number' ? approved : name === 'country' ? 'Portugal' : typed[name]!);
    }
    await page.keyboard.press('Enter');
    await sees(page, 'Payment complete');
    await sees(page, 'Visa ending in 1111');
    expect(await page.evaluate('document.activeElement.tagName')).to.equal('H2');
    expect(await payment.waitForStatus(2)).to.include({ payerCountry: 'PT' });
    await expectAccessible(page, 'a receipt');
    await close();
  });

  it('pays again after a decline: the input is kept, except the card', async () => {
    const { page, payment, close } = await visit();
    await fillForm(page, { number: declined });
    await submitForm(page);
    await sees(page, 'Your bank declined the payment');
    expect(await page.locator('[name=postalCode]').inputValue()).to.equal(payer.postalCode);
    expect(await page.locator('[name=country]').inputValue()).to.equal('PT');
    for (const name of ['number', 'expiration', 'cvv'])
      expect(await page.locator(`[name=${name}]`).inputValue()).to.equal('');
    await page.reload();
    expect(await page.locator('[name=postalCode]').inputValue()).to.equal(payer.postalCode);
    await fillForm(page, { number: approved });
    await submitForm(page);
    await sees(page, 'Payment complete');
    expect(await attemptsOf(payment)).to.equal(2);
    await page.reload();
    await sees(page, 'Payment complete');
    expect(await attemptsOf(payment)).to.equal(2);
    await close();
  });

  it('pays without script, and again after a decline', async () => {
    const { page, payment, close } = await visit('EUR', { javaScriptEnabled: false });
    await fillForm(page, { number: declined, expiration: `12/${year}` });
    await submitForm(page);
    await sees(page, 'Your bank declined the payment');
    expect(await page.locator('[name=postalCode]').inputValue()).to.equal(payer.postalCode);
    await fillForm(page, { number: approved, expiration: `12/${year}` });
    await submitForm(page);
    await sees(page, 'Payment complete');
    expect(await attemptsOf(payment)).to.equal(2);
    await close();
  });

  it('sees the status change automatically, also without script', async () => {
    for (const javaScriptEnabled of [true, false]) {
      const { page, close } = await visit('EUR', { javaScriptEnabled });
      await fillForm(page, { number: later, expiration: `12/${year}` });
      await submitForm(page);
      await sees(page, 'Don’t pay twice');
      await sees(page, 'Payment complete');
      await close();
    }
  });

  it('pays once for a double click', async () => {
    const { page, payment, close } = await visit();
    await fillForm(page, { number: approved });
    await page.locator('form.pay button.main').dblclick();
    await sees(page, 'Payment complete');
    expect(await attemptsOf(payment)).to.equal(1);
    await close();
  });

  it('pays once in two tabs, and both say so', async () => {
    const { page, context, url, payment, close } = await visit();
    const other = await context.newPage();
    await other.goto(url);
    await fillForm(page, { number: approved });
    await fillForm(other, { number: approved });
    await Promise.all([submitForm(page), submitForm(other)]);
    await sees(page, 'Payment complete');
    await sees(other, 'Payment complete');
    expect(await attemptsOf(payment)).to.equal(1);
    await close();
  });

  it('loses nothing when the connection drops, and pays once when it is back', async () => {
    const { page, context, payment, close } = await visit();
    await fillForm(page, { number: approved });
    await context.setOffline(true);
    await submitForm(page);
    await sees(page, 'You’re offline');
    expect(await page.locator('[name=number]').inputValue()).to.equal(approved);
    expect(await attemptsOf(payment)).to.equal(0);
    await takeScreenshot(page, 'en/no-connection-1280');
    await context.setOffline(false);
    await sees(page, 'Payment complete');
    expect(await attemptsOf(payment)).to.equal(1);
    await close();
  });

  it('pays once when the response is lost', async () => {
    const { page, payment, close } = await visit();
    let lost = 0;
    await page.route('**/pay/*', async (route) => {
      if (route.request().method() !== 'POST' || lost > 0) return route.continue();
      lost += 1;
      await route.fetch({ maxRedirects: 0 });
      return route.abort('connectionreset');
    });
    await fillForm(page, { number: approved });
    await submitForm(page);
    await sees(page, 'Payment complete');
    expect([lost, await attemptsOf(payment)]).to.deep.equal([1, 1]);
    await close();
  });

  it('sees that the page is busy on a slow network', async () => {
    const { page, payment, close } = await visit();
    const held: (() => void)[] = [];
    await page.route('**/pay/*', async (route) => {
      if (route.request().method() === 'POST') await new Promise<void>((resolve) => held.push(resolve));
      return route.continue();
    });
    await fillForm(page, { number: approved });
    await submitForm(page);
    await until('the form was sent', () => held.length > 0);
    const button = page.locator('form.pay button.main');
    expect([await button.innerText(), await button.getAttribute('aria-disabled')]).to.deep.equal([
      'One moment…',
      'true',
    ]);
    await page.keyboard.press('Enter');
    expect(held).to.have.length(1);
    held[0]!();
    await sees(page, 'Payment complete');
    expect(await attemptsOf(payment)).to.equal(1);
    await close();
  });

  for (const [choice, said, whole] of [
    ['pass', 'Payment complete', 'Print this receipt'],
    ['fail', 'Your payment didn’t go through', 'couldn’t verify that it was you'],
  ] as const) {
    it(`passes or fails the bank’s challenge: ${choice}`, async () => {
      const { page, url, close } = await visit();
      await fillForm(page, { number: challenged });
      await submitForm(page);
      await page.locator(`button[value=${choice}]`).click();
      await sees(page, said);
      await sees(page, whole);
      await page.waitForURL(url);
      await page.goto(url);
      await sees(page, said);
      if (choice === 'fail') expect(await page.locator('[name=postalCode]').inputValue()).to.equal(payer.postalCode);
      await close();
    });
  }

  it('gets back to an unfinished challenge', async () => {
    const { page, url, close } = await visit();
    await fillForm(page, { number: challenged });
    await submitForm(page);
    await page.locator('button[value=pass]').waitFor();
    await page.goto(url);
    await sees(page, 'Your payment isn’t finished');
    await page.getByRole('link', { name: 'Continue this payment' }).click();
    await page.locator('button[value=pass]').click();
    await sees(page, 'Payment complete');
    await close();
  });

  it('pays another way after going back from an unfinished challenge', async () => {
    const { page, url, close } = await visit();
    await fillForm(page, { number: challenged });
    await submitForm(page);
    await page.locator('button[value=pass]').waitFor();
    await page.goto(url);
    await page.getByRole('link', { name: 'Pay another way' }).click();
    await page.locator('[name=number]').waitFor();
    await fillForm(page, { number: '4111 1111 1111 1111' });
    await submitForm(page);
    await sees(page, 'Payment complete');
    await close();
  });

  it('pays by card and the bank’s code', async () => {
    const { page, close } = await visit('USD');
    await fillForm(page, { number: '4000 0000 0000 3238' });
    await submitForm(page);
    await page.getByLabel('Code', { exact: true }).fill('000000');
    await submitForm(page);
    await sees(page, 'That code isn’t correct');
    await page.getByLabel('Code', { exact: true }).fill('123456');
    await submitForm(page);
    await sees(page, 'Payment complete');
    await close();
  });

  it('pays by UPI id, and the page notices', async () => {
    const { page, close } = await visit('INR', { way: 'upi_collect' });
    await fillForm(page, { upiId: 'slow@upi' });
    await submitForm(page);
    await sees(page, 'Approve the request in your UPI app');
    await sees(page, 'Time left');
    await sees(page, 'Payment complete');
    await close();
  });

  it('pays by a code for UPI apps, and by the app on a phone', async () => {
    for (const [way, options] of [
      ['upi_qr', {}],
      ['upi_intent', { ...phone, userAgent: 'Mozilla/5.0 (Linux; Android 15; Pixel 9) Mobile' }],
    ] as const) {
      const { page, close } = await visit('INR', { way, ...options });
      await fillForm(page);
      await submitForm(page);
      await page.getByRole('img', { name: 'QR code for UPI apps' }).waitFor();
      if (way === 'upi_intent') await page.locator('a[href^="upi:"]').waitFor();
      await sees(page, 'Payment complete');
      await close();
    }
  });

  it('pays in coins: copies address and amount, and the page notices', async () => {
    const { page, context, close } = await visit('USD', { way: 'crypto.BTC' });
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    await fillForm(page);
    await submitForm(page);
    await page.getByRole('button', { name: 'Copy: Address' }).click();
    await page.getByText('Copied', { exact: true }).first().waitFor();
    const address = await page.getByRole('button', { name: 'Copy: Address' }).getAttribute('data-copy');
    expect(await page.evaluate('navigator.clipboard.readText()')).to.equal(address);
    await page.locator('a[href^="bitcoin:"]').waitFor();
    await sees(page, 'Payment complete');
    await close();
  });

  it('pays at a provider’s page', async () => {
    const { page, close } = await visit('PT');
    await fillForm(page);
    await submitForm(page);
    await page.waitForURL(/127\.0\.0\.1:\d+\/(?!pay\/)/);
    await page.locator('[name=pan]').fill('4111111111111111');
    await page.locator('button[value=pay]').click();
    await sees(page, 'Payment complete');
    await close();
  });

  for (const javaScriptEnabled of [true, false]) {
    it(`cancels at a provider’s page, and can pay again, ${javaScriptEnabled ? 'with' : 'without'} script`, async () => {
      const { page, url, payment, close } = await visit('PT', { javaScriptEnabled });
      await fillForm(page);
      await submitForm(page);
      await page.locator('button[value=cancel]').click();
      await payment.waitForStatus(3);
      await sees(page, 'You cancelled the payment');
      await page.waitForURL(url);
      await page.locator('form.pay button.main').waitFor();
      await close();
    });
  }

  it('pays with an e-wallet', async () => {
    const { page, close } = await visit('GBP');
    await fillForm(page);
    await submitForm(page);
    await page.locator('button[value=pass]').click();
    await sees(page, 'Payment complete');
    await close();
  });

  it('pays with PayPal, which charges when the payer is back', async () => {
    const { page, payment, close } = await visit('CHF', { way: 'ewallet_redirect.paypal' });
    await fillForm(page);
    await submitForm(page);
    await page.locator('button[value=pay]').click();
    await sees(page, 'Payment complete');
    expect(await payment.waitForStatus(2)).to.include({ paymentProviderId: 26, threeDs: false });
    await expectAccessible(page, 'a receipt after PayPal');
    await close();
  });

  it('pays by a code of WeChat Pay on a desktop', async () => {
    const { page, payment, close } = await visit('CNY', { way: 'ewallet_redirect.wechat-pay' });
    await fillForm(page);
    await submitForm(page);
    await sees(page, 'Scan with WeChat');
    await expectAccessible(page, 'a code of WeChat Pay');
    await sees(page, 'Payment complete');
    expect(await payment.waitForStatus(2)).to.include({ paymentProviderId: 28, paymentMethodId: 9 });
    await close();
  });

  it('goes to WeChat from a phone, with the origin as referrer, and returns paid', async () => {
    const userAgent = 'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 Mobile/15E148';
    const { page, payment, url, close } = await visit('CNY', { way: 'ewallet_redirect.wechat-pay', userAgent });
    const referrers: (string | undefined)[] = [];
    page.on('request', (request) => {
      if (request.url().includes('/h5/') && request.method() === 'GET') referrers.push(request.headers()['referer']);
    });
    await fillForm(page);
    await submitForm(page);
    await page.locator('button[value=pay]').click();
    await sees(page, 'Payment complete');
    expect(referrers).to.deep.equal([`${new URL(url).origin}/`]);
    expect(await payment.waitForStatus(2)).to.include({ paymentProviderId: 28 });
    await close();
  });

  it('cancels at PayPal, and pays by card', async () => {
    const { page, payment, close } = await visit('CHF', { way: 'ewallet_redirect.paypal' });
    await fillForm(page);
    await submitForm(page);
    await page.locator('button[value=cancel]').click();
    await sees(page, 'You cancelled the payment');
    await page.getByRole('link', { name: 'Card' }).first().click();
    await page.locator('[name=number]').waitFor();
    await fillForm(page, { number: approved });
    await submitForm(page);
    await sees(page, 'Payment complete');
    expect(await payment.waitForStatus(2)).to.include({ paymentProviderId: 11 });
    expect(await attemptsOf(payment)).to.equal(2);
    await close();
  });

  it('is sent to the shop when the countdown ends, unless the payer stays', async () => {
    const successUrl = `${gateway.url}/health`;
    const stays = await visit('EUR', { more: { successUrl } });
    await fillForm(stays.page, { number: approved });
    await submitForm(stays.page);
    await sees(stays.page, 'Returning to demo in 9 seconds.');
    await stays.page.getByRole('link', { name: 'Stay on this page' }).click();
    expect(await stays.page.locator('[data-leaves]').count()).to.equal(0);
    const leaves = await stays.context.newPage();
    await leaves.goto(stays.url);
    await leaves.waitForURL(successUrl);
    expect(stays.page.url()).to.equal(stays.url);
    await stays.close();
  });

  it('cannot pay when the merchant has cancelled, also on an open page', async () => {
    const { page, payment, close } = await visit();
    await gateway.post(`/payment-requests/${payment.id}/cancel`, undefined);
    await fillForm(page, { number: approved });
    await submitForm(page);
    await sees(page, 'Payment cancelled');
    expect(await attemptsOf(payment)).to.equal(0);
    await close();
  });

  it('cannot pay once the link has expired, also on an open page', async () => {
    const expiresAt = new Date(Date.now() + 10_000).toISOString();
    const { page, context, payment, url, close } = await visit('EUR', { more: { expiresAt } });
    await sees(page, '(your time)');
    await fillForm(page, { number: approved });
    const other = await context.newPage();
    await other.goto(url);
    await sees(other, 'Card number');
    // One page cannot ask for the state of the payment, and keeps its form. The other changes.
    await page.route('**/pay/state/**', async (route) => route.abort());
    await sees(other, 'This payment link has expired');
    await submitForm(page);
    await sees(page, 'This payment link has expired');
    expect(await attemptsOf(payment)).to.equal(0);
    await close();
  });

  it('goes back from a receipt without paying again', async () => {
    const { page, payment, url, close } = await visit();
    await page.goto(`${url}&way=card`);
    await fillForm(page, { number: approved });
    await submitForm(page);
    await sees(page, 'Payment complete');
    await page.goBack();
    await sees(page, 'Payment complete');
    expect(await attemptsOf(payment)).to.equal(1);
    await close();
  });
});
