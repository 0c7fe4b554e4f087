/**
 * A payer who has the link pays on the gateway's own page: what the page shows, what the payer does, and the result.
 */
import { expect } from 'chai';
import { after, before, describe, it } from 'mocha';
import { payer } from '../support/bodies.ts';
import { postForm, press } from '../support/payer.ts';
import { pngImage } from '../../core/engine/access/testing/images.ts';
import { wordsOf } from '../../core/html/words/index.ts';
import { until } from '../../core/base/testing/until.ts';
import { expirePayments } from '../../workers/jobs/expire-payments.ts';
import { startGateway, type TestGateway } from '../support/start-gateway.ts';
import { toTestPayment, type TestPayment } from '../support/scenarios.ts';

type Fields = Readonly<Record<string, string>>;

const expiration = `12/${String(new Date().getUTCFullYear() + 3).slice(2)}`;
const card = (number: string): Fields & { readonly number: string } => ({ ...payer, number, expiration, cvv: '737' });

/** The text of a page, without its markup. */
async function textOf(page: Response): Promise<string> {
  const [, body = ''] = /<body[^>]*>(.*)<\/body>/s.exec(await page.text()) ?? [];
  return body.replaceAll(/<[^>]*>/g, ' ').replaceAll(/\s+/g, ' ');
}

describe('the page of a payment link', () => {
  let gateway: TestGateway;
  before(async () => {
    gateway = await startGateway({
      adapters: ['provider-a', 'provider-b', 'upi', 'crypto'],
      config: (config) => {
        config.routes = [
          { id: 1, when: { method: ['card'], currency: ['EUR'] }, use: ['provider-a'], fallback: false },
          { id: 2, when: { method: ['card'], currency: ['USD'] }, use: ['provider-b'], fallback: false },
          { id: 3, when: { method: ['upi_collect'] }, use: ['upi'], fallback: false },
          { id: 4, when: { method: ['crypto'], currency: ['USD'] }, use: ['crypto'], fallback: false },
        ];
      },
    });
  });
  after(async () => gateway.close());

  interface Link {
    readonly payment: TestPayment;
    readonly url: string;
    readonly page: (query?: string) => Promise<Response>;
    /** Fills in the form of the current page, and sends it. */
    readonly pay: (fields: Fields, way?: string) => Promise<Response>;
  }

  async function makeLink(unit = 'EUR', more: Readonly<Record<string, unknown>> = {}): Promise<Link> {
    const made = await gateway.post('/payment-requests', { amount: 25.9, unit, ...more });
    const url = made.json.paymentRequest.link as string;
    const page = async (query = ''): Promise<Response> => fetch(url + query, { redirect: 'manual' });
    const pay = async (fields: Fields, way = 'card') => press(await page(`&way=${way}`), 'way', way, fields);
    return { payment: toTestPayment(gateway, made), url, page, pay };
  }

  // oxlint-disable-next-line typescript/no-explicit-any -- tests read single members
  const loadPayment = async ({ id }: TestPayment): Promise<any> =>
    gateway.gateway.connection.collection<{ _id: number }>('paymentRequests').findOne({ _id: id });
  const attemptsOf = async (payment: TestPayment): Promise<number> => (await loadPayment(payment)).attempts.length;

  it('shows the shop, the amount and the payment ways that some provider accepts', async () => {
    const page = await (await makeLink()).page();
    expect(page.headers.get('x-frame-options')).to.equal('DENY');
    const html = await page.text();
    expect(html).to.include('Pay demo').and.include('€25.90').and.include('name="number"');
    expect(html).not.to.include('How would you like to pay?');
    const dollars = await textOf(await (await makeLink('USD')).page());
    expect(dollars).to.match(/How would you like to pay\? Card .* Bitcoin/);
    const rupees = await (await makeLink('INR')).page();
    expect(await rupees.text())
      .to.include('name="upiId"')
      .and.not.include('name="name"');
    expect(await textOf(await (await makeLink('JPY')).page())).to.include('demo has no way to accept JPY here');
  });

  it("stores the payer's input with the payment, and never finds, creates or changes a client", async () => {
    const { payment, pay } = await makeLink('EUR', { clientName: 'Mallory', clientMemberId: 'attacker' });
    const email = 'Victim@client.example';
    await pay({ ...card('4111111111111111'), email });
    expect(await payment.waitForStatus(2)).to.include({ payerEmail: email, clientEmail: null, clientName: 'Mallory' });
    const given = { amount: 1, unit: 'EUR', clientEmail: email.toLowerCase() };
    const { paymentRequest } = (await gateway.post('/payment-requests', given)).json;
    expect(paymentRequest).to.include({ clientEmail: given.clientEmail, clientMemberId: null });
    expect(paymentRequest.clientId).to.not.equal((await loadPayment(payment)).clientId);
  });

  it('offers another try after a decline, and leads to the shop after success', async () => {
    const more = { successUrl: 'https://shop.example/a', clientName: 'Rui', clientEmail: 'rui@client.example' };
    const { payment, url, page, pay } = await makeLink('EUR', more);
    // Links are passed on: client data must not be visible to everyone who has the link.
    expect(await (await page()).text()).not.to.match(/Rui|rui@/);
    const first = await pay(card('4000000000000002'));
    expect([first.status, new URL(first.headers.get('location')!, first.url).href]).to.deep.equal([303, url]);
    await payment.waitForStatus(3);
    expect(await textOf(await page()))
      .to.include('Your bank declined the payment')
      .and.include('try again');
    // Written as on a card, with spaces.
    await pay({ ...card('4111 1111 1111 1111'), country: 'pt' });
    expect(await payment.waitForStatus(2)).to.include({
      routeRuleId: 1,
      isH2h: false,
      payerEmail: payer.email,
      payerCountry: 'PT',
    });
    const done = await (await page()).text();
    expect(done).to.include('content="10;url=https://shop.example/a"').and.not.include('name="number"');
    // Browsers return without the link’s token, and are redirected immediately.
    expect((await fetch(gateway.payPage(payment.id), { redirect: 'manual' })).status).to.equal(303);
  });

  it('reports invalid input, and never returns a card number', async () => {
    const { payment, pay } = await makeLink();
    for (const [fields, problem] of [
      [{ ...card('4111111111111112') }, 'That card number isn’t valid'],
      [{ ...card('4111111111111111'), expiration: '01/20' }, 'This card has expired'],
      [{ ...card('4111111111111111'), email: 'ines' }, 'Enter an email address'],
      [{ ...card('4111111111111111'), cvv: '', name: ' ' }, 'Enter the security code'],
    ] as const) {
      const page = await pay(fields);
      const html = await page.clone().text();
      expect(page.status, problem).to.equal(400);
      expect(await textOf(page)).to.include(problem);
      // On its own only: the payment's id may contain any digits.
      expect(html)
        .to.include(`value="${payer.postalCode}"`)
        .and.not.include(fields.number)
        .and.not.match(/\b737\b/);
    }
    expect(await attemptsOf(payment)).to.equal(0);
  });

  it('pays once for a double click, and nothing for an outdated form', async () => {
    const { payment, page, pay } = await makeLink();
    const [one, two] = await Promise.all([page(), page()]);
    const clicks = [one, two].map(async (form) => press(form, 'way', 'card', card('4000000000000002')));
    expect((await Promise.all(clicks)).map(({ status }) => status)).to.deep.equal([303, 303]);
    await payment.waitForStatus(3);
    expect(await attemptsOf(payment)).to.equal(1);
    const old = await page();
    await pay(card('4000000000000002'));
    const late = await press(old, 'way', 'card', card('4111111111111111'));
    expect([late.status, await attemptsOf(payment)]).to.deep.equal([303, 2]);
  });

  it('limits attempts, so that no one can test cards', async () => {
    const { payment, pay } = await makeLink();
    for (let tries = 1; tries <= 10; tries += 1) await pay(card('4000000000000002'));
    const next = await pay(card('4111111111111111'));
    expect([next.status, await attemptsOf(payment)]).to.deep.equal([429, 10]);
    expect(await textOf(next)).to.include('There were too many attempts');
  });

  it('refuses another link’s token, and a body that is not a form', async () => {
    const { payment, url } = await makeLink();
    const { url: other } = await makeLink();
    const wrong = url.replace(/k=.*/, '') + other.replace(/.*\?/, '');
    const fields = { way: 'card', attempts: '0', ...card('4111111111111111') };
    expect((await postForm(wrong, fields)).status).to.equal(404);
    expect((await postForm(url.replace(/\?.*/, ''), fields)).status).to.equal(404);
    const headers = { 'Content-Type': 'application/json' };
    expect((await fetch(url, { method: 'POST', headers, body: JSON.stringify(fields) })).status).to.equal(400);
    expect((await postForm(url, { way: 'x'.repeat(200_000) })).status).to.equal(413);
    expect(await attemptsOf(payment)).to.equal(0);
  });

  it("uses the merchant's name, logo and colour", async () => {
    const { owners } = gateway.gateway.access;
    const logo = pngImage();
    await owners.setDefaults('demo', { displayName: 'Rua Shoes', logo, colour: '#0b7443' });
    const { url, page } = await makeLink();
    const html = await (await page()).text();
    const [, address = ''] = /<img class="logo" src="([^"]+)"/.exec(html) ?? [];
    const image = await fetch(new URL(address, url));
    expect([image.status, image.headers.get('content-type')]).to.deep.equal([200, 'image/png']);
    expect(Buffer.from(await image.arrayBuffer()).equals(logo)).to.equal(true);
    expect(html).to.include('Rua Shoes').and.include('--accent:#0b7443;');
    await owners.setDefaults('demo', { displayName: null, logo: null, colour: null });
    expect(await (await page()).text())
      .to.include('demo')
      .and.not.match(/<img class="logo"|accent:#0b7443/);
  });

  it('shows the end when the merchant cancels: on the page, for the payment, and to a payer who still tries', async () => {
    const expiresAt = new Date(Date.now() + 5000).toISOString();
    const [untried, tried] = [await makeLink('EUR', { expiresAt }), await makeLink('EUR', { expiresAt })];
    expect(await untried.payment.view()).to.include({ expiresAt, paymentRequestStatusId: 0 });
    await tried.pay(card('4000000000000002'));
    expect(await tried.payment.view()).to.include({ expiresAt, paymentRequestStatusId: 3 });
    const form = { way: 'card', attempts: '1', ...card('4111111111111111') };
    const { title } = wordsOf('en').states.expired;
    await until('it is cancelled', async () => (await textOf(await tried.page())).includes(title));
    expect((await textOf(await untried.page())).includes(title)).to.equal(true);
    expect((await postForm(tried.url, form)).status).to.equal(303);
    expect(await attemptsOf(tried.payment)).to.equal(1);
    await expirePayments.run(gateway.gateway, new AbortController().signal);
    expect(await untried.payment.view()).to.include({ paymentRequestStatusId: 5 });
    expect(await tried.payment.view()).to.include({ paymentRequestStatusId: 3 });
  });

  it("leads to the bank's challenge", async () => {
    const { payment, pay } = await makeLink();
    const sent = await pay(card('4000000000003220'));
    const led = await fetch(new URL(sent.headers.get('location')!, sent.url));
    const [, target = ''] = /content="0;url=([^"]+)"/.exec(await led.text()) ?? [];
    expect(target).to.match(/^http:\/\/127\.0\.0\.1:\d+\/v1\/challenge\//);
    expect(await payment.view()).to.include({ paymentRequestStatusId: 1, threeDs: true });
    // The status is not fetched before the payer visited the bank.
    await gateway.work();
    expect((await loadPayment(payment)).attempts[0]).to.deep.include({ fetchesRequested: 0, checks: 0 });
  });

  describe('after the return from the bank', () => {
    /** The cookie of the browser that opened the link, and the state once the bank's page sent the browser back. */
    async function passBank(choice: 'pass' | 'fail', more: Fields = {}): Promise<Link & { readonly cookie: string }> {
      const link = await makeLink('EUR', more);
      const cookies = (await link.page()).headers.getSetCookie().map((one) => one.split(';')[0]!);
      const sent = await link.pay(card('4000000000003220'));
      const led = await fetch(new URL(sent.headers.get('location')!, sent.url));
      const [, target = ''] = /content="0;url=([^"]+)"/.exec(await led.text()) ?? [];
      await press(await fetch(target), 'result', choice);
      await fetch(gateway.payPage(link.payment.id));
      await link.payment.waitForStatus(choice === 'pass' ? 2 : 3);
      return { ...link, cookie: cookies.find((one) => one.startsWith('link='))! };
    }
    const comeBack = async ({ payment }: Link, Cookie = '', query = ''): Promise<Response> =>
      fetch(gateway.payPage(payment.id) + query, { redirect: 'manual', headers: { Cookie } });

    for (const [choice, shown] of [
      ['pass', ['Payment complete', 'Reference GW-', 'Print this receipt']],
      ['fail', ['couldn’t verify that it was you', 'You can try again', 'Pay €25.90']],
    ] as const) {
      it(`leads the browser that opened the link to the whole page: ${choice}`, async () => {
        const link = await passBank(choice);
        for (const query of ['', '&cancelled=1']) {
          const back = await comeBack(link, link.cookie, query);
          expect([back.status, back.headers.get('location'), back.headers.get('cache-control')]).to.deep.equal([
            303,
            new URL(link.url).search,
            'no-store',
          ]);
          const whole = await fetch(new URL(back.headers.get('location')!, back.url), { redirect: 'manual' });
          expect(whole.status).to.equal(200);
          const text = await textOf(whole);
          for (const words of shown) expect(text).to.include(words);
        }
      });
    }

    it('shows other browsers only the state, and never the key of the link', async () => {
      const [link, other] = [await passBank('fail'), await passBank('fail')];
      const key = new URL(link.url).searchParams.get('k')!;
      for (const cookie of ['', other.cookie, 'link=AAAA', `link=${key}`]) {
        const back = await comeBack(link, cookie);
        const page = await back.text();
        expect([back.status, back.headers.get('location'), page.includes(key)]).to.deep.equal([200, null, false]);
        expect(page)
          .to.include('Your payment didn’t go through')
          .and.include('open your payment link')
          .and.include('25.90');
        expect(page).not.to.match(/verify that it was you|name="number"/);
      }
    });

    it('leads every browser to the shop’s address if there is one', async () => {
      const link = await passBank('fail', { failureUrl: 'https://shop.example/failed' });
      expect((await comeBack(link, link.cookie)).headers.get('location')).to.equal('https://shop.example/failed');
    });
  });

  it('asks for the member code, and again after a wrong one', async () => {
    const { payment, page, pay } = await makeLink('USD');
    await pay(card('4000000000003238'));
    const wrong = await press(await page(), 'way', 'confirm', { code: '000000' });
    expect([wrong.status, (await textOf(wrong)).includes('That code isn’t correct')]).to.deep.equal([400, true]);
    await press(await page(), 'way', 'confirm', { code: '123456' });
    await payment.waitForStatus(2);
  });

  it('waits for the payer’s UPI app', async () => {
    const { payment, page, pay } = await makeLink('INR');
    await pay({ ...payer, upiId: 'stuck@upi' }, 'upi_collect');
    const html = await (await page()).text();
    expect(html)
      .to.include('Approve the request in your UPI app')
      .and.match(/Until <time[^>]*>[^<]+ UTC</);
    expect(html).to.include('http-equiv="refresh"').and.not.include('stuck@upi');
    expect(await payment.view()).to.include({ paymentRequestStatusId: 1, paymentMethodId: 3 });
  });

  it('shows the address for the coins', async () => {
    const { payment, page, pay } = await makeLink('USD');
    await pay(payer, 'crypto.BTC');
    const text = await textOf(await page());
    expect(text).to.match(/Amount [\d.]+ BTC Copy Exchange rate 1 BTC = \S+ Network \S+ Address [\w ]+ Copy /);
    await payment.waitForStatus(2);
  });
});
