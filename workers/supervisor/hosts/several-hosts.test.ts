/** Hosts of different roles on one database, each with its own processes. */
import { randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { after, before, describe, it } from 'mocha';
import mongoose, { type Connection } from 'mongoose';
import { pino } from 'pino';
import { loadConfig } from '../../../config/load-config.ts';
import { alarmId, createAlarms } from '../../../core/engine/alarms/index.ts';
import { alarmModel } from '../../../core/database/collections/alarm.ts';
import { hostModel } from '../../../core/database/collections/host.ts';
import { wakeUpModel } from '../../../core/database/collections/wake-up.ts';
import { until } from '../../../core/base/testing/until.ts';
import { startReceiver, type Receiver } from '../../../test/support/receiver.ts';
import { root } from '../../../test/support/start-gateway.ts';
import { chooseFreePort } from '../dev/mongod/index.ts';
import { testDatabase } from '../testing/database.ts';
import { endAll, runGateway, untilReady, type RunningGateway } from '../testing/running-gateway.ts';

/** A delivery may take this long and is leased for longer. What is free earlier was freed deliberately. */
const timeoutMs = 150_000;
const longBeforeExpiryMs = 90_000;
/** Every worker checks for all work every 10 s, even if it is not woken. */
const wellBeforeSweepMs = 5000;
const wrongClock = `data:text/javascript,${encodeURIComponent('const now = Date.now; Date.now = () => now() + 60_000;')}`;

describe('several hosts', function () {
  this.timeout(300_000);
  let folder: string;
  let uri: string;
  let connection: Connection;
  let receiver: Receiver;
  let api: RunningGateway;
  let url: string;
  const settings = {
    security: { encryptionKey: randomBytes(32).toString('base64') },
    threeDs: { tokenSecrets: [randomBytes(32).toString('hex'), randomBytes(32).toString('hex')] },
  };

  const write = async (name: string, more: object): Promise<string> => {
    const file = join(folder, `${name}.yaml`);
    await writeFile(file, JSON.stringify(more));
    return file;
  };
  const run = (words: readonly string[], host: string, env: Readonly<Record<string, string>> = {}): RunningGateway =>
    runGateway(words, join(folder, host), {
      MONGODB_URI: uri,
      GATEWAY_CONFIG: join(folder, 'common.yaml'),
      ...env,
    });

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'gateway-test-'));
    uri = testDatabase('several-hosts');
    connection = await mongoose.createConnection(uri).asPromise();
    receiver = await startReceiver();
    const { config } = await loadConfig({ env: { GATEWAY_ENV: 'development' }, root });
    const others = Object.keys(config.adapters).filter((name) => name !== 'provider-a');
    const off = Object.fromEntries(others.map((name) => [name, { state: 'off' }]));
    await write('common', {
      ...settings,
      adapters: off,
      notifications: { timeoutMs },
      mail: { catcher: false },
      ops: { enabled: false },
    });
    const port = await chooseFreePort();
    url = `http://127.0.0.1:${port}`;
    api = run(['api'], 'api', { PORT: `${port}` });
    const first = run(['worker'], 'worker-1');
    await Promise.all([untilReady(api), untilReady(first)]);
  });
  after(async () => {
    endAll();
    await receiver.close();
    await connection.dropDatabase();
    await connection.close();
    await rm(folder, { recursive: true, force: true });
  });

  let key: string | undefined;
  /** Submits a payment by card with a notifyUrl. */
  async function order(): Promise<Response> {
    const words = ['keys', 'create', '--owner', 'Shop', '--env', 'sandbox', '--json'];
    key ??= (JSON.parse((await run(words, 'api').ended).out) as { key: string }).key;
    const [, address = '', body = ''] = /^curl -sS (\S+) .* -d '(.*)'$/m.exec(api.out()) ?? [];
    return fetch(address, {
      method: 'POST',
      headers: { 'X-API-Key': key, 'Content-Type': 'application/json', Accept: 'application/json' },
      body: JSON.stringify({ ...(JSON.parse(body) as object), notifyUrl: receiver.url }),
    });
  }
  async function pay(): Promise<number> {
    const { paymentRequest } = (await (await order()).json()) as { paymentRequest: { id: number } };
    return paymentRequest.id;
  }

  it('passes the work of a host without workers to a host with workers', async () => {
    const [workers] = await hostModel(connection)
      .find({ workers: { $gt: 0 } })
      .lean();
    expect(await hostModel(connection).countDocuments()).to.equal(2);
    await until('the API knows of the workers', async () => {
      const ready = (await (await fetch(`${url}/ready`, { headers: { 'X-API-Key': key! } })).json()) as {
        warnings?: readonly string[];
      };
      return !ready.warnings?.some((warning) => warning.startsWith('No host with workers'));
    });
    const id = await pay();
    await until('the merchant is notified', () => receiver.ofPayment(id).length > 0);
    const woken = await wakeUpModel(connection).countDocuments({ to: workers!._id, work: 'notifications' });
    expect(woken).to.be.at.least(1);
  });

  it('notices a host that died, and does its work long before its leases end', async () => {
    const dying = run(['worker'], 'worker-2');
    await untilReady(dying);
    const doomed = (
      await hostModel(connection)
        .find({ workers: { $gt: 0 } })
        .lean()
    ).toSorted((one, other) => other.startedAt.getTime() - one.startedAt.getTime())[0]!;
    const hung: ServerResponse[] = [];
    receiver.answer = (response) => void hung.push(response); // Every attempt hangs, and keeps its lease.
    const notifications = connection.collection('notifications');
    const heldByDoomed = async () => notifications.findOne({ 'lease.worker': { $in: [...doomed.processes] } });
    await until('the doomed host delivers', async () => {
      await pay();
      return (await heldByDoomed()) !== null;
    });
    const held = (await heldByDoomed())!;
    const reporter = doomed.processes.find((name) => name.startsWith('supervisor'));
    expect(reporter).to.be.a('string');
    const alarm = await reportedBy(reporter!);
    dying.signalGroup('SIGKILL');
    await dying.ended;
    receiver.answer = (response) => response.writeHead(200).end();
    // Otherwise the hanging deliveries of the living host would use all the capacity of the receiver.
    for (const response of hung) response.writeHead(200).end();
    const id = held['paymentRequestId'] as number;
    const before = receiver.ofPayment(id).length;
    await until('another host delivers it', () => receiver.ofPayment(id).length > before, longBeforeExpiryMs);
    await until('its document is removed', async () => !(await hostModel(connection).exists({ _id: doomed._id })));
    expect((await alarmModel(connection).findById(alarm).lean())!.lease.worker).to.equal(null);
  });

  /** Raises an alarm that the process holds the lease of. */
  async function reportedBy(process: string): Promise<string> {
    const subject = { type: 'job', id: 'test' } as const;
    const alarms = createAlarms({ connection, log: pino({ level: 'silent' }) });
    alarms.raise('job_failed', subject, 'it failed');
    await alarms.close();
    const id = alarmId('job_failed', subject);
    const inAMinute = new Date(Date.now() + 60_000);
    await alarmModel(connection).updateOne(
      { _id: id },
      { dueAt: inAMinute, 'lease.token': 'a', 'lease.worker': process },
    );
    return id;
  }

  /**
   * Acts as a host that started before all others and signs with these secrets. It is alive as long as this is called.
   */
  async function keepOlderAlive(tokenSecrets: readonly string[], adapters: readonly object[] = []): Promise<void> {
    const members = {
      hostname: 'older',
      startedAt: new Date(0),
      workers: 0,
      processes: [],
      tokenSecrets,
      adapters,
    };
    await hostModel(connection).updateOne(
      { _id: 'older' },
      { $set: { ...members, seenAt: new Date() } },
      { upsert: true },
    );
  }
  async function endOlder(): Promise<void> {
    await hostModel(connection).deleteOne({ _id: 'older' });
  }
  const isFenced = async (host: string): Promise<boolean> =>
    (await readFile(join(folder, host, 'gateway.log'), 'utf8')).includes('its workers start no work');

  it('fences an incompatible host, and gives its work to compatible hosts immediately', async () => {
    const known = (await hostModel(connection).find().lean()).map(({ _id }) => _id);
    const [mine = '', second = ''] = settings.threeDs.tokenSecrets;
    const swapped = await write('swapped', { threeDs: { tokenSecrets: [second, mine] }, ops: { enabled: true } });
    const fenced = run(['worker'], 'fenced', { GATEWAY_CONFIG: `${join(folder, 'common.yaml')},${swapped}` });
    await untilReady(fenced);
    const { _id, tokenSecrets } = (await hostModel(connection)
      .findOne({ _id: { $nin: known } })
      .lean())!;
    const wokenUps = async (): Promise<number> =>
      wakeUpModel(connection).countDocuments({ to: _id, 'work.0': { $exists: true } });
    try {
      await until('it is woken as well', async () => {
        await pay();
        return (await wokenUps()) > 0;
      });
      // The other hosts accept the secret that this host signs with, and it accepts theirs.
      await until('it is fenced, and no longer woken', async () => {
        await keepOlderAlive(tokenSecrets.slice(1));
        return (await isFenced('fenced')) && (await hostModel(connection).countDocuments({ _id, workers: 0 })) === 1;
      });
      const opsUrl = /http:\S+(?=\/ops)/.exec(fenced.out())?.[0] ?? '';
      const ready = await fetch(`${opsUrl}/ready`);
      const { parts } = (await ready.json()) as { readonly parts: object };
      expect([ready.status, parts]).to.deep.equal([503, { database: 'up', workers: 'up', host: 'down' }]);
      // The other hosts poll once per second.
      await until('no host wakes it', async () => {
        const before = await wokenUps();
        for (let payment = 0; payment < 4; payment += 1) {
          await keepOlderAlive(tokenSecrets.slice(1));
          const id = await pay();
          await until('the merchant is notified', () => receiver.ofPayment(id).length > 0, wellBeforeSweepMs);
        }
        return (await wokenUps()) === before;
      });
    } finally {
      await endOlder();
      fenced.signalGroup('SIGTERM');
      await fenced.ended;
    }
  });

  it('makes hosts that are incompatible with an older host not ready, and they start no work', async () => {
    const ready = async (): Promise<{ status: number; parts?: object; warnings?: readonly string[] }> => {
      const response = await fetch(`${url}/ready`, { headers: { 'X-API-Key': key! } });
      return { ...((await response.json()) as object), status: response.status };
    };
    try {
      await until('the API is not ready, and the workers are fenced', async () => {
        await keepOlderAlive(['other']);
        return (await isFenced('worker-1')) && (await ready()).status === 503;
      });
      const { parts, warnings } = await ready();
      expect(parts).to.include({ host: 'down', database: 'up' });
      expect(warnings?.[0]).to.match(/^The 3D Secure secrets differ from those of host older: /);
      await keepOlderAlive(['other']);
      const payments = await connection.collection('paymentRequests').countDocuments();
      const refused = await order();
      expect([refused.status, ((await refused.json()) as { code: string }).code]).to.deep.equal([503, 'SYS002']);
      expect(await connection.collection('paymentRequests').countDocuments()).to.equal(payments);
      const callback = await fetch(`${url}/callbacks/providerA`, { method: 'POST', body: '{}' });
      expect(callback.status).to.equal(503);
      const list = await fetch(`${url}/payment-requests`, { headers: { 'X-API-Key': key! } });
      const health = await fetch(`${url}/health`);
      expect([list.status, health.status]).to.deep.equal([200, 200]);
      await endOlder();
      await until('the API is ready again', async () => (await ready()).status === 200);
      const id = await pay();
      await until('the merchant is notified', () => receiver.ofPayment(id).length > 0);
    } finally {
      await endOlder();
    }
  });

  it('warns about different versions of an adapter, and serves nevertheless', async () => {
    const { tokenSecrets } = (await hostModel(connection)
      .findOne({ workers: { $gt: 0 } })
      .lean())!;
    const ready = async (): Promise<{ readonly status: number; readonly warnings: readonly string[] }> => {
      const response = await fetch(`${url}/ready`, { headers: { 'X-API-Key': key! } });
      const { warnings = [] } = (await response.json()) as { readonly warnings?: readonly string[] };
      return { status: response.status, warnings };
    };
    try {
      const { status, warnings } = await until('there is a warning', async () => {
        await keepOlderAlive(tokenSecrets, [{ name: 'provider-a', version: '0.0.1' }]);
        const answer = await ready();
        return answer.warnings.some((warning) => warning.includes('several versions')) && answer;
      });
      expect(status).to.equal(200);
      expect(warnings.join(' ')).to.match(/provider-a runs in several versions: 0\.0\.1 on older; [\d.]+ on /);
    } finally {
      await endOlder();
    }
    await until('the warning is gone', async () =>
      (await ready()).warnings.every((warning) => !warning.includes('several versions')),
    );
  });

  it('refuses an incompatible host, in one sentence', async () => {
    const keyed = await write('key', { security: { encryptionKey: randomBytes(32).toString('base64') } });
    const secret = await write('secret', { threeDs: { tokenSecrets: [randomBytes(32).toString('hex')] } });
    const common = join(folder, 'common.yaml');
    const refused = [
      [{ GATEWAY_CONFIG: `${common},${keyed}` }, /^The database is encrypted under the key /],
      [{ GATEWAY_CONFIG: `${common},${secret}` }, /^The 3D Secure secrets differ from those of host /],
      [{ NODE_OPTIONS: `--import=${wrongClock}` }, /^The clock of this host is \d+ s ahead of the database's: /],
    ] as const;
    for (const [env, why] of refused) {
      const { code, problems } = await run(['worker'], 'other', env).ended;
      expect(code).to.equal(1);
      expect(problems, problems.join('\n')).to.have.length(1);
      expect(problems[0]).to.match(why);
    }
  });
});
