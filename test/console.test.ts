/** The operators' console over HTTP, on a gateway with real payments. */
import { randomUUID } from 'node:crypto';
import { request } from 'node:http';
import { expect } from 'chai';
import { after, before, beforeEach, describe, it } from 'mocha';
import { pngImage } from '../core/engine/access/testing/images.ts';
import type { RunningServer } from '../core/http/index.ts';
import { applyFacts } from '../core/engine/payments/state/apply-facts.ts';
import type { ConsoleAction } from '../core/console/kit/action.ts';
import { consoleActions } from '../core/console/actions.ts';
import type { RunReplay } from '../core/console/index.ts';
import { until } from '../core/base/testing/until.ts';
import { cardBody, payer } from './support/bodies.ts';
import { FormBrowser, hiddenFieldsOf, type Page } from './support/form-browser.ts';
import { startReceiver, type Receiver } from './support/receiver.ts';
import { toTestPayment, type TestPayment } from './support/scenarios.ts';
import { startConsole } from './support/start-console.ts';
import { accountModel } from '../core/database/collections/account.ts';
import { adapterStatesModel } from '../core/database/collections/adapter-state.ts';
import { accountContext } from '../core/database/encryption-context.ts';
import { startGateway, type TestGateway } from './support/start-gateway.ts';

const markup = '<b onload="x">&\'';
const escaped = '&lt;b onload=&quot;x&quot;&gt;&amp;&#39;';

function toMultipart(fields: Readonly<Record<string, string>>): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.set(name, value);
  return form;
}

interface Answer extends Page {
  readonly cookie: string | null;
}

describe('the console', () => {
  let gateway: TestGateway;
  let receiver: Receiver;
  let server: RunningServer;
  let replay: RunReplay;
  let keys: Readonly<Record<'admin' | 'support' | 'viewer', string>>;
  let paid: TestPayment;

  before(async () => {
    receiver = await startReceiver();
    gateway = await startGateway({ adapters: ['provider-a'], worksLater: true });
    server = await startConsole(gateway, undefined, async (question) => replay(question));
    const { access } = gateway.gateway;
    const keyOf = async (role: string): Promise<string> =>
      (await access.operators.create({ name: `Ada ${markup}`, role })).key;
    keys = { admin: await keyOf('admin'), support: await keyOf('support'), viewer: await keyOf('viewer') };
    paid = await pay();
  });
  after(async () => {
    await server.close(0);
    await gateway.close();
    await receiver.close();
  });

  async function pay(): Promise<TestPayment> {
    const more = { referenceId: `R${markup}`, notifyUrl: receiver.url };
    const payment = toTestPayment(
      gateway,
      await gateway.post('/payments/h2h/11', cardBody('4111111111111111', '25.90', more)),
    );
    await payment.waitForStatus(2);
    return payment;
  }

  /** The id of the callback that was applied. The answer to the merchant's call may have arrived before it. */
  async function findAppliedCallback(paymentRequestId: number): Promise<string> {
    const inbox = gateway.gateway.connection.collection<{ _id: string }>('inbox');
    const isApplied = { 'events.paymentRequestId': paymentRequestId, state: 'done' };
    await until('a callback is applied', async () => (await inbox.countDocuments(isApplied)) > 0);
    return (await inbox.findOne(isApplied))!._id;
  }

  async function call(path: string, init: RequestInit = {}, port = server.port): Promise<Answer> {
    const response = await fetch(`http://127.0.0.1:${port}${path}`, { redirect: 'manual', ...init });
    const { status, headers } = response;
    return {
      status,
      headers,
      location: headers.get('location'),
      cookie: headers.get('set-cookie')?.split(';')[0] ?? null,
      text: await response.text(),
    };
  }

  const post = async (path: string, fields: Readonly<Record<string, string>>, cookie = ''): Promise<Answer> =>
    call(path, { method: 'POST', headers: { Cookie: cookie }, body: new URLSearchParams(fields) });

  const newBrowser = (): FormBrowser => new FormBrowser(`http://127.0.0.1:${server.port}`);

  async function signIn(key: string): Promise<FormBrowser> {
    const browser = newBrowser();
    expect((await browser.post('/ops/sign-in', { key })).status).to.equal(303);
    return browser;
  }

  const tokenIn = ({ text }: Page): string => /name="formToken" value="([^"]+)"/.exec(text)?.[1] ?? '';
  const browserOf = async (role: keyof typeof keys): Promise<FormBrowser> => signIn(keys[role]);
  const auditOf = async (act: string): Promise<string> =>
    (await (await browserOf('viewer')).get(`/ops/audit?act=${act}`)).text;

  describe('sign-in', () => {
    const sections = [
      'payments',
      'disputes',
      'checks',
      'callbacks',
      'notifications',
      'alarms',
      'jobs',
      'adapters',
      'merchants',
      'settlement',
      'audit',
    ];
    const pages = ['', ...sections.map((one) => `/${one}`), '/payments/1', '/adapters/provider-a'];

    it('redirects everyone else to the sign-in page, and from there to the requested page', async () => {
      for (const path of pages) {
        const { status, location, text } = await call(`/ops${path}`);
        expect(status, path).to.equal(302);
        expect(location).to.equal(`/ops/sign-in?to=${encodeURIComponent(`/ops${path}`)}`);
        expect(text).not.to.contain('Payments');
      }
      const { text } = await call(`/ops/sign-in?to=${encodeURIComponent('/ops/payments?text=7')}`);
      expect(text).to.contain('value="/ops/payments?text=7"');
      const { status, location, headers } = await post('/ops/sign-in', {
        key: keys.viewer,
        to: '/ops/payments?text=7',
      });
      expect([status, location]).to.deep.equal([303, '/ops/payments?text=7']);
      expect(headers.get('set-cookie')).to.match(/; Path=\/ops; Max-Age=1800; HttpOnly; Secure; SameSite=Strict$/);
    });

    it('never redirects to another site', async () => {
      for (const to of [
        'https://evil.example',
        '//evil.example',
        '/ops\\evil.example',
        '/opsevil',
        '/ops/..//evil',
        '/ops//evil.example',
        '/ops/../evil',
        '/ops/%2e%2e/evil',
        '/ops/.%2E/evil',
        '/ops/%5cevil',
        '/ops/%zz',
        '',
      ])
        expect((await post('/ops/sign-in', { key: keys.viewer, to })).location, to).to.equal('/ops');
    });

    it('redirects to the page of an alarm, whatever characters its id contains', async () => {
      for (const id of ['payment_unresolved:payment:1', 'endpoint_disabled:endpoint:demo:live:https://shop.example']) {
        const to = `/ops/alarms/${encodeURIComponent(id)}`;
        const { location } = await call(to);
        expect((await call(location!)).text, id).to.contain(`value="${to}"`);
        expect((await post('/ops/sign-in', { key: keys.viewer, to })).location).to.equal(to);
      }
    });

    it('reports a wrong key without showing it, and limits the attempts', async () => {
      const { status, text, cookie } = await post('/ops/sign-in', { key: `gk_ops_${'x'.repeat(43)}` });
      expect([status, cookie]).to.deep.equal([401, null]);
      expect(text).to.contain('the operator&#39;s key is unknown').and.not.to.contain('xxxx');
      const all = await Promise.all(Array.from({ length: 40 }, async () => post('/ops/sign-in', { key: 'wrong' })));
      expect(all.some((one) => one.status === 429)).to.equal(true);
      expect((await post('/ops/sign-in', { key: keys.viewer })).status, 'a right key').to.equal(303);
    });

    it('accepts no forged cookie, and no cookie of a revoked key', async () => {
      const { operators } = gateway.gateway.access;
      const { key, keyId } = await operators.create({ name: 'Bo', role: 'viewer' });
      const browser = await signIn(key);
      expect((await browser.get('/ops')).status).to.equal(200);
      const forged = `${browser.cookie.slice(0, -2)}${browser.cookie.endsWith('AA') ? 'BB' : 'AA'}`;
      for (const cookie of [forged, 'gateway_console=x', 'gateway_console='])
        expect((await call('/ops', { headers: { Cookie: cookie } })).status, cookie).to.equal(302);
      await operators.revoke(keyId);
      expect((await browser.get('/ops')).status).to.equal(302);
    });

    it('ends the session on sign-out', async () => {
      const browser = await browserOf('viewer');
      const { status, headers } = await browser.press(await browser.get('/ops'), '/ops/sign-out');
      expect(status).to.equal(303);
      expect(headers.get('set-cookie')).to.contain('gateway_console=; Path=/ops; Max-Age=0');
    });

    it('ends every session of the key on sign-out, also for a copied cookie and on other hosts', async () => {
      const { key } = await gateway.gateway.access.operators.create({ name: 'Cy', role: 'viewer' });
      const other = await startConsole(gateway);
      const [first, second] = [await signIn(key), await signIn(key)];
      const [copied, elsewhere] = [first.cookie, second.cookie];
      const statusOf = async (cookie: string, port: number): Promise<number> =>
        (await call('/ops/jobs', { headers: { Cookie: cookie } }, port)).status;
      expect(await statusOf(copied, other.port)).to.equal(200);
      await first.press(await first.get('/ops'), '/ops/sign-out');
      expect([await statusOf(copied, server.port), await statusOf(elsewhere, server.port)]).to.deep.equal([302, 302]);
      await until('the other host ends the session', async () => (await statusOf(copied, other.port)) === 302);
      await other.close(0);
      expect((await (await signIn(key)).get('/ops/jobs')).status, 'a new one').to.equal(200);
    });

    it('signs out only through forms of the session', async () => {
      const [browser, other] = [await browserOf('viewer'), await browserOf('viewer')];
      for (const formToken of ['', tokenIn(await other.get('/ops'))]) {
        const { status, text } = await post('/ops/sign-out', { formToken }, browser.cookie);
        expect([status, text.includes('another session')]).to.deep.equal([403, true]);
      }
      expect((await browser.get('/ops/jobs')).status).to.equal(200);
    });
  });

  describe('single sign-on', () => {
    let proxied: RunningServer;
    before(async () => {
      const roles = { ines: 'support', bo: 'viewer' } as const;
      proxied = await startConsole(gateway, { proxies: ['127.0.0.0/8', '::1/128'], roles });
    });
    after(async () => proxied.close(0));

    const as = async (user: string, init: RequestInit = {}, path = '/ops'): Promise<Answer> =>
      call(path, { ...init, headers: { ...(init.headers as object), 'X-Forwarded-User': user } }, proxied.port);

    it('admits the user whom the proxy names, with the configured role, and records actions under that name', async () => {
      const { status, text, cookie } = await as('ines');
      expect([status, text.includes('support')]).to.deep.equal([200, true]);
      const path = `/ops/payments/${paid.id}`;
      const page = await as('ines', { headers: { Cookie: cookie! } }, path);
      const action = `${path}/reconcile`;
      const body = new URLSearchParams({ formToken: tokenIn(page) });
      const from = { Cookie: cookie!, 'X-Forwarded-For': '203.0.113.9, 198.51.100.7' };
      expect((await as('ines', { method: 'POST', body, headers: from }, action)).status).to.equal(303);
      expect(await auditOf('payment.reconcile'))
        .to.contain('ines (single sign-on)')
        .and.to.contain('>198.51.100.7<');
      for (const headers of [{}, { Cookie: cookie! }]) {
        const { status: refused } = await as('bo', { method: 'POST', body, headers }, action);
        expect(refused, "another user's form").to.equal(403);
      }
      expect((await call('/ops', { headers: { Cookie: cookie! } }, proxied.port)).status, 'the cookie alone').to.equal(
        302,
      );
    });

    it('refuses a user without a role, and a header that does not name one user', async () => {
      for (const [user, problem] of [
        ['eve', 'gives this user no role'],
        ['constructor', 'gives this user no role'],
        ['eve, ines', 'not the name of one user'],
      ] as const) {
        const { status, text } = await as(user);
        expect([status, text.includes(problem)], user).to.deep.equal([403, true]);
      }
      const { status, location } = await call('/ops', {}, proxied.port);
      expect([status, location]).to.deep.equal([302, '/ops/sign-in?to=%2Fops']);
    });

    it('refuses the header from other addresses, and ignores it when single sign-on is not configured', async () => {
      const strict = await startConsole(gateway, { proxies: ['203.0.113.0/24'], roles: { ines: 'admin' } });
      const headers = { 'X-Forwarded-User': 'ines' };
      const { status, text } = await call('/ops', { headers }, strict.port);
      expect([status, text.includes('not in ops.singleSignOn.proxies')]).to.deep.equal([403, true]);
      await strict.close(0);
      expect((await call('/ops', { headers })).status).to.equal(302);
    });
  });

  describe('pages', () => {
    let browser: FormBrowser;
    beforeEach(async () => {
      browser = await browserOf('admin');
    });

    it('escapes all text that came from outside', async () => {
      const callback = await findAppliedCallback(paid.id);
      const pages = ['/ops', '/ops/payments', `/ops/payments/${paid.id}`, `/ops/callbacks/${callback}`];
      const sections = [
        'checks',
        'notifications',
        'alarms',
        'jobs',
        'audit',
        'callbacks',
        'callbacks?state=waiting',
        'adapters',
        'merchants',
        'settlement',
      ];
      const others = [...sections, 'adapters/provider-a', `merchants/${gateway.ownerId}`].map((one) => `/ops/${one}`);
      for (const path of [...pages, ...others]) {
        const { status, text, headers } = await browser.get(path);
        expect(status, path).to.equal(200);
        expect(text, path).not.to.contain('<b onload');
        expect(text, path).to.contain(`Ada ${escaped}`);
        expect(headers.get('content-security-policy'), path).to.match(/default-src 'none'.*frame-ancestors 'none'/);
        expect(headers.get('cache-control'), path).to.equal('no-store');
      }
      const asked = await browser.get(`/ops/payments?text=${encodeURIComponent(markup)}`);
      expect(asked.text).to.contain(escaped).and.not.to.contain('<b onload');
    });

    it('finds a payment by its id, a reference, the payer, the amount or the card', async () => {
      const link = `href="/ops/payments/${paid.id}"`;
      const queries = [
        { text: String(paid.id) },
        { text: `GW-${paid.id}-1` },
        { text: `R${markup}` },
        { text: 'ines.duarte@shop.example' },
        { amount: '25.90', unit: 'eur' },
        { lastFour: '1111', status: 'paid', mode: 'test' },
        { owner: 'demo' },
      ];
      for (const query of queries) {
        const { text } = await browser.get(`/ops/payments?${new URLSearchParams({ ...query }).toString()}`);
        expect(text, JSON.stringify(query)).to.contain(link);
      }
      for (const query of ['lastFour=2222', 'status=failed', 'mode=live', 'text=unmatched'])
        expect((await browser.get(`/ops/payments?${query}`)).text, query).to.contain('No payments found');
    });

    it('shows throughput by minute and provider', async () => {
      const { connection } = gateway.gateway;
      const traffic = connection.collection<{ at?: Date; counts?: Record<string, number> }>('traffic');
      const readCounts = async (): Promise<Record<string, number>> =>
        Object.assign({}, ...(await traffic.find({ at: { $exists: true } }).toArray()).map(({ counts }) => counts));
      const isCounted = async (): Promise<boolean> =>
        (await readCounts())['ended|provider-a|succeeded']! > 0 &&
        (await readCounts())['callbacks|provider-a|accepted']! > 0;
      await until('this host reported its counts', isCounted);
      // Numbers so large that this host's own counts do not matter, in whichever minute is the last full one.
      const counts = {
        'callbacks|provider-a|accepted': 7_000_000,
        'callbacks|provider-a|invalid_signature': 2_000_000,
        'submissions|provider-a|succeeded': 11_000_000,
        'deliveries|delivered': 13_000_000,
        'ended|provider-a|succeeded': 3_000_000,
        'ended|provider-a|failed': 1_000_000,
        'calls|provider-a|2xx': 90_000_000,
        'calls|provider-a|no_answer': 10_000_000,
        // Belongs to every bucket above: a call of this host may be arbitrarily slow.
        'callsWithin|provider-a|100': 90_000_000,
        'callsWithin|provider-a|250': 90_000_000,
        'callsWithin|provider-a|500': 100_000_000,
        'callsWithin|provider-a|more': 100_000_000,
      };
      const minute = Math.floor(Date.now() / 60_000) * 60_000;
      for (const at of [minute - 60_000, minute])
        await traffic.insertOne({ at: new Date(at), counts, _id: `there ${at}` } as never);
      const text = await until('it is shown', async () => {
        const page = (await browser.get('/ops')).text;
        return /1100\d{4} <small>in the last full minute/.test(page) && page;
      });
      expect(text).to.match(/900\d{4} <small>in the last full minute/);
      expect(text).to.match(/1300\d{4} <small>in the last full minute/);
      expect(text).to.contain('75.0 %').and.to.contain('10.0 %').and.to.contain('375 ms');
      const adapter = (await browser.get('/ops/adapters/provider-a')).text;
      expect(adapter)
        .to.match(/[24]00\d{4} refused, last\s+<time/)
        .and.to.contain('Last success');
      expect(adapter).to.contain('/callbacks/providerA').and.to.contain('no networks are configured');
      expect(adapter)
        .to.contain('Configuration is complete')
        .and.to.contain('nothing pending')
        .and.to.contain('>Notifications, Address</td>')
        .and.to.contain('adapters.provider-a.options.apiKey')
        .and.to.contain('Route rules that use this adapter');
      expect(adapter, 'the addresses are in the table only').to.not.contain('<li>Notifications');
      expect(adapter).to.contain('Provider A').and.to.contain('Ways to pay').and.to.contain('data-copy=');
    });

    it('sorts a table as requested, and exports it as CSV without formulas', async () => {
      for (const amount of ['7', '11'])
        await gateway.post('/payment-requests', { amount: Number(amount), unit: 'EUR', referenceId: '=1+1' });
      const amounts = ({ text }: Page): string[] => [...text.matchAll(/>€([\d.]+)</g)].map(([, amount = '']) => amount);
      const up = await browser.get('/ops/payments?sort=amount');
      expect(up.text).to.contain('aria-sort="ascending"').and.to.contain('sort=-amount');
      expect(amounts(up).slice(0, 2)).to.deep.equal(['7.00', '11.00']);
      expect(amounts(await browser.get('/ops/payments?sort=-amount')).slice(-2)).to.deep.equal(['11.00', '7.00']);
      const { status, headers, text } = await browser.get('/ops/payments?as=csv');
      expect([status, headers.get('content-disposition')?.slice(0, 31)]).to.deep.equal([
        200,
        'attachment; filename="payments-',
      ]);
      const [head = '', first = ''] = text.split('\r\n');
      expect(head).to.match(
        /^id,created_at,paid_at,.*,currency,amount,paid,fee,refunded,charged_back,net,.*,payer_email$/,
      );
      expect(text).to.match(/^\d+,[\d-]+T[\d:.]+Z,,test,demo,'=1\+1,created,,EUR,7\.00,,,,,,/m);
      expect(first).to.match(/,EUR,11\.00,/);
    });

    it('sorts and exports each table of a page separately', async () => {
      const first = async (query: string): Promise<string | undefined> =>
        /<td [^>]*><a href="[^"]*">(\w+)<\/a><\/td>/.exec(
          (await browser.get(query)).text.split(/<caption>\s*Waiting work by queue/)[1] ?? '',
        )?.[1];
      expect([await first('/ops?queues.sort=queue'), await first('/ops?queues.sort=-queue')]).to.deep.equal([
        'inbox',
        'reconcile',
      ]);
      const { headers, text } = await browser.get('/ops?as=csv&table=queues&queues.sort=-queue');
      expect(headers.get('content-disposition')).to.match(/^attachment; filename="now-queues-[\d-]+\.csv"$/);
      expect(text.split('\r\n').slice(0, 2)).to.deep.equal([
        '"Queue","Waiting","Due","Oldest waiting"',
        '"reconcile",0,0,""',
      ]);
      expect((await browser.get('/ops?as=csv&table=none')).status).to.equal(404);
      const story = await browser.get(`/ops/payments/${paid.id}?as=csv&table=story`);
      expect(story.text).to.contain('"Created","Payment request created"');
    });

    it('lists what waits in the inbox, and links from the overview to callbacks that need an operator', async () => {
      const inbox = gateway.gateway.connection.collection<{ _id: string }>('inbox');
      const done = (await inbox.findOne({ _id: await findAppliedCallback(paid.id) }))!;
      const dueAt = new Date(Date.now() + 3_600_000);
      await inbox.insertMany([
        { ...done, _id: 'waits', state: 'waiting', tries: 3, dueAt } as never,
        { ...done, _id: 'dead', state: 'dead_letter' } as never,
      ]);
      const waiting = (await browser.get('/ops/callbacks?state=waiting')).text;
      expect(waiting).to.contain('href="/ops/callbacks/waits"').and.not.to.contain('href="/ops/callbacks/dead"');
      expect((await browser.get('/ops/callbacks?state=waiting&adapter=provider-x')).text).to.contain(
        'No callback is waiting',
      );
      const letters = '/ops/callbacks?state=dead_letter&amp;adapter=provider-a';
      await until('the overview counts it', async () => (await browser.get('/ops')).text.includes(`href="${letters}"`));
      expect((await browser.get('/ops')).text).to.contain('href="/ops/callbacks?state=waiting"');
      const payment = (await browser.get(`/ops/payments/${paid.id}`)).text;
      expect(payment)
        .to.contain('“Retry” or “Discard”, on <a href="/ops/callbacks/dead">the page of the callback</a>')
        .and.to.contain('could not be processed, needs review')
        .and.not.to.contain('aside')
        .and.not.to.contain('paywright inbox');
      await inbox.deleteMany({ _id: { $in: ['waits', 'dead'] } });
    });

    it('shows a notification with its request and what the receiver answered, and masks the answer', async () => {
      receiver.answer = (response) =>
        response.writeHead(500, { 'Content-Type': 'text/html' }).end('<h1>No such order</h1> 4111111111111111');
      const refused = await pay();
      const rows = gateway.gateway.connection.collection<{ _id: string; attempts: readonly object[] }>('notifications');
      const which = { paymentRequestId: refused.id, type: 'payment.succeeded', 'attempts.0': { $exists: true } };
      const row = await until('an attempt is stored', async () => (await rows.findOne(which)) ?? undefined);
      receiver.answer = (response) => response.writeHead(200).end();
      const list = (await browser.get(`/ops/notifications?payment=${refused.id}&type=payment.succeeded`)).text;
      expect(list).to.contain(`href="/ops/notifications/${row._id}"`).and.to.contain('Payment succeeded');
      const { text } = await browser.get(`/ops/notifications/${row._id}`);
      expect(text).to.contain('&lt;h1&gt;No such order&lt;/h1&gt; [hidden]').and.to.contain('HTTP 500');
      expect(text).to.contain(`POST ${receiver.url}`).and.to.contain(`webhook-id: ${row._id}`);
      expect(text).to.contain(`href="/ops/payments/${refused.id}"`).and.not.to.contain('4111111111111111');
      expect((await browser.get('/ops/notifications/unknown-1')).status).to.equal(404);
    });

    it('lists forged callbacks by adapter and network, and processed ones with what they changed', async () => {
      const forged = { method: 'POST', headers: { 'Content-Type': 'application/json' } };
      const body = JSON.stringify({ entries: [{ entry: { ref: `GW-${paid.id}-1` } }], forged: 'GW-4242424242-1' });
      for (let n = 0; n < 3; n += 1) await fetch(`${gateway.url}/callbacks/providerA`, { ...forged, body });
      const shown = async (): Promise<string> => (await browser.get('/ops/callbacks/refused?adapter=provider-a')).text;
      await until('they are listed', async () => (await shown()).includes(`href="/ops/payments/${paid.id}"`));
      expect(await shown())
        .to.contain('127.0.0.0/24')
        .and.to.match(/4242424242 <small>\(unknown\)/)
        .and.not.to.contain('href="/ops/payments/4242424242"');
      expect((await browser.get('/ops/callbacks/refused?adapter=provider-b')).text).to.contain(
        'No callback was refused',
      );
      expect((await browser.get('/ops/adapters/provider-a')).text).to.contain('127.0.0.0/24');
      const none = (await browser.get('/ops/callbacks?adapter=provider-a')).text;
      expect(none).to.match(/<a class="[^"]*" href="\/ops\/callbacks\/refused\?adapter=provider-a">See \d+ refused</);
      const done = (await browser.get('/ops/callbacks?state=done&adapter=provider-a')).text;
      expect(done).to.match(
        /Payment\s+<a href="\/ops\/payments\/\d+"[^>]*>\d+<\/a\s*>: (nothing, it was known already|pending → paid)/,
      );
    });

    it('exports every row of a list as CSV, also of a list with many pages', async () => {
      const { connection, ownerId } = { ...gateway, connection: gateway.gateway.connection };
      const rows = connection.collection<{ _id: string }>('notifications');
      const row = (await rows.findOne({ paymentRequestId: paid.id }))!;
      const many = Array.from({ length: 1203 }, (_, at) => ({
        ...row,
        _id: `many-${at}`,
        ownerId,
        paymentRequestId: 1,
        type: 'payment.exported',
      }));
      await rows.insertMany(many);
      const raised = connection.collection<{ _id: string }>('alarms');
      const lastSeenAt = new Date(0);
      const alarm = {
        kind: 'status_unknown',
        subject: { type: 'adapter', id: 'provider-a' },
        reason: '',
        state: 'open',
        count: 1,
        firstSeenAt: lastSeenAt,
        lastSeenAt,
        lease: { token: null, worker: null, expiries: 0, claimedAt: null },
        failures: 0,
      };
      await raised.insertMany(many.map(({ _id }) => ({ ...alarm, _id })));
      const exported = async (path: string): Promise<string[]> => {
        const { text, headers } = await browser.get(path);
        expect(headers.get('content-disposition')).to.match(/\.csv"$/);
        return text.trim().split('\r\n');
      };
      const lines = await exported('/ops/notifications?type=payment.exported&as=csv&cursor=of-a-later-page');
      expect([lines.length, new Set(lines.map((line) => /many-\d+/.exec(line)?.[0])).size]).to.deep.equal([1204, 1204]);
      expect(lines[0]).to.contain('"Created"').and.not.to.contain('Actions');
      const { text } = await browser.get('/ops/alarms');
      expect(text).to.match(/href="\/ops\/alarms\?alarms\.page=2#table-alarms"/);
      expect((await exported('/ops/alarms?as=csv&table=alarms')).length).to.be.greaterThan(1203);
      await rows.deleteMany({ type: 'payment.exported' });
      await raised.deleteMany({ _id: { $in: many.map(({ _id }) => _id) } });
    });

    it('serves a page of another version with the style, icon and script of this one', async () => {
      const { text } = await browser.get('/ops');
      const addresses = [...text.matchAll(/(?:href|src)="(\/ops\/assets\/[^"]+)"/g)].map(([, address = '']) => address);
      expect(addresses.map((address) => address.split('.').at(-1))).to.deep.equal(['css', 'svg', 'js']);
      for (const address of addresses) {
        const [own, other] = [await call(address), await call(address.replace(/\.[0-9a-f]{12}\./, '.0123456789ab.'))];
        expect([other.status, other.text]).to.deep.equal([200, own.text]);
        expect(own.headers.get('cache-control')).to.contain('immutable');
        expect(other.headers.get('cache-control')).to.not.contain('immutable');
      }
      expect((await call('/ops/assets/nothing.0123456789ab.js')).status).to.equal(404);
    });

    it('lists notifications that fail and are retried automatically', async () => {
      const rows = gateway.gateway.connection.collection<{ _id: string }>('notifications');
      const row = (await rows.findOne({ paymentRequestId: paid.id }))!;
      const attempts = [{ at: new Date(), ms: 7, status: 503, error: null }];
      await rows.insertOne({
        ...row,
        _id: 'fails',
        paymentRequestId: 1,
        state: 'waiting',
        tries: 1,
        attempts,
      } as never);
      const { text } = await browser.get('/ops/notifications?state=failing');
      expect(text).to.contain('badge warn">retrying<').and.to.contain('HTTP 503');
      expect(text.match(/<small>fails</g)).to.have.lengthOf(1);
      expect(text).not.to.contain('delivered</span>');
      await rows.deleteOne({ _id: 'fails' });
    });

    it('shows errors as a page to a browser', async () => {
      const headers = { Accept: 'text/html', Cookie: browser.cookie };
      const { status, text, headers: sent } = await call('/ops/nowhere', { headers });
      expect([status, sent.get('content-type')]).to.deep.equal([404, 'text/html; charset=utf-8']);
      expect(text).to.contain('Page not found').and.to.contain('href="/ops"');
      expect((await call('/ops/nowhere')).headers.get('content-type')).to.equal('application/problem+json');
      const tooMany = await Promise.all(
        Array.from({ length: 40 }, async () =>
          call('/ops/sign-in', { method: 'POST', headers, body: new URLSearchParams({ key: 'wrong' }) }),
        ),
      );
      const limited = tooMany.find((one) => one.status === 429);
      expect(limited?.text).to.contain('Too many attempts');
      expect(limited?.headers.get('retry-after')).to.match(/^\d+$/);
    });

    it('sends an open page again when it changes, while the user is signed in', async () => {
      const { operators } = gateway.gateway.access;
      const { key, keyId } = await operators.create({ name: 'Eve', role: 'viewer' });
      const looking = await signIn(key);
      const { id } = (await gateway.post('/payment-requests', { amount: 5, unit: 'EUR' })).json.paymentRequest;
      const stopping = new AbortController();
      const response = await fetch(`http://127.0.0.1:${server.port}/ops/payments/${id}`, {
        headers: { Cookie: looking.cookie, Accept: 'text/event-stream' },
        signal: stopping.signal,
      });
      expect([response.headers.get('content-type'), response.headers.get('set-cookie')]).to.deep.equal([
        'text/event-stream',
        null,
      ]);
      let heard = '';
      const reading = (async () => {
        for await (const part of response.body!.pipeThrough(new TextDecoderStream())) heard += part;
      })().catch(() => undefined);
      await until('it is sent', () => heard.includes('event: page') && heard.includes('badge calm">created<'));
      await gateway.post(`/payment-requests/${id}/cancel`, undefined);
      await until('it is sent again', () => heard.includes('>cancelled<'));
      await operators.revoke(keyId);
      await until('the stream says that the session is over', () => heard.includes('event: over'));
      stopping.abort();
      await reading;
    });

    it('says what is wrong with a query', async () => {
      for (const [query, problem] of [
        ['amount=x', 'The amount must be a number'],
        ['lastFour=12', 'exactly four digits'],
        ['status=odd', 'There is no status “odd”'],
        ['problem=odd', 'There is no problem “odd”'],
        ['owner=unknown', 'No merchant matches “unknown”'],
        ['owner=demos', '>demo</a> ?'],
        ['from=yesterday', 'Enter a time like'],
      ])
        expect((await browser.get(`/ops/payments?${query}`)).text, query).to.contain(problem);
      expect((await browser.get('/ops/payments/1')).status).to.equal(404);
      expect((await browser.get('/ops/payments/none')).status).to.equal(404);
    });

    it('keeps the mode for the operator who chose it, and marks test payments only in a list of both', async () => {
      const own = await browserOf('support');
      const link = `href="/ops/payments/${paid.id}"`;
      const first = await own.get('/ops/payments');
      expect(first.text).to.contain(link).and.to.contain('Test mode: no real money moves.');
      expect(first.text).not.to.contain('badge calm">test<');
      const live = await own.get('/ops/payments?mode=live');
      expect(live.text).to.contain('No payments found in live mode').and.not.to.contain('Test mode:');
      for (const path of ['/ops/payments', '/ops/disputes'])
        expect((await own.get(path)).text, path).to.match(/mode=live" aria-current="page">Live\s*</);
      expect((await own.get('/ops')).text).to.match(/mode=live" aria-current="page">Live\s*</);
      const all = await own.get('/ops/payments?mode=all');
      expect(all.text).to.contain(link).and.to.contain('badge calm">test<').and.not.to.contain('Test mode:');
      expect((await own.get('/ops/payments')).text, 'both are not kept').to.contain('No payments found in live mode');
      // The same browser, another operator.
      const { key } = await gateway.gateway.access.operators.create({ name: 'Ben Ode', role: 'support' });
      expect((await own.post('/ops/sign-in', { key })).status).to.equal(303);
      expect((await own.get('/ops/payments')).text).to.contain(link);
      expect((await own.get(`/ops/payments/${paid.id}`)).text).to.contain('Test mode: no real money moves.');
    });

    it('says that there is no such payment, with a search, and keeps its frame at a wrong address', async () => {
      const missing = await browser.get('/ops/payments/999');
      expect(missing.status).to.equal(404);
      for (const part of [
        '<h1>Payment not found</h1>',
        'There is no payment 999.',
        'name="text"',
        'href="/ops/alarms"',
      ])
        expect(missing.text, part).to.contain(part);
      expect((await browser.get('/ops/notifications/999-1')).text).to.contain('<h1>Not found</h1>');
      const html = { headers: { Accept: 'text/html', Cookie: browser.cookie } };
      const wrong = await call('/ops/no/where', html);
      expect([wrong.status, wrong.text.includes('href="/ops/merchants"')]).to.deep.equal([404, true]);
      expect(wrong.text).to.contain('<h1>Page not found</h1>').and.to.contain('Check that it is complete.');
      expect(wrong.text, 'no section is the current one').to.not.contain('aria-current');
    });

    it('finds a payment by the name of the payer, and says by what it was found', async () => {
      const { text } = await browser.get('/ops/payments?text=DUARTE&owner=dem');
      expect(text)
        .to.contain(`/ops/payments/${paid.id}"`)
        .and.to.match(/Found by name \(\d+\)/);
      expect((await browser.get('/ops/payments?text=€25,90')).text).to.contain('Found by amount');
      expect((await browser.get('/ops/payments?text=nothing+like+it')).text).to.contain('No payments found');
      const two = (await browser.get('/ops/payments?text=rossi+210&status=paid')).text;
      expect(two)
        .to.contain('No payment matches all of it. Search for one word:')
        .and.to.contain('?text=210&amp;status=paid">210</a>');
    });

    it('exports names and addresses of payers only for operators who may act', async () => {
      const [head = ''] = (await browser.get('/ops/payments?as=csv')).text.split('\r\n');
      expect(head).to.contain(',payer_name,payer_email');
      const viewer = await (await browserOf('viewer')).get('/ops/payments?as=csv');
      expect(viewer.text).to.contain('id,created_at').and.not.to.contain('payer').and.not.to.contain(payer.email);
    });

    it('saves the filter of an operator, without what identifies a payer, and deletes it', async () => {
      const page = await browser.get('/ops/payments?text=ines&problem=underpaid&mode=test');
      const values = { formToken: tokenIn(page), name: 'Test coins', query: 'text=ines&problem=underpaid&mode=test' };
      const { status } = await post('/ops/saved-filters', values, browser.cookie);
      expect(status).to.equal(303);
      const shown = await browser.get('/ops/payments');
      expect(shown.text).to.contain('<a href="/ops/payments?problem=underpaid&amp;mode=test">Test coins</a>');
      expect((await (await browserOf('support')).get('/ops/payments')).text).to.contain('Test coins');
      await post('/ops/saved-filters/remove', { formToken: tokenIn(shown), name: 'Test coins' }, browser.cookie);
      expect((await browser.get('/ops/payments')).text).not.to.contain('Test coins');
    });

    it('lists disputes, the most urgent first', async () => {
      expect((await browser.get('/ops/disputes')).text).to.contain('No open disputes');
      const payments = gateway.gateway.connection.collection<StoredPayment>('paymentRequests');
      const stored = (await payments.findOne({ _id: paid.id }))!;
      const stages = [{ attempt: 1, subReference: 'CASE-7', stage: 'opened', amount: null, order: null }];
      const day = 86_400_000;
      const details = { reason: 'fraudulent', respondBy: new Date(Date.now() + day).toISOString() };
      const logs = [...stored.logs, { ...stored.logs[0], transactionId: 'CASE-7', details }];
      await payments.insertOne({ ...stored, _id: 77, disputeStages: stages, logs, problems: ['dispute_open'] });
      const { text } = await browser.get('/ops/disputes?owner=demo');
      for (const part of [
        'fraudulent',
        '>Opened<',
        '€25.90',
        '/ops/payments/77"',
        'Provider A</a>',
        '>soon<',
        'data-copy="CASE-7"',
      ])
        expect(text, part).to.contain(part);
      expect(text).to.match(/At stake, test<\/p>\s*<p class="figure"><data [^>]*>€25\.90</);
      await payments.updateOne({ _id: 77 }, { $set: { logs: stored.logs } });
      const unknown = (await browser.get('/ops/disputes')).text;
      expect(unknown).to.contain('not reported <small>ask Provider A').and.not.to.contain('>Reason<');
      await payments.updateOne({ _id: 77 }, { $set: { logs } });
      expect((await browser.get('/ops/disputes?stage=lost')).text).to.contain('No disputes');
      expect((await browser.get('/ops/payments/77')).text)
        .to.contain('CASE-7')
        .and.to.contain('fraudulent');
      await payments.deleteOne({ _id: 77 });
    });

    it('says of a payment that no provider can take it, and why, and finds it by this problem', async () => {
      const order = { amount: 0.0015, unit: 'BTC', referenceId: 'coins' };
      const { id } = (await gateway.post('/payment-requests', order)).json.paymentRequest;
      const link = `href="/ops/payments/${id}"`;
      const reason = 'BTC is a currency that no route accepts now';
      const page = (await browser.get(`/ops/payments/${id}`)).text;
      expect(page).to.contain('>No route<').and.to.contain(`no provider can take this payment now: ${reason}`);
      const list = (await browser.get('/ops/payments?problem=no_route')).text;
      expect(list).to.contain(link).and.to.contain(reason).and.not.to.contain(`/ops/payments/${paid.id}"`);
      const fresh = await startConsole(gateway);
      const headers = { Cookie: browser.cookie };
      const overview = await (await fetch(`http://127.0.0.1:${fresh.port}/ops`, { headers })).text();
      expect(overview).to.contain('No provider can take the payment').and.to.contain(link);
      await fresh.close(0);
      await gateway.gateway.connection.collection('paymentRequests').deleteOne({ _id: id });
    });

    it('shows the number of the Overview in the navigation of every page', async () => {
      const { alarms } = gateway.gateway;
      const stored = gateway.gateway.connection.collection<StoredPayment>('paymentRequests');
      const payment = (await stored.findOne({ _id: paid.id }))!;
      const stages = [{ attempt: 1, subReference: 'CASE-8', stage: 'opened', amount: null, order: null }];
      await stored.insertOne({ ...payment, _id: 78, disputeStages: stages, problems: ['dispute_open'] });
      alarms.raise('job_failed', { type: 'job', id: 'reconcile' }, 'counted');
      await until('stored', async () => (await alarms.list(10)).length > 0);
      // Its reads are not cached yet.
      const fresh = await startConsole(gateway);
      const textOf = async (path: string): Promise<string> =>
        (await fetch(`http://127.0.0.1:${fresh.port}${path}`, { headers: { Cookie: browser.cookie } })).text();
      const count = (title: string, text: string): string | undefined =>
        new RegExp(`>${title} <span class="count">(\\d+)<`).exec(text)?.[1];
      const other = await textOf('/ops/jobs');
      const said = /<strong>(\d+) things need you/.exec(await textOf('/ops'))?.[1];
      expect(Number(said)).to.be.greaterThan(1);
      expect(count('Overview', other)).to.equal(said);
      expect([count('Alarms', other), count('Disputes', other)]).to.deep.equal(['1', '1']);
      await fresh.close(0);
      await stored.deleteOne({ _id: 78 });
      for (const { _id } of await alarms.list(10)) await alarms.resolve(_id);
    });

    it('lists failing endpoints above the notifications, and resends all that wait for one', async () => {
      const { connection } = gateway.gateway;
      const rows = connection.collection<{ _id: string; ownerId: number }>('notifications');
      await until('notified', async () => (await rows.countDocuments({ paymentRequestId: paid.id })) > 0);
      const row = (await rows.findOne({ paymentRequestId: paid.id }))!;
      const { ownerId } = row;
      const receiver = 'closed.example:81';
      const url = `https://${receiver}/hooks`;
      const lease = { token: null, worker: null, expiries: 0, claimedAt: null };
      const dueAt = new Date(Date.now() + 3_600_000);
      const failed = { url, receiver: `${ownerId} ${receiver}`, state: 'waiting', tries: 2, round: 1, dueAt, lease };
      await rows.insertMany(['1', '2', '3'].map((n) => ({ ...row, ...failed, _id: `failing-${n}` })));
      const endpoint = { ownerId, environment: 'test', origin: `https://${receiver}`, receiver };
      await connection
        .collection<{ _id: string; failingSince: Date }>('endpoints')
        .insertOne({ _id: 'failing', ...endpoint, failingSince: new Date(Date.now() - 20 * 60_000) });
      const fresh = await startConsole(gateway);
      const admin = new FormBrowser(`http://127.0.0.1:${fresh.port}`);
      await admin.post('/ops/sign-in', { key: keys.admin });
      expect((await admin.get('/ops')).text)
        .to.contain('Webhook endpoint failing')
        .and.to.contain(receiver);
      const list = await admin.get('/ops/notifications');
      expect(list.text).to.match(/Failing endpoints[\s\S]*closed\.example:81<\/a>[\s\S]*>3<\/a>[\s\S]*Resend all/);
      expect(list.text).to.contain('closed.example:81/hooks</span>');
      const action = '/ops/notifications/resend';
      const asked = await admin.press(list, action, {}, receiver);
      expect(asked.text).to.contain('Resend 3 notifications?').and.to.contain(`to ${receiver}`);
      expect((await admin.press(asked, action)).location).to.match(/^\/ops\/notifications\/resends\//);
      await until(
        'all three are due',
        async () => (await rows.countDocuments({ receiver: failed.receiver, round: { $gt: 1 } })) === 3,
      );
      await fresh.close(0);
      await rows.deleteMany({ receiver: failed.receiver });
      await connection.collection('endpoints').deleteMany({ receiver });
    });

    it('shows the payer, the link to pay only to operators who may act, and a review only if one is needed', async () => {
      const order = { amount: 48.5, unit: 'EUR', clientName: 'Ben Ode', clientPhone: '+351 912 345 678' };
      const { id } = (await gateway.post('/payment-requests', order)).json.paymentRequest;
      const { text } = await browser.get(`/ops/payments/${id}`);
      for (const part of ['Ben Ode', '+351 912 345 678', `/pay/${id}?k=`, 'Cancel payment', 'Add note'])
        expect(text, part).to.contain(part);
      expect(text).not.to.contain('Mark as reviewed');
      expect((await (await browserOf('viewer')).get(`/ops/payments/${id}`)).text).not.to.contain(`/pay/${id}?k=`);
    });

    it('shows everything about one payment: money, calls, callbacks, notifications, what happens next', async () => {
      await until('notified', async () => receiver.ofPayment(paid.id).length > 0);
      const shown = async (): Promise<string> => (await browser.get(`/ops/payments/${paid.id}`)).text;
      await until('the delivery is recorded', async () => (await shown()).includes('HTTP 200'));
      const text = await shown();
      for (const part of [
        '€25.90',
        payer.name,
        payer.phoneNumber,
        'Visa',
        'Net',
        'submit at Provider A',
        'with Visa 411111…1111 at Provider A succeeded',
        'payment.succeeded',
      ])
        expect(text, part).to.contain(part);
      expect(text).not.to.contain('4111111111111111');
    });
  });

  describe('actions', () => {
    it('allows an action only to the roles that may perform it', async () => {
      const refund = `/ops/payments/${paid.id}/refund`;
      const check = `/ops/payments/${paid.id}/reconcile`;
      for (const [role, forms] of [
        ['viewer', []],
        ['support', [check]],
        ['admin', [check, refund]],
      ] as const) {
        const browser = await browserOf(role);
        const page = await browser.get(`/ops/payments/${paid.id}`);
        for (const action of [check, refund])
          expect(page.text.includes(`action="${action}"`), `${role} ${action}`).to.equal(
            forms.includes(action as never),
          );
        // A client that sends the request without the form.
        const { status, text } = await post(
          refund,
          { formToken: tokenIn(page), sure: 'yes', once: randomUUID(), amount: '0' },
          browser.cookie,
        );
        if (role === 'admin') expect([status, text.includes('more than 0')]).to.deep.equal([400, true]);
        else expect([status, text.includes('may not do this')]).to.deep.equal([403, true]);
      }
    });

    it('accepts only forms of the session', async () => {
      const [browser, other] = [await browserOf('admin'), await browserOf('admin')];
      const token = tokenIn(await other.get('/ops'));
      const before = await auditOf('payment.reconcile');
      for (const fields of [{}, { formToken: token }, { formToken: '' }]) {
        const { status, text } = await post(`/ops/payments/${paid.id}/reconcile`, fields, browser.cookie);
        expect(status, JSON.stringify(fields)).to.equal(403);
        expect(text).to.contain('another session');
      }
      expect((await auditOf('payment.reconcile')).match(/<tr>/g)?.length).to.equal(before.match(/<tr>/g)?.length);
    });

    it('refuses a large file without the role before the file arrives', async () => {
      const { cookie } = await browserOf('viewer');
      const headers = {
        Cookie: cookie,
        'Content-Type': 'multipart/form-data; boundary=x',
        'Content-Length': '1000000',
      };
      const status = await new Promise<number | undefined>((resolve, reject) => {
        const options = { port: server.port, path: '/ops/settlement/uploads', method: 'POST', headers };
        const upload = request({ host: '127.0.0.1', ...options }, (answer) => {
          answer.resume();
          resolve(answer.statusCode);
          upload.destroy();
        });
        upload.on('error', reject);
        upload.write('--x\r\n');
      });
      expect(status).to.equal(403);
    });

    it('checks role and form token for each registered action', async () => {
      const foreign = tokenIn(await (await browserOf('admin')).get('/ops'));
      for (const role of ['viewer', 'support', 'admin'] as const) {
        const browser = await browserOf(role);
        const own = tokenIn(await browser.get('/ops'));
        const send = async ({ path, upload }: ConsoleAction, fields: Record<string, string>): Promise<Answer> => {
          // The id does not exist, so nothing changes when the action is allowed.
          const body = upload === undefined ? new URLSearchParams(fields) : toMultipart(fields);
          return call(path.replace(':id', 'unknown'), { method: 'POST', headers: { Cookie: browser.cookie }, body });
        };
        for (const act of consoleActions) {
          const what = `${role}, ${act.path}`;
          const needed = typeof act.role === 'function' ? act.role({}) : act.role;
          const isAllowed = role === 'admin' || role === needed;
          // The form token is in the body, which is not read if it would be large and the role is not sufficient.
          const isRead = isAllowed || typeof act.upload !== 'object';
          for (const fields of [{}, { formToken: '' }, { formToken: foreign }]) {
            const { status, text } = await send(act, fields);
            const refusal = isRead ? 'another session' : 'may not do this';
            expect([status, text.includes(refusal)], what).to.deep.equal([403, true]);
          }
          const { status, text } = await send(act, { formToken: own });
          expect([status === 403, text.includes('may not do this')], what).to.deep.equal([!isAllowed, !isAllowed]);
        }
      }
    });

    it('says next to the amount that it is more than what is left, before it asks', async () => {
      const browser = await browserOf('admin');
      const page = await browser.get(`/ops/payments/${paid.id}`);
      const onPage = `/ops/payments/${paid.id}`;
      const values = { formToken: tokenIn(page), onPage, amount: '999,00', reason: 'typed' };
      const { status, text } = await post(`${onPage}/refund`, values, browser.cookie);
      expect(status).to.equal(400);
      expect(text)
        .to.contain('Must be at most €25.90')
        .and.to.contain('value="999,00"')
        .and.to.contain('value="typed"');
    });

    it('adds a note to the timeline and to the audit log', async () => {
      const browser = await browserOf('admin');
      const page = await browser.get(`/ops/payments/${paid.id}`);
      const values = { formToken: tokenIn(page), text: 'The merchant ships tomorrow.' };
      expect((await post(`/ops/payments/${paid.id}/note`, values, browser.cookie)).status).to.equal(303);
      expect((await browser.get(`/ops/payments/${paid.id}`)).text).to.match(
        /added a note to .*The merchant ships tomorrow/,
      );
      expect(await auditOf('payment.note')).to.contain('The merchant ships tomorrow.');
    });

    it('refunds a payment after confirmation, and records the operator', async () => {
      const payment = await pay();
      const browser = await browserOf('admin');
      const action = `/ops/payments/${payment.id}/refund`;
      const fields = { amount: '10', reason: `because ${markup}` };
      const asked = await browser.press(await browser.get(`/ops/payments/${payment.id}`), action, fields);
      expect(asked.status).to.equal(200);
      expect(asked.text)
        .to.contain(`<h1>Refund €10.00 to ${payer.name} (Visa …1111)?</h1>`)
        .and.to.contain(`<dd>R${escaped}</dd>`)
        .and.to.contain(`<dd>because ${escaped}</dd>`)
        .and.to.match(/<dt>Left to refund<\/dt>\s*<dd>€15\.90<\/dd>/)
        .and.to.contain('Test mode: no real money moves.')
        .and.to.contain(`<a href="${action.replace('/refund', '')}">Payment ${payment.id}</a>`)
        .and.to.contain('<button class="danger">Refund €10.00</button>');
      expect((await payment.view()).refundedAmount ?? 0).to.equal(0);
      const done = await browser.press(asked, action, fields);
      expect([done.status, done.location]).to.deep.equal([303, `/ops/payments/${payment.id}?done=yes`]);
      expect((await browser.get(done.location!)).text)
        .to.contain('Refund of €10.00 requested. Recorded in the audit log.')
        .and.to.match(/Refund of €10\.00 [^(]+ \(GW-\d+-1-R1\)/);
      const text = await auditOf('payment.refund');
      expect(text).to.contain(`because ${escaped}`).and.to.contain('127.0.0.1').and.to.contain('console');
    });

    it('shows open alarms next to the navigation of every page, also of a confirmation and a refusal', async () => {
      const { alarms } = gateway.gateway;
      const subject = { type: 'payment', id: '1' } as const;
      alarms.raise('refund_failed', subject, 'for the badge');
      const raised = await until('stored', async () => (await alarms.list(100)).find(({ state }) => state === 'open'));
      const browser = await browserOf('admin');
      const path = `/ops/payments/${paid.id}`;
      const hasBadge = ({ text }: Page): boolean =>
        /href="\/ops\/alarms"[^>]*>Alarms\s*<span class="count">/.test(text);
      const page = await until('it is counted', async () => {
        const shown = await browser.get(path);
        return hasBadge(shown) && shown;
      });
      const asked = await browser.press(page, `${path}/refund`, { amount: '1' });
      expect(asked.text).to.contain('cannot be undone');
      expect([hasBadge(asked), hasBadge(await browser.get('/ops/payments/1'))]).to.deep.equal([true, true]);
      await alarms.resolve(raised._id);
    });

    it('says once what an action did, and only in the session that did it', async () => {
      const payment = await pay();
      const browser = await browserOf('admin');
      const path = `/ops/payments/${payment.id}`;
      const { location } = await browser.press(await browser.get(path), `${path}/note`, { text: 'seen' });
      const other = await browserOf('admin');
      expect((await other.get(location!)).text).not.to.contain('Note added.');
      expect((await browser.get(location!)).text).to.contain('Note added. Recorded in the audit log.');
      expect((await browser.get(location!)).text).not.to.contain('Note added.');
    });

    it('shows a refused form again, with what was typed and the reason, before and after confirmation', async () => {
      const payment = await pay();
      const browser = await browserOf('admin');
      const path = `/ops/payments/${payment.id}`;
      const page = await browser.get(`${path}?story.sort=what`);
      const wrong = await browser.press(page, `${path}/refund`, { amount: 'ten', reason: markup });
      expect(wrong.status).to.equal(400);
      expect(wrong.text)
        .to.contain(`<link rel="canonical" href="${path}?story.sort=what" />`)
        .and.to.match(/<input aria-invalid="true" autofocus type="text" name="amount" value="ten"/)
        .and.to.contain('Must be an amount, for example 25.90')
        .and.to.contain(`name="reason" value="${escaped}"`);
      const asked = await browser.press(wrong, `${path}/refund`, { amount: '25.90', reason: 'all of it' });
      expect(asked.text).to.contain('<h1>Refund €25.90 to ');
      // The merchant is faster.
      await gateway.post(`/payment-requests/${payment.id}/refund`, { amount: 20 });
      const refused = await browser.press(asked, `${path}/refund`);
      expect(refused.status).to.equal(400);
      expect(refused.text)
        .to.match(/name="amount" value="25.90"[^>]*><span class="error">/)
        .and.to.contain('name="reason" value="all of it"');
    });

    it('says on the page why an action was refused whose form is no longer there', async () => {
      const { id } = (await gateway.post('/payment-requests', { amount: 5, unit: 'EUR' })).json.paymentRequest;
      const browser = await browserOf('admin');
      const path = `/ops/payments/${id}`;
      const page = await browser.get(path);
      const asked = await browser.press(page, `${path}/cancel`);
      await browser.press(asked, `${path}/cancel`);
      const late = await browser.press(await browser.press(page, `${path}/cancel`), `${path}/cancel`);
      expect([late.status, late.text.includes('<strong>Cancelling failed.</strong>')]).to.deep.equal([400, true]);
      expect(late.text).to.contain(`<h1>Payment ${id}</h1>`);
    });

    it('shows a refused form on no page but one of the console', async () => {
      const browser = await browserOf('admin');
      const formToken = tokenIn(await browser.get('/ops'));
      for (const onPage of [
        'https://other.example/ops',
        '//other.example',
        '/ops/../pay',
        '/ops/nowhere',
        '/ops/payments/1',
      ]) {
        const { status, text } = await post(
          '/ops/payments/1/refund',
          { formToken, onPage, sure: 'yes', once: randomUUID() },
          browser.cookie,
        );
        expect([status, text.includes('Refund failed'), text.includes('other.example')], onPage).to.deep.equal([
          404,
          true,
          false,
        ]);
      }
    });

    it('refunds once, however often the confirmed form is sent and to whichever host', async () => {
      const payment = await pay();
      const browser = await browserOf('admin');
      const action = `/ops/payments/${payment.id}/refund`;
      const page = await browser.get(`/ops/payments/${payment.id}`);
      const sure = await browser.press(page, action, { amount: '5' });
      const fields = hiddenFieldsOf(sure, action);
      const other = await startConsole(gateway);
      const body = new URLSearchParams(fields);
      const init = { method: 'POST', headers: { Cookie: browser.cookie }, body };
      const concurrent = await Promise.all([1, 2, 3].map(async () => call(action, init)));
      const later = [await call(action, init, other.port), await call(action, init)];
      await other.close(0);
      for (const { status, location } of [...concurrent, ...later])
        expect([status, location]).to.deep.equal([303, `/ops/payments/${payment.id}?done=yes`]);
      const { text } = await browser.get(`/ops/payments/${payment.id}`);
      expect(text)
        .to.match(/Refund of €5\.00 [^(]+ \(GW-\d+-1-R1\)/)
        .and.not.to.contain('-R2');
      // A new confirmation makes another refund.
      const again = await browser.press(await browser.press(page, action, { amount: '5' }), action);
      expect(again.status).to.equal(303);
      expect((await browser.get(`/ops/payments/${payment.id}`)).text).to.contain('-R2)');
      const changed = await post(action, { ...fields, amount: '7' }, browser.cookie);
      expect([changed.status, changed.text.includes('sent before')]).to.deep.equal([400, true]);
    });

    it('refunds once when the host that took the request lost its record of it', async () => {
      const payment = await pay();
      const browser = await browserOf('admin');
      const action = `/ops/payments/${payment.id}/refund`;
      const page = await browser.get(`/ops/payments/${payment.id}`);
      const sure = await browser.press(page, action, { amount: '5' });
      expect((await browser.press(sure, action)).status).to.equal(303);
      // Simulates a process that died after the refund and before the record was completed.
      const records = gateway.gateway.connection.collection('idempotencyRecords');
      const record = (await records.find().sort({ createdAt: -1 }).limit(1).next())!;
      const died = { $set: { state: 'running', leaseUntil: new Date(0) }, $unset: { response: '' } };
      await records.updateOne({ _id: record._id }, died);
      const other = await startConsole(gateway);
      const init = {
        method: 'POST',
        headers: { Cookie: browser.cookie },
        body: new URLSearchParams(hiddenFieldsOf(sure, action)),
      };
      expect((await call(action, init, other.port)).status).to.equal(303);
      await other.close(0);
      expect((await browser.get(`/ops/payments/${payment.id}`)).text)
        .to.match(/Refund of €5\.00 [^(]+ \(GW-\d+-1-R1\)/)
        .and.not.to.contain('-R2');
    });

    it('records the result of a refund that the merchant had to send, after confirmation', async () => {
      const payment = await pay();
      const stuck = { kind: 'refund', providerStatus: 'stuck', status: 'needs_merchant', subReference: 'R-9' } as const;
      const about = {
        reference: `GW-${payment.id}-1`,
        providerReference: null,
        amount: '10',
        currency: 'EUR',
      } as const;
      const event = { ...stuck, ...about, dedupeKey: 'stuck' };
      const fact = { type: 'event', attempt: 1, event, at: new Date(), fetched: true } as const;
      await gateway.gateway.payments.store.change(payment.id, 'test', (one) => applyFacts(one, [fact], () => '0'));
      const browser = await browserOf('admin');
      const path = `/ops/payments/${payment.id}`;
      const page = await browser.get(path);
      const refund = /GW-\d+-1-P[0-9a-f]{8}/.exec(page.text)![0];
      expect(page.text).to.contain('the provider cannot send').and.to.contain('“Record result of refund”');
      const action = `${path}/settle-refund`;
      const fields = { refund, status: 'succeeded', reason: 'by bank transfer' };
      const asked = await browser.press(page, action, fields);
      expect(asked.text).to.contain(
        `This records that the merchant has sent the money of refund ${refund} of €10.00. The provider is not called.`,
      );
      expect((await payment.view()).refundedAmount).to.equal(0);
      expect((await browser.press(asked, action)).location).to.equal(`${path}?done=yes`);
      expect((await payment.view()).refundedAmount).to.equal(10);
      expect((await browser.get(path)).text).not.to.contain(`action="${action}"`);
      expect(await auditOf('payment.settle_refund')).to.contain('by bank transfer');
      const wrong = await post(action, { ...fields, status: 'maybe', formToken: tokenIn(page) }, browser.cookie);
      expect(wrong.status).to.equal(400);
    });

    it('cancels a payment after confirmation', async () => {
      const { id } = (await gateway.post('/payment-requests', { amount: 5, unit: 'EUR' })).json.paymentRequest;
      const browser = await browserOf('admin');
      const path = `/ops/payments/${id}`;
      const asked = await browser.press(await browser.get(path), `${path}/cancel`, { reason: 'ordered twice' });
      expect(asked.text)
        .to.contain('<h1>Cancel the payment of €5.00?</h1>')
        .and.to.contain('It can no longer be paid, and this cannot be undone.');
      expect((await browser.press(asked, `${path}/cancel`)).location).to.equal(`${path}?done=yes`);
      expect((await browser.get(path)).text).to.contain('badge calm">cancelled<');
      expect(await auditOf('payment.cancel')).to.contain('ordered twice');
    });

    it('reconciles with the provider, sends a notification again, runs a job', async () => {
      const browser = await browserOf('support');
      const check = `/ops/payments/${paid.id}/reconcile`;
      expect((await browser.press(await browser.get(`/ops/payments/${paid.id}`), check)).status).to.equal(303);
      const list = await browser.get(`/ops/notifications?payment=${paid.id}`);
      const [, path = ''] = /href="(\/ops\/notifications\/\d+-\d+)"/.exec(list.text) ?? [];
      expect(list.text, 'what is delivered has no button in the list').not.to.contain(`${path}/resend`);
      const page = await browser.get(path);
      expect(page.text).to.match(/<h1>Payment \w+<\/h1>/);
      const sentBefore = receiver.ofPayment(paid.id).length;
      expect((await browser.press(page, `${path}/resend`)).status).to.equal(303);
      await until('notified again', async () => receiver.ofPayment(paid.id).length > sentBefore);
      const jobs = await browser.get('/ops/jobs');
      // No worker has registered the job here.
      expect(jobs.text).to.contain('reconcile').and.not.to.contain('/ops/jobs/reconcile/run');
      const { status } = await post('/ops/jobs/reconcile/run', { formToken: tokenIn(jobs) }, browser.cookie);
      expect(status).to.equal(404);
      for (const act of ['payment.reconcile', 'notification.resend'])
        expect(await auditOf(act), act)
          .to.match(/requested a status check of|resent/)
          .and.not.to.contain('badge bad');
    });

    it('marks a payment as reviewed with a reason, and resolves its alarms', async () => {
      const { alarms } = gateway.gateway;
      const payment = await pay();
      alarms.raise('payment_unresolved', { type: 'payment', id: String(payment.id) }, 'attempt 1');
      const isRaised = async (): Promise<boolean> =>
        (await alarms.list(100)).some(({ subject }) => subject.id === String(payment.id));
      await until('stored', isRaised);
      const browser = await browserOf('support');
      const path = `/ops/payments/${payment.id}`;
      const action = `${path}/review`;
      const page = await browser.get(path);
      expect((await browser.press(page, action, { reason: '' })).status).to.equal(400);
      expect((await browser.press(page, action, { reason: 'the bank sent a letter' })).status).to.equal(303);
      expect(await isRaised()).to.equal(false);
      expect((await browser.get(path)).text).to.contain('the bank sent a letter');
    });

    it('sends all notifications of a time span again, and shows progress', async () => {
      const { connection } = gateway.gateway;
      const payment = await pay();
      await until('notified', async () => receiver.ofPayment(payment.id).length > 0);
      const rows = connection.collection<{ paymentRequestId: number }>('notifications');
      const own = { paymentRequestId: payment.id };
      await until('delivered', async () => (await rows.countDocuments({ ...own, state: 'waiting' })) === 0);
      await rows.updateMany(own, { $set: { state: 'exhausted', type: 'payment.kept' } });
      const sentBefore = receiver.ofPayment(payment.id).length;
      const browser = await browserOf('admin');
      const list = await browser.get('/ops/notifications?state=exhausted&type=payment.kept');
      const asked = await browser.press(list, '/ops/notifications/resend');
      expect(asked.text).to.match(/This resends \d+ notifications in the state “failed”/);
      expect(asked.text).to.contain('of all merchants, about “Payment kept”, created at any time.');
      const { status, location } = await browser.press(asked, '/ops/notifications/resend');
      expect([status, location?.startsWith('/ops/notifications/resends/')]).to.deep.equal([303, true]);
      const shown = async (): Promise<string> => (await browser.get(location!)).text;
      await until('it is done', async () => (await shown()).includes('badge good">done<'));
      await until('notified again', async () => receiver.ofPayment(payment.id).length > sentBefore);
      expect(await auditOf('notifications.resend')).to.contain('payment.kept');
      expect((await post('/ops/notifications/resend', { formToken: tokenIn(list) }, browser.cookie)).status).to.equal(
        400,
      );
    });

    it('checks the connection and the account of an adapter', async () => {
      const browser = await browserOf('support');
      const path = '/ops/adapters/provider-a';
      const { status, text } = await browser.press(await browser.get(path), `${path}/check`);
      expect([status, text.includes('can be reached')]).to.deep.equal([200, true]);
      expect(text).to.contain('Credentials: not checked').and.to.contain('provider-a (test): credentials not checked');
      expect((await browser.get('/ops/adapters/unknown')).status).to.equal(404);
      expect(await auditOf('adapter.check'))
        .to.contain('checked the credentials of')
        .and.to.contain('>provider provider-a</a>')
        .and.to.contain('Is account right');
    });

    it('shows the accounts of an adapter on its page, and lists none of them as an adapter', async () => {
      const browser = await browserOf('viewer');
      const [path, heading] = ['/ops/adapters/provider-a', 'The accounts under which the provider knows us'];
      expect((await browser.get(path)).text).to.not.contain(heading);
      const { connection, httpDeps } = gateway.gateway;
      const [_id, at] = ['provider-a/shop', new Date()];
      const options = httpDeps.encrypter.encrypt('{"secret":"K3Y-OF-THE-SHOP"}', accountContext(_id, 'options'));
      const named = {
        _id,
        adapter: 'provider-a',
        name: 'shop',
        version: 1,
        createdBy: 'Ada',
        createdAt: at,
        changedAt: at,
      };
      await accountModel(connection).create({ ...named, options, merchants: ['Ribeira Books'], currencies: ['EUR'] });
      await adapterStatesModel(connection).updateOne({}, { $set: { [`states.${_id}`]: 'draining' } });
      const { text } = await browser.get(path);
      expect(text)
        .to.contain(heading)
        .and.contain('Ribeira Books')
        .and.contain('draining')
        .and.not.contain('K3Y-OF-THE-SHOP');
      expect((await browser.get('/ops/adapters')).text).to.not.contain(_id);
      await accountModel(connection).deleteOne({ _id });
      await adapterStatesModel(connection).updateOne({}, { $unset: { [`states.${_id}`]: '' } });
    });

    describe('on accounts', () => {
      const [adapter, account] = [
        '/ops/adapters/provider-a',
        `/ops/adapters/accounts/${encodeURIComponent('provider-a/shop')}`,
      ];
      const secret = 'K3Y-OF-THE-SHOP-ONLY';
      const secrets = {
        'options.apiKey': secret,
        'options.itemKeys': 'ab'.repeat(32),
        'options.returnKeys': `["${secret}-2", "${secret}-1"]`,
        'options.sealKeys': `ask_${secret}`,
        'options.refundKeys': secret,
      };
      const pages = async (browser: FormBrowser): Promise<string> =>
        (
          await Promise.all(
            [adapter, account, `${account}/change`, '/ops/audit'].map(async (path) => (await browser.get(path)).text),
          )
        ).join();

      it('refuses an account with wrong options, keeps what was typed, and never shows a secret', async () => {
        const browser = await browserOf('admin');
        const form = await browser.get(`${adapter}/accounts/new`);
        expect(form.text)
          .to.contain('<input type="password" name="options.apiKey" value=""')
          .and.contain('A console, API, Keys.')
          .and.contain('placeholder="GatewayEU"');
        const typed = { name: 'shop', currencies: 'eur', ...secrets, 'options.account': 'no spaces please' };
        const refused = await browser.press(form, `${adapter}/accounts`, typed);
        expect(refused.status).to.equal(400);
        expect(refused.text)
          .to.match(
            /<input aria-invalid="true"[^>]* name="options.account" value="no spaces please"[^>]*><span class="error">/,
          )
          .and.not.contain('ONLY')
          .and.not.contain('Add account failed');
        for (const [wrong, name] of [
          [{ name: 'Shop EU' }, 'name'],
          [{ merchant: 'Unknown merchant' }, 'merchant'],
          [{ currencies: 'EURO' }, 'currencies'],
        ] as const) {
          const again = await browser.press(form, `${adapter}/accounts`, {
            ...typed,
            'options.account': 'Shop',
            ...wrong,
          });
          const [[, value]] = Object.entries(wrong) as [[string, string]];
          const field = new RegExp(
            `aria-invalid="true"[^>]* name="${name}" value="${value}"[^>]*><span class="error">`,
          );
          expect(again.text, name).to.match(field);
        }
        const unreadable = await browser.press(refused, `${adapter}/accounts`, { ...typed, fee: '1.4, EUR' });
        expect(unreadable.text).to.contain('aria-invalid').and.contain('Must be a percentage').and.not.contain('ONLY');
        expect((await browser.get(account)).status).to.equal(404);
      });

      it('adds an account that serves one merchant, and shows it without its secrets', async () => {
        const browser = await browserOf('admin');
        const typed = { name: 'shop', merchant: 'demo', currencies: 'eur, usd', fee: '1.4, 0.25 EUR', ...secrets };
        const form = await browser.get(`${adapter}/accounts/new`);
        const added = await browser.press(form, `${adapter}/accounts`, { ...typed, 'options.account': 'Shop' });
        expect([added.status, added.location]).to.deep.equal([303, `${account}?done=yes`]);
        const { text } = await browser.get(added.location!);
        expect(text)
          .to.contain('Account added. Every process uses it within 2 s. Recorded in the audit log.')
          .and.contain('EUR, USD')
          .and.match(/1\.4 % \+ [^<]*0\.25/)
          .and.contain('/callbacks/providerA/shop')
          .and.match(/<code>account<\/code>.*?Shop/s)
          .and.match(/<code>apiKey<\/code>.*?set/s);
        expect(await pages(browser))
          .to.contain('added')
          .and.not.contain('ONLY');
        const found = await accountModel(gateway.gateway.connection)
          .findById('provider-a/shop', null, { promoteBuffers: true })
          .lean<{ readonly options: Uint8Array }>();
        const { encrypter } = gateway.gateway.httpDeps;
        const stored = encrypter.decrypt(found!.options, accountContext('provider-a/shop', 'options'));
        expect(JSON.parse(stored.toString())).to.deep.equal({
          account: 'Shop',
          apiKey: secret,
          itemKeys: ['ab'.repeat(32)],
          returnKeys: [`${secret}-2`, `${secret}-1`],
          sealKeys: [`ask_${secret}`],
          refundKeys: [secret],
        });
      });

      it('changes only what was typed, and keeps the secrets', async () => {
        const browser = await browserOf('admin');
        const form = await browser.get(`${account}/change`);
        expect(form.text).to.contain('value="Shop"').and.contain('A value is set. Empty: keep it.');
        const typed = { currencies: 'EUR', fee: '', 'options.account': 'Shop', 'options.apiKey': `${secret}-NEW` };
        expect((await browser.press(form, `${account}/set`, typed)).location).to.equal(`${account}?done=yes`);
        expect(await auditOf('account.set'))
          .to.contain('apiKey')
          .and.not.contain('returnKeys')
          .and.not.contain('ONLY');
        expect((await browser.get(account)).text)
          .to.contain('that of the adapter')
          .and.not.contain('EUR, USD');
      });

      it('assigns and removes merchants, and opens the account to every merchant after a confirmation', async () => {
        const browser = await browserOf('admin');
        const act = async (name: string, fields: Record<string, string> = {}): Promise<Page> =>
          browser.press(await browser.get(account), `${account}/${name}`, fields);
        expect((await act('unassign', { merchant: 'demo' })).status).to.equal(303);
        expect((await browser.get(account)).text).to.contain('No merchant may use the account yet.');
        expect((await act('assign', { merchant: 'nowhere' })).text).to.contain('There is no merchant nowhere');
        const asked = await act('everybody');
        expect(asked.text).to.contain('Open Provider A, shop to every merchant?');
        expect((await browser.press(asked, `${account}/everybody`)).status).to.equal(303);
        expect((await browser.get(account)).text).to.contain('Every merchant may use the account');
        expect((await act('assign', { merchant: 'demo' })).status).to.equal(303);
      });

      it('checks the account, drains it, and removes it for good', async () => {
        const browser = await browserOf('admin');
        const press = async (name: string, fields: Record<string, string> = {}): Promise<Page> =>
          browser.press(await browser.get(account), `${account}/${name}`, fields);
        await until(
          'the account is loaded',
          () => gateway.gateway.providers.registry.byName('provider-a/shop') !== undefined,
        );
        expect((await press('check')).text).to.contain('provider-a/shop (test): credentials not checked');
        const asked = await press('draining', { reason: 'it moves' });
        expect(asked.text).to.contain('Drain Provider A, shop?');
        expect((await browser.press(asked, `${account}/draining`)).status).to.equal(303);
        expect((await browser.get(account)).text).to.contain('badge warn">draining<');
        const removal = await press('remove', { reason: 'closed' });
        expect(removal.text).to.contain('Its name can never be used again.');
        expect((await browser.press(removal, `${account}/remove`)).location).to.equal(`${adapter}?done=yes`);
        expect((await browser.get(account)).status).to.equal(404);
        const again = await browser.press(await browser.get(`${adapter}/accounts/new`), `${adapter}/accounts`, {
          name: 'shop',
          ...secrets,
        });
        expect(again.text).to.contain('names are never reused');
        expect(await auditOf('account.remove'))
          .to.contain('removed')
          .and.contain('closed');
        await accountModel(gateway.gateway.connection).deleteMany({});
        await adapterStatesModel(gateway.gateway.connection).updateOne(
          {},
          { $unset: { 'states.provider-a/shop': '' } },
        );
      });

      it('shows the account main read-only, and offers changes only to the role admin', async () => {
        const browser = await browserOf('support');
        const main = await browser.get('/ops/adapters/accounts/provider-a');
        expect(main.text)
          .to.contain('described in the config files')
          .and.contain('GatewayEU')
          .and.not.contain('aak_open')
          .and.not.contain('/draining"');
        expect((await browser.get(`${adapter}/accounts/new`)).text)
          .to.contain('Only an operator with the role admin')
          .and.not.contain('type="password"');
        const admin = await browserOf('admin');
        const form = { formToken: tokenIn(await admin.get('/ops')), reason: 'x' };
        for (const name of ['on', 'draining', 'off'])
          expect((await admin.post(`/ops/adapters/accounts/provider-a/${name}`, form)).status).to.equal(404);
      });
    });

    it('tries a candidate of an adapter on stored callbacks, and shows the differences', async () => {
      const browser = await browserOf('admin');
      const path = '/ops/adapters/provider-a';
      const action = `${path}/replay`;
      const asked: unknown[] = [];
      let end: (() => void) | undefined;
      replay = async (question) => {
        asked.push(question);
        await new Promise<void>((resolve) => (end = resolve));
        const callback = { id: 'row', receivedAt: '2026-01-02T03:04:05.000Z', path: 'providerA' };
        const lines = { before: [`payment | ${markup}`, 'same'], after: ['payment | failed', 'same'] };
        return { read: 7, different: 1, unreadable: 2, callbacks: [{ ...callback, ...lines }] };
      };
      const page = await browser.get(path);
      for (const candidate of ['../../evil', '/etc/passwd', 'file:///etc', '@new/provider-b', ''])
        expect((await browser.press(page, action, { candidate })).status, candidate).to.equal(400);
      expect((await browser.press(page, action, { candidate: '@new/provider-a', since: 'x' })).status).to.equal(400);
      const typed = { candidate: '@new/provider-a', since: '2026-01-01T00:00' };
      const sure = await browser.press(page, action, typed);
      expect(sure.text)
        .to.contain('This runs @new/provider-a on this host')
        .and.to.contain('Nothing is changed or sent');
      const { location } = await browser.press(sure, action);
      const shown = async (): Promise<string> => (await browser.get(location!)).text;
      expect(await shown())
        .to.contain('in progress')
        .and.to.contain('<progress');
      expect((await browser.press(sure, action)).location, 'sent a second time').to.equal(location);
      const another = await browser.press(await browser.press(page, action, typed), action);
      expect(another.status, 'a second one at the same time').to.equal(429);
      await until('the candidate runs', () => end !== undefined);
      end!();
      await until('it is done', async () => (await shown()).includes('badge good">done<'));
      expect(await shown())
        .to.contain('<dd>7</dd>')
        .and.to.contain(`<div>payment | ${escaped}</div>`)
        .and.to.contain('<div>payment | failed</div>')
        .and.to.contain('<small>same</small>');
      expect((await browser.get(`${location}?as=csv&table=differences`)).text).to.contain('payment | failed');
      expect(asked).to.deep.equal([
        { adapter: 'provider-a', package: '@new/provider-a', since: new Date('2026-01-01T00:00Z') },
      ]);
      replay = async () => Promise.reject(new Error('the package @new/provider-a is not installed'));
      const failed = await browser.press(await browser.press(page, action, typed), action);
      await until('it says why it failed', async () =>
        (await browser.get(failed.location!)).text.includes('is not installed'),
      );
      expect(await auditOf('adapter.replay'))
        .to.contain('@new/provider-a')
        .and.to.contain('is not installed');
      const support = await browserOf('support');
      expect((await support.get(path)).text).not.to.contain(action);
    });

    it("sends a test event to a merchant's address, disables it and enables it", async () => {
      const browser = await browserOf('admin');
      const path = `/ops/merchants/${gateway.ownerId}`;
      const { origin } = new URL(receiver.url);
      const countTestEvents = (): number => receiver.received.filter(({ json }) => json.type === 'webhook.test').length;
      const before = countTestEvents();
      const webhooks = `${path}?tab=webhooks`;
      const page = await browser.get(webhooks);
      const tested = await browser.press(page, `${path}/endpoints/test`, {}, origin);
      expect(tested.location).to.equal(`${webhooks}&done=yes`);
      const { text: said } = await browser.get(tested.location!);
      expect(said).to.match(/Test event delivered\. \S+ answered: HTTP 2\d\d in/);
      expect(countTestEvents()).to.be.greaterThan(before);
      const sure = await browser.press(page, `${path}/endpoints/disable`, {}, origin);
      expect(sure.text).to.contain(`to ${origin} (test), except test events`);
      expect((await browser.press(sure, `${path}/endpoints/disable`)).status).to.equal(303);
      // A failing address that is still retried needs no operator to enable it.
      const endpoints = gateway.gateway.connection.collection('endpoints');
      await endpoints.updateOne({ origin }, { $unset: { disabledAt: '' } });
      const failing = (await browser.get(webhooks)).text;
      expect(failing).to.contain('badge bad">failing<').and.not.to.contain(`${path}/endpoints/enable`);
      await endpoints.updateOne({ origin }, { $set: { disabledAt: new Date() } });
      const disabled = await browser.get(webhooks);
      expect(disabled.text).to.contain('badge bad">disabled<');
      expect((await browser.press(disabled, `${path}/endpoints/enable`, {}, origin)).status).to.equal(303);
      expect((await browser.get(webhooks)).text).to.contain('badge good">working<');
      for (const act of ['endpoint.test', 'endpoint.disable', 'endpoint.enable'])
        expect(await auditOf(act), act).to.contain(`${origin} of demo (test)`);
      expect(await auditOf('endpoint.disable')).to.contain('working → disabled');
      expect(await auditOf('endpoint.enable'))
        .to.contain('disabled → working')
        .and.to.match(/, and resent \d+ notification/);
      const none = { origin: 'https://other.example', environment: 'test' };
      expect((await browser.press(page, `${path}/endpoints/test`, none, origin)).status).to.equal(404);
    });

    it('finds audit entries by operator, by subject and by time', async () => {
      const payment = await pay();
      const browser = await browserOf('support');
      const path = `/ops/payments/${payment.id}`;
      await browser.press(await browser.get(path), `${path}/reconcile`);
      const found = async (query: Record<string, string>): Promise<string> =>
        (await browser.get(`/ops/audit?${new URLSearchParams(query).toString()}`)).text;
      const own = `payment ${payment.id}`;
      for (const query of [
        { by: `Ada ${markup}` },
        { about: own },
        { about: `payment:${payment.id}`, act: 'payment.reconcile' },
        { about: own, since: '2026-01-01T00:00' },
      ])
        expect(await found(query), JSON.stringify(query)).to.contain(`>${own}<`);
      for (const query of [{ by: 'Ad' }, { about: 'payment 1' }, { about: own, since: '2099-01-01T00:00' }])
        expect(await found(query), JSON.stringify(query)).to.contain('No actions found');
      expect(await found({ about: 'payment' })).to.contain('Enter what the action is about as its type and its ID');
      expect(await found({ since: 'soon' })).to.contain('Enter a time like');
    });

    it('records the client address behind a trusted proxy, and nothing else from the header', async () => {
      const proxied = await startConsole(gateway, undefined, undefined, 1);
      const browser = await browserOf('admin');
      const page = await browser.get(`/ops/payments/${paid.id}`);
      const init = {
        method: 'POST',
        headers: { Cookie: browser.cookie, 'X-Forwarded-For': '192.0.2.77, 203.0.113.31' },
        body: new URLSearchParams({ formToken: tokenIn(page) }),
      };
      const action = `/ops/payments/${paid.id}/reconcile`;
      expect((await call(action, init, proxied.port)).status).to.equal(303);
      const signInWrongly = async (from: string): Promise<number> =>
        (
          await call(
            '/ops/sign-in',
            { method: 'POST', headers: { 'X-Forwarded-For': from }, body: new URLSearchParams({ key: 'wrong' }) },
            proxied.port,
          )
        ).status;
      const all = await Promise.all(Array.from({ length: 40 }, async () => signInWrongly('203.0.113.32')));
      expect([all.includes(429), await signInWrongly('203.0.113.33')], 'each address has its own budget').to.deep.equal(
        [true, 401],
      );
      await proxied.close(0);
      expect((await call(action, init)).status).to.equal(303);
      const text = await auditOf('payment.reconcile');
      expect(text).to.contain('>203.0.113.31<').and.not.to.contain('192.0.2.77');
      expect(text.match(/>203\.0\.113\.31</g), 'without a proxy the header is ignored').to.have.length(1);
    });

    it('acknowledges and resolves an alarm', async () => {
      const { alarms } = gateway.gateway;
      alarms.raise('payment_unresolved', { type: 'payment', id: String(paid.id) }, `attempt ${markup}`);
      await until('stored', async () => (await alarms.list(10)).length > 0);
      const browser = await browserOf('support');
      const now = await browser.get('/ops');
      const [, path = ''] = /href="(\/ops\/alarms\/[^"]+)"/.exec(now.text) ?? [];
      const page = await browser.get(path);
      expect(page.text).to.contain(escaped).and.to.contain('What to do').and.to.contain(`/ops/payments/${paid.id}`);
      expect(page.text)
        .to.contain('<code>paywright payments reconcile</code>')
        .and.to.contain('Test mode: no real money moves.');
      expect((await browser.press(page, `${path}/acknowledge`, { reason: 'I ask the bank' })).status).to.equal(303);
      expect((await browser.get('/ops/alarms')).text).to.match(/acknowledged<\/span>\s*<small>by Ada /);
      expect((await browser.get(path)).text).to.contain('I ask the bank');
      expect((await browser.press(await browser.get(path), `${path}/resolve`)).status).to.equal(303);
      expect((await browser.get('/ops/alarms')).text).to.contain('No unresolved alarms.');
      const history = (await browser.get('/ops/alarms?state=resolved')).text;
      expect(history).to.contain('Payment outcome unknown').and.to.contain(path);
      expect(await auditOf('alarm.acknowledge')).to.contain('I ask the bank');
    });

    it('filters alarms, and acknowledges the selected ones or all of them', async () => {
      const { alarms } = gateway.gateway;
      for (const id of ['81', '82', '83']) alarms.raise('refund_failed', { type: 'payment', id }, 'in bulk');
      alarms.raise('process_failed', { type: 'process', id: 'worker 9@host' }, 'in bulk');
      await until('stored', async () => (await alarms.list(10)).length >= 4);
      const browser = await browserOf('support');
      const info = (await browser.get('/ops/alarms?severity=info')).text;
      expect(info).to.contain('worker 9@host').and.not.to.contain('/ops/alarms/refund_failed');
      const list = await browser.get('/ops/alarms?kind=refund_failed');
      expect(list.text).to.contain('payment 81').and.not.to.contain('worker 9@host');
      const action = '/ops/alarms/acknowledge';
      const nothing = await browser.press(list, action, { which: 'selected' });
      expect([nothing.status, nothing.text.includes('select at least one')]).to.deep.equal([400, true]);
      const statesOf = async () =>
        Promise.all(
          ['81', '82', '83'].map(async (id) => (await alarms.get(`refund_failed:payment:${id}`))?.state ?? ''),
        );
      const one = { which: 'selected', 'alarm refund_failed:payment:82': 'on', reason: 'in bulk' };
      expect((await browser.press(list, action, one)).location).to.equal('/ops/alarms?kind=refund_failed&done=yes');
      expect(await statesOf()).to.deep.equal(['open', 'acknowledged', 'open']);
      await browser.press(list, action, { which: 'all' });
      expect(await statesOf()).to.deep.equal(['acknowledged', 'acknowledged', 'acknowledged']);
      expect((await alarms.get('process_failed:process:worker 9@host'))?.state).to.equal('open');
      for (const { _id } of await alarms.list(100)) await alarms.resolve(_id);
    });

    it('shows an alarm of a kind that only a later version knows', async () => {
      const { connection } = gateway.gateway;
      const stored = connection.collection<{ _id: string }>('alarms');
      const at = new Date();
      const subjects = [
        { type: 'ledger', id: '7' },
        { type: 'adapter', id: 'provider-a' },
        { type: 'payment', id: String(paid.id) },
      ];
      const later = subjects.map(({ type, id }) => ({
        _id: `ledger_gap:${type}:${id}`,
        kind: 'ledger_gap',
        subject: { type, id },
        reason: 'a gap',
        state: 'open',
        count: 1,
        firstSeenAt: at,
        lastSeenAt: at,
        lease: { token: null, worker: null, expiries: 0, claimedAt: null },
        failures: 0,
        history: [{ at, what: 'was_escalated' }],
      }));
      await stored.insertMany(later);
      const browser = await browserOf('support');
      for (const path of ['/ops', '/ops/alarms', '/ops/alarms?severity=critical', '/ops/adapters/provider-a']) {
        const { status, text } = await browser.get(path);
        expect([path, status, text.includes('Ledger gap')]).to.deep.equal([path, 200, true]);
      }
      for (const { _id } of later) {
        const { status, text } = await browser.get(`/ops/alarms/${encodeURIComponent(_id)}`);
        expect([_id, status]).to.deep.equal([_id, 200]);
        expect(text)
          .to.contain('does not know the kind ledger_gap')
          .and.to.contain('was escalated')
          .and.not.contain('undefined');
      }
      expect((await browser.get(`/ops/payments/${paid.id}`)).status).to.equal(200);
      await stored.deleteMany({ kind: 'ledger_gap' });
    });

    it("changes an adapter's state, and says first what the change means", async () => {
      const browser = await browserOf('admin');
      const action = '/ops/adapters/provider-a/draining';
      const asked = await browser.press(await browser.get('/ops/adapters/provider-a'), action, {
        reason: 'moves to another bank',
      });
      expect(asked.text).to.contain('Drain Provider A?').and.to.contain('Provider A will accept no new payments');
      expect((await browser.press(asked, action)).status).to.equal(303);
      expect((await browser.get('/ops/adapters')).text).to.contain('moves to another bank');
      const page = await browser.get('/ops/adapters/provider-a');
      expect(page.text).to.contain('badge warn">draining<');
      expect((await browser.press(page, '/ops/adapters/provider-a/off')).status, 'without a reason').to.equal(400);
      const off = await browser.press(page, '/ops/adapters/provider-a/off', { reason: 'closed' });
      expect(off.text).to.match(/paid so recently that a refund or a chargeback may follow: \d+\./);
      const on = await browser.press(page, '/ops/adapters/provider-a/on', { reason: 'it is back' });
      expect(on.text).to.contain('Provider A will accept new payments');
      expect((await browser.press(on, '/ops/adapters/provider-a/on')).status).to.equal(303);
      expect(await auditOf('adapter.state'))
        .to.contain('moves to another bank')
        .and.to.contain('drained')
        .and.to.contain('draining');
      const unknown = await post('/ops/adapters/unknown/on', { formToken: tokenIn(page) }, browser.cookie);
      expect(unknown.status).to.equal(404);
    });

    it('creates, limits and revokes a key that is shown once', async () => {
      const browser = await browserOf('admin');
      const { owners } = gateway.gateway.access;
      const { id } = await owners.findOrCreate(`Shop ${markup}`);
      const path = `/ops/merchants/${id}`;
      const list = await browser.get('/ops/merchants');
      expect(list.text).to.contain(`href="${path}"`).and.to.contain(`Shop ${escaped}`).and.not.to.contain('<b onload');
      const read = { 'scope.requests:read': 'yes' };
      const form = { environment: 'sandbox', ...read, limit: '9', expires: '2099-01-31T12:00' };
      const tab = `${path}?tab=keys`;
      const sure = await browser.press(await browser.get(tab), `${path}/keys`, form);
      expect(sure.text)
        .to.contain(`Create a test key of Shop ${escaped}?`)
        .and.to.contain('Scopes: requests:read; requests per minute: 9; expiry: 2099-01-31T12:00:00.000Z');
      const made = await browser.press(sure, `${path}/keys`);
      expect((await browser.press(sure, `${path}/keys`)).text, 'pressed twice').to.equal(made.text);
      const other = await startConsole(gateway);
      const init = {
        method: 'POST',
        headers: { Cookie: browser.cookie },
        body: new URLSearchParams(hiddenFieldsOf(sure, `${path}/keys`)),
      };
      const { text: shownThen } = await call(`${path}/keys`, init, other.port);
      await other.close(0);
      expect(shownThen)
        .to.contain('was shown when this form was sent')
        .and.not.to.contain('gk_test_')
        .and.not.to.contain('whsec_');
      const { current } = await owners.webhookSecrets(id, 'test');
      expect(made.text).to.contain('test events').and.to.contain(current);
      const all = await gateway.gateway.access.keys.list({ owner: `Shop ${markup}` });
      expect(all).to.have.length(1);
      expect(all[0]).to.deep.include({ scopes: ['requests:read'], limit: 9, expiresAt: new Date('2099-01-31T12:00Z') });
      for (const wrong of [
        { 'scope.requests:read': 'no' },
        { limit: 'x' },
        { expires: 'soon' },
        { environment: 'moon' },
      ]) {
        const asked = await browser.press(await browser.get(tab), `${path}/keys`, {
          environment: 'sandbox',
          ...read,
          ...wrong,
        });
        const end = asked.status === 200 ? await browser.press(asked, `${path}/keys`) : asked;
        expect(end.status, JSON.stringify(wrong)).to.equal(400);
      }
      const [key = ''] = /gk_test_[\w-]{43}/.exec(made.text) ?? [];
      const [keyId = ''] = /key_[0-9a-f]{16}/.exec(made.text) ?? [];
      const callWithKey = async (): Promise<number> =>
        (await fetch(`${gateway.url}/payment-requests`, { headers: { 'X-API-Key': key } })).status;
      expect(await callWithKey()).to.equal(200);
      const page = await browser.get(tab);
      expect(page.text).to.contain(keyId).and.not.to.contain(key);
      const limit = `/ops/keys/${keyId}/limit`;
      const limited = await browser.press(page, limit, { limit: '7' });
      expect(limited.text).to.contain(
        `the test key ${keyId} of Shop ${escaped} to 7 requests per minute, instead of 9`,
      );
      expect((await browser.press(limited, limit)).location).to.equal(`${tab}&done=yes`);
      expect((await browser.press(page, limit, { limit: 'x' })).status).to.equal(400);
      const rotate = `/ops/keys/${keyId}/rotate`;
      const rotated = await browser.press(await browser.press(page, rotate), rotate);
      const [newKey = ''] = /gk_test_[\w-]{43}/.exec(rotated.text) ?? [];
      expect(rotated.text).to.contain('Old key valid until').and.to.contain(current);
      expect([newKey === key, (await browser.get(tab)).text.includes(newKey)]).to.deep.equal([false, false]);
      const asked = await browser.press(page, `/ops/keys/${keyId}/revoke`);
      expect(asked.text).to.contain(`This revokes the test key ${keyId} of Shop ${escaped} within 2 s`);
      expect((await browser.press(asked, `/ops/keys/${keyId}/revoke`)).status).to.equal(303);
      await until('it is refused', async () => (await callWithKey()) === 401);
      for (const act of ['key.create', 'key.limit', 'key.rotate', 'key.revoke']) {
        const text = await auditOf(act);
        expect(text, act).to.contain(keyId).and.not.to.contain(key);
      }
    });

    it("creates and revokes a link to a merchant's portal, and lets only an admin create one that allows changes", async () => {
      const { id } = await gateway.gateway.access.owners.findOrCreate('Portal shop');
      const path = `/ops/merchants/${id}`;
      const browser = await browserOf('support');
      const tab = `${path}?tab=portal`;
      const page = await browser.get(tab);
      const made = await browser.press(page, `${path}/portal`, { environment: 'sandbox' });
      const [link = ''] = /http:[^<]+\/portal\/open\?link=[\w.-]+/.exec(made.text) ?? [];
      const [linkId = ''] = /plink_[0-9a-f]{16}/.exec(link) ?? [];
      const open = async (): Promise<number> => (await fetch(link)).status;
      expect(await open()).to.equal(200);
      const changing = { environment: 'production', allowsRotation: 'yes' };
      const refused = await browser.press(page, `${path}/portal`, changing);
      expect([refused.status, page.text.includes('allowsRotation')]).to.deep.equal([403, false]);
      const admin = await browserOf('admin');
      const sure = await admin.press(await admin.get(tab), `${path}/portal`, changing);
      expect(sure.text).to.contain('replace the webhook secret of Portal shop');
      expect((await admin.press(sure, `${path}/portal`)).text).to.contain('live mode');
      const revoke = `/ops/portal-links/${linkId}/revoke`;
      expect((await browser.press(await browser.get(tab), revoke)).location).to.equal(`${tab}&done=yes`);
      await until('the link opens nothing', async () => (await open()) !== 200);
      for (const act of ['portal.create', 'portal.revoke'])
        expect(await auditOf(act), act)
          .to.contain(linkId)
          .and.not.to.contain(link.split('.').at(-1));
    });

    it('gives a merchant a new webhook secret', async () => {
      const browser = await browserOf('admin');
      const path = `/ops/merchants/${gateway.ownerId}`;
      const action = `${path}/secret`;
      const asked = await browser.press(await browser.get(`${path}?tab=webhooks`), action, { environment: 'sandbox' });
      expect(asked.text).to.contain('For 24 hours, notifications are signed with both secrets');
      const { text } = await browser.press(asked, action);
      const [secret = ''] = /whsec_[\w+/]+=*/.exec(text) ?? [];
      const { current } = await gateway.gateway.access.owners.webhookSecrets(gateway.ownerId, 'test');
      expect(secret).to.equal(current);
      expect(await auditOf('secret.rotate')).not.to.contain(secret);
    });

    it("sets and removes a merchant's name, logo and colour", async () => {
      const browser = await browserOf('admin');
      const { owners } = gateway.gateway.access;
      const { id, name } = await owners.findOrCreate('Rua');
      const path = `/ops/merchants/${id}`;
      const tab = `${path}?tab=branding`;
      const readBrand = async () => (await owners.find(name))!.brand;
      const send = async (fields: Readonly<Record<string, string>>, logo?: Uint8Array): Promise<Page> => {
        const form = new FormData();
        const all = { formToken: tokenIn(await browser.get(tab)), ...fields };
        for (const [field, value] of Object.entries(all)) form.set(field, value);
        form.set('logo', new Blob(logo ? [new Uint8Array(logo)] : []), logo ? 'logo.svg' : '');
        return call(`${path}/brand`, { method: 'POST', headers: { Cookie: browser.cookie }, body: form });
      };
      const texts = {
        displayName: `Rua ${markup}`,
        colour: '#0B7443',
        support: 'help@rua.example',
        terms: 'https://rua.example/terms',
      };
      const image = pngImage();
      expect((await send(texts, image)).location).to.equal(`${tab}&done=yes`);
      const brand = await readBrand();
      expect(brand).to.deep.include({ ...texts, colour: '#0b7443' });
      expect(brand.logo).to.include({ type: 'image/png' });
      const page = await browser.get(tab);
      expect(page.text)
        .to.contain(`Rua ${escaped}`)
        .and.to.contain(`href="${path}/logo"`)
        .and.to.contain('fill="#0b7443"')
        .and.to.contain('value="https://rua.example/terms"')
        .and.not.to.contain('<b onload');
      const shown = await fetch(`http://127.0.0.1:${server.port}${path}/logo`, { headers: { Cookie: browser.cookie } });
      expect([shown.headers.get('content-type'), Buffer.from(await shown.arrayBuffer()).equals(image)]).to.deep.equal([
        'image/png',
        true,
      ]);
      expect((await call(`${path}/logo`)).status, 'without a session').to.equal(302);
      const audited = await auditOf('owner.set');
      expect(audited).to.contain('#0b7443').and.to.contain(brand.logo!.hash);

      for (const [wrong, said] of [
        [send({ ...texts, colour: '#ffd166' }), 'would do'],
        [send(texts, Buffer.from('<svg/>')), 'must be a complete PNG, JPEG or WebP image'],
        [send(texts, pngImage(2001, 1)), 'has 2001 × 1'],
        [send(texts, Buffer.alloc(70_000)), 'has 70000'],
      ] as const) {
        const { status, text } = await wrong;
        expect([status, text.includes(said)], said).to.deep.equal([400, true]);
      }
      expect((await send({ ...texts, formToken: 'other' })).status).to.equal(403);
      expect((await send(texts, Buffer.alloc(1_100_000))).status).to.equal(413);
      expect(await readBrand()).to.deep.equal(brand);

      expect((await send({ ...texts, terms: '', noLogo: 'yes' })).status).to.equal(303);
      expect(await readBrand()).to.deep.equal({ ...brand, terms: null, logo: null });
      expect((await browser.get(`${path}/logo`)).status).to.equal(404);
      expect((await (await browserOf('support')).get(tab)).text).not.to.contain(`action="${path}/brand"`);
    });

    it('creates a merchant with a key and a portal link that are shown once, and removes it', async () => {
      const browser = await browserOf('admin');
      const { owners } = gateway.gateway.access;
      const path = '/ops/merchants/new';
      const list = await browser.get('/ops/merchants');
      expect(list.text).to.contain(`href="${path}">New merchant</a>`);
      const page = await browser.get(path);
      const fields = { name: 'Harbour hotel', email: 'ana@harbour.example', currency: 'eur', testNotifyUrl: '' };
      const refused = await browser.press(page, path, { ...fields, email: 'ana', key: 'yes' });
      expect(refused.status).to.equal(400);
      expect(refused.text)
        .to.match(/value="ana"[^>]*>.*?<span class="error"/s)
        .and.to.contain('value="Harbour hotel"');
      expect(await owners.find('Harbour hotel')).to.equal(undefined);
      const made = await browser.press(refused, path, { ...fields, key: 'yes', link: 'yes' });
      expect(made.status).to.equal(200);
      const [key = ''] = /gk_test_[\w-]{43}/.exec(made.text) ?? [];
      expect(made.text)
        .to.contain(`${gateway.url}/docs`)
        .and.to.match(/\/portal\/open\?link=plink_/);
      const same = await browser.press(refused, path, { ...fields, key: 'yes', link: 'yes' });
      expect(same.text, 'sent twice').to.contain(key);
      const owner = (await owners.find('Harbour hotel'))!;
      expect(owner).to.include({ email: 'ana@harbour.example', reportingCurrency: 'EUR' });
      const near = await browser.press(await browser.get(path), path, { ...fields, name: 'harbour-hotel' });
      expect(near.text)
        .to.contain('Is close to the merchant &quot;Harbour hotel&quot;.')
        .and.to.contain('name="allowsNearName"');
      expect((await browser.get('/ops/merchants?text=harbour')).text).to.contain('>Harbour hotel</a>');
      const own = `/ops/merchants/${owner.id}`;
      expect((await browser.get(own)).text)
        .to.contain('ana@harbour.example')
        .and.to.contain('never');
      const asked = await browser.press(await browser.get(own), `${own}/remove`);
      expect(asked.text).to.contain('Remove the merchant Harbour hotel?');
      expect((await browser.press(asked, `${own}/remove`)).location).to.equal('/ops/merchants?done=yes');
      expect((await browser.get(own)).status).to.equal(404);
      expect((await (await browserOf('support')).get('/ops/merchants')).text).to.not.contain(path);
      expect(await auditOf('owner.remove'))
        .to.contain('removed')
        .and.to.contain('merchant Harbour hotel');
    });

    it("changes a merchant's settings and default endpoints, with errors next to their fields", async () => {
      const browser = await browserOf('admin');
      const { owners } = gateway.gateway.access;
      const { id } = await owners.findOrCreate('Settings shop');
      const path = `/ops/merchants/${id}`;
      const send = async (action: string, fields: Record<string, string>, tab = ''): Promise<Page> =>
        browser.press(await browser.get(`${path}${tab}`), `${path}/${action}`, fields);
      const settings = { email: 'a@b.example', currency: 'USD', 'type.payment.succeeded': 'yes' };
      const unknown = await send('settings', { ...settings, currency: 'euro' });
      expect([unknown.status, unknown.text.includes('Must be an active ISO 4217 currency')]).to.deep.equal([400, true]);
      const types = { 'type.payment.succeeded': 'yes' };
      expect((await send('settings', { email: 'a@b.example', currency: '', ...types })).status).to.equal(303);
      expect(await owners.find('Settings shop')).to.include({ email: 'a@b.example', reportingCurrency: null });
      const tab = '?tab=webhooks';
      const wrong = await send('endpoints/default', { mode: 'test', testNotifyUrl: 'shop' }, tab);
      expect([wrong.status, wrong.text.includes('value="shop"')]).to.deep.equal([400, true]);
      const url = 'https://shop.example/hook';
      expect((await send('endpoints/default', { mode: 'test', testNotifyUrl: url }, tab)).status).to.equal(303);
      expect((await owners.find('Settings shop'))!.notifyUrls).to.deep.equal({ test: url, live: null });
      expect((await send('endpoints/default', { mode: 'test', testNotifyUrl: '' }, tab)).status).to.equal(303);
      expect((await owners.find('Settings shop'))!.notifyUrls.test).to.equal(null);
    });

    it('discards a callback with a reason, and not without one', async () => {
      const inbox = gateway.gateway.connection.collection<{ _id: string }>('inbox');
      const payment = await pay();
      const id = await findAppliedCallback(payment.id);
      await inbox.updateOne({ _id: id }, { $set: { state: 'dead_letter' }, $unset: { dueAt: 1 } });
      const browser = await browserOf('admin');
      const path = `/ops/callbacks/${id}`;
      expect((await browser.get('/ops/callbacks')).text).to.contain(path);
      const asked = await browser.press(await browser.get(path), `${path}/discard`, { reason: '' });
      expect((await browser.press(asked, `${path}/discard`)).status).to.equal(400);
      const sure = await browser.press(await browser.get(path), `${path}/discard`, { reason: 'sent by mistake' });
      expect(sure.text).to.contain('never be processed');
      expect((await browser.press(sure, `${path}/discard`)).status).to.equal(303);
      expect((await browser.get('/ops/callbacks')).text).not.to.contain(path);
      expect(await auditOf('callback.discard')).to.contain('sent by mistake');
    });
  });
});

interface StoredPayment {
  readonly _id: number;
  readonly logs: readonly object[];
  readonly disputeStages?: readonly object[];
  readonly problems?: readonly string[];
}
