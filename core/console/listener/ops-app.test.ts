import { request } from 'node:http';
import { expect } from 'chai';
import { afterEach, describe, it } from 'mocha';
import { pino } from 'pino';
import { GatewayError } from '../../base/errors.ts';
import { startServer, type RunningServer } from '../../http/index.ts';
import { createMetrics, type Gathered } from '../../base/metrics/index.ts';
import { readPage, valueIn } from '../../base/metrics/testing/read-page.ts';
import type { ConsoleDeps } from '../deps.ts';
import { createOpsApp } from './create-app.ts';
import { createScrape } from './create-scrape.ts';

const log = pino({ level: 'silent' });
const key = `gk_ops_${'k'.repeat(43)}`;
const nothing: Gathered = { present: [], past: [] };
const isReady = { ok: true, parts: { workers: 'up' }, warnings: [] as readonly string[] };

interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly text: string;
}

describe('createOpsApp', () => {
  const servers: RunningServer[] = [];
  afterEach(async () => {
    await Promise.all(servers.splice(0).map(async (server) => server.close(0)));
  });

  async function start({ keyless = true, gather = async () => nothing, ready = isReady, now = () => new Date() } = {}) {
    const metrics = createMetrics();
    const operators: ConsoleDeps['operators'] = {
      async authenticate(given) {
        if (given !== key) throw new GatewayError('UNAUTHORIZED', "the operator's key is unknown");
        return { keyId: 'op_1', name: 'Ada', role: 'viewer' };
      },
      active: async () => undefined,
      signOut: async () => undefined,
    };
    const app = createOpsApp({
      operators,
      health: { ready: async () => ready },
      // No test of this file opens the console.
      console: { operators, management: {}, now: () => new Date() } as ConsoleDeps,
      keylessLoopbackMetrics: keyless,
      scrape: createScrape({ gather, backlog: { refresh: async () => undefined }, metrics, log }),
      publicUrl: 'https://pay.example',
      trustedProxies: 0,
      now,
      metrics,
      log,
    });
    const server = await startServer(app, { host: '127.0.0.1', port: 0 });
    servers.push(server);
    const get = async (path: string, headers: Readonly<Record<string, string>> = {}): Promise<Reply> =>
      new Promise((resolve, reject) => {
        const asked = request({ host: '127.0.0.1', port: server.port, path, headers, agent: false }, (response) => {
          let text = '';
          response.setEncoding('utf8').on('data', (part: string) => (text += part));
          response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, text }));
        });
        asked.on('error', reject).end();
      });
    return { get, metrics };
  }

  it('serves metrics in the format of Prometheus to requests from this machine', async () => {
    const { get, metrics } = await start();
    metrics.httpProblems.inc({ code: 'SYS001' });
    const { status, headers, text } = await get('/metrics');
    expect(status).to.equal(200);
    expect(headers['content-type']).to.match(/^text\/plain; version=0\.0\.4/);
    expect(valueIn(readPage(text), 'gateway_http_problems_total', { code: 'SYS001' })).to.equal(1);
  });

  it('reports readiness with its reasons to this machine and to a key, and only yes or no to others', async () => {
    const { get } = await start();
    const proxied = { 'X-Forwarded-For': '192.0.2.1' };
    for (const headers of [proxied, { ...proxied, 'X-API-Key': 'gk_ops_wrong' }]) {
      const { status, text } = await get('/ready', headers);
      expect([status, JSON.parse(text)]).to.deep.equal([200, { status: 'ready' }]);
    }
    expect(JSON.parse((await get('/ready', { ...proxied, 'X-API-Key': key })).text)).to.have.property('parts');
    const well = await get('/ready');
    expect([well.status, JSON.parse(well.text)]).to.deep.equal([200, { status: 'ready', parts: { workers: 'up' } }]);
    const ready = { ok: false, parts: { workers: 'down' }, warnings: ['why'] };
    const ill = await (await start({ ready })).get('/ready');
    const { parts, warnings } = ready;
    expect([ill.status, JSON.parse(ill.text)]).to.deep.equal([503, { status: 'not ready', parts, warnings }]);
  });

  it('requires a key through a proxy, under another host name, or if config says so', async () => {
    const { get } = await start();
    for (const headers of [
      { 'X-Forwarded-For': '192.0.2.1' },
      { Forwarded: 'for=192.0.2.1' },
      { Via: '1.1 proxy' },
      { Host: 'rebound.example' },
      { Host: '127.0.0.1.rebound.example:9464' },
    ]) {
      const { status, headers: answered } = await get('/metrics', headers);
      expect(status, JSON.stringify(headers)).to.equal(401);
      expect(answered['content-type']).to.equal('application/problem+json');
      expect((await get('/metrics', { ...headers, 'X-API-Key': key })).status).to.equal(200);
    }
    for (const host of ['localhost:9464', '[::1]:9464', '127.0.0.1'])
      expect((await get('/metrics', { Host: host })).status, host).to.equal(200);
    const strict = await start({ keyless: false });
    expect((await strict.get('/metrics')).status).to.equal(401);
  });

  it("accepts an operator's key in either header, and no other key", async () => {
    const { get } = await start({ keyless: false });
    const statusWith = async (headers: Readonly<Record<string, string>>) => (await get('/metrics', headers)).status;
    expect(await statusWith({ Authorization: `Bearer ${key}` })).to.equal(200);
    expect(await statusWith({ 'X-API-Key': key })).to.equal(200);
    for (const wrong of [{ Authorization: key }, { Authorization: `Basic ${key}` }, { 'X-API-Key': `${key}x` }])
      expect(await statusWith(wrong), JSON.stringify(wrong)).to.equal(401);
    const open = await start();
    expect((await open.get('/metrics', { 'X-API-Key': 'wrong' })).status, 'a wrong key is no key').to.equal(401);
  });

  it('limits wrong keys, and still accepts a right key from the same address', async () => {
    const { get } = await start();
    const statuses = await Promise.all(
      Array.from({ length: 130 }, async () => (await get('/metrics', { 'X-API-Key': 'wrong' })).status),
    );
    // 60 within one minute of the clock, or 120 if a minute ended during the test.
    expect(statuses.filter((status) => status === 401).length).to.be.oneOf([60, 120]);
    expect(statuses.filter((status) => status === 429).length).to.be.at.least(10);
    expect((await get('/metrics', { 'X-API-Key': key })).status).to.equal(200);
  });

  it('limits other requests without a key, except for health', async () => {
    const { get } = await start({ now: () => new Date(0) });
    const statuses = await Promise.all(
      Array.from({ length: 700 }, async (_, at) => {
        const path = ['/ops/sign-in', '/nowhere'][at % 2]!;
        return (await get(path)).status;
      }),
    );
    expect(statuses.filter((status) => status === 429)).to.have.length(100);
    expect(new Set(statuses)).to.deep.equal(new Set([200, 404, 429]));
    expect([(await get('/health')).status, (await get('/metrics', { 'X-API-Key': key })).status]).to.deep.equal([
      200, 200,
    ]);
  });

  it('reports health, and has no routes of merchants', async () => {
    const { get } = await start({ keyless: false });
    expect(await get('/health')).to.deep.include({ status: 200, text: '{"status":"ok"}' });
    for (const path of ['/payment-requests', '/callbacks/test/json', '/Metrics'])
      expect((await get(path, { 'X-API-Key': key })).status, path).to.equal(404);
  });

  it('shows a browser a page at a wrong address, and the console at the root', async () => {
    const { get } = await start();
    const browser = { Accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };
    const page = await get('/nowhere', browser);
    expect([page.status, page.headers['content-type']]).to.deep.equal([404, 'text/html; charset=utf-8']);
    expect(page.text).to.contain('<h1>Page not found</h1>');
    expect((await get('/nowhere')).headers['content-type']).to.equal('application/problem+json');
    const { status, headers } = await get('/', browser);
    expect([status, headers['location']]).to.deep.equal([302, '/ops']);
  });

  it('asks the processes once for concurrent scrapes', async () => {
    let asked = 0;
    let answer: (gathered: Gathered) => void = () => undefined;
    const gather = async (): Promise<Gathered> => {
      asked += 1;
      return new Promise((resolve) => (answer = resolve));
    };
    const { get } = await start({ gather });
    const scrapes = Promise.all([get('/metrics'), get('/metrics'), get('/metrics')]);
    // All three have arrived.
    await get('/health');
    answer(nothing);
    expect((await scrapes).map(({ status }) => status)).to.deep.equal([200, 200, 200]);
    expect(asked).to.equal(1);
  });

  it('keeps the last known counts while the processes do not respond', async () => {
    const other = createMetrics();
    other.alarmsRaised.inc({ kind: 'charged_twice' }, 3);
    const present = [await other.snapshot()];
    let isAnswering = true;
    const gather = async (): Promise<Gathered> => {
      if (!isAnswering) throw new Error('no process responds');
      return { ...nothing, present };
    };
    const { get } = await start({ gather });
    const raised = async () => valueIn(readPage((await get('/metrics')).text), 'gateway_alarms_raised_total');
    expect(await raised()).to.equal(3);
    isAnswering = false;
    expect(await raised()).to.equal(3);
  });
});
