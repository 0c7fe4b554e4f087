/**
 * Responses to merchants, payers and providers when the database's heartbeat works but its commands hang, as on a
 * stalled disk.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { after, afterEach, before, describe, it } from 'mocha';
import pino from 'pino';
import { COMMAND_LIMIT_MS } from '../../core/database/connect.ts';
import { createDatabaseProbe, type DatabaseProbe } from '../../core/database/database-probe.ts';
import { startDatabaseProxy, type DatabaseProxy } from '../../core/database/testing/database-proxy.ts';
import { createGateway, type Gateway } from '../../core/gateway.ts';
import { createApp } from '../../core/app.ts';
import { startServer, type RunningServer } from '../../core/http/index.ts';
import { createMetrics } from '../../core/base/metrics/index.ts';
import { until } from '../../core/base/testing/until.ts';
import { chooseFreePort } from '../../workers/supervisor/dev/mongod/index.ts';
import { batchOf } from '../support/provider-a-batch.ts';
import { startGateway, type TestGateway } from '../support/start-gateway.ts';

const silent = pino({ level: 'silent' });
/** Extra time that a busy machine may need. */
const marginMs = 1500;

describe('a database whose heartbeat works and whose commands hang', function () {
  this.timeout(180_000);
  let home: TestGateway;
  let proxy: DatabaseProxy;
  let gateway: Gateway;
  let probe: DatabaseProbe;
  let server: RunningServer;
  let url = '';
  before(async () => {
    home = await startGateway({ adapters: ['provider-a'], works: false });
    proxy = await startDatabaseProxy();
    const port = await chooseFreePort();
    url = `http://127.0.0.1:${port}`;
    const { config } = home.run;
    const database = { ...config.database, uri: proxy.uri(home.gateway.connection.name) };
    const run = { ...home.run, config: { ...config, database } };
    const notifyWorkers = (): void => undefined;
    const process = { log: silent, worker: 'stalled', metrics: createMetrics(), notifyWorkers };
    gateway = await createGateway({ ...run, ...process }, 'request');
    probe = createDatabaseProbe(gateway.database, silent);
    const health = {
      isDatabaseUp: () => probe.isUpForRequest(),
      onDatabaseLost: (listener: () => void) => probe.onDatabaseLost(listener),
      ready: async () => ({ ok: await probe.check(), parts: {} }),
    };
    server = await startServer(createApp({ ...gateway.httpDeps, health }), { host: '127.0.0.1', port });
  });
  afterEach(async () => {
    proxy.resume();
    await until('the database is checked again', async () => probe.check());
  });
  after(async () => {
    probe.stop();
    await server.close(1000);
    await gateway.close();
    await proxy.close();
    await home.close();
  });

  /** The response, which must arrive before the limit has passed. */
  async function readWithin(limitMs: number, asked: Promise<Response>): Promise<{ status: number; code: unknown }> {
    const late = sleep(limitMs + marginMs, undefined, { ref: false });
    const answer = await Promise.race([asked, late]);
    if (!answer) throw new Error(`no answer in ${limitMs + marginMs} ms`);
    const text = await answer.text();
    const { code } = (text.startsWith('{') ? JSON.parse(text) : {}) as { readonly code?: unknown };
    return { status: answer.status, code };
  }

  const headers = () => ({ 'X-API-Key': home.key, Accept: 'application/json', 'Content-Type': 'application/json' });
  const create = async () =>
    fetch(`${url}/payment-requests`, { method: 'POST', headers: headers(), body: '{"amount":5,"unit":"EUR"}' });
  const list = async () => fetch(`${url}/payment-requests`, { headers: headers() });
  const callback = async () => {
    const body = batchOf([{ txn: '1', ref: 'GW-1-1', what: 'CAPTURE' }]);
    return fetch(`${url}/callbacks/providerA`, { method: 'POST', headers: headers(), body });
  };

  for (const [what, commands] of [
    ['writes', ['insert', 'update', 'findAndModify']],
    ['reads', ['find', 'aggregate']],
  ] as const) {
    it(`fails ${what} in progress within 4 s, and new requests immediately`, async () => {
      expect((await create()).status).to.equal(200);
      proxy.hold(...commands);
      const { status } = await readWithin(COMMAND_LIMIT_MS, create());
      expect(status).to.be.at.least(500);
      await until('it counts as silent', () => !probe.isUp);
      for (const ask of [create, list]) {
        expect(await readWithin(0, ask())).to.deep.equal({ status: 503, code: 'SYS002' });
      }
      expect((await readWithin(0, callback())).status).to.equal(503);
      expect((await readWithin(1500, fetch(`${url}/ready`))).status).to.equal(503);

      proxy.resume();
      await until('it is ready again', async () => (await fetch(`${url}/ready`)).ok);
      expect((await create()).status).to.equal(200);
      expect((await list()).status).to.equal(200);
    });
  }

  it('fails a read in progress as soon as the stall is known', async () => {
    proxy.hold('find');
    expect(await readWithin(COMMAND_LIMIT_MS, list())).to.deep.equal({ status: 503, code: 'SYS002' });
  });
});
