/** The operators' console in a real browser: live updates, permissions of each role, and complete actions. */
import { expect } from 'chai';
import { after, before, describe, it } from 'mocha';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { pngImage } from '../../core/engine/access/testing/images.ts';
import { trafficModel } from '../../core/database/collections/traffic.ts';
import type { RunningServer } from '../../core/http/index.ts';
import { until } from '../../core/base/testing/until.ts';
import { MINUTE } from '../../core/base/async/time.ts';
import { cardBody } from '../support/bodies.ts';
import { startReceiver, type Receiver } from '../support/receiver.ts';
import { startConsole } from '../support/start-console.ts';
import { startGateway, type TestGateway } from '../support/start-gateway.ts';
import { toTestPayment, type TestPayment } from '../support/scenarios.ts';
import { expectGoodPage, launchBrowser, looks, openPage, phone, takeScreenshot, type OpenPage } from './browser.ts';

const roles = ['admin', 'support', 'viewer'] as const;
const done = 'Recorded in the audit log.';

describe('the console in a browser, per role and with live updates', () => {
  let gateway: TestGateway;
  let receiver: Receiver;
  let server: RunningServer;
  let browser: Browser;
  let paid: TestPayment;
  let sessions: Readonly<Record<(typeof roles)[number], NonNullable<BrowserContextOptions['storageState']>>>;

  before(async () => {
    browser = await launchBrowser();
    receiver = await startReceiver();
    gateway = await startGateway({ adapters: ['provider-a'], worksLater: true });
    server = await startConsole(gateway);
    const { operators } = gateway.gateway.access;
    const signedIn = await Promise.all(
      roles.map(async (role) => {
        const { key } = await operators.create({ name: `Ada the ${role}`, role });
        const { page, context, close } = await openPage(browser);
        await page.goto(at('/ops'));
        await page.getByLabel("Operator's key").fill(key);
        await press(page, 'Sign in');
        await page.getByRole('heading', { name: 'Overview' }).waitFor();
        const session = await context.storageState();
        await close();
        return [role, session] as const;
      }),
    );
    sessions = Object.fromEntries(signedIn) as typeof sessions;
  });
  after(async () => {
    await browser?.close();
    await server?.close(0);
    await gateway?.close();
    await receiver?.close();
  });

  const at = (path: string): string => `http://127.0.0.1:${server.port}${path}`;
  const press = async (page: Page, name: string): Promise<void> =>
    page.getByRole('button', { name, exact: true }).first().click();
  const sees = async (page: Page, text: string | RegExp): Promise<void> =>
    page.getByText(text).first().waitFor({ state: 'visible' });
  const hears = async (page: Page, text: string | RegExp): Promise<void> =>
    page.getByRole('status').filter({ hasText: text }).waitFor({ state: 'attached' });

  async function open(
    path: string,
    role: (typeof roles)[number] = 'admin',
    options: BrowserContextOptions = {},
  ): Promise<OpenPage> {
    const opened = await openPage(browser, { ...options, storageState: sessions[role] });
    await opened.page.goto(at(path));
    return opened;
  }

  /** Pays by card. The payment's callback is applied from one document of the inbox. */
  async function pay(card: string, referenceId: string): Promise<TestPayment> {
    const body = cardBody(card, '25.90', { referenceId, notifyUrl: receiver.url });
    return toTestPayment(gateway, await gateway.post('/payments/h2h/11', body));
  }

  /** What the service itself does is folded. */
  async function openService(page: Page): Promise<void> {
    await page.locator('summary', { hasText: 'Service: throughput' }).click();
  }

  describe('a list without entries', () => {
    const lists = {
      now: 'nothing waits for an operator',
      payments: 'No payments found',
      checks: 'No status checks are scheduled.',
      callbacks: 'No callback needs attention',
      notifications: 'No notifications found',
      alarms: 'No unresolved alarms.',
      settlement: 'No file has been compared yet',
      audit: 'No actions found',
    } as const;
    for (const [name, empty] of Object.entries(lists)) {
      it(`shows an empty state on the page ${name}`, async () => {
        const { page, close } = await open(name === 'now' ? '/ops' : `/ops/${name}`);
        await sees(page, empty);
        await expectGoodPage(page, `console/empty-${name}`);
        await page.setViewportSize(phone.viewport);
        await expectGoodPage(page, `console/empty-${name}-390`);
        await close();
      });
    }
  });

  describe('an open page', () => {
    before(async () => {
      paid = await pay('4111111111111111', 'order-1');
      await paid.waitForStatus(2);
    });

    it('updates a region in use: an open table stays open, and the focus stays in place', async () => {
      await addTraffic(1);
      const { page, close } = await open('/ops');
      await openService(page);
      const traffic = page.locator('#live-traffic');
      await traffic.locator('summary').click();
      const region = traffic.getByRole('region', { name: 'By minute' });
      await region.focus();
      await page.evaluate('document.activeElement.scrollTo(0, 40)');
      await addTraffic(4321);
      await traffic
        .locator('.figure', { hasText: /^432[1-9]/ })
        .first()
        .waitFor();
      expect(await page.evaluate('document.activeElement.getAttribute("aria-label")')).to.match(/^By minute/);
      expect(await page.evaluate('document.activeElement.scrollTop')).to.equal(40);
      expect(await traffic.locator('details').getAttribute('open')).to.equal('');
      await close();
    });

    it('updates a chart automatically, and shows the values of the minute under the pointer', async () => {
      const { page, close } = await open('/ops');
      await openService(page);
      await addTraffic(8765);
      const chart = page.getByRole('img', { name: /^Callbacks per minute.*latest Callbacks 876[5-9]$/ });
      await chart.waitFor();
      const said = chart.locator('.said').last();
      expect(await said.isVisible()).to.equal(false);
      // A bar of the same minute may cover the pointer's target.
      await chart.locator('.reach').last().hover({ force: true });
      await said.waitFor({ state: 'visible' });
      expect(await said.textContent()).to.match(/^\d\d:\d\d: 876[5-9]$/);
      await takeScreenshot(page, 'console/chart-pointer');
      await close();
    });

    it('pauses the updates of a region while the user types in it, and says so', async () => {
      const { page, close } = await open(`/ops/merchants/${gateway.ownerId}?tab=webhooks`);
      const disable = page.locator('#live-endpoints').getByRole('button', { name: 'Disable' });
      await disable.focus();
      await pay('4111111111111111', 'order-2');
      await sees(page, /the part that you use is not updated/);
      expect(await page.evaluate('document.activeElement.textContent')).to.equal('Disable');
      await close();
    });

    it('announces new alarms to screen readers, but not the passing time', async () => {
      const { page, close } = await open('/ops');
      await sees(page, /^Updated at /);
      expect(await page.locator('[data-live-status]').textContent()).to.equal('');
      const { alarms } = gateway.gateway;
      alarms.raise('status_unknown', { type: 'adapter', id: 'provider-a' }, 'payment status on_hold');
      await hears(page, /needs? you\. First: Unknown provider status \(Provider A\)/);
      await press(page, 'Pause');
      await hears(page, 'Paused');
      await close();
    });

    it('keeps the focus on a link whose row moves', async () => {
      const { page, close } = await open('/ops');
      const link = page.locator('#live-alarms tbody').getByRole('link', { name: 'Unknown provider status' });
      await link.focus();
      const readFocusedAddress = async (): Promise<unknown> =>
        page.evaluate('document.activeElement.getAttribute("href")');
      const address = await link.getAttribute('href');
      expect(await readFocusedAddress()).to.equal(address);
      const subject = { type: 'payment', id: String(paid.id) } as const;
      gateway.gateway.alarms.raise('payment_unresolved', subject, 'the newest alarm');
      await hears(page, /First: Payment outcome unknown/);
      expect(await page.locator('#live-alarms tbody a').first().getAttribute('href')).to.not.equal(address);
      expect(await readFocusedAddress()).to.equal(address);
      await close();
    });

    it('shows no changes while updates are paused', async () => {
      const { id } = (await gateway.post('/payment-requests', { amount: 5, unit: 'EUR' })).json.paymentRequest;
      const [paused, running] = [await open(`/ops/payments/${id}`), await open(`/ops/payments/${id}`)];
      await sees(paused.page, /^Updated at /);
      await press(paused.page, 'Pause');
      await gateway.post(`/payment-requests/${id}/cancel`, undefined);
      await sees(running.page, 'cancelled');
      expect(await paused.page.getByText('cancelled').count()).to.equal(0);
      await press(paused.page, 'Resume');
      await sees(paused.page, 'cancelled');
      await hears(paused.page, /cancelled/);
      await paused.close();
      await running.close();
    });

    it('keeps a list unchanged while it is read, and offers the new rows', async () => {
      const { page, close } = await open('/ops/notifications');
      await sees(page, /^Checked for changes at /);
      const rows = await page.locator('tbody tr').count();
      await (await pay('4111111111111111', 'order-3')).waitForStatus(2);
      await sees(page, 'The list has changed');
      await hears(page, 'The list has changed');
      expect(await page.locator('tbody tr').count()).to.equal(rows);
      await expectGoodPage(page, 'console/list-changed');
      await page.getByRole('link', { name: 'Reload the list' }).click();
      await sees(page, /^Checked for changes at /);
      expect(await page.locator('tbody tr').count()).to.be.greaterThan(rows);
      expect(await page.getByText('The list has changed').count()).to.equal(0);
      await close();
    });

    /**
     * Adds this many callbacks to the last full minute, in addition to the few payments above that may fall into it.
     */
    async function addTraffic(count: number): Promise<void> {
      const minute = Math.floor(Date.now() / MINUTE) * MINUTE;
      const model = trafficModel(gateway.gateway.connection);
      await model.deleteMany({ _id: /^elsewhere / });
      await model.insertMany(
        // Adds them also to the minute that becomes the last full one next.
        [minute - MINUTE, minute].map((from) => ({
          _id: `elsewhere ${from}`,
          at: new Date(from),
          counts: { 'callbacks|provider-b|accepted': count },
        })),
      );
    }
  });

  describe('access', () => {
    const pages = (): Readonly<Record<string, string>> => ({
      now: '/ops',
      payment: `/ops/payments/${paid.id}`,
      checks: '/ops/checks',
      notifications: '/ops/notifications?state=delivered',
      alarm: `/ops/alarms/${encodeURIComponent('status_unknown:adapter:provider-a')}`,
      jobs: '/ops/jobs',
      adapter: '/ops/adapters/provider-a',
      merchant: `/ops/merchants/${gateway.ownerId}?tab=webhooks`,
    });

    for (const role of ['support', 'viewer'] as const) {
      it(`shows every page to ${role}, with only the buttons that the role may press`, async () => {
        const { page, close } = await open('/ops', role);
        let buttons = 0;
        for (const [name, path] of Object.entries(pages())) {
          await page.goto(at(path));
          await page.locator('main').waitFor();
          await expectGoodPage(page, `console/${role}-${name}`);
          expect(await page.locator('button.danger').count(), `${name}: dangerous`).to.equal(0);
          buttons += await page.locator('form[method=post]:not(.who)').count();
        }
        if (role === 'viewer') expect(buttons).to.equal(0);
        else expect(buttons).to.be.greaterThan(4);
        await close();
      });
    }

    it('refuses a user whom the proxy names and to whom config gives no role', async () => {
      const proxied = await startConsole(gateway, { proxies: ['127.0.0.1/32'], roles: { ines: 'viewer' } });
      const { page, close } = await openPage(browser, { extraHTTPHeaders: { 'X-Forwarded-User': 'eve' } });
      expect((await page.goto(`http://127.0.0.1:${proxied.port}/ops`))?.status()).to.equal(403);
      await sees(page, 'Access denied');
      await sees(page, /gives this user no role/);
      await expectGoodPage(page, 'console/refused');
      await close();
      await proxied.close(0);
    });

    it('says that there were too many attempts to sign in', async () => {
      const { page, close } = await openPage(browser);
      const body = new URLSearchParams({ key: 'wrong' });
      await Promise.all(
        Array.from({ length: 40 }, async () => fetch(at('/ops/sign-in'), { method: 'POST', body, redirect: 'manual' })),
      );
      await page.goto(at('/ops'));
      await page.getByLabel("Operator's key").fill('wrong');
      await press(page, 'Sign in');
      await page.getByRole('heading', { name: 'Too many attempts' }).waitFor();
      await expectGoodPage(page, 'console/too-many');
      await close();
    });
  });

  describe('an action', () => {
    it('turns an adapter off, and on again', async () => {
      const { page, close } = await open('/ops/adapters/provider-a');
      await page.getByLabel('Reason').last().fill('the contract ended');
      await press(page, 'Turn off');
      await sees(page, /callbacks/);
      await expectGoodPage(page, 'console/sure-off');
      await press(page, 'Turn off');
      await sees(page, done);
      await page.locator('.badge', { hasText: /^off$/ }).first().waitFor();
      await expectGoodPage(page, 'console/adapter-off');
      await page.getByLabel('Reason').first().fill('there is another contract');
      await press(page, 'Turn on');
      await press(page, 'Turn on');
      await sees(page, done);
      await close();
    });

    it('creates a key, and revokes it', async () => {
      const { page, close } = await open(`/ops/merchants/${gateway.ownerId}?tab=keys`);
      await page.getByText('Create a key').click();
      await press(page, 'Create key');
      await press(page, 'Create key');
      await sees(page, /^gk_test_/);
      await page.getByRole('link', { name: 'Done' }).click();
      const keys = page.getByRole('region', { name: 'API keys' });
      const active = keys.locator('tr', { has: page.getByText('Change', { exact: true }) });
      const before = await active.count();
      await active.first().getByText('Change', { exact: true }).click();
      await active.first().getByRole('button', { name: 'Revoke' }).click();
      await sees(page, 'Requests with it are then refused');
      await press(page, 'Revoke key');
      await sees(page, done);
      expect(await active.count()).to.equal(before - 1);
      await keys.getByText('revoked').first().waitFor();
      await expectGoodPage(page, 'console/key-revoked');
      await close();
    });

    it('resolves an alarm', async () => {
      const { page, close } = await open('/ops/alarms', 'support');
      await page.getByRole('link', { name: 'Unknown provider status' }).first().click();
      await page.getByLabel('Reason').last().fill('they told us what it means');
      await press(page, 'Resolve');
      await sees(page, done);
      await page.goto(at(`/ops/alarms/${encodeURIComponent('status_unknown:adapter:provider-a')}`));
      await page.locator('.badge.good', { hasText: 'resolved' }).waitFor();
      await expectGoodPage(page, 'console/alarm-resolved');
      await close();
    });

    it('creates a link to the portal that allows changes', async () => {
      const { page, close } = await open(`/ops/merchants/${gateway.ownerId}?tab=portal`);
      await page.getByLabel(/Allow changes/).check();
      await press(page, 'Create link');
      await sees(page, /and replace the webhook secret of demo/);
      await expectGoodPage(page, 'console/sure-portal');
      await press(page, 'Create link');
      await sees(page, /portal\/open\?link=/);
      await expectGoodPage(page, 'console/portal-link');
      await page.getByRole('link', { name: 'Done' }).click();
      await page
        .getByRole('region', { name: 'Links to the portal' })
        .getByText('yes', { exact: true })
        .first()
        .waitFor();
      await close();
    });

    it('stores a logo, and removes it', async () => {
      const { page, close } = await open(`/ops/merchants/${gateway.ownerId}?tab=branding`);
      const logo = page.locator('.preview image');
      await page
        .getByLabel(/^Logo/)
        .setInputFiles({ name: 'logo.png', mimeType: 'image/png', buffer: pngImage(64, 32) });
      await press(page, 'Save branding');
      await sees(page, done);
      await logo.waitFor();
      await expectGoodPage(page, 'console/logo');
      await page.getByLabel('Remove the logo').check();
      await press(page, 'Save branding');
      await page.locator('.preview .initial').waitFor();
      expect(await logo.count()).to.equal(0);
      await close();
    });

    it('asks a provider immediately about a pending payment', async () => {
      const waits = await pay('4000000000003220', 'order-4');
      const { page, close } = await open('/ops/checks', 'support');
      const row = page.locator('tr', { has: page.getByRole('link', { name: String(waits.id) }) });
      await row.getByRole('button', { name: 'Check now' }).click();
      await sees(page, done);
      await expectGoodPage(page, 'console/asked');
      await close();
    });

    it('applies immediately a callback that waits for a retry', async () => {
      const inbox = gateway.gateway.connection.collection<{ _id: string }>('inbox');
      const isApplied = { 'events.paymentRequestId': paid.id, state: 'done' };
      await until('a callback is applied', async () => (await inbox.countDocuments(isApplied)) > 0);
      const row = (await inbox.findOne(isApplied))!;
      const dueAt = new Date(Date.now() + 10 * MINUTE);
      await inbox.insertOne({ ...row, _id: 'waits-for-a-while', state: 'waiting', tries: 4, dueAt } as never);
      const { page, close } = await open('/ops/callbacks?state=waiting', 'support');
      await page.locator('main td a[href$="/ops/callbacks/waits-for-a-while"]').click();
      await expectGoodPage(page, 'console/callback-waits');
      await page.getByLabel('Reason').fill('the payment is there by now');
      await press(page, 'Retry now');
      await sees(page, done);
      await until(
        'it is applied',
        async () => (await inbox.countDocuments({ _id: 'waits-for-a-while', state: 'done' })) === 1,
      );
      await close();
    });
  });

  describe('a layout', () => {
    for (const [look, options] of Object.entries(looks)) {
      it(`asks for sign-in and for confirmation, and shows progress, at ${look}`, async () => {
        const { page: signIn, close: closeSignIn } = await openPage(browser, options);
        await signIn.goto(at('/ops'));
        await signIn.getByLabel("Operator's key").waitFor();
        await expectGoodPage(signIn, `console/sign-in-${look}`);
        await closeSignIn();
        const { page, close } = await open('/ops/notifications?state=delivered', 'admin', options);
        await press(page, 'Resend all');
        await sees(page, /This resends \d+ notifications/);
        await expectGoodPage(page, `console/sure-${look}`);
        await press(page, 'Resend all');
        await page.locator('.badge.good', { hasText: 'done' }).waitFor();
        await expectGoodPage(page, `console/progress-${look}`);
        const notifications = gateway.gateway.connection.collection('notifications');
        await until('they are delivered', async () => (await notifications.countDocuments({ state: 'waiting' })) === 0);
        await close();
      });
    }
  });
});
