/**
 * Makes the pictures of the README and of the operator guide from the running product: npm run images. Starts the
 * service in a temporary folder, pays through its API, opens the payer's page and the operators' console in Chromium,
 * and writes .github/images/*.png.
 */
import { mkdirSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { runGateway, untilReady } from '../../workers/supervisor/testing/running-gateway.ts';
import { cardBody } from '../support/bodies.ts';
import { chooseFreePort } from '../../workers/supervisor/dev/mongod/index.ts';
import { root } from '../support/start-gateway.ts';
import { launchBrowser } from './browser.ts';

const images = join(root, '.github/images');
const approved = '4111111111111111';
const declined = '4000000000000002';

const folder = await mkdtemp(join(tmpdir(), 'paywright-images-'));
const [port, opsPort] = [await chooseFreePort(), await chooseFreePort()];
const env = { PORT: String(port), OPS_PORT: String(opsPort) };
const address = `http://127.0.0.1:${port}`;
const service = runGateway(['start'], folder, env);
let browser: Browser | undefined;
try {
  await untilReady(service, 180_000);
  const { key } = (await command('keys', 'create', '--owner', 'Ribeira Books', '--env', 'sandbox')) as { key: string };
  await command('owners', 'set', 'Ribeira Books', '--display-name', 'Ribeira Books', '--support', 'help@shop.example');
  const operator = (await command('operators', 'create', 'Ada Lovelace', '--role', 'admin')) as { key: string };
  const { link, paidId } = await makeTraffic(key);
  browser = await launchBrowser();
  mkdirSync(images, { recursive: true });
  await shootCheckout(browser, link);
  await shootConsole(browser, operator.key, paidId);
  process.stdout.write(`The images are in ${images}.\n`);
} finally {
  await browser?.close();
  service.child.kill('SIGTERM');
  await service.ended;
  await rm(folder, { recursive: true, force: true });
}

async function command(...words: readonly string[]): Promise<unknown> {
  const { code, out, problems } = await runGateway([...words, '--json'], folder, env).ended;
  if (code !== 0) throw new Error(`paywright ${words.join(' ')} failed with exit code ${code}: ${problems.join(' ')}`);
  return JSON.parse(out);
}

/** Makes paid, refunded and declined payments. Returns a paid one, and the link of one that is not paid yet. */
async function makeTraffic(key: string): Promise<{ readonly link: string; readonly paidId: number }> {
  const post = async (path: string, body: string): Promise<{ paymentRequest?: { id: number; link: string } }> => {
    const headers = { 'X-API-Key': key, 'Content-Type': 'application/json', Accept: 'application/json' };
    const answer = await fetch(`${address}${path}`, { method: 'POST', headers, body });
    return (await answer.json()) as { paymentRequest?: { id: number; link: string } };
  };
  for (const [at, card] of [declined, approved, approved, declined, approved].entries()) {
    await post('/payments/h2h/11', cardBody(card, String(19.9 + at * 7), { referenceId: `order-${1001 + at}` }));
  }
  const paid = await post('/payments/h2h/11', cardBody(approved, '59', { referenceId: 'order-1041' }));
  if (!paid.paymentRequest) throw new Error(`the payment failed: ${JSON.stringify(paid)}`);
  const paidId = paid.paymentRequest.id;
  await post(`/payment-requests/${paidId}/refund`, '{ "amount": 12.50 }');
  const order = { referenceId: 'order-1042', unit: 'EUR', description: 'Three paperbacks and a notebook' };
  const { paymentRequest } = await post('/payment-requests', JSON.stringify({ ...order, amount: 48.5 }));
  if (!paymentRequest) throw new Error('creating the payment request failed');
  return { link: paymentRequest.link, paidId };
}

async function shootCheckout(browser: Browser, link: string): Promise<void> {
  const page = await browser.newPage({ locale: 'en-GB', viewport: { width: 1100, height: 900 } });
  await page.goto(link);
  await page.getByRole('heading').first().waitFor();
  await page.screenshot({ path: join(images, 'checkout.png'), animations: 'disabled' });
  await page.close();
}

async function shootConsole(browser: Browser, key: string, paidId: number): Promise<void> {
  const page = await browser.newPage({ locale: 'en-GB', viewport: { width: 1280, height: 900 } });
  await page.goto(`http://127.0.0.1:${opsPort}/ops`);
  await page.locator('input[name=key]').fill(key);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.locator('main h1').waitFor();
  await page.goto(`http://127.0.0.1:${opsPort}/ops/payments/${paidId}`);
  await page.getByRole('heading', { name: `Payment ${paidId}` }).waitFor();
  await page.screenshot({ path: join(images, 'console.png'), animations: 'disabled' });
  await shootAccount(page);
  await page.close();
}

/** Adds an account with a wrong fee first, as an operator does, and then opens its page. */
async function shootAccount(page: Page): Promise<void> {
  await page.goto(`http://127.0.0.1:${opsPort}/ops/adapters/provider-b/accounts/new`);
  await page.locator('input[name=name]').fill('shop-pt');
  await page.locator('input[name=merchant]').fill('Ribeira Books');
  await page.locator('input[name=currencies]').fill('EUR');
  await page.locator('input[name=fee]').fill('1.4, EUR');
  await fillOptions(page);
  await page.locator('main').getByRole('button', { name: 'Add account' }).click();
  await page.locator('[aria-invalid]').waitFor();
  await page.screenshot({ path: join(images, 'console-account-form.png'), animations: 'disabled' });
  await page.locator('input[name=fee]').fill('1.4, 0.25 EUR');
  await fillOptions(page);
  await page.locator('main').getByRole('button', { name: 'Add account' }).click();
  await page
    .getByRole('heading', { name: /shop-pt/ })
    .first()
    .waitFor();
  await page.screenshot({ path: join(images, 'console-account.png'), animations: 'disabled' });
}

/** Secrets are typed again, because a form never shows them. */
async function fillOptions(page: Page): Promise<void> {
  await page.locator('input[name="options.endpoint"]').fill('5583');
  await page.locator('input[name="options.login"]').fill('shop-pt');
  await page.locator('input[name="options.controlKeys"]').fill('["B7F3A1D0-open-44E2-9C58-0A6B1D2E3F40"]');
}
