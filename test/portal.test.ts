/** The merchant's portal over HTTP, on a gateway with real payments and a receiver. */
import { createHmac } from 'node:crypto';
import { expect } from 'chai';
import { after, afterEach, before, beforeEach, describe, it } from 'mocha';
import { pino } from 'pino';
import { createApp } from '../core/app.ts';
import { startServer } from '../core/http/index.ts';
import { createPortalLinks, type CreatedPortalLink, type PortalLinks } from '../core/engine/access/index.ts';
import { until } from '../core/base/testing/until.ts';
import { cardBody } from './support/bodies.ts';
import { FormBrowser, type Page } from './support/form-browser.ts';
import { startReceiver, type Receiver } from './support/receiver.ts';
import { toTestPayment, type TestPayment } from './support/scenarios.ts';
import { startGateway, type TestGateway } from './support/start-gateway.ts';

const markup = '<b onload="x">&\'';
const log = pino({ level: 'silent' });
const by = 'command ana';

describe("the merchant's portal", () => {
  let gateway: TestGateway;
  let receiver: Receiver;
  let links: PortalLinks;
  let owner: { readonly id: number; readonly name: string };
  let paid: TestPayment;

  before(async () => {
    receiver = await startReceiver();
    gateway = await startGateway({ adapters: ['provider-a'], worksLater: true });
    owner = { id: gateway.ownerId, name: 'demo' };
    await gateway.gateway.access.owners.setDefaults('demo', { testNotifyUrl: receiver.url });
    links = linksOf();
    paid = await pay();
  });
  after(async () => {
    await gateway.close();
    await receiver.close();
  });
  afterEach(() => {
    receiver.answer = (response) => response.writeHead(200).end();
  });

  /** Links as another process sees them. */
  function linksOf(): PortalLinks {
    const { connection, httpDeps } = gateway.gateway;
    const { encrypter, now } = httpDeps;
    return createPortalLinks({ connection, encrypter, publicUrl: gateway.url, now, log });
  }

  async function createLink(members: Partial<Parameters<PortalLinks['create']>[0]> = {}): Promise<CreatedPortalLink> {
    return links.create({ owner, environment: 'test', allowsRotation: false, ...members }, by);
  }

  const pathOf = ({ url }: CreatedPortalLink): string => url.slice(gateway.url.length);

  async function enter(made?: CreatedPortalLink): Promise<FormBrowser> {
    const browser = new FormBrowser(gateway.url);
    const { status } = await browser.get(pathOf(made ?? (await createLink())));
    expect(status).to.equal(200);
    return browser;
  }

  async function pay(more: object = {}): Promise<TestPayment> {
    const body = cardBody('4111111111111111', '25.90', { referenceId: `R${markup}`, ...more });
    const payment = toTestPayment(gateway, await gateway.post('/payments/h2h/11', body));
    await payment.waitForStatus(2);
    return payment;
  }

  /** The id of the payment's notification once it has this state. */
  async function waitForDelivery({ id }: TestPayment, state = 'delivered'): Promise<string> {
    const rows = gateway.gateway.connection.collection<{ _id: string }>('notifications');
    const which = { paymentRequestId: id, type: 'payment.succeeded', state };
    const row = await until(`the notification is ${state}`, async () => (await rows.findOne(which)) ?? undefined);
    return row._id;
  }

  const auditOf = async (act: string) => {
    const entries = gateway.gateway.connection.collection('audit');
    return entries.find({ act, state: 'done' }).toArray();
  };

  describe('and access to it', () => {
    it('opens by the link, which appears in no address afterwards', async () => {
      const made = await createLink();
      const browser = new FormBrowser(gateway.url);
      const { status, headers, text } = await browser.get(pathOf(made));
      expect(status).to.equal(200);
      expect(headers.get('set-cookie')).to.match(
        /^gateway_portal=[\w-]+; Path=\/portal; Max-Age=3[56]\d\d; HttpOnly; SameSite=Strict$/,
      );
      expect(text).to.contain('content="0;url=/portal"').and.not.to.contain(made.id);
      const page = await browser.get('/portal');
      expect(page.status).to.equal(200);
      expect(page.text).to.contain('test mode').and.not.to.contain(made.id);
      for (const one of [headers, page.headers]) {
        expect(one.get('cache-control')).to.equal('no-store');
        expect(one.get('x-robots-tag')).to.equal('noindex');
        expect(one.get('referrer-policy')).to.equal('no-referrer');
        expect(one.get('content-security-policy')).to.match(/default-src 'none'.*frame-ancestors 'none'/);
      }
      const [, style = ''] = /<link rel="stylesheet" href="([^"]+)"/.exec(page.text) ?? [];
      expect((await fetch(new URL(style, `${gateway.url}/portal`))).headers.get('content-type')).to.contain('text/css');
    });

    it('sets a cookie for https and the path prefix of the public address', async () => {
      const { httpDeps } = gateway.gateway;
      const config = { ...httpDeps.config, publicUrl: 'https://pay.example/gateway' };
      const ready = async () => ({ ok: true, parts: {} });
      const app = createApp({ ...httpDeps, config, health: { ready } });
      const server = await startServer(app, { host: '127.0.0.1', port: 0 });
      const { headers, text } = await new FormBrowser(`http://127.0.0.1:${server.port}`).get(
        pathOf(await createLink()),
      );
      await server.close(0);
      expect(headers.get('set-cookie')).to.match(/; Path=\/gateway\/portal; .*; HttpOnly; Secure; SameSite=Strict$/);
      expect(text).to.contain('content="0;url=/gateway/portal"');
    });

    it('refuses a forged, expired or revoked link with the same response, a limited number of times', async () => {
      const [ended, revoked, made] = [await createLink(), await createLink(), await createLink()];
      const rows = gateway.gateway.connection.collection<{ _id: string }>('portalLinks');
      await rows.updateOne({ _id: ended.id }, { $set: { expiresAt: new Date(Date.now() - 1) } });
      await links.revoke(revoked.id);
      const [, signature = ''] = made.url.split('.').slice(-2);
      const forged = [
        '/portal/open',
        '/portal/open?link=',
        `/portal/open?link=plink_${'0'.repeat(16)}.${signature}`,
        `${pathOf(made).slice(0, -3)}AAA`,
        pathOf(ended),
        pathOf(revoked),
      ];
      const answers = new Set<string>();
      for (const path of forged) {
        const { status, text, headers } = await new FormBrowser(gateway.url).get(path);
        expect(headers.get('set-cookie'), path).to.equal(null);
        answers.add(`${status} ${text}`);
      }
      expect(answers.size, [...answers].join('\n')).to.equal(1);
      expect([...answers][0]).to.match(/^403 .*This link has expired/s);
      const all = await Promise.all(
        Array.from({ length: 30 }, async () => new FormBrowser(gateway.url).get('/portal/open?link=x')),
      );
      expect(all.some(({ status }) => status === 429)).to.equal(true);
      await enter(made);
    });

    it('closes within 2 s after another process revoked the link', async () => {
      const made = await createLink();
      const browser = await enter(made);
      expect((await browser.get('/portal/calls')).status).to.equal(200);
      const began = Date.now();
      await linksOf().revoke(made.id);
      await until('it is closed', async () => (await browser.get('/portal')).status === 403);
      expect(Date.now() - began).to.be.below(2500);
      expect((await browser.post('/portal/endpoints/test', {})).status).to.equal(403);
    });

    it('refuses a request without the cookie, or with an invalid one', async () => {
      for (const cookie of ['', 'gateway_portal=x', 'gateway_console=x']) {
        const browser = new FormBrowser(gateway.url);
        browser.cookie = cookie;
        for (const path of ['/portal', '/portal/endpoints', '/portal/calls', `/portal/deliveries/${paid.id}-1`])
          expect((await browser.get(path)).status, `${path} ${cookie}`).to.equal(403);
      }
    });

    it('says to a visitor without a session how to get one, and that a form changed nothing', async () => {
      const browser = new FormBrowser(gateway.url);
      for (const path of ['/portal', '/portal/payments']) {
        const { status, text } = await browser.get(path);
        expect(status, path).to.equal(403);
        expect(text)
          .to.contain('You are not signed in')
          .and.to.contain('Open your link again')
          .and.not.to.contain('Nothing');
      }
      expect((await browser.post('/portal/secret', { sure: 'yes' })).text).to.contain('Nothing was changed.');
    });

    it('shows a page of the portal at an unknown address, with a way back', async () => {
      for (const browser of [await enter(), new FormBrowser(gateway.url)])
        for (const path of ['/portal/nowhere', '/portal/', '/portal/deliveries/a/b', '/portal/endpoints/test']) {
          const { status, text } = await browser.get(path);
          expect(status, path).to.equal(404);
          expect(text)
            .to.contain('<h1>This page does not exist</h1>')
            .and.to.match(/class="button main" href="\/portal"/);
        }
    });

    it('ends the session on leaving', async () => {
      const browser = await enter();
      const { headers } = await browser.press(await browser.get('/portal'), '/portal/leave');
      expect(headers.get('set-cookie')).to.contain('gateway_portal=; Path=/portal; Max-Age=0');
    });
  });

  describe('and its pages', () => {
    it('shows only one owner and one mode', async () => {
      const id = await waitForDelivery(paid);
      const { ownerId } = await gateway.gateway.access.keys.create({ owner: 'Other', environment: 'sandbox' });
      const others = [
        await createLink({ owner: { id: ownerId, name: 'Other' } }),
        await createLink({ environment: 'live' }),
      ];
      for (const made of others) {
        const browser = await enter(made);
        const list = await browser.get('/portal');
        expect(list.text).to.contain('No deliveries found').and.not.to.contain(id);
        expect((await browser.get('/portal/calls')).text).to.contain('No API calls yet');
        expect((await browser.get('/portal/endpoints')).text).not.to.contain(new URL(receiver.url).origin);
        expect((await browser.get(`/portal/deliveries/${id}`)).status).to.equal(404);
        const token = /name="formToken" value="([^"]+)"/.exec(list.text)?.[1] ?? '';
        const acts = {
          [`/portal/deliveries/${id}/resend`]: {},
          '/portal/endpoints/test': { origin: new URL(receiver.url).origin },
        };
        for (const [path, fields] of Object.entries(acts))
          expect((await browser.post(path, { formToken: token, ...fields })).status, path).to.equal(404);
      }
    });

    it('shows a delivery with its request, the response and each attempt', async () => {
      const id = await waitForDelivery(paid);
      const browser = await enter();
      const list = await browser.get(`/portal?payment=${paid.id}&state=delivered&type=payment.succeeded`);
      expect(list.text).to.contain(`href="/portal/deliveries/${id}"`).and.to.contain('HTTP 200');
      const { text } = await browser.get(`/portal/deliveries/${id}`);
      expect(text).to.contain(`POST ${receiver.url}`).and.to.contain(`webhook-id: ${id}`).and.to.contain('HTTP 200');
      const sent = receiver.ofPayment(paid.id).find(({ json }) => json.id === id)!;
      const shown = text
        .replaceAll('&quot;', '"')
        .replaceAll('&#39;', "'")
        .replaceAll('&lt;', '<')
        .replaceAll('&gt;', '>');
      const [, body = ''] = /\n\n(\{.*\})<\/pre>/s.exec(shown.replaceAll('&amp;', '&')) ?? [];
      expect(JSON.parse(body)).to.deep.equal(sent.json);
      expect(text).not.to.contain(gateway.webhookSecret);
    });

    it('offers to send again what was not delivered in the list, and everything on its own page', async () => {
      const id = await waitForDelivery(await pay());
      const browser = await enter();
      const resend = `action="/portal/deliveries/${id}/resend"`;
      const readList = async (): Promise<string> => (await browser.get('/portal')).text;
      expect(await readList())
        .to.contain(`/portal/deliveries/${id}"`)
        .and.not.to.contain(resend);
      const { text } = await browser.get(`/portal/deliveries/${id}`);
      expect(text).to.contain('<h1>Payment succeeded</h1>').and.to.contain(resend);
      const rows = gateway.gateway.connection.collection<{ _id: string }>('notifications');
      await rows.updateOne({ _id: id }, { $set: { state: 'exhausted' } });
      expect(await readList()).to.contain(resend);
      await rows.updateOne({ _id: id }, { $set: { state: 'delivered' } });
    });

    it('says on every page of test mode that no real money moves', async () => {
      const [test, live] = [await enter(), await enter(await createLink({ environment: 'live' }))];
      for (const path of ['/portal', '/portal/payments', '/portal/endpoints', '/portal/calls']) {
        expect((await test.get(path)).text, path).to.contain('Test mode: no real money moves.');
        expect((await live.get(path)).text, path).not.to.contain('no real money moves');
      }
    });

    it('escapes all text that came from outside', async () => {
      const id = await waitForDelivery(paid);
      const shop = await gateway.gateway.access.owners.findOrCreate(`Shop ${markup}`);
      const [browser, other] = [await enter(), await enter(await createLink({ owner: shop }))];
      const query = encodeURIComponent(markup);
      for (const path of [
        `/portal/deliveries/${id}`,
        `/portal?type=${query}&payment=${query}&cursor=${query}`,
        `/portal/calls?cursor=${query}`,
        `/portal/deliveries/${query}`,
      ]) {
        const { text } = await browser.get(path);
        expect(text, path).to.contain('<h1>').and.not.to.contain('<b onload');
      }
      for (const path of ['/portal', '/portal/endpoints', '/portal/calls'])
        expect((await other.get(path)).text, path)
          .to.contain('Shop &lt;b onload=&quot;x&quot;&gt;&amp;&#39;')
          .and.not.to.contain('<b onload');
    });
  });

  describe('and its actions', () => {
    const origin = (): string => new URL(receiver.url).origin;

    it('accepts only forms of the session', async () => {
      const id = await waitForDelivery(paid);
      const [browser, other] = [await enter(), await enter()];
      const token = /name="formToken" value="([^"]+)"/.exec((await other.get('/portal')).text)?.[1] ?? '';
      for (const fields of [{}, { formToken: token }, { formToken: '' }]) {
        const { status, text } = await browser.post(`/portal/deliveries/${id}/resend`, fields);
        expect([status, text.includes('another session')], JSON.stringify(fields)).to.deep.equal([403, true]);
      }
    });

    it('sends a notification again, and records the link in the audit log', async () => {
      const id = await waitForDelivery(paid);
      const before = receiver.ofPayment(paid.id).length;
      const made = await createLink();
      const browser = await enter(made);
      const path = `/portal/deliveries/${id}`;
      const { status, location } = await browser.press(await browser.get(path), `${path}/resend`);
      expect([status, location]).to.deep.equal([303, `${path}?done=yes`]);
      await until('the notification arrived again', () => receiver.ofPayment(paid.id).length > before);
      const [entry] = (await auditOf('notification.resend')).slice(-1);
      expect(entry?.['actor']).to.deep.equal({ type: 'portal', name: made.id, from: '127.0.0.1' });
    });

    it('says on the page of a refused form why it was refused, and what an action did once', async () => {
      const browser = await enter();
      const page = await browser.get('/portal/endpoints');
      const wrong = await browser.press(page, '/portal/endpoints/test', { origin: 'https://other.example' }, origin());
      expect(wrong.status).to.equal(404);
      expect(wrong.text)
        .to.contain('<h1>Endpoints</h1>')
        .and.to.contain('<strong>Test event failed.</strong>')
        .and.to.contain('<link rel="canonical" href="/portal/endpoints" />');
      const elsewhere = { origin: 'https://other.example', onPage: 'https://other.example/portal/endpoints' };
      const none = await browser.press(page, '/portal/endpoints/test', elsewhere, origin());
      expect([none.status, none.text.includes('<h1>Test event failed</h1>')]).to.deep.equal([404, true]);
      const id = await waitForDelivery(paid);
      const path = `/portal/deliveries/${id}`;
      const { location } = await browser.press(await browser.get(path), `${path}/resend`);
      expect((await browser.get(location!)).text).to.contain('Notification queued: it is sent again now.');
      expect((await browser.get(location!)).text).not.to.contain('Notification queued');
    });

    it('sends a signed test event, and shows the response', async () => {
      const browser = await enter();
      const page = await browser.get('/portal/endpoints');
      expect(page.text).to.contain('working').and.to.contain('This link does not allow changes');
      const { status, location } = await browser.press(page, '/portal/endpoints/test', {}, origin());
      expect(status).to.equal(303);
      const findTestEvents = () => receiver.received.filter(({ json }) => json.type === 'webhook.test');
      await until('the test event arrived', () => findTestEvents().length > 0);
      const { headers, body, json } = findTestEvents()[0]!;
      expect(json).to.include({ type: 'webhook.test', mode: 'test' });
      const mac = createHmac('sha512', gateway.webhookSecret).update(body).digest('hex');
      expect(headers['x-webhook-signature']).to.equal(mac);
      const shown = async () => (await browser.get(location!)).text.includes('HTTP 200');
      await until('the answer is there', shown);
      expect((await auditOf('endpoint.test')).length).to.equal(1);
    });

    it('enables a disabled address through a delivered test event, and through the button', async () => {
      const endpoints = gateway.gateway.connection.collection<{ _id: string; [member: string]: unknown }>('endpoints');
      const rows = gateway.gateway.connection.collection<{ _id: string }>('notifications');
      const kept = await waitForDelivery(paid);
      for (const how of ['test', 'enable']) {
        // The event was made before the failures started.
        const failingSince = new Date();
        const host = new URL(receiver.url).host;
        await endpoints.insertOne({
          _id: `${owner.id}:test:${origin()}`,
          ownerId: owner.id,
          environment: 'test',
          origin: origin(),
          receiver: host,
          failingSince,
          disabledAt: failingSince,
        });
        const attempts = [{ at: failingSince, ms: 5, status: 500, error: null }];
        await rows.updateOne({ _id: kept }, { $set: { state: 'exhausted', attempts } });
        const before = receiver.ofPayment(paid.id).length;
        const browser = await enter();
        const page = await browser.get('/portal/endpoints');
        expect(page.text).to.contain('disabled').and.to.contain('Every attempt has failed for 0 s. It is disabled');
        const deliveries = await browser.get('/portal');
        expect(deliveries.text).to.contain(`<strong>${origin()}</strong> fails. Every attempt has failed for 0 s.`);
        const { status } = await browser.press(page, `/portal/endpoints/${how}`, {}, origin());
        expect(status, how).to.equal(303);
        await until(`enabled by ${how}`, async () => (await endpoints.countDocuments()) === 0);
        await until('kept notifications are sent', () => receiver.ofPayment(paid.id).length > before);
      }
      expect((await auditOf('endpoint.enable')).length).to.equal(1);
      const browser = await enter();
      const token = /name="formToken" value="([^"]+)"/.exec((await browser.get('/portal')).text)?.[1] ?? '';
      const again = await browser.post('/portal/endpoints/enable', { formToken: token, origin: origin() });
      expect(again.status, 'no address fails').to.equal(404);
    });

    it('rotates the webhook secret only if the link allows it, asks for confirmation, and shows the secret once', async () => {
      const [without, made] = [await createLink(), await createLink({ allowsRotation: true })];
      const closed = await enter(without);
      const token = /name="formToken" value="([^"]+)"/.exec((await closed.get('/portal')).text)?.[1] ?? '';
      const refused = await closed.post('/portal/secret', { formToken: token, sure: 'yes' });
      expect([refused.status, refused.text.includes('does not allow changes')]).to.deep.equal([403, true]);

      const browser = await enter(made);
      const asked = await browser.press(await browser.get('/portal/endpoints'), '/portal/secret');
      expect(asked.text).to.contain('Rotate the webhook secret?').and.not.to.contain('whsec_');
      const [{ text }, doubleClick] = await Promise.all([
        browser.press(asked, '/portal/secret'),
        browser.press(asked, '/portal/secret'),
      ]);
      const [secret = ''] = /whsec_[A-Za-z0-9+/]{43}=/.exec(text) ?? [];
      const { owners } = gateway.gateway.access;
      expect(await owners.webhookSecrets(owner.id, 'test')).to.deep.equal({
        current: secret,
        previous: gateway.webhookSecret,
      });
      expect(doubleClick.text, 'a second rotation would invalidate the current secret').to.contain(secret);
      expect((await browser.press(asked, '/portal/secret')).text).to.contain(secret);
      expect((await auditOf('secret.rotate')).length).to.equal(1);
      expect((await browser.get('/portal/endpoints')).text).not.to.contain('whsec_');
      const [entry] = await auditOf('secret.rotate');
      expect(JSON.stringify(entry)).to.contain(made.id).and.not.to.contain(secret);
      expect(gateway.logged.filter((line) => line.includes(secret))).to.deep.equal([]);
    });

    it('limits actions per minute and link', async () => {
      const browser = await enter();
      const id = await waitForDelivery(paid);
      const page = await browser.get(`/portal/deliveries/${id}`);
      const press = async (): Promise<Page> => browser.press(page, `/portal/deliveries/${id}/resend`);
      const all = await Promise.all(Array.from({ length: 62 }, press));
      const refused = all.filter(({ status }) => status === 429);
      expect(refused.length).to.be.greaterThan(0);
      expect(refused[0]!.text).to.contain('at most 30 a minute');
    });
  });

  describe('and changes of the merchant', () => {
    const merchant = async () => (await gateway.gateway.access.owners.find('demo'))!;

    it('lists payments of this owner and mode, without data of the payer', async () => {
      const browser = await enter();
      const { text } = await browser.get('/portal/payments?status=paid');
      expect(text).to.contain(`href="/portal/payments/${paid.id}"`).and.to.contain('€25.90');
      expect(text).not.to.contain('1111').and.not.to.contain('@');
      const shop = await gateway.gateway.access.owners.findOrCreate('Another shop');
      const other = await enter(await createLink({ owner: shop }));
      expect((await other.get('/portal/payments')).text)
        .to.contain('No payments found')
        .and.not.to.contain(`${paid.id}`);
    });

    it('shows the accounts of the merchant without options, and filters by them, once there are several', async () => {
      const browser = await enter();
      expect((await browser.get('/portal/payments')).text).not.to.contain('provider-a/main');
      const { registry } = gateway.gateway.providers;
      const main = registry.byName('provider-a')!;
      const shop = { ...main, account: 'shop', ref: 'provider-a/shop' };
      registry.replace([
        main,
        { ...shop, merchants: ['demo'] },
        { ...shop, account: 'x', ref: 'provider-a/x', merchants: [] },
      ]);
      try {
        const { id } = await pay({ referenceId: 'SHOP' });
        const list = await browser.get('/portal/payments');
        expect(list.text)
          .to.contain('<option value="provider-a/shop">')
          .and.match(/<td[^>]*>provider-a\/shop<\/td>/)
          .and.not.contain('provider-a/x')
          .and.not.contain('aak_open');
        const own = await browser.get('/portal/payments?account=provider-a/shop');
        expect(own.text).to.contain(`/portal/payments/${id}`).and.not.contain(`/portal/payments/${paid.id}`);
        expect((await browser.get(`/portal/payments/${id}`)).text).to.contain('provider-a/shop');
      } finally {
        registry.replace([main]);
      }
    });

    it('says what became of a payment: refunded in part, disputed, cancelled, or failed with the reason', async () => {
      const part = await pay({ referenceId: 'PART' });
      await gateway.post(`/payment-requests/${part.id}/refund`, { amount: 5 });
      const open = await gateway.post('/payment-requests', { amount: 7, unit: 'EUR', referenceId: 'CANC' });
      await gateway.post(`/payment-requests/${toTestPayment(gateway, open).id}/cancel`, undefined);
      await gateway.post('/payments/h2h/11', cardBody('4111111111111111', '12.50', { referenceId: 'ERR' }));
      const disputed = toTestPayment(
        gateway,
        await gateway.post('/payments/h2h/11', cardBody('4000000000000440', '25.90', { referenceId: 'DISP' })),
      );
      await until('the case is lost', async () => {
        const { json } = await gateway.get(`/payment-requests/${disputed.id}`);
        return json['chargedBack'] === true ? true : undefined;
      });
      const browser = await enter();
      const rowOf = async (reference: string): Promise<string> => {
        const { text } = await browser.get(`/portal/payments?reference=${reference}`);
        return text.slice(text.indexOf('<tbody'));
      };
      expect(await rowOf('PART')).to.contain('€5.00</data> refunded');
      expect(await rowOf('CANC'))
        .to.contain('badge calm">cancelled')
        .and.not.to.contain('expired');
      expect(await rowOf('ERR'))
        .to.contain('Sandbox error on purpose: the amount ends in .50.')
        .and.to.contain('<a href="/docs/testing">');
      expect(await rowOf('DISP')).to.match(/badge bad">(Disputed|Charged back)/);
    });

    it('says why a payment cannot be paid, and how much of it has arrived', async () => {
      const none = { amount: 0.001, unit: 'BTC', referenceId: 'NONE' };
      const { id } = toTestPayment(gateway, await gateway.post('/payment-requests', none));
      const open = cardBody('4000000000003220', '25.90', { referenceId: 'COINS' });
      const coins = toTestPayment(gateway, await gateway.post('/payments/h2h/11', open));
      const payments = gateway.gateway.connection.collection<{ _id: number }>('paymentRequests');
      await payments.updateOne({ _id: coins.id }, { $set: { 'attempts.0.received': '12.15' } });
      const browser = await enter();
      const { text } = await browser.get('/portal/payments');
      expect(text)
        .to.contain('The payer can’t pay it: BTC is a currency that no route accepts')
        .and.to.contain('Received 12.15 EUR of 25.90 EUR');
      expect((await browser.get(`/portal/payments/${id}`)).text).to.contain(
        '<strong>The payer can’t pay it:</strong> BTC',
      );
    });

    it('shows one payment: amounts, refunds, deliveries and the link for the payer, without payer and card', async () => {
      const part = await pay({ referenceId: 'ONE' });
      await gateway.post(`/payment-requests/${part.id}/refund`, { amount: 5 });
      const id = await waitForDelivery(part);
      const browser = await enter();
      const { text } = await browser.get(`/portal/payments/${part.id}`);
      for (const shown of [
        '<dd>ONE</dd>',
        '€25.90',
        '€5.00',
        '€20.90',
        `/portal/deliveries/${id}`,
        'Payment succeeded',
      ])
        expect(text).to.contain(shown);
      expect(text, 'nothing is left to pay').not.to.contain('/pay/');
      for (const secret of ['1111', '@', 'Ines', 'GW-TEST']) expect(text).not.to.contain(secret);

      const open = await gateway.post('/payment-requests', { amount: 7, unit: 'EUR' });
      const { id: openId, link } = open.json['paymentRequest'] as { id: number; link: string };
      expect((await browser.get(`/portal/payments/${openId}`)).text).to.contain(`data-copy="${link}"`);
      const failed = toTestPayment(
        gateway,
        await gateway.post('/payments/h2h/11', cardBody('4000000000009995', '25.90')),
      );
      expect((await browser.get(`/portal/payments/${failed.id}`)).text).to.match(/Insufficient funds \(code 51\)/);

      const shop = await gateway.gateway.access.owners.findOrCreate('Another shop');
      const others = [await createLink({ owner: shop }), await createLink({ environment: 'live' })];
      for (const made of others) {
        const { status, text: refused } = await (await enter(made)).get(`/portal/payments/${part.id}`);
        expect([status, refused.includes('25.90')]).to.deep.equal([404, false]);
      }
      for (const wrong of ['0', 'x', '9'.repeat(20)])
        expect((await browser.get(`/portal/payments/${wrong}`)).status, wrong).to.equal(404);
    });

    it('changes the default address after a confirmation, only with a link that allows it', async () => {
      const [closed, open] = [await enter(), await enter(await createLink({ allowsRotation: true }))];
      const token = /name="formToken" value="([^"]+)"/.exec((await closed.get('/portal')).text)?.[1] ?? '';
      for (const path of ['address', 'types', 'disable'])
        expect((await closed.post(`/portal/endpoints/${path}`, { formToken: token, url: '' })).status, path).to.equal(
          403,
        );
      expect((await closed.post('/portal/secret/show', { formToken: token })).status).to.equal(403);

      const url = `${receiver.url}?of=portal`;
      const page = await open.get('/portal/endpoints');
      const asked = await open.press(page, '/portal/endpoints/address', { url });
      expect(asked.text).to.contain('Change the default endpoint?').and.to.contain(url);
      expect((await open.press(asked, '/portal/endpoints/address')).status).to.equal(303);
      expect((await merchant()).notifyUrls.test).to.equal(url);
      expect((await auditOf('owner.set')).at(-1)).to.deep.include({ subject: { type: 'owner', id: 'demo' } });

      const refused = await open.press(page, '/portal/endpoints/address', { url: 'http://10.0.0.1/x' });
      expect((await open.press(refused, '/portal/endpoints/address')).text).to.match(/cannot receive notifications/i);
      await gateway.gateway.access.owners.setDefaults('demo', { testNotifyUrl: receiver.url });
    });

    it('shows the present secret, and records that', async () => {
      const browser = await enter(await createLink({ allowsRotation: true }));
      const shown = await browser.press(await browser.get('/portal/endpoints'), '/portal/secret/show');
      const { current } = await gateway.gateway.access.owners.webhookSecrets(owner.id, 'test');
      expect(shown.text).to.contain(current);
      const entries = await auditOf('secret.show');
      expect(entries).to.have.lengthOf(1);
      expect(JSON.stringify(entries)).not.to.contain(current);
    });

    it('chooses the events with a link of live mode, because both modes share them', async () => {
      const test = await enter(await createLink({ allowsRotation: true }));
      const token = /name="formToken" value="([^"]+)"/.exec((await test.get('/portal')).text)?.[1] ?? '';
      expect((await test.post('/portal/endpoints/types', { formToken: token })).status).to.equal(403);
      const live = await enter(await createLink({ allowsRotation: true, environment: 'live' }));
      const page = await live.get('/portal/endpoints');
      const formToken = /name="formToken" value="([^"]+)"/.exec(page.text)?.[1] ?? '';
      const chosen = { 'type.payment.succeeded': 'yes', 'type.payment.failed': 'yes' };
      expect((await live.post('/portal/endpoints/types', { formToken, ...chosen })).status).to.equal(303);
      expect((await merchant()).notificationTypes).to.have.members(['payment.succeeded', 'payment.failed']);
      expect((await live.post('/portal/endpoints/types', { formToken })).text).to.contain('must be some of');
      await gateway.gateway.access.owners.setDefaults('demo', { notificationTypes: null });
    });

    it('disables an endpoint after a confirmation, and enables it', async () => {
      const browser = await enter(await createLink({ allowsRotation: true }));
      await waitForDelivery(paid);
      const origin = new URL(receiver.url).origin;
      const asked = await browser.press(
        await browser.get('/portal/endpoints'),
        '/portal/endpoints/disable',
        {},
        origin,
      );
      expect(asked.text).to.contain(`Disable ${origin}?`);
      expect((await browser.press(asked, '/portal/endpoints/disable')).status).to.equal(303);
      const page = await browser.get('/portal/endpoints');
      expect(page.text).to.contain('badge bad">disabled<');
      expect((await browser.press(page, '/portal/endpoints/enable', {}, origin)).status).to.equal(303);
    });
  });

  describe('the log of API calls', () => {
    let browser: FormBrowser;
    beforeEach(async () => {
      browser = await enter();
    });

    async function waitForText(path: string, text: string): Promise<string> {
      let page = '';
      await until(`the log shows ${text}`, async () => {
        page = (await browser.get(path)).text;
        return page.includes(text);
      });
      return page;
    }

    it('shows path, status, time, key and request id, and never a query or a body', async () => {
      const headers = { 'X-Request-Id': 'look-for-me' };
      await gateway.get(`/payment-requests?referenceId=query-secret`, headers);
      const refused = await gateway.post(
        '/payments/creditCard/10042',
        { name: 'body-secret' },
        { 'X-Request-Id': 'bad' },
      );
      expect(refused.status).to.equal(400);
      const text = await waitForText('/portal/calls', '<small>bad</small>');
      await waitForText('/portal/calls', 'look-for-me');
      const { keyId } = (await gateway.gateway.access.keys.list({ owner: 'demo' }))[0]!;
      for (const part of [
        '/payments/creditCard/10042',
        '/payment-requests <',
        'POST',
        keyId,
        '<span class="badge bad">400',
        '/docs/errors#VAL00',
      ])
        expect(text, part).to.contain(part);
      const kept = await gateway.gateway.connection.collection('apiCalls').find().toArray();
      for (const word of ['query-secret', 'body-secret', gateway.key, '4111111111111111'])
        expect(JSON.stringify(kept), word).not.to.contain(word);
      const { at, expireAt } = kept[0] as unknown as Readonly<Record<'at' | 'expireAt', Date>>;
      expect(expireAt.getTime() - at.getTime()).to.equal(7 * 86_400_000);
    });

    it('links the payment that a call is about', async () => {
      await gateway.get(`/payment-requests/${paid.id}/timeline`, { 'X-Request-Id': 'of-a-payment' });
      const text = await waitForText('/portal/calls', 'of-a-payment');
      expect(text).to.contain(`/payment-requests/<a href="/portal/payments/${paid.id}">${paid.id}</a>/timeline`);
    });

    it('hides a card number in a path', async () => {
      await fetch(`${gateway.url}/notifications/4111111111111111/resend`, {
        method: 'POST',
        headers: { 'X-API-Key': gateway.key, 'X-Request-Id': 'card-in-path' },
      });
      const text = await waitForText('/portal/calls', 'card-in-path');
      expect(text).to.contain('/notifications/[hidden]/resend').and.not.to.contain('4111111111111111');
    });

    it('hides a secret or a key in a path or a request id, at any position', async () => {
      const [secret, slashed] = [65, 251].map((byte) => `whsec_${Buffer.alloc(32, byte).toString('base64')}`);
      const other = `gk_live_${'a'.repeat(43)}`;
      const paths = [
        `/notifications/${secret}/resend`,
        `/notifications/${encodeURIComponent(slashed!)}/resend`,
        `/notifications/${other}/resend`,
        `/notifications/${'x'.repeat(160)}-${secret}/resend`,
        `/notifications/${'x'.repeat(170)}:4111111111111111/resend`,
      ];
      for (const path of paths)
        await fetch(`${gateway.url}${path}`, {
          method: 'POST',
          headers: { 'X-API-Key': gateway.key, 'X-Request-Id': 'secret-in-path' },
        });
      await fetch(`${gateway.url}/payment-requests`, {
        headers: { 'X-API-Key': gateway.key, 'X-Request-Id': `at-${other}` },
      });
      const calls = gateway.gateway.connection.collection('apiCalls');
      const kept = await until(
        'all are kept',
        async () => {
          const found = await calls.find({ requestId: /^(secret-in-path|at-)/ }).toArray();
          return found.length === paths.length + 1 && JSON.stringify(found);
        },
        10_000,
      );
      for (const part of ['QUFB', 'v7%2B', 'v7+', 'aaaa', '411111']) expect(kept).not.to.contain(part);
      expect(kept).to.contain('/notifications/whsec_[hidden]').and.to.contain('gk_live_[hidden]');
    });

    it('leaves out calls without a key, and has pages', async () => {
      await fetch(`${gateway.url}/payment-requests`, { headers: { 'X-Request-Id': 'keyless' } });
      const calls = gateway.gateway.connection.collection('apiCalls');
      const [one] = await calls
        .find({}, { projection: { _id: 0 } })
        .limit(1)
        .toArray();
      const at = new Date(Date.now() - 60_000);
      const others = Array.from({ length: 150 }, (_, n) => ({ ...one, at, requestId: `other-${n}-` }));
      await calls.insertMany(others);
      const seen: string[] = [];
      for (let path: string | undefined = '/portal/calls'; path !== undefined;) {
        const { text } = await browser.get(path);
        expect(text).not.to.contain('keyless');
        seen.push(...(text.match(/other-\d+-/g) ?? []));
        path = /<a href="([^"]+)">Older/.exec(text)?.[1]?.replaceAll('&amp;', '&');
      }
      expect(seen.length).to.equal(150);
      expect(new Set(seen).size).to.equal(150);
    });

    it('does not grow with every call of a busy merchant', async () => {
      const { key, ownerId } = await gateway.gateway.access.keys.create({ owner: 'Busy', environment: 'sandbox' });
      const call = async (): Promise<unknown> =>
        fetch(`${gateway.url}/payment-requests`, { headers: { 'X-API-Key': key } });
      for (let round = 0; round < 10; round += 1) await Promise.all(Array.from({ length: 40 }, call));
      const calls = gateway.gateway.connection.collection('apiCalls');
      await until('some calls are stored', async () => (await calls.countDocuments({ ownerId })) >= 100);
      // The minute may have ended between the two counts.
      expect(await calls.countDocuments({ ownerId })).to.be.within(100, 200);
    });
  });

  it('records who created a link, when, and how it was used', async () => {
    const made = await createLink({ allowsRotation: true });
    await enter(made);
    const [first] = await links.list(owner.id);
    expect(first).to.deep.include({ id: made.id, state: 'active', madeBy: by, allowsRotation: true });
    const readLastUsed = async () => (await links.get(made.id)).lastUsedAt;
    await until('its use is recorded', async () => (await readLastUsed()) !== null);
    await links.revoke(made.id);
    expect((await links.get(made.id)).state).to.equal('revoked');
    const stored = JSON.stringify(await gateway.gateway.connection.collection('portalLinks').find().toArray());
    expect(stored).not.to.contain(made.url.split('.').at(-1));
  });
});
