/**
 * The merchant's portal in a real browser without script: every page and action, at phone and desktop width, light and
 * dark.
 */
import { expect } from 'chai';
import { after, before, describe, it } from 'mocha';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { pino } from 'pino';
import { createPortalLinks, type CreatedPortalLink } from '../../core/engine/access/index.ts';
import { until } from '../../core/base/testing/until.ts';
import { cardBody } from '../support/bodies.ts';
import { startReceiver, type Receiver } from '../support/receiver.ts';
import { toTestPayment } from '../support/scenarios.ts';
import { startGateway, type TestGateway } from '../support/start-gateway.ts';
import { expectGoodPage, launchBrowser, looks, openPage, type OpenPage } from './browser.ts';

describe('the portal in a browser', () => {
  let gateway: TestGateway;
  let receiver: Receiver;
  let browser: Browser;
  let notification: string;

  before(async () => {
    browser = await launchBrowser();
    receiver = await startReceiver();
    gateway = await startGateway({ adapters: ['provider-a'], worksLater: true });
    const { access, connection } = gateway.gateway;
    await access.owners.setDefaults('demo', { testNotifyUrl: receiver.url });
    for (const card of ['4111111111111111', '4000000000000002']) {
      const payment = toTestPayment(gateway, await gateway.post('/payments/h2h/11', cardBody(card, '25.90')));
      await payment.waitForStatus(card.startsWith('41') ? 2 : 3);
    }
    await gateway.get('/payment-requests/1');
    const rows = connection.collection<{ _id: string }>('notifications');
    const which = { state: 'delivered', type: 'payment.succeeded' };
    notification = (await until('delivered', async () => (await rows.findOne(which)) ?? undefined))._id;
  });
  after(async () => {
    await browser?.close();
    await gateway?.close();
    await receiver?.close();
  });

  async function createLink(allowsRotation = true): Promise<CreatedPortalLink> {
    const { connection, httpDeps } = gateway.gateway;
    const { encrypter, now } = httpDeps;
    const log = pino({ level: 'silent' });
    const links = createPortalLinks({ connection, encrypter, publicUrl: gateway.url, now, log });
    const owner = { id: gateway.ownerId, name: 'demo' };
    return links.create({ owner, environment: 'test', allowsRotation }, 'command ana');
  }

  /** Opens the portal without script, because nothing needs it. */
  async function enter(options: BrowserContextOptions = {}): Promise<OpenPage> {
    const opened = await openPage(browser, options);
    await opened.page.goto((await createLink()).url);
    await opened.page.waitForURL(`${gateway.url}/portal`);
    return opened;
  }

  async function failDeliveries(): Promise<void> {
    const { connection } = gateway.gateway;
    const { origin, host } = new URL(receiver.url);
    const failingSince = new Date(Date.now() - 6 * 86_400_000);
    await connection.collection<{ _id: string; [member: string]: unknown }>('endpoints').insertOne({
      _id: `${gateway.ownerId}:test:${origin}`,
      ownerId: gateway.ownerId,
      environment: 'test',
      origin,
      receiver: host,
      failingSince,
      disabledAt: new Date(),
    });
  }
  const countFailing = async (): Promise<number> => gateway.gateway.connection.collection('endpoints').countDocuments();

  const sees = async (page: Page, text: string | RegExp): Promise<void> =>
    page.getByText(text).first().waitFor({ state: 'visible' });
  const press = async (page: Page, name: string): Promise<void> => page.getByRole('button', { name }).first().click();

  it('opens from a page of another site, and its address does not contain the link', async () => {
    const { url, id } = await createLink();
    const site: Server = createServer((_, response) => {
      response.setHeader('Content-Type', 'text/html').end(`<a href="${url}">The portal</a>`);
    });
    await new Promise<void>((resolve) => {
      site.listen(0, 'localhost', resolve);
    });
    const opened = await openPage(browser, { javaScriptEnabled: false });
    const { page } = opened;
    await page.goto(`http://localhost:${(site.address() as AddressInfo).port}/`);
    await page.getByRole('link').click();
    await page.waitForURL(`${gateway.url}/portal`);
    await sees(page, 'Deliveries');
    expect(await page.content()).not.to.contain(id);
    await opened.close();
    site.closeAllConnections();
    site.close();
  });

  for (const [name, look] of Object.entries(looks)) {
    it(`has accessible pages without overflow, ${name}`, async () => {
      await failDeliveries();
      const { page, close } = await enter(look);
      for (const [what, path] of Object.entries({
        deliveries: '/portal',
        delivery: `/portal/deliveries/${notification}`,
        endpoints: '/portal/endpoints',
        payments: '/portal/payments',
        payment: `/portal/payments/${notification.split('-')[0]}`,
        calls: '/portal/calls',
        none: '/portal?type=nothing',
        missing: '/portal/deliveries/none',
        unknown: '/portal/nowhere',
      })) {
        await page.goto(gateway.url + path);
        await expectGoodPage(page, `portal-${what}-${name}`);
      }
      const cut = "(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)(document.querySelector('.who .name'))";
      expect(await page.evaluate(cut), 'pixels of the mode that are cut off').to.equal(0);
      await page.goto(`${gateway.url}/portal/endpoints`);
      await press(page, 'Rotate the webhook secret');
      await expectGoodPage(page, `portal-asked-${name}`);
      await press(page, 'Sign out');
      await sees(page, 'You are signed out');
      await expectGoodPage(page, `portal-left-${name}`);
      await page.goto(`${gateway.url}/portal`);
      await sees(page, 'You are not signed in');
      await expectGoodPage(page, `portal-closed-${name}`);
      await close();
      await gateway.gateway.connection.collection('endpoints').deleteMany({});
    });
  }

  it('shows a delivery on two lines of a phone', async () => {
    const { page, close } = await enter({ viewport: { width: 390, height: 844 } });
    const row = page.locator('tbody tr').first();
    expect((await row.boundingBox())?.height).to.be.below(80);
    expect((await row.innerText()).split('\n').filter((line) => line.trim() !== '')).to.have.lengthOf(4);
    await close();
  });

  it('works without script', async () => {
    const { page, close } = await enter({ javaScriptEnabled: false });
    const before = receiver.received.length;
    await page.getByRole('link', { name: 'Payment succeeded' }).first().click();
    await sees(page, `webhook-id: ${notification}`);
    await press(page, 'Send again');
    await sees(page, 'Notification queued');
    await until('the notification arrives again', () => receiver.received.length > before);

    await failDeliveries();
    await page.getByRole('link', { name: 'Endpoints' }).click();
    await sees(page, 'disabled');
    await press(page, 'Send a test event');
    await sees(page, 'Test event created');
    await until('it is enabled', async () => (await countFailing()) === 0);
    await page.reload();
    await sees(page, /HTTP 200/);
    await page.getByRole('link', { name: 'Endpoints' }).click();
    await sees(page, 'working');

    await failDeliveries();
    await page.reload();
    await press(page, 'Enable');
    await sees(page, 'Endpoint enabled');
    expect(await countFailing()).to.equal(0);

    await press(page, 'Rotate the webhook secret');
    await press(page, 'Rotate secret');
    await sees(page, /^whsec_/);
    await page.getByRole('link', { name: 'Done' }).click();
    expect(await page.content()).not.to.contain('whsec_');

    await page.getByRole('link', { name: 'API calls' }).click();
    await sees(page, '/payments/h2h/11');
    await press(page, 'Sign out');
    await sees(page, 'You are signed out');
    await close();
  });

  it('is usable with the keyboard, and the focus is visible', async () => {
    const { page, close } = await enter();
    await page.goto(`${gateway.url}/portal/deliveries/${notification}`);
    await page.keyboard.press('Tab');
    expect(await page.evaluate('document.activeElement.textContent')).to.equal('Skip to content');
    await page.keyboard.press('Enter');
    expect(await page.evaluate('document.activeElement.id')).to.equal('content');
    const readFocusedText = async (): Promise<unknown> => page.evaluate('document.activeElement.textContent.trim()');
    for (let steps = 0; (await readFocusedText()) !== 'Send again'; steps += 1) {
      expect(steps, 'the button is reached').to.be.below(20);
      await page.keyboard.press('Tab');
    }
    expect(await page.evaluate('getComputedStyle(document.activeElement).outlineStyle')).to.equal('solid');
    await page.keyboard.press('Enter');
    await sees(page, 'Notification queued');
    await close();
  });
});
