/** The management API over HTTP, on a gateway of real parts, and the command that uses it. */
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import { verifyWebhook } from '@paywright/client';
import { listen, type RunningSandbox } from '@paywright/contract/sandbox';
import type { CreateSandbox } from '@paywright/contract';
import { expect } from 'chai';
import { after, before, describe, it } from 'mocha';
import { createAudit } from '../core/engine/audit/index.ts';
import { operations } from '../core/console/index.ts';
import { importPackage } from '../core/engine/providers/index.ts';
import { until } from '../core/base/testing/until.ts';
import { pngImage } from '../core/engine/access/testing/images.ts';
import type { OpenApiDocument, RunningServer } from '../core/http/index.ts';
import { close, createJudge, createValidators, type Judge } from '../core/http/testing/judge-exchanges.ts';
import type { OperatorRole } from '../core/database/collections/operator.ts';
import { startConsole } from './support/start-console.ts';
import { root, startGateway, type TestGateway } from './support/start-gateway.ts';
import { startReceiver, type Receiver } from './support/receiver.ts';
import { cardBody } from './support/bodies.ts';

const runFile = promisify(execFile);
const secret = 'a-secret-of-the-provider';

interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  // oxlint-disable-next-line typescript/no-explicit-any -- tests read single members
  readonly json: any;
}

describe('the management API', () => {
  let gateway: TestGateway;
  let receiver: Receiver;
  let ops: RunningServer;
  let base: string;
  let document: OpenApiDocument;
  let judge: Judge;
  let key: string;
  let keyId: string;
  let playing: RunningSandbox | undefined;
  /** Everything that the API answered. */
  const answered: string[] = [];

  const newKey = async (role: OperatorRole = 'admin', name = 'Ada Lovelace', expiresAt?: Date) =>
    gateway.gateway.access.operators.create({ name, role, expiresAt });

  async function ask(
    method: string,
    path: string,
    body?: unknown,
    headers: Readonly<Record<string, string>> = { Authorization: `Bearer ${key}` },
  ): Promise<Answer> {
    const requestBody = body === undefined ? undefined : typeof body === 'string' ? body : JSON.stringify(body);
    const requestHeaders = new Headers({
      ...headers,
      ...(requestBody !== undefined && { 'Content-Type': 'application/json', ...headers }),
    });
    const response = await fetch(base + path, {
      method,
      headers: requestHeaders,
      ...(requestBody !== undefined && { body: requestBody }),
      redirect: 'manual',
    });
    const text = await response.text();
    answered.push(text);
    const { status } = response;
    judge?.judge({ method, path, requestHeaders, requestBody, status, headers: response.headers, body: text });
    return { status, headers: response.headers, text, json: text === '' ? undefined : JSON.parse(text) };
  }

  const auditOf = async (id: string) => {
    const { connection, httpDeps } = gateway.gateway;
    const { encrypter, now, log } = httpDeps;
    const { items } = await createAudit({ connection, encrypter, now, log }).list({ limit: 50 });
    return items.filter(({ subject }) => subject.id === id);
  };

  before(async () => {
    receiver = await startReceiver();
    gateway = await startGateway({ adapters: ['provider-a', 'provider-b'] });
    ops = await startConsole(gateway);
    base = `http://127.0.0.1:${ops.port}`;
    ({ key, keyId } = await newKey());
    document = (await ask('GET', '/api/openapi.json')).json as OpenApiDocument;
    judge = createJudge(document);
  });
  after(async () => {
    await ops.close(0);
    await playing?.close();
    await gateway.close();
    await receiver.close();
  });

  describe('its document', () => {
    it('passes the strict rules of a public linter', async () => {
      const rules = { 'operation-4xx-response': 'off', 'no-server-example.com': 'off' } as const;
      const config = await createConfig({ extends: ['recommended-strict'], rules });
      const problems = await lintFromString({ source: JSON.stringify(document), absoluteRef: 'openapi.json', config });
      expect(
        problems.map(({ ruleId, message, location }) => `${ruleId}: ${message} ${location[0]?.pointer}`),
      ).to.deep.equal([]);
    });

    it('lists every operation, and has examples that match their schemas', () => {
      const described = Object.entries(document.paths).flatMap(([path, item]) =>
        (['get', 'post', 'put', 'patch', 'delete'] as const).flatMap((method) => {
          const one = item[method];
          return one ? [{ pointer: `/paths/${path.replaceAll('/', '~1')}/${method}`, one, path }] : [];
        }),
      );
      expect(described.map(({ one }) => one.operationId)).to.have.members([...Object.keys(operations), 'getDocument']);
      const requests = createValidators(document, { assertsUris: true });
      const answers = createValidators(close(document) as OpenApiDocument, { assertsUris: true });
      for (const { pointer, one } of described) {
        expect(one.description, pointer).to.not.equal('');
        const media = one.requestBody?.content['application/json'];
        if (media)
          expect(requests(`${pointer}/requestBody/content/application~1json/schema`, media.example), pointer).to.equal(
            undefined,
          );
        for (const status of ['200', '201']) {
          const answer = one.responses[status]?.content?.['application/json'];
          if (!answer) continue;
          const at = `${pointer}/responses/${status}/content/application~1json/schema`;
          expect(answers(at, answer.example), at).to.equal(undefined);
        }
      }
    });
  });

  describe('its gate', () => {
    it('refuses a request without a key, a wrong, revoked or expired key, and a key in another place', async () => {
      const expiresAt = new Date(Date.now() + 60_000);
      const [revoked, expired] = [await newKey(), await newKey('admin', 'Brief', expiresAt)];
      await gateway.gateway.access.operators.revoke(revoked.keyId);
      const { connection } = gateway.gateway;
      await connection
        .collection<{ _id: string }>('operators')
        .updateOne({ _id: expired.keyId }, { $set: { expiresAt: new Date(Date.now() - 1000) } });
      const bearer = (sent: string) => ({ Authorization: `Bearer ${sent}` });
      for (const [headers, why] of [
        [{}, /is missing: send it in the header Authorization, as Bearer gk_ops_…/],
        [{ 'X-API-Key': key }, /is missing/],
        [{ Cookie: `gateway_console=${key}` }, /is missing/],
        [{ Authorization: `Basic ${key}` }, /is missing/],
        [bearer(`gk_ops_${'a'.repeat(43)}`), /is unknown/],
        [bearer(gateway.key), /is not an operator's key/],
        [bearer(revoked.key), /was revoked/],
        [bearer(expired.key), /expired at/],
      ] as const) {
        const refused = await ask('GET', '/api/merchants', undefined, headers);
        expect(refused.status, JSON.stringify(headers)).to.equal(401);
        expect(refused.json).to.include({ code: 'AUTH001', error: 'UNAUTHORIZED' });
        expect(refused.json.detail).to.match(why);
        expect(refused.headers.get('www-authenticate')).to.equal('Bearer');
        expect(refused.text).to.not.include(key);
      }
    });

    it('accepts no session of the console, so that a page of another site cannot use it', async () => {
      const signIn = await fetch(`${base}/ops/sign-in`, {
        method: 'POST',
        body: new URLSearchParams({ key, to: '/ops' }),
        redirect: 'manual',
      });
      const cookie = signIn.headers
        .getSetCookie()
        .map((one) => one.split(';')[0])
        .join('; ');
      expect((await fetch(`${base}/ops`, { headers: { Cookie: cookie } })).status).to.equal(200);
      const refused = await ask('POST', '/api/merchants', { name: 'Forged' }, { Cookie: cookie, Accept: 'text/html' });
      expect(refused.status).to.equal(401);
      expect(refused.headers.get('content-type')).to.match(/^application\/problem\+json/);
    });

    it('refuses every operation to a viewer and to a supporter', async () => {
      for (const role of ['viewer', 'support'] as const) {
        const { key: other } = await newKey(role);
        for (const { method, path } of Object.values(operations)) {
          const address = path.replaceAll(/\{\w+\}/g, 'x');
          const refused = await ask(method, address, undefined, { Authorization: `Bearer ${other}` });
          expect([refused.status, refused.json.code], `${method} ${path}`).to.deep.equal([403, 'AUTH002']);
          expect(refused.json.detail).to.equal(
            `the role ${role} may not use the API: create a key with the role admin`,
          );
        }
      }
    });

    it('limits the requests of a key and the wrong keys of an address, and notes the last use', async () => {
      const { key: busy, keyId } = await newKey();
      const { headers } = await ask('GET', '/api/routes', undefined, { Authorization: `Bearer ${busy}` });
      expect(headers.get('ratelimit-limit')).to.equal('1000000');
      const { operators } = gateway.gateway.access;
      await until('the use is noted', async () =>
        (await operators.list()).some((one) => one.keyId === keyId && one.lastUsedAt !== null),
      );
      let refused;
      for (let tries = 0; tries < 200 && refused?.status !== 429; tries += 1)
        refused = await ask('GET', '/api/routes', undefined, { Authorization: `Bearer gk_ops_${'b'.repeat(43)}` });
      expect(refused?.json).to.include({ code: 'RATE001', status: 429 });
      expect((await ask('GET', '/api/routes')).status).to.equal(200);
    });

    it('refuses a body that is too large, no JSON, or has unknown or missing members', async () => {
      const large = await ask('POST', '/api/merchants', { name: 'x'.repeat(200_000) });
      expect([large.status, large.json.code]).to.deep.equal([413, 'REQ001']);
      const broken = await ask('POST', '/api/merchants', '{"name":');
      expect([broken.status, broken.json.code, broken.json.details.field]).to.deep.equal([400, 'VAL002', 'body']);
      const missing = await ask('POST', '/api/keys', {});
      expect(missing.json).to.include({ code: 'VAL001' });
      expect(missing.json.details.missingFields).to.deep.equal(['merchant', 'environment']);
      const unknown = await ask('PUT', '/api/merchants/Kiosk', { colours: '#0b7443' });
      expect(unknown.json.detail).to.equal('colours: is unknown: did you mean colour?');
      const twice = await ask('PUT', '/api/merchants/Kiosk', { merchant: 'Other' });
      expect(twice.json.detail).to.equal('merchant: must be absent: the path has it');
      const query = await ask('GET', '/api/merchants?page=2');
      expect(query.json.detail).to.match(/^page: is unknown: the members are text, limit, cursor$/);
      const wrong = await ask('PATCH', '/api/keys/key_0123456789abcdef', { limit: 1.5 });
      expect(wrong.json.detail).to.equal('limit: must be a whole number');
      for (const path of ['/api', '/api/nothing', '/api/merchants/'])
        expect((await ask('GET', path)).status).to.equal(404);
      expect((await ask('GET', '/api/merchants/Kiosk')).status).to.equal(404);
    });
  });

  it('refuses the requests of a key beyond its limit of a minute, and not those of another key', async () => {
    const small = await startGateway({
      adapters: ['provider-a'],
      config: (config) => void (config.keys.rateLimitPerMinute = 3),
    });
    const listener = await startConsole(small);
    try {
      const { operators } = small.gateway.access;
      const [busy, calm] = [
        await operators.create({ name: 'Busy', role: 'admin' }),
        await operators.create({ name: 'Calm', role: 'admin' }),
      ];
      const get = async (of: string) =>
        fetch(`http://127.0.0.1:${listener.port}/api/routes`, { headers: { Authorization: `Bearer ${of}` } });
      let refused = await get(busy.key);
      // A minute may end in between.
      for (let tries = 0; tries < 8 && refused.status === 200; tries += 1) refused = await get(busy.key);
      expect([refused.status, refused.headers.get('ratelimit-limit')]).to.deep.equal([429, '3']);
      expect(Number(refused.headers.get('retry-after'))).to.be.within(1, 60);
      expect((await get(calm.key)).status).to.equal(200);
    } finally {
      await listener.close(0);
      await small.close();
    }
  });

  it('sets up a merchant by code: merchant, key, account with secrets, charge and notification', async () => {
    const merchant = { testNotifyUrl: receiver.url, email: 'ana@ribeira.example', displayName: 'Ribeira' };
    const put = await ask('PUT', '/api/merchants/Ribeira%20Books', merchant);
    expect([put.status, put.json.isNew, put.json.warnings]).to.deep.equal([201, true, []]);
    const again = await ask('PUT', '/api/merchants/Ribeira%20Books', merchant);
    expect([again.status, again.json.isNew]).to.deep.equal([200, false]);

    const made = await ask('POST', '/api/keys', { merchant: 'Ribeira Books', environment: 'sandbox', limit: 500 });
    expect(made.status).to.equal(201);
    expect(made.json.key).to.match(/^gk_test_/);

    const own = { endpoint: '5582', login: 'ribeira', controlKeys: [secret] };
    const { package: name, options, sandbox } = gateway.gateway.config.adapters['provider-b']!;
    const module = (await importPackage(`${name}/sandbox`, [root])) as { readonly default: CreateSandbox };
    const setup = {
      options: { ...(options as object), ...own },
      providerSide: sandbox.options,
      publicUrl: gateway.url,
    };
    playing = await listen(module.default, { ...setup, delayMs: 20 });
    const account = {
      options: { ...own, sandboxBaseUrl: playing.baseUrl },
      merchants: ['Ribeira Books'],
      currencies: ['EUR'],
      fee: { percent: '1.4', fixed: { EUR: '0.25' } },
    };
    const added = await ask('PUT', '/api/accounts/provider-b/ribeira', account);
    expect([added.status, added.json.isNew, added.json.behind], added.text).to.deep.equal([201, true, []]);
    expect(added.json.options).to.deep.equal({ ...account.options, controlKeys: ['[hidden]'] });
    const repeated = await ask('PUT', '/api/accounts/provider-b/ribeira', account);
    expect([repeated.status, repeated.json.version]).to.deep.equal([200, added.json.version]);

    const paid = await fetch(`${gateway.url}/payments/h2h/12`, {
      method: 'POST',
      headers: { 'X-API-Key': made.json.key, 'Content-Type': 'application/json', Accept: 'application/json' },
      body: cardBody('4111111111111111'),
    });
    const id = Number(paid.headers.get('x-payment-request-id'));
    const [received] = await until('the notification of success', async () => {
      const found = receiver.ofPayment(id).filter(({ json }) => json.type === 'payment.succeeded');
      return found.length > 0 && found;
    });
    const headers = received!.headers as Readonly<Record<string, string>>;
    await verifyWebhook(received!.body, headers, made.json.webhookSecret);
    const stored = await fetch(`${gateway.url}/payment-requests/${id}`, { headers: { 'X-API-Key': made.json.key } });
    expect(await stored.text()).to.include('provider-b/ribeira');

    const held = await ask('DELETE', '/api/accounts/provider-b/ribeira');
    expect([held.status, held.json.code]).to.deep.equal([400, 'PAY004']);
    const merchantHeld = await ask('DELETE', '/api/merchants/Ribeira%20Books');
    expect(merchantHeld.json.detail).to.match(/has payments, and cannot be removed: revoke its keys instead$/);

    const recorded = [...(await auditOf('Ribeira Books')), ...(await auditOf('provider-b/ribeira'))];
    expect(recorded.map(({ act, state }) => `${act} ${state}`).toSorted()).to.deep.equal([
      'account.add done',
      'account.remove failed',
      'key.create done',
      'owner.create done',
    ]);
    for (const { actor } of recorded)
      expect(actor).to.deep.equal({ type: 'api', name: `Ada Lovelace (${keyId})`, from: '127.0.0.1' });
  });

  it('reads, lists with cursors, changes, rotates and removes merchants and keys', async () => {
    for (const name of ['List a', 'List b', 'List c 3'])
      await ask('POST', '/api/merchants', { name, allowsNearName: true });
    const first = await ask('GET', '/api/merchants?text=List&limit=2');
    expect(first.json.items.map(({ name }: { name: string }) => name)).to.deep.equal(['List a', 'List b']);
    const second = await ask('GET', `/api/merchants?text=List&limit=2&cursor=${first.json.nextCursor}`);
    expect([second.json.items.length, second.json.nextCursor]).to.deep.equal([1, null]);
    const strange = await ask('GET', '/api/merchants?cursor=bm93aGVyZQ');
    expect(strange.json.detail).to.match(/^cursor: names an item that is not in the list any more/);
    expect((await ask('GET', '/api/merchants/List%20a')).json).to.include({ name: 'List a', email: null });

    const taken = await ask('POST', '/api/merchants', { name: 'List a' });
    expect([taken.status, taken.json.detail]).to.deep.equal([400, 'name: is the name of another merchant']);
    const near = await ask('PUT', '/api/merchants/list%20a', {});
    expect(near.json.detail).to.match(/^merchant: is close to the merchant "List a": .*"allowsNearName": true/);
    const logo = Buffer.from(pngImage()).toString('base64');
    const changed = await ask('PATCH', '/api/merchants/List%20a', {
      logo,
      ownAccountsOnly: true,
      email: 'a@b.example',
    });
    expect(changed.json.brand.logo.type).to.equal('image/png');
    expect(changed.json).to.include({ ownAccountsOnly: true, email: 'a@b.example' });
    const undone = await ask('PATCH', '/api/merchants/List%20a', { logo: null, ownAccountsOnly: false, email: null });
    expect([undone.json.brand.logo, undone.json.ownAccountsOnly, undone.json.email]).to.deep.equal([null, false, null]);
    const currency = await ask('PATCH', '/api/merchants/List%20a', { reportingCurrency: 'EUX' });
    expect(currency.json.details.field).to.equal('reportingCurrency');
    expect((await ask('PATCH', '/api/merchants/Nowhere', { email: null })).status).to.equal(404);

    const made = await ask('POST', '/api/keys', {
      merchant: 'List a',
      environment: 'production',
      scopes: ['requests:read'],
      expiresAt: '2999-01-31',
    });
    expect(made.json.warnings.join()).to.match(/keys.liveKeys is false/);
    const { keyId: id } = made.json;
    expect((await ask('GET', `/api/keys/${id}`)).json).to.deep.include({
      expiresAt: '2999-01-31T00:00:00.000Z',
      scopes: ['requests:read'],
      state: 'active',
    });
    for (const limit of [70, 70]) expect((await ask('PATCH', `/api/keys/${id}`, { limit })).json.limit).to.equal(limit);
    const rotated = await ask('POST', `/api/keys/${id}/rotate`, { overlapHours: 0.5 });
    expect([rotated.status, rotated.json.webhookSecret]).to.deep.equal([201, made.json.webhookSecret]);
    for (let times = 0; times < 2; times += 1)
      expect((await ask('DELETE', `/api/keys/${rotated.json.keyId}`)).json.state).to.equal('revoked');
    const listed = await ask('GET', '/api/keys?merchant=List%20a&limit=1');
    expect([listed.json.items[0].keyId, typeof listed.json.nextCursor]).to.deep.equal([id, 'string']);
    expect((await ask('GET', '/api/keys?merchant=Nowhere')).status).to.equal(404);
    expect((await ask('DELETE', '/api/keys/key_0123456789abcdef')).status).to.equal(404);
    const acts = (await auditOf(rotated.json.keyId)).map(({ act }) => act);
    expect(acts).to.deep.equal(['key.revoke']);
    const scope = await ask('POST', '/api/keys', { merchant: 'List a', environment: 'sandbox', scopes: ['all'] });
    expect(scope.json.detail).to.match(/^scopes: must be one or more of payments:write/);

    const secrets = { environment: 'live', overlapHours: 1 };
    const turned = await ask('POST', '/api/merchants/List%20a/webhook-secrets/rotate', secrets);
    expect(turned.json.webhookSecret)
      .to.match(/^whsec_/)
      .and.not.equal(made.json.webhookSecret);
    expect((await ask('DELETE', '/api/merchants/List%20a')).json).to.include({ name: 'List a' });
    expect((await ask('DELETE', '/api/merchants/List%20a')).status).to.equal(404);
  });

  it('tests, disables and enables an address of a merchant', async () => {
    await ask('PUT', '/api/merchants/Address%20shop', { testNotifyUrl: receiver.url });
    const { origin } = new URL(receiver.url);
    const endpoint = { merchant: 'Address shop', environment: 'test', origin };
    const disabled = await ask('POST', '/api/endpoints/disable', { ...endpoint, reason: 'it moves' });
    expect(disabled.json).to.deep.equal({ origin, environment: 'test', isDone: true });
    expect((await ask('POST', '/api/endpoints/disable', endpoint)).json.isDone).to.equal(false);
    const listed = await ask('GET', '/api/endpoints?merchant=Address%20shop');
    expect(listed.json.items).to.have.length(1);
    expect(listed.json.items[0]).to.include({ owner: 'Address shop', origin });
    for (let times = 0; times < 2; times += 1)
      expect((await ask('POST', '/api/endpoints/enable', endpoint)).json.sentAgain).to.equal(0);
    expect((await ask('GET', '/api/endpoints?merchant=Address%20shop')).json.items).to.deep.equal([]);
    const tested = await ask('POST', '/api/endpoints/test', { merchant: 'Address shop', environment: 'test' });
    expect(tested.json, tested.text).to.deep.include({ url: receiver.url, isDelivered: true });
    const none = await ask('POST', '/api/endpoints/test', { merchant: 'Address shop', environment: 'live' });
    expect(none.json.detail).to.match(/^url: must be given: Address shop has no default address for live events/);
    const path = await ask('POST', '/api/endpoints/disable', { ...endpoint, origin: receiver.url });
    expect(path.json.details.field).to.equal('origin');
    expect((await auditOf(`Address shop:test:${origin}`)).map(({ act, reason }) => [act, reason])).to.deep.equal([
      ['endpoint.test', null],
      ['endpoint.enable', null],
      ['endpoint.disable', null],
      ['endpoint.disable', 'it moves'],
    ]);
  });

  it('creates, lists and revokes a link to the portal of a merchant', async () => {
    await ask('PUT', '/api/merchants/Portal%20shop', {});
    const made = await ask('POST', '/api/portal-links', { merchant: 'Portal shop', environment: 'test' });
    expect([made.status, made.json.allowsRotation]).to.deep.equal([201, false]);
    expect(made.json.url).to.include('/portal/open?link=plink_');
    const { json: listed } = await ask('GET', '/api/portal-links?merchant=Portal%20shop');
    expect(listed.items[0]).to.include({
      state: 'active',
      madeBy: `api Ada Lovelace (${keyId})`,
      owner: 'Portal shop',
    });
    expect((await ask('DELETE', `/api/portal-links/${made.json.id}`)).json).to.deep.equal({ id: made.json.id });
    const { json: after } = await ask('GET', '/api/portal-links?merchant=Portal%20shop');
    expect(after.items[0].state).to.equal('revoked');
    expect(JSON.stringify(after)).to.not.include(made.json.url.split('.').at(-1));
    expect((await ask('DELETE', '/api/portal-links/plink_0123456789abcdef')).status).to.equal(404);
  });

  it('adds, changes, checks, turns and removes an account, and hides its secrets', async () => {
    const path = '/api/accounts/provider-b/second';
    const options = { endpoint: '5583', login: 'second', controlKeys: [secret] };
    const wrong = await ask('POST', '/api/accounts', {
      adapter: 'provider-b',
      account: 'second',
      options: { login: 7 },
    });
    expect([wrong.status, wrong.json.details.field]).to.deep.equal([400, 'options.login']);
    expect(wrong.json.detail).to.match(/options\.controlKeys(\.0)?: is missing/);
    const added = await ask('POST', '/api/accounts', { adapter: 'provider-b', account: 'second', options });
    expect([added.status, added.json.merchants], added.text).to.deep.equal([201, []]);
    const twice = await ask('POST', '/api/accounts', { adapter: 'provider-b', account: 'second', options });
    expect([twice.json.detail, twice.json.details.field]).to.deep.equal([
      'provider-b/second exists already: change it with "set"',
      'account',
    ]);
    const assigned = await ask('PATCH', path, { assign: ['demo'], fee: null, options: { login: 'other' } });
    expect([assigned.json.merchants, assigned.json.options.login]).to.deep.equal([['demo'], 'other']);
    const unknown = await ask('PATCH', path, { assign: ['Nowhere'] });
    expect(unknown.json.detail).to.match(/there is no merchant Nowhere/);
    const back = await ask('PUT', path, { options: (await ask('GET', path)).json.options });
    expect(back.json.detail).to.match(/^options\.controlKeys\.0: write the value itself/);
    const checked = await ask('POST', `${path}/check`);
    expect(checked.json.findings.length, checked.text).to.be.greaterThan(0);
    for (const state of ['draining', 'draining', 'off', 'on'])
      expect((await ask('PUT', `${path}/state`, { state, reason: 'a try' })).json).to.include({ state });
    expect((await auditOf('provider-b/second')).filter(({ act }) => act === 'adapter.state')).to.have.length(3);
    const listed = await ask('GET', '/api/accounts?adapter=provider-b&limit=100');
    expect(listed.json.items.map(({ ref }: { ref: string }) => ref)).to.include.members([
      'provider-b',
      'provider-b/second',
    ]);
    const main = await ask('PUT', '/api/accounts/provider-b/main/state', { state: 'off' });
    expect(main.json.detail).to.match(/^account: is the adapter provider-b/);
    expect((await ask('PUT', '/api/accounts/provider-b/main', { options })).json.detail).to.match(/change it there/);
    expect((await ask('DELETE', `${path}?reason=closed`)).json).to.include({ account: 'provider-b/second' });
    expect((await ask('GET', path)).status).to.equal(404);
    expect((await ask('GET', '/api/accounts/provder-b/second')).json.detail).to.match(/did you mean provider-b/);
  });

  it('turns adapters, refuses to turn one off while money is open, and explains routes', async () => {
    const { json: before } = await ask('GET', '/api/adapters');
    expect(before.adapters.map(({ name, state }: Record<string, string>) => [name, state])).to.deep.equal([
      ['provider-a', 'on'],
      ['provider-b', 'on'],
    ]);
    await gateway.post('/payments/h2h/11', cardBody('4111111111111111'));
    const off = await ask('PUT', '/api/adapters/provider-a/state', { state: 'off' });
    expect([off.status, off.json.code]).to.deep.equal([400, 'PAY004']);
    expect(off.json.detail).to.match(/Drain it first\. To turn it off now, send "force": true, or add --force\.$/);
    for (const state of ['draining', 'on', 'on'])
      expect((await ask('PUT', '/api/adapters/provider-a/state', { state })).json).to.deep.include({
        state,
        behind: [],
      });
    expect((await auditOf('provider-a')).map(({ state }) => state)).to.deep.equal(['done', 'done']);
    const forced = await ask('PUT', '/api/adapters/provider-a/state', { state: 'off', force: true, reason: 'a try' });
    expect(forced.json.state).to.equal('off');
    const explained = await ask('POST', '/api/routes/explain', { amount: '25.90', unit: 'EUR', merchant: 'demo' });
    expect(explained.json.skipped).to.deep.include({
      ruleId: 1,
      adapter: 'provider-a',
      why: 'accepts no payments: it is off',
    });
    await ask('PUT', '/api/adapters/provider-a/state', { state: 'on' });
    expect((await ask('GET', '/api/routes')).json.rules[0]).to.include({ id: 1 });
    const again = await ask('POST', '/api/routes/explain', { amount: '25.90', unit: 'EUR' });
    expect(again.json.candidates[0]).to.deep.include({
      adapter: 'provider-a',
      money: { amount: '25.90', currency: 'EUR' },
    });
    expect((await ask('POST', '/api/routes/explain', { amount: 'x', unit: 'EUR' })).json.details.field).to.equal(
      'amount',
    );
    expect((await ask('PUT', '/api/adapters/nothing/state', { state: 'on' })).status).to.equal(404);
  });

  it('is used by the page "Set up by code" as written, twice', async () => {
    const page = readFileSync(join(root, 'config/deploy/setup-by-code.md'), 'utf8');
    const [, script = ''] = /^```sh\n(.*?)^```$/ms.exec(page) ?? [];
    expect(script).to.include('-X PUT').and.include('/api/keys');
    const folder = await mkdtemp(join(tmpdir(), 'setup-by-code-'));
    try {
      const env = { PATH: process.env['PATH'], OPS: base, KEY: key };
      for (const isRepeated of [false, true]) {
        const { stdout } = await runFile('bash', ['-e', '-c', script], { cwd: folder, env });
        const isNew = [...stdout.matchAll(/"isNew":(true|false)/g)].map(([, text]) => text);
        expect(isNew, stdout).to.deep.equal([String(!isRepeated), String(!isRepeated)]);
      }
      expect(JSON.parse(await readFile(join(folder, 'key.json'), 'utf8')).key).to.match(/^gk_test_/);
      expect((await auditOf('provider-b/hotel')).filter(({ act }) => act !== 'adapter.check')).to.have.length(1);
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  it('never answers, logs or stores a secret', async () => {
    const everything = [...answered, ...gateway.logged].join();
    expect(everything).to.include('provider-b/ribeira').and.not.include(secret);
    const audit = await gateway.gateway.connection.collection('audit').find().toArray();
    expect(JSON.stringify(audit)).to.include('provider-b/ribeira').and.not.include(secret).and.not.include(key);
    expect(gateway.logged.join()).to.not.include(key);
  });
});
