/** Alarms are reported even if no worker runs: by the supervisor of any host, also of a host that cannot start. */
import { randomBytes } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { after, before, describe, it } from 'mocha';
import mongoose, { type Connection } from 'mongoose';
import { Webhook } from 'standardwebhooks';
import { loadConfig } from '../../../config/load-config.ts';
import { until } from '../../../core/base/testing/until.ts';
import { HOUR } from '../../../core/base/async/time.ts';
import { startReceiver, type Receiver } from '../../../test/support/receiver.ts';
import { root } from '../../../test/support/start-gateway.ts';
import { chooseFreePort } from '../dev/mongod/index.ts';
import { testDatabase } from '../testing/database.ts';
import { endAll, runGateway, untilReady, type RunningGateway } from '../testing/running-gateway.ts';

describe('the alarms of a service without workers', function () {
  this.timeout(300_000);
  const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
  let folder: string;
  let uri: string;
  let connection: Connection;
  let operator: Receiver;

  const run = (role: string, host: string, env: Readonly<Record<string, string>>): RunningGateway =>
    runGateway([role], join(folder, host), { MONGODB_URI: uri, GATEWAY_CONFIG: join(folder, 'common.yaml'), ...env });

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'gateway-test-'));
    uri = testDatabase('alarms');
    connection = await mongoose.createConnection(uri).asPromise();
    operator = await startReceiver();
    const { config } = await loadConfig({ env: { GATEWAY_ENV: 'development' }, root });
    const others = Object.keys(config.adapters).filter((name) => name !== 'provider-a');
    const settings = {
      security: { encryptionKey: randomBytes(32).toString('base64') },
      adapters: Object.fromEntries(others.map((name) => [name, { state: 'off' }])),
      alarms: { webhook: { url: operator.url, secret }, mailTo: ['ops@example.com'], backlogMinutes: 1 },
      ops: { enabled: false },
    };
    await writeFile(join(folder, 'common.yaml'), JSON.stringify(settings));
  });
  after(async () => {
    endAll();
    await operator.close();
    await connection.dropDatabase();
    await connection.close();
    await rm(folder, { recursive: true, force: true });
  });

  it('raises an alarm for an old backlog, and reports it once by the signed webhook and by mail', async () => {
    const api = run('api', 'api', { PORT: `${await chooseFreePort()}`, LOG_FILE: 'false' });
    await untilReady(api);
    await until('its processes log to standard output', () => {
      const names = [...api.out().matchAll(/^\{.*"process":"([a-z]+)/gm)].map(([, name]) => name);
      return names.includes('supervisor') && names.includes('sandboxes');
    });
    expect(await readdir(join(folder, 'api'))).not.to.include('gateway.log');
    const row = { adapter: 'provider-a', state: 'waiting', dueAt: new Date(Date.now() - HOUR) };
    await connection.collection('inbox').insertOne(row, { bypassDocumentValidation: true });
    const mails = join(folder, 'api', 'mail');
    await until('the webhook has it', () => operator.received.length > 0, 60_000);
    // The file exists before its content.
    await until('the mail came', async () => {
      const [mail] = await readdir(mails);
      return mail !== undefined && /^To: ops@example\.com\r?$/m.test(await readFile(join(mails, mail), 'utf8'));
    });

    const [{ headers, body } = { headers: {}, body: '' }] = operator.received;
    new Webhook(secret).verify(body, headers as Record<string, string>);
    const [report] = operator.received;
    expect(report!.json).to.deep.include({ type: 'alarm.opened' });
    expect(report!.json.data.alarm).to.deep.include({
      kind: 'backlog_old',
      subject: { type: 'queue', id: 'callbacks' },
    });
    const alarms = connection.collection('alarms');
    await until('it is raised again', async () => (await alarms.countDocuments({ count: { $gte: 2 } })) === 1, 60_000);
    expect([operator.received.length, (await readdir(mails)).length]).to.deep.equal([1, 1]);
    api.child.kill('SIGTERM');
    const { code, problems } = await api.ended;
    expect([code, problems.filter((line) => line.startsWith('{'))]).to.deep.equal([0, []]);
  });

  it('reports the alarm of a host that cannot start because its keys do not open the database', async () => {
    operator.forgetReceived();
    const key = { security: { encryptionKey: randomBytes(32).toString('base64') } };
    await writeFile(join(folder, 'key.yaml'), JSON.stringify(key));
    const env = { GATEWAY_CONFIG: [join(folder, 'common.yaml'), join(folder, 'key.yaml')].join(',') };
    const { code, problems } = await run('worker', 'other', env).ended;
    expect([code, problems.length]).to.deep.equal([1, 1]);
    const reported = operator.received.map(({ json }) => json.data.alarm);
    expect(reported.map(({ kind }) => kind)).to.deep.equal(['key_unknown']);
    expect(reported[0].subject.type).to.equal('host');
    expect(problems[0]).to.equal(reported[0].reason);
  });
});
