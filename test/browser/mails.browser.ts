/** The mails that payers get, from a mail catcher: readable at every width, in light and in dark. */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { after, before, describe, it } from 'mocha';
import type { Browser } from 'playwright-core';
import { until } from '../../core/base/testing/until.ts';
import { chooseFreePort } from '../../workers/supervisor/dev/mongod/index.ts';
import { startMailCatcher, type MailCatcher } from '../../workers/supervisor/dev/mail-catcher.ts';
import { cardBody } from '../support/bodies.ts';
import { startGateway, type TestGateway } from '../support/start-gateway.ts';
import { expectAccessible, expectNoOverflow, launchBrowser, openPage, takeScreenshot } from './browser.ts';

interface Letter {
  readonly head: string;
  readonly text: string;
  readonly html: string;
}

/** Reads the two parts of a mail. Both are quoted-printable. */
function readLetter(source: string): Letter {
  const [head = '', ...parts] = source.split(/^Content-Type: text\//m);
  const bodyOf = (kind: string): string => {
    const part = parts.find((one) => one.startsWith(kind)) ?? expect.fail(`no ${kind} in ${source}`);
    const [, body = ''] = /\r\n\r\n([^]*?)\r\n--/.exec(part) ?? [];
    const bytes = body
      .replaceAll('=\r\n', '')
      .replaceAll(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
    return Buffer.from(bytes, 'latin1').toString('utf8');
  };
  return { head, text: bodyOf('plain'), html: bodyOf('html') };
}

describe('the mails of a payer', () => {
  let folder: string;
  let catcher: MailCatcher;
  let gateway: TestGateway;
  let browser: Browser;
  const letters: Letter[] = [];
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'gateway-mail-'));
    const port = await chooseFreePort();
    const files: string[] = [];
    catcher = await startMailCatcher({ port, folder, onMail: (file) => files.push(file) });
    gateway = await startGateway({
      adapters: ['provider-a'],
      config: (config) => (config.mail.smtp = { host: '127.0.0.1', port, from: 'pay@gateway.example' }),
    });
    const brand = { displayName: 'Ribeira Books', colour: '#0b7443', support: 'help@shop.example' };
    await gateway.gateway.access.owners.setDefaults('demo', brand);
    const order = { amount: 59, unit: 'EUR', referenceId: 'order-1041', notes: 'Atlas of the Atlantic' };
    const body = { ...order, clientName: 'Ines Duarte', clientEmail: 'ines@client.example' };
    const { json } = await gateway.post('/payment-requests?send=true', body);
    await until('the link is mailed', () => files.length === 1);
    await gateway.post(`/payments/creditCard/${json.paymentRequest.id}`, cardBody('4111111111111111', '59'));
    await until('the receipt is mailed', () => files.length === 2);
    for (const file of files) letters.push(readLetter(await readFile(file, 'utf8')));
    browser = await launchBrowser();
  });
  after(async () => {
    await browser.close();
    await gateway.close();
    await catcher.close();
    await rm(folder, { recursive: true });
  });

  it('come from the merchant, and are answered by the merchant', () => {
    for (const { head } of letters) {
      expect(head).to.match(/^From: Ribeira Books <pay@gateway\.example>\r$/m);
      expect(head).to.match(/^Reply-To: help@shop\.example\r$/m);
    }
  });

  it('say the same as text and as HTML', async () => {
    const { page, close } = await openPage(browser);
    for (const { text, html } of letters) {
      await page.setContent(html);
      const shown = (await page.locator('main').innerText()).replaceAll('\u00a0', ' ');
      const facts = text.replaceAll('\u00a0', ' ').matchAll(/^([^:\n]+): (.+)$/gm);
      for (const [, , value = ''] of facts) expect(shown).to.contain(value);
    }
    expect(letters[0]!.text).to.match(/^To: Ines Duarte\r\nFor: Atlas of the Atlantic\r\nOrder: order-1041\r$/m);
    expect(letters[1]!.text).to.match(/^Card: Visa •••• 1111\r\nFor: Atlas of the Atlantic\r$/m);
    await close();
  });

  for (const colorScheme of ['light', 'dark'] as const) {
    for (const width of [320, 390, 1280]) {
      it(`are accessible, and fit into ${width} px, in ${colorScheme}`, async () => {
        const { page, close } = await openPage(browser, { colorScheme, viewport: { width, height: 800 } });
        for (const [at, { html }] of letters.entries()) {
          await page.setContent(html);
          await expectAccessible(page, `mail ${at} at ${width} px in ${colorScheme}`);
          await expectNoOverflow(page, `mail ${at} at ${width} px`);
          await takeScreenshot(page, `mail-${at === 0 ? 'link' : 'receipt'}-${width}-${colorScheme}`);
        }
        await close();
      });
    }
  }
});
