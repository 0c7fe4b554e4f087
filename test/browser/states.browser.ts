/**
 * Every state of the payer's page, at phone and desktop width, light and dark: screenshots, and checks of what a page
 * must satisfy.
 */
import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import { after, before, describe, it } from 'mocha';
import type { Browser, Page } from 'playwright-core';
import type { PayerWay, PayPage, PayPageDetails, PayReceipt } from '../../core/engine/payments/types/pay-page.ts';
import { languageCodes, type Language } from '../../core/html/words/index.ts';
import { logo, startGateway, type TestGateway } from '../../core/http/testing/gateway.ts';
import { until } from '../../core/base/testing/until.ts';
import { pageDetails, plainPage } from '../../core/http/testing/pay-page.ts';
import { expectGoodPage, launchBrowser, looks, openPage, phone } from './browser.ts';

const everyField = ['name', 'email', 'phoneNumber', 'address', 'city', 'state', 'postalCode', 'country'] as const;
const way = (members: Partial<PayerWay> & Pick<PayerWay, 'id' | 'method'>): PayerWay => ({
  kind: 'billing',
  instrument: null,
  adapter: null,
  coin: null,
  title: 'Acme Pay',
  currency: 'EUR',
  fields: [],
  ...members,
});
const ways: readonly PayerWay[] = [
  way({ id: 'card', method: 'card', kind: 'card', instrument: 'card', fields: everyField }),
  way({ id: 'upi_qr', method: 'upi_qr', kind: 'upi', fields: ['name'] }),
  way({ id: 'upi_collect', method: 'upi_collect', kind: 'upi', instrument: 'upiId', fields: ['name', 'phoneNumber'] }),
  way({ id: 'hosted_page.acme', method: 'hosted_page', adapter: 'acme' }),
  way({ id: 'crypto.BTC', method: 'crypto', coin: 'BTC', fields: ['email'] }),
];
const merchant = { ...plainPage.merchant, name: 'Casa do Livro' };
const longName = 'Sociedade Portuguesa de Livros Antigos, Mapas e Gravuras do Atlântico Norte Unipessoal, Lda.';
/** The brand with every setting that an owner can have. */
const branded = {
  name: 'Casa do Livro',
  brand: {
    logo: `7-${logo.hash}.png`,
    colour: '#0b7443',
    support: 'help@livro.example',
    terms: 'https://livro.example/terms',
  },
} as const;
const details: PayPageDetails = {
  ...pageDetails,
  referenceId: 'order-1001',
  notes: 'Two books, and a map of Lisbon',
  isTest: true,
  attempts: 0,
  expiresAt: new Date('2026-11-24T12:00:00Z'),
};
const known = { name: 'Ines Duarte', email: 'ines@client.example', country: 'PT' };
const receipt: PayReceipt = {
  paidAt: new Date('2026-11-21T11:58:00Z'),
  reference: 'GW-10042-1',
  way: { method: 'card', title: 'Acme Pay', coin: null },
  cardBin: '424242',
  cardLastDigits: '4242',
  charged: '25.90',
  isPart: false,
  laterCharges: [],
  refunded: null,
  refundedAt: null,
  refundedByProvider: true,
};
const refundedAt = new Date('2026-11-22T09:30:00Z');
const shop = 'https://shop.example/thanks';
const expiry = '2026-11-21T12:15:00Z';
const coins = {
  type: 'crypto',
  coin: 'BTC',
  network: 'bitcoin',
  address: 'bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq',
  amount: '0.00051000',
  expiry,
} as const;
const toBank = { type: 'redirect', method: 'GET', url: 'https://bank.example/c?x=1' } as const;
const pixCode =
  '00020126580014br.gov.bcb.pix0136123e4567-e12b-12d1-a456-42665544000052040000530398654041.005802BR6304A1B2';
const upiLink = 'upi://pay?pa=shop%40switch&pn=Casa%20do%20Livro&tr=U00261121000021&am=25.90&cu=INR';

interface State {
  readonly page: Partial<Omit<PayPage, 'details'>>;
  readonly details?: Partial<PayPageDetails>;
  readonly query?: string;
  /** True for a return address without the link's own token. */
  readonly isReturn?: boolean;
}

const states: Record<string, State> = {
  form: { page: { state: 'created' }, details: { ways } },
  'form-known': { page: { state: 'created' }, details: { ways, known } },
  // Nothing is cut off, and no number breaks across lines.
  'form-long': {
    page: { state: 'created', merchant: { ...merchant, name: longName } },
    details: {
      ways,
      referenceId: `order-${'0'.repeat(90)}`,
      notes: `Two books. ${'x'.repeat(200)}`,
      recipientName: longName,
      known: { ...known, phoneNumber: '+351912345678' },
    },
  },
  'form-decimals': {
    page: { state: 'created' },
    details: { ways: ways.slice(-1), amount: '0.123456789012345678', unit: 'ETH', currency: 'ETH' },
  },
  'form-only-card': { page: { state: 'created' }, details: { ways: ways.slice(0, 1) } },
  'form-upi-id': { page: { state: 'created' }, details: { ways, known }, query: '&way=upi_collect' },
  'form-hosted': { page: { state: 'created' }, details: { ways }, query: '&way=hosted_page.acme' },
  'form-coin': { page: { state: 'created' }, details: { ways, known }, query: '&way=crypto.BTC' },
  'no-way': { page: { state: 'created' } },
  'waiting-card': { page: { state: 'pending' }, details: { method: 'card' } },
  'waiting-long': { page: { state: 'pending', isSlow: true }, details: { method: 'card' } },
  'waiting-upi': {
    page: { state: 'pending', action: { type: 'upi', mode: 'collect', expiry } },
    details: { method: 'upi_collect', currency: 'INR' },
  },
  'upi-code': {
    page: { state: 'pending', action: { type: 'upi', mode: 'qr', text: upiLink, expiry } },
    details: { method: 'upi_qr', currency: 'INR' },
  },
  'wallet-code': {
    page: {
      state: 'pending',
      action: { type: 'qr', text: 'acme-wallet://pay?code=7H2K9Q', app: 'Acme', expiry },
    },
    details: { method: 'ewallet_redirect', wayTitle: 'Acme Pay', currency: 'CNY' },
  },
  'wallet-code-to-copy': {
    page: { state: 'pending', action: { type: 'qr', text: pixCode, app: 'Pix', expiry } },
    details: { method: 'ewallet_redirect', wayTitle: 'Pix', currency: 'BRL' },
  },
  'upi-app': {
    page: { state: 'pending', action: { type: 'upi', mode: 'intent', link: upiLink, expiry } },
    details: { method: 'upi_intent', currency: 'INR' },
  },
  'bank-step': { page: { state: 'pending', action: toBank }, details: { method: 'card', ways, otherWay: 'now' } },
  'bank-step-other': {
    page: { state: 'pending', action: toBank },
    details: { method: 'card', ways, otherWay: 'now', attempts: 1 },
    query: '&other=1',
  },
  'bank-step-form': { page: { state: 'pending', action: { ...toBank, method: 'POST', fields: { creq: 'x' } } } },
  'coins-later': {
    page: { state: 'pending', action: coins },
    details: { method: 'crypto', otherWay: new Date(expiry) },
  },
  'cancelled-at-the-bank': {
    page: { state: 'failed', leaveTo: shop },
    details: { ways, attempts: 1, failure: { kind: 'cancelled' } },
  },
  code: { page: { state: 'pending', action: { type: 'confirm', paymentId: 'A-1' } }, details: { method: 'card' } },
  coins: { page: { state: 'pending', action: coins }, details: { method: 'crypto' } },
  'coins-memo': {
    page: {
      state: 'pending',
      action: {
        ...coins,
        coin: 'XRP',
        network: 'XRP Ledger',
        address: 'rwietsevLFg8XSmG3bEZzFein1g8RBqWDZ',
        amount: '11.25',
        memo: '778812',
      },
    },
    details: { method: 'crypto' },
  },
  'coins-missing': {
    page: { state: 'pending', action: coins },
    details: { method: 'crypto', coins: { received: '10.00', missing: '15.90', excess: null } },
  },
  'coins-too-many': {
    page: { state: 'paid' },
    details: {
      receipt: { ...receipt, way: { method: 'crypto', title: 'Coins', coin: 'BTC' }, cardLastDigits: null },
      coins: { received: '30.00', missing: null, excess: '4.10' },
    },
  },
  'coins-too-late': {
    page: { state: 'expired' },
    details: { method: 'crypto', coins: { received: '10.00', missing: '15.90', excess: null } },
  },
  paid: { page: { state: 'paid', leaveTo: shop }, details: { receipt } },
  'paid-long': {
    page: { state: 'paid', leaveTo: shop, merchant: { ...merchant, name: longName } },
    details: { receipt: { ...receipt, way: { method: 'hosted_page', title: 'Acme Pay', coin: null } } },
  },
  refunded: { page: { state: 'refunded' }, details: { receipt: { ...receipt, refunded: '25.90', refundedAt } } },
  'refunded-in-part': {
    page: { state: 'paid' },
    details: { receipt: { ...receipt, refunded: '12.00', refundedAt } },
  },
  'paid-in-part': { page: { state: 'paid' }, details: { receipt: { ...receipt, charged: '20.00', isPart: true } } },
  'failed-on-purpose': {
    page: { state: 'failed' },
    details: { ways, known, attempts: 1, failure: { kind: 'nothing_charged', sandboxRule: '.50' } },
  },
  declined: {
    page: { state: 'failed', leaveTo: shop },
    details: { ways, attempts: 1, failure: { kind: 'declined', code: '51' } },
  },
  failed: { page: { state: 'failed', leaveTo: shop }, details: { failure: { kind: 'three_ds' } } },
  expired: { page: { state: 'expired', leaveTo: shop } },
  'expired-no-shop': { page: { state: 'expired', merchant: branded } },
  'no-way-named': { page: { state: 'created', merchant: branded } },
  cancelled: { page: { state: 'cancelled' } },
  'returned-waiting': { page: { state: 'pending' }, isReturn: true },
  'returned-expired': { page: { state: 'expired' }, isReturn: true },
};

/** The same states again with the merchant's brand. */
for (const name of ['form', 'waiting-card', 'coins', 'paid', 'returned-waiting']) {
  const state = states[name]!;
  states[`branded-${name}`] = { ...state, page: { ...state.page, merchant: branded } };
}

/** Locale of a browser in each language: Arabic with the digits of Egypt. */
const locales = {
  en: 'en-GB',
  es: 'es-MX',
  pt: 'pt-BR',
  de: 'de-DE',
  hi: 'hi-IN',
  ar: 'ar-EG',
} as const satisfies Record<Language, string>;

const KB = 1024;

/**
 * The shop answers that there is nothing to show, so the browser stays on the page however long the checks take. The
 * browser caches nothing then: a test that opens many pages would exceed the limit of requests of an address.
 */
async function stayAfterCountdown(page: Page): Promise<void> {
  await page.route(`${new URL(shop).origin}/**`, async (route) => route.fulfill({ status: 204 }));
}

describe('the payer’s page in a browser', () => {
  let gateway: TestGateway;
  let browser: Browser;
  before(async () => {
    browser = await launchBrowser();
    gateway = await startGateway();
  });
  after(async () => {
    await browser?.close();
    await gateway?.server.close(0);
  });

  let paymentId = 10_042;

  /** Prepares the state, and returns the address that shows it. Visits are limited per payment. */
  function prepare({ page, details: own, query = '', isReturn = false }: State, language: Language): string {
    gateway.answers.page = { ...plainPage, merchant, ...page, details: isReturn ? null : { ...details, ...own } };
    paymentId += 1;
    return `${gateway.url}/pay/${paymentId}?${isReturn ? 'r=return-part' : 'k=key'}&lang=${language}${query}`;
  }

  for (const [name, state] of Object.entries(states)) {
    for (const [look, options] of Object.entries(looks)) {
      it(`shows ${name} at ${look} without accessibility findings or overflow`, async () => {
        const { page, close } = await openPage(browser, options);
        await stayAfterCountdown(page);
        await page.goto(prepare(state, 'en'));
        await expectGoodPage(page, `en/${name}-${look}`);
        await close();
      });
    }
  }

  for (const language of languageCodes.filter((code) => code !== 'en')) {
    it(`shows every state in ${language} without accessibility findings or overflow`, async () => {
      const { page, close } = await openPage(browser, { ...phone, locale: locales[language] });
      for (const [name, state] of Object.entries(states)) {
        await page.goto(prepare(state, language));
        await expectGoodPage(page, `${language}/${name}-390`);
      }
      await close();
    });
  }

  it('breaks no amount across lines', async () => {
    for (const options of Object.values(looks)) {
      const { page, close } = await openPage(browser, options);
      await page.goto(prepare(states['form-decimals']!, 'en'));
      const lines = await page.evaluate(
        "[...new Set(Array.from(textOf('.amount').getClientRects(), ({ top }) => top))].length; function textOf(selector) { const range = document.createRange(); range.selectNodeContents(document.querySelector(selector)); return range; }",
      );
      expect(lines).to.equal(1);
      await close();
    }
  });

  it('reloads itself while it waits and its script does not load', async () => {
    const { page, close } = await openPage(browser, phone);
    await page.route('**/*.js', async (route) => route.abort());
    await page.goto(prepare(states['waiting-card']!, 'en'));
    await page.getByText('Don’t pay twice').waitFor();
    prepare(states['paid']!, 'en');
    await page.getByText('Payment complete').waitFor();
    await close();
  });

  it('is loaded once while its script polls', async () => {
    const { page, close } = await openPage(browser, phone);
    let loads = 0;
    let asked = 0;
    page.on('request', (request) => {
      if (request.isNavigationRequest()) loads += 1;
      if (request.url().includes('/pay/state/')) asked += 1;
    });
    await page.goto(prepare(states['waiting-card']!, 'en'));
    // Longer than a page without its script waits.
    await until('it polled for 12 s', () => asked >= 5, 30_000);
    expect(loads).to.equal(1);
    gateway.answers.page = { ...gateway.answers.page!, ...states['paid']!.page, stamp: 'stamp-2' };
    await page.getByText('Payment complete').waitFor();
    await close();
  });

  it('is small: at most 14 kB of HTML, 15 kB of script and 60 kB in total, compressed', async () => {
    for (const [name, state] of Object.entries(states)) {
      const address = prepare(state, 'en');
      const html = await (await fetch(address)).text();
      const loaded = [...html.matchAll(/<(?:link[^>]* href|script[^>]* src)="([^"]*)"/g)].map(([, path = '']) => path);
      const sizes = await Promise.all(
        loaded.map(async (path) => {
          const bytes = await (await fetch(new URL(path, address))).arrayBuffer();
          return { path, size: gzipSync(bytes).byteLength };
        }),
      );
      const own = gzipSync(html).byteLength;
      const script = sizes.find(({ path }) => path.endsWith('.js'))?.size ?? 0;
      const all = own + sizes.reduce((sum, { size }) => sum + size, 0);
      expect(own, `${name}: HTML`).to.be.below(14 * KB);
      expect(script, `${name}: script`).to.be.within(1, 15 * KB);
      expect(all, `${name}: all`).to.be.below(60 * KB);
      if (name === 'form') console.log(`      form: HTML ${own}, script ${script}, all ${all} bytes compressed`);
    }
  });

  it('needs no other request before it is painted and accepts input, and does not shift its layout; measured on Fast 3G', async () => {
    const address = prepare(states['branded-form']!, 'en');
    const painted: number[] = [];
    const usable: number[] = [];
    const shifts: number[] = [];
    const blocking =
      "performance.getEntriesByType('resource').filter((one) => one.renderBlockingStatus === 'blocking')";
    for (let tries = 1; tries <= 3; tries += 1) {
      const { page, context, close } = await openPage(browser, phone);
      const session = await context.newCDPSession(page);
      await session.send('Network.enable');
      // The values of the developer tools.
      await session.send('Network.emulateNetworkConditions', {
        offline: false,
        latency: 562.5,
        downloadThroughput: (1.6 * KB * KB * 0.9) / 8,
        uploadThroughput: (750 * KB * 0.9) / 8,
      });
      await page.addInitScript(`window.shift = 0;
        new PerformanceObserver((list) => { for (const { value } of list.getEntries()) window.shift += value; })
          .observe({ type: 'layout-shift', buffered: true });
        addEventListener('input', () => { window.typedAt ??= performance.now(); }, true);`);
      await page.goto(address, { waitUntil: 'commit' });
      const paint = "performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? 0";
      await until('it is painted', async () => (await page.evaluate<number>(paint)) > 0);
      expect(await page.evaluate<string[]>(`${blocking}.map(({ name }) => name)`)).to.deep.equal([]);
      await page.getByLabel('Card number').fill('4');
      await page.waitForLoadState('load');
      painted.push(Math.round(await page.evaluate<number>(paint)));
      usable.push(Math.round(await page.evaluate<number>('window.typedAt')));
      shifts.push(await page.evaluate<number>('window.shift'));
      await close();
    }
    console.log(
      `      painted after ${painted.join(', ')} ms, ready for input after ${usable.join(', ')} ms (limit 1500 ms)`,
    );
    // The limit that Lighthouse calls good: a logo that loads late moves nothing.
    expect(Math.max(...shifts), 'cumulative layout shift').to.be.below(0.1);
  });
});
