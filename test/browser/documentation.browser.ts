/** The documentation in a real browser: appearance, and what its script adds. */
import { expect } from 'chai';
import { after, before, describe, it } from 'mocha';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { startGateway, type TestGateway } from '../support/start-gateway.ts';
import { expectAccessible, expectGoodPage, launchBrowser, looks, openPage, phone } from './browser.ts';

const paths = [
  '/docs',
  '/docs/quickstart',
  '/docs/life-cycle',
  '/docs/webhooks',
  '/docs/events',
  '/docs/testing',
  '/docs/sandbox-events',
  '/docs/errors',
  '/docs/limits',
  '/docs/going-live',
  '/docs/api',
  '/docs/api/payH2h',
  '/docs/api/listPaymentRequests',
  '/docs/api/objects',
  '/docs/search?q=refund',
  '/docs/no-such-page',
];

describe('the documentation in a browser', () => {
  let gateway: TestGateway;
  let browser: Browser;
  before(async () => {
    browser = await launchBrowser();
    gateway = await startGateway({ adapters: ['provider-a', 'upi'] });
  });
  after(async () => {
    await browser?.close();
    await gateway?.close();
  });

  async function withPage(
    path: string,
    use: (page: Page) => Promise<void>,
    options: BrowserContextOptions = {},
  ): Promise<void> {
    const opened = await openPage(browser, options);
    await opened.page.goto(`${gateway.url}${path}`);
    await use(opened.page);
    await opened.close();
  }

  for (const path of paths) {
    for (const [look, options] of Object.entries(looks)) {
      it(`shows ${path} at ${look} without accessibility findings or overflow`, async () => {
        const name = `docs${path.slice(5).replaceAll(/\W+/g, '-')}-${look}`;
        await withPage(path, async (page) => expectGoodPage(page, name), options);
      });
    }
  }

  describe('without script', () => {
    const options = { javaScriptEnabled: false };

    it('shows every language of an example by its tab', async () => {
      await withPage(
        '/docs/quickstart',
        async (page) => {
          const sample = page.locator('.tabs').first();
          expect(await sample.getByText('import requests').isVisible()).to.equal(false);
          await sample.getByText('Python', { exact: true }).click();
          expect(await sample.getByText('import requests').isVisible()).to.equal(true);
        },
        options,
      );
    });

    it('searches by its form, and opens its menu on a phone', async () => {
      await withPage(
        '/docs',
        async (page) => {
          await page.getByLabel('Search the documentation').fill('chargeback');
          await page.getByLabel('Search the documentation').press('Enter');
          await page.getByRole('heading', { name: 'Search' }).waitFor();
          await page.getByRole('button', { name: 'Menu' }).click();
          await page.locator('#menu').getByRole('link', { name: 'Life cycle' }).click();
          await page.getByRole('heading', { name: 'Life cycle of a payment request' }).waitFor();
        },
        { ...phone, ...options },
      );
    });

    it('shows the whole reference, without the form that needs script', async () => {
      await withPage(
        '/docs/api/refund',
        async (page) => {
          expect(await page.locator('.try').isVisible()).to.equal(false);
          expect(await page.getByRole('link', { name: 'Try it' }).isVisible()).to.equal(false);
          expect(await page.getByText('/payment-requests/{id}/refund').first().isVisible()).to.equal(true);
        },
        options,
      );
    });
  });

  it('shows results while the reader types, and opens one by keyboard', async () => {
    await withPage('/docs/quickstart', async (page) => {
      await page.keyboard.press('/');
      await page.keyboard.type('idempotency key');
      await page.locator('.results a').first().waitFor();
      await expectAccessible(page, 'results');
      await page.keyboard.press('ArrowDown');
      await page.keyboard.press('Enter');
      await page.waitForURL(/\/docs\/(idempotency|api|glossary|limits)/);
    });
  });

  it('selects the same language in every example, and remembers it', async () => {
    await withPage('/docs/quickstart', async (page) => {
      await page.locator('.tabs').first().getByText('Python', { exact: true }).click();
      const chosen = async (): Promise<readonly string[]> =>
        page.evaluate("[...document.querySelectorAll('.tabs > input:checked')].map((one) => one.value)");
      expect(new Set(await chosen())).to.deep.equal(new Set(['Python']));
      await page.goto(`${gateway.url}/docs/lists-and-reports`);
      expect(new Set(await chosen())).to.deep.equal(new Set(['Python']));
    });
  });

  it('copies an example', async () => {
    await withPage(
      '/docs/quickstart',
      async (page) => {
        await page.locator('.code .copy').first().click();
        await page.getByRole('button', { name: 'Copied' }).waitFor();
        expect(await page.evaluate('navigator.clipboard.readText()')).to.include('keys create');
      },
      { permissions: ['clipboard-read', 'clipboard-write'] },
    );
  });

  it('follows an anchor of the earlier reference', async () => {
    await withPage('/docs#createPaymentRequest', async (page) => {
      await page.waitForURL(/\/docs\/api#createPaymentRequest$/);
    });
  });

  describe('try it', () => {
    it('sends a call with a test key and a new Idempotency-Key each time', async () => {
      await withPage('/docs/api/createPaymentRequest', async (page) => {
        const keys: (string | undefined)[] = [];
        page.on('request', (request) => {
          if (request.method() === 'POST') keys.push(request.headers()['idempotency-key']);
        });
        await page.getByRole('link', { name: 'Try it' }).click();
        await page.getByLabel('Test API key').fill(gateway.key);
        const ids: string[] = [];
        for (let sent = 0; sent < 2; sent += 1) {
          const answered = page.waitForResponse(`${gateway.url}/payment-requests`);
          await page.getByRole('button', { name: 'Send test call' }).click();
          ids.push((await (await answered).allHeaders())['x-payment-request-id'] ?? '');
          await page.locator('output .good').waitFor();
        }
        expect(new Set(ids).size).to.equal(2);
        expect(new Set(keys).size).to.equal(2);
        await expectAccessible(page, 'an answer');
        // The next page knows the key, and the payment request that was created.
        await page.goto(`${gateway.url}/docs/api/getPaymentRequest`);
        await page.getByRole('button', { name: 'Send test call' }).click();
        await page.locator('output .good').waitFor();
        expect(await page.locator('output').textContent()).to.include(`"id": ${ids[1]}`);
      });
    });

    it('refuses a live key before anything is sent', async () => {
      await withPage('/docs/api/createPaymentRequest', async (page) => {
        // The page itself may still load an icon or its search index.
        const sent: string[] = [];
        page.on('request', (request) => {
          const hasKey = request.headers()['x-api-key'] !== undefined;
          if (hasKey || request.method() !== 'GET') sent.push(`${request.method()} ${request.url()}`);
        });
        await page.getByLabel('Test API key').fill(`gk_live_${'a'.repeat(43)}`);
        await page.getByRole('button', { name: 'Send test call' }).click();
        await page.getByText('This page never sends a live key').waitFor();
        expect(sent).to.deep.equal([]);
      });
    });

    it('shows the error of a refused call', async () => {
      await withPage('/docs/api/createPaymentRequest', async (page) => {
        await page.getByLabel('Test API key').fill(gateway.key);
        await page.locator('.try textarea').fill('{ "amount": "many" }');
        await page.getByRole('button', { name: 'Send test call' }).click();
        await page.locator('output .bad').waitFor();
        expect(await page.locator('output').textContent()).to.include('VAL001');
      });
    });
  });
});
