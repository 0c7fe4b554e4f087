/** The gallery of the components in a real browser, and what the components do with and without script. */
import { expect } from 'chai';
import { after, before, describe, it } from 'mocha';
import type { Browser, BrowserContextOptions } from 'playwright-core';
import { until } from '../../core/base/testing/until.ts';
import type { RunningServer } from '../../core/http/index.ts';
import { startConsole } from '../support/start-console.ts';
import { startGateway, type TestGateway } from '../support/start-gateway.ts';
import { expectAccessible, expectGoodPage, launchBrowser, looks, openPage, phone, takeScreenshot } from './browser.ts';

const path = '/ops/gallery';

describe('the gallery in a browser', () => {
  let gateway: TestGateway;
  let server: RunningServer;
  let browser: Browser;
  let session: Awaited<ReturnType<Awaited<ReturnType<typeof openPage>>['context']['storageState']>>;

  before(async () => {
    browser = await launchBrowser();
    gateway = await startGateway({ adapters: ['provider-a'] });
    server = await startConsole(gateway);
    const { key } = await gateway.gateway.access.operators.create({ name: 'Ada Lovelace', role: 'admin' });
    const { page, context, close } = await openPage(browser);
    await page.goto(at(path));
    await page.getByLabel("Operator's key").fill(key);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { name: 'Gallery' }).waitFor();
    session = await context.storageState();
    await close();
  });
  after(async () => {
    await browser?.close();
    await server?.close(0);
    await gateway?.close();
  });

  const at = (address: string): string => `http://127.0.0.1:${server.port}${address}`;
  const open = async (options: BrowserContextOptions = {}, address = path) => {
    const opened = await openPage(browser, { ...options, storageState: session });
    await opened.page.goto(at(address));
    return opened;
  };

  for (const [look, options] of Object.entries(looks))
    it(`shows every component at ${look} without accessibility findings or overflow`, async () => {
      const { page, close } = await open(options);
      await expectGoodPage(page, `console/gallery-${look}`);
      await close();
    });

  it('shows times in the zone of the reader, and in UTC on hover', async () => {
    const { page, close } = await open({ timezoneId: 'Asia/Kolkata' });
    const relative = page.locator('dt', { hasText: /^Minutes ago$/ }).locator('~ dd time');
    expect(await relative.textContent()).to.equal('12\u00a0min\u00a0ago');
    const title = (await relative.getAttribute('title')) ?? '';
    expect(title).to.match(/GMT\+5:30\n\d{4}-\d\d-\d\d [\d:]+\sUTC$/);
    const [, hours = '', minutes = ''] = /, (\d\d):(\d\d):/.exec(title) ?? [];
    const [, utcHours = '', utcMinutes = ''] = /\n[\d-]+ (\d\d):(\d\d):/.exec(title) ?? [];
    const ahead = Number(hours) * 60 + Number(minutes) - Number(utcHours) * 60 - Number(utcMinutes);
    expect((ahead + 1440) % 1440).to.equal(330);
    await page.getByText(/^Times are in your time zone, Asia\/(Kolkata|Calcutta)\./).waitFor();
    await close();
  });

  it('counts the seconds of a time that changes several times a minute', async () => {
    const { page, close } = await open();
    const time = page
      .locator('dt', { hasText: /^Seconds ago$/ })
      .locator('~ dd time')
      .first();
    const first = await time.textContent();
    expect(first).to.match(/^\d+\u00a0s\u00a0ago$/);
    await until('the next second is shown', async () => (await time.textContent()) !== first);
    await close();
  });

  it('shows times in UTC and no copy buttons without script', async () => {
    const { page, close } = await open({ javaScriptEnabled: false });
    const relative = page.locator('dt', { hasText: /^Minutes ago$/ }).locator('~ dd time');
    expect(await relative.textContent()).to.match(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\sUTC$/);
    expect(await page.getByRole('button', { name: 'Copy' }).count()).to.equal(0);
    await page.getByText('Times are in UTC.').waitFor();
    await close();
  });

  it('copies a value', async () => {
    const { page, close } = await open({ permissions: ['clipboard-read', 'clipboard-write'] });
    await page.getByRole('button', { name: 'Copy' }).first().click();
    await page.getByRole('button', { name: 'Copied' }).waitFor();
    expect(await page.evaluate('navigator.clipboard.readText()')).to.equal('GW-10042-1');
    await close();
  });

  it('moves to the field that is wrong, and keeps what was typed', async () => {
    const { page, close } = await open();
    const wrong = page.locator('[aria-invalid=true]');
    expect(await wrong.inputValue()).to.equal('999');
    expect(await page.evaluate('document.activeElement.getAttribute("aria-invalid")')).to.equal('true');
    await page.getByText('Must be at most 59.00.').waitFor();
    await close();
  });

  for (const javaScriptEnabled of [true, false])
    it(`has its navigation in a menu on a phone, ${javaScriptEnabled ? 'with' : 'without'} script`, async () => {
      const { page, close } = await open({ ...phone, javaScriptEnabled }, '/ops/jobs');
      const link = page.getByRole('link', { name: 'Audit' });
      expect(await link.isVisible()).to.equal(false);
      expect((await page.locator('header').boundingBox())!.height).to.be.below(64);
      await page.getByRole('button', { name: 'Menu' }).click();
      await page.locator('nav [aria-current=page]', { hasText: 'Jobs' }).waitFor();
      await takeScreenshot(page, `console/menu-${javaScriptEnabled ? 'script' : 'plain'}`);
      if (javaScriptEnabled) await expectAccessible(page, 'menu');
      await link.click();
      await page.getByRole('heading', { name: 'Audit' }).waitFor();
      await close();
    });

  it('removes one filter with its chip', async () => {
    const { page, close } = await open({}, `${path}?text=order-1041&state=paid&period=7d`);
    await page.getByRole('link', { name: 'Remove State: paid' }).click();
    await page.waitForURL(/\?text=order-1041&period=7d$/);
    await close();
  });
});
