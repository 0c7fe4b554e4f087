/** The roles of the service as separate commands on one data folder: MongoDB, the API and the workers. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { after, before, describe, it } from 'mocha';
import { until } from '../../core/base/testing/until.ts';
import { startReceiver } from '../../test/support/receiver.ts';
import { root } from '../../test/support/start-gateway.ts';
import { chooseFreePort } from './dev/mongod/index.ts';
import { testDatabase } from './testing/database.ts';
import { endAll, processesOf, runGateway, untilReady, type RunningGateway } from './testing/running-gateway.ts';

/** Returns the exit code of the image's health check. */
async function checkHealth(ports: Readonly<Record<'PORT' | 'OPS_PORT', string>>): Promise<unknown> {
  const script = join(root, 'config/deploy/health-check.mjs');
  const [code] = await once(spawn(process.execPath, [script], { env: ports }), 'exit');
  return code;
}

describe('the roles of the service', function () {
  this.timeout(300_000);
  let data: string;

  before(async () => {
    data = await mkdtemp(join(tmpdir(), 'gateway-test-'));
  });
  after(async () => {
    endAll();
    await until('no process is left', async () => (await processesOf(data)).length === 0);
    await rm(data, { recursive: true, force: true });
  });

  it('refuses to start without a MongoDB that is configured or runs on the folder', async () => {
    for (const role of ['api', 'worker']) {
      const { code, problems } = await runGateway([role], data).ended;
      expect(code).to.equal(1);
      expect(problems).to.deep.equal([
        `No MongoDB found: set MONGODB_URI, or, for development, run paywright mongod on the data folder ${data} first.`,
      ]);
    }
    const { code, problems } = await runGateway(['mongod'], data, { MONGODB_URI: testDatabase('roles') }).ended;
    expect(code).to.equal(1);
    expect(problems).to.deep.equal(['paywright mongod starts a MongoDB only if config names none: unset MONGODB_URI.']);
  });

  it('runs one service on one data folder: the workers notify the merchant about payments that the API accepts', async () => {
    const receiver = await startReceiver();
    const port = await chooseFreePort();
    const running: RunningGateway[] = [];
    const start = async (role: string): Promise<RunningGateway> => {
      const gateway = runGateway([role], data, { PORT: `${port}` });
      running.push(gateway);
      await untilReady(gateway);
      return gateway;
    };
    try {
      await start('mongod');
      const [api, workers] = await Promise.all([start('api'), start('worker')]);
      expect(workers.out()).to.include('Workers: 1');
      const opsUrl = /http:\S+(?=\/ops)/.exec(workers.out())?.[0] ?? '';
      // The supervisor reports which processes are up a moment after they are.
      const ready = await until('the host is ready', async () => {
        const response = await fetch(`${opsUrl}/ready`);
        return response.status === 200 && ((await response.json()) as object);
      });
      expect(ready).to.deep.equal({ status: 'ready', parts: { database: 'up', workers: 'up' } });
      const [unused, opsPort] = [`${await chooseFreePort()}`, new URL(opsUrl).port];
      expect(await checkHealth({ PORT: unused, OPS_PORT: unused })).to.equal(1);
      expect(await checkHealth({ PORT: unused, OPS_PORT: opsPort })).to.equal(0);
      expect(await checkHealth({ PORT: `${port}`, OPS_PORT: unused })).to.equal(0);
      const again = await runGateway(['worker'], data).ended;
      expect(again.code).to.equal(1);
      expect(again.problems[0]).to.include(' is in use by a running gateway');

      const words = ['keys', 'create', '--owner', 'Shop', '--env', 'sandbox', '--json'];
      const { key } = JSON.parse((await runGateway(words, data).ended).out) as { key: string };
      const [, url = '', body = ''] = /^curl -sS (\S+) .* -d '(.*)'$/m.exec(api.out()) ?? [];
      const paid = await fetch(url, {
        method: 'POST',
        headers: { 'X-API-Key': key, 'Content-Type': 'application/json', Accept: 'application/json' },
        body: JSON.stringify({ ...(JSON.parse(body) as object), notifyUrl: receiver.url }),
      });
      const { paymentRequest } = (await paid.json()) as { paymentRequest: { id: number } };
      expect(paymentRequest).to.include({ paymentRequestStatusId: 2 });
      await until('the merchant is notified', () => receiver.ofPayment(paymentRequest.id).length > 0);

      for (const gateway of running.toReversed()) {
        gateway.child.kill('SIGTERM');
        expect(await gateway.ended).to.include({ code: 0 });
      }
    } finally {
      await receiver.close();
    }
  });
});
