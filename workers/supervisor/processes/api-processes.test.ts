/** Several API processes on one port, which is the default of `paywright start`. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { request, type RequestOptions } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { after, before, describe, it } from 'mocha';
import mongoose from 'mongoose';
import { until } from '../../../core/base/testing/until.ts';
import { chooseFreePort } from '../dev/mongod/index.ts';
import { testDatabase } from '../testing/database.ts';
import { endAll, runGateway, runningState, untilReady, type RunningGateway } from '../testing/running-gateway.ts';

const minuteMs = 60_000;
const patienceMs = 60_000;

describe('the API processes', function () {
  this.timeout(300_000);
  let data: string;
  let port: number;
  let settings: string;
  let key: string;
  let gateway: RunningGateway;
  let uri: string;

  before(async () => {
    data = await mkdtemp(join(tmpdir(), 'gateway-test-'));
    port = await chooseFreePort();
    uri = testDatabase('api-processes');
    settings = `${data}.yaml`;
    const options = { sandboxBaseUrl: 'https://provider-b.invalid' };
    const adapters = { 'provider-b': { sandbox: { run: false }, options } };
    await writeFile(settings, JSON.stringify({ adapters, ops: { enabled: false } }));
    const env = { PORT: `${port}`, MONGODB_URI: uri, API_PROCESSES: '', GATEWAY_CONFIG: settings };
    gateway = runGateway(['start'], data, env);
    key = /gk_test_[\w-]+/.exec(await untilReady(gateway))?.[0] ?? '';
  });
  after(async () => {
    endAll();
    await gateway.ended;
    for (const path of [data, settings]) await rm(path, { recursive: true, force: true });
    const connection = await mongoose.createConnection(uri).asPromise();
    await connection.dropDatabase();
    await connection.close();
  });

  const apis = async (): Promise<readonly { readonly name: string; readonly pid: number }[]> =>
    (await runningState(data)).children.filter(({ name }) => name.startsWith('api'));

  /** Uses a new connection. Returns the status, or the error message. */
  const get = async (path: string, more: RequestOptions = {}): Promise<number | string> =>
    new Promise((resolve) => {
      const options = { host: '127.0.0.1', port, path, agent: false, timeout: patienceMs, ...more };
      const asked = request(options, (response) => {
        response.resume().on('end', () => resolve(response.statusCode ?? 0));
      });
      asked.on('timeout', () => asked.destroy(new Error('no answer'))).on('error', ({ message }) => resolve(message));
      asked.end();
    });
  const getMany = async (count: number, path = '/health'): Promise<(number | string)[]> =>
    Promise.all(Array.from({ length: count }, async () => get(path)));

  it('runs at least two processes, which share the port', async () => {
    expect((await apis()).length).to.be.at.least(2);
    expect(await get('/ready')).to.equal(200);
    expect(await getMany(20)).to.deep.equal(Array.from({ length: 20 }, () => 200));
  });

  it('names an adapter whose host does not resolve, and is ready nevertheless', async () => {
    const ready = async () =>
      (await (await fetch(`http://127.0.0.1:${port}/ready`, { headers: { 'X-API-Key': key } })).json()) as {
        status: string;
        warnings?: string[];
      };
    const isAbout = /^provider-b \(test\): its host does not resolve \(E\w+\)$/;
    await until('the warning is there', async () => (await ready()).warnings?.some((warning) => isAbout.test(warning)));
    expect((await ready()).status).to.equal('ready');
  });

  it('shares one limit for requests without a valid key', async () => {
    // All requests of one address must be in one clock minute. If the minute ended, repeat with another address.
    let minute = Number.NaN;
    let statuses: (number | string)[] = [];
    for (let host = 1; Math.floor(Date.now() / minuteMs) !== minute; host += 1) {
      minute = Math.floor(Date.now() / minuteMs);
      const options = { localAddress: `127.0.0.${host}`, headers: { 'X-API-Key': 'gk_test_wrong' } };
      const each = Array.from({ length: 90 }, async () => get('/payment-requests', options));
      statuses = await Promise.all(each);
    }
    expect([401, 429].map((status) => statuses.filter((one) => one === status).length)).to.deep.equal([60, 30]);
  });

  it('serves all but one connection while one process is blocked', async () => {
    const [blocked] = await apis();
    process.kill(blocked!.pid, 'SIGSTOP');
    try {
      const statuses: (number | string)[] = [];
      for (let at = 0; at < 30; at += 1) void get('/health').then((status) => statuses.push(status));
      await until('all but one are answered', () => statuses.length >= 29);
      expect(statuses.slice(0, 29)).to.deep.equal(Array.from({ length: 29 }, () => 200));
      expect(await getMany(30)).to.deep.equal(Array.from({ length: 30 }, () => 200));
    } finally {
      process.kill(blocked!.pid, 'SIGKILL');
    }
    await until('it is replaced', async () => {
      const names = (await apis()).map(({ name }) => name);
      return names.length >= 2 && !names.includes(blocked!.name);
    });
    expect(await getMany(20)).to.deep.equal(Array.from({ length: 20 }, () => 200));
  });

  it('loses only the requests of one process when that process dies', async () => {
    const [dying] = await apis();
    const failed: (number | string)[] = [];
    let asked = 0;
    const asking = async (): Promise<void> => {
      const names = async (): Promise<string[]> => (await apis()).map(({ name }) => name);
      for (; asked < 40 || (await names()).includes(dying!.name) || (await names()).length < 2; asked += 1) {
        if (asked === 10) process.kill(dying!.pid, 'SIGKILL');
        const status = await get('/health');
        if (status !== 200) failed.push(status);
      }
    };
    await asking();
    expect(failed.length, failed.join(', ')).to.be.at.most(1);
    expect(await getMany(20)).to.deep.equal(Array.from({ length: 20 }, () => 200));
  });

  it('stops all processes in order', async () => {
    gateway.child.kill('SIGTERM');
    expect(await gateway.ended).to.include({ code: 0 });
    expect(await get('/health')).to.match(/ECONNREFUSED/);
  });
});
