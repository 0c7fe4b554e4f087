/**
 * The address that the payer's browser names to the page of a provider: nothing, or the origin of the payer's page if
 * the provider asks for it. It never names the path or the key of the link.
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Action } from '@paywright/contract';
import { expect } from 'chai';
import { after, before, describe, it } from 'mocha';
import type { Browser, Page } from 'playwright-core';
import { until } from '../../core/base/testing/until.ts';
import type { PayerWay, PayPage } from '../../core/engine/payments/types/pay-page.ts';
import { now, startGateway, type TestGateway } from '../../core/http/testing/gateway.ts';
import { pageDetails, plainPage } from '../../core/http/testing/pay-page.ts';
import { launchBrowser, openPage } from './browser.ts';

/** A page of a provider that keeps the request with which a browser came. */
async function startTarget() {
  const visits: { readonly method: string; readonly referer: string | undefined }[] = [];
  const server = createServer((request, response) => {
    if (request.url === '/start') visits.push({ method: request.method ?? '', referer: request.headers.referer });
    response.writeHead(200, { 'Content-Type': 'text/html' }).end('<!doctype html><title>at the wallet</title>');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://localhost:${(server.address() as AddressInfo).port}/start`,
    visits,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

describe('the address that the payer’s page names to a provider', () => {
  let gateway: TestGateway;
  let browser: Browser;
  let target: Awaited<ReturnType<typeof startTarget>>;
  before(async () => {
    target = await startTarget();
    browser = await launchBrowser();
    gateway = await startGateway();
  });
  after(async () => {
    await browser?.close();
    await gateway?.server.close(0);
    await target?.close();
  });

  const wallet: PayerWay = {
    id: 'ewallet_redirect.acme',
    method: 'ewallet_redirect',
    kind: 'billing',
    instrument: null,
    adapter: 'acme',
    coin: null,
    title: 'Acme',
    currency: 'EUR',
    fields: [],
  };
  const toTarget = (): Action => ({ type: 'redirect', method: 'GET', url: target.url });
  const formToTarget = (): Action => ({ ...toTarget(), method: 'POST', fields: { a: '1' } }) as Action;
  const details = { ...pageDetails, startedAt: now, attempts: 1 };
  const click = async (page: Page): Promise<void> => page.locator('main :is(a.main, button.main)').click();

  interface Way {
    readonly name: string;
    readonly action: () => Action;
    readonly query: string;
    readonly page?: Partial<PayPage>;
    readonly presses?: boolean;
    readonly withoutScript?: boolean;
  }
  const link = '?k=secret-key';
  const ways: readonly Way[] = [
    { name: 'a page that leads on', action: toTarget, query: `${link}&go=1` },
    { name: 'a page that leads on without script', action: toTarget, query: `${link}&go=1`, withoutScript: true },
    { name: 'the link of a page that asks', action: toTarget, query: link, presses: true },
    { name: 'a form that posts itself', action: formToTarget, query: `${link}&go=1` },
    {
      name: 'a form that the payer posts without script',
      action: formToTarget,
      query: `${link}&go=1`,
      presses: true,
      withoutScript: true,
    },
    { name: 'the form of a page that asks', action: formToTarget, query: link, presses: true },
    { name: 'a return with a token', action: toTarget, query: '?t=token', page: { details: null } },
    { name: 'a return with a token, by a form', action: formToTarget, query: '?t=token', page: { details: null } },
  ];

  let paymentId = 20_000;
  for (const { name, action, query, page: members, presses = false, withoutScript = false } of ways) {
    for (const referrer of ['origin', undefined] as const) {
      it(`is ${referrer ? 'the origin alone' : 'missing'} for ${name}`, async () => {
        paymentId += 1;
        target.visits.length = 0;
        const asked = { ...action(), ...(referrer && { referrer }) } as Action;
        gateway.answers.page = { ...plainPage, state: 'pending', action: asked, details, ...members };
        const { page, close } = await openPage(browser, { javaScriptEnabled: !withoutScript });
        // The payer comes from a page whose address must not be named either.
        await page.goto(target.url.replace('/start', '/shop?basket=7'));
        await page.evaluate(`location.href = ${JSON.stringify(`${gateway.url}/pay/${paymentId}${query}`)}`);
        if (presses) await click(page);
        await until('the browser is at the provider', () => target.visits.length > 0, 15_000);
        const { method } = asked as Extract<Action, { type: 'redirect' }>;
        expect(target.visits).to.deep.equal([{ method, referer: referrer && `${gateway.url}/` }]);
        await close();
      });
    }
  }

  it('is the origin alone for the form of a page that the script would have shown in place of the payer’s form', async () => {
    paymentId += 1;
    target.visits.length = 0;
    const waiting = { ...plainPage, state: 'pending', action: null, details } as const;
    gateway.answers.page = { ...plainPage, state: 'created', details: { ...pageDetails, ways: [wallet] } };
    gateway.answers.payments = {
      pay: async (_, id) => {
        gateway.answers.page = waiting;
        return { id, present: async () => Promise.reject(new Error('not asked')) };
      },
    };
    const { page, close } = await openPage(browser);
    await page.goto(`${gateway.url}/pay/${paymentId}${link}`);
    await page.locator('form.pay button.main').click();
    await page.getByText('Don’t pay twice').waitFor();
    const action = { ...formToTarget(), referrer: 'origin' } as Action;
    gateway.answers.page = { ...waiting, action, stamp: 'stamp-2' };
    await page.getByText('Continue this payment').waitFor();
    await click(page);
    await until('the browser is at the provider', () => target.visits.length > 0, 15_000);
    expect(target.visits).to.deep.equal([{ method: 'POST', referer: `${gateway.url}/` }]);
    await close();
  });
});
