/** The commands of the payment engineer and the operator, against a service that runs. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import mongoose, { type Collection } from 'mongoose';
import { runCommand } from '../core/cli/run-command.ts';
import { until } from '../core/testing/until.ts';
import { chooseFreePort } from '../workers/supervisor/dev/mongod/index.ts';
import {
  endAll,
  gatewayEnv,
  runGateway,
  runningState,
  untilReady,
  type Ended,
  type RunningGateway,
} from '../workers/supervisor/testing/running-gateway.ts';
import { cardBody } from './support/bodies.ts';
import { root } from './support/start-gateway.ts';

type Inbox = Collection<{ _id: string; receivedAt: Date }>;

describe('the commands', function () {
  this.timeout(300_000);
  let folder: string;
  let env: Record<string, string>;
  let service: RunningGateway;
  let url: string;
  let key: string;

  /** In this process, which has the gateway's code already. */
  const runWith = async (more: Readonly<Record<string, string>>, ...words: string[]): Promise<Ended> => {
    const [out, problems]: [string[], string[]] = [[], []];
    const shell = {
      env: gatewayEnv(join(folder, 'data'), { ...env, ...more }),
      root,
      print: (line: string) => void out.push(`${line}\n`),
      stderr: (line: string) => void problems.push(line),
    };
    return { code: await runCommand(words, shell), out: out.join(''), problems };
  };
  const run = async (...words: string[]): Promise<Ended> => runWith({}, ...words);

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'gateway-commands-'));
    await writeFile(join(folder, 'own.yaml'), 'adapters:\n  provider-b: { state: on }\n');
    const port = await chooseFreePort();
    url = `http://127.0.0.1:${port}`;
    env = { PORT: `${port}`, GATEWAY_CONFIG: join(folder, 'own.yaml') };
    service = runGateway(['start'], join(folder, 'data'), { ...env, WORKERS: '2' });
    key = /gk_test_[\w-]+/.exec(await untilReady(service))?.[0] ?? '';
  });
  after(async () => {
    service.signalGroup('SIGTERM');
    await service.ended;
    endAll();
    await rm(folder, { recursive: true, force: true });
  });

  async function call(path: string, body?: string): Promise<{ status: number; json: Record<string, never> }> {
    const headers = { 'X-API-Key': key, Accept: 'application/json', 'Content-Type': 'application/json' };
    const response = await fetch(`${url}${path}`, { headers, ...(body && { method: 'POST', body }) });
    return { status: response.status, json: (await response.json()) as Record<string, never> };
  }

  async function inInbox<T>(look: (inbox: Inbox) => Promise<T>): Promise<T> {
    const { mongodbUri } = await runningState(join(folder, 'data'));
    const connection = await mongoose.createConnection(mongodbUri).asPromise();
    try {
      return await look(connection.collection('inbox'));
    } finally {
      await connection.close();
    }
  }
  /** What provider B has of open money. */
  async function openPayments(): Promise<{ pending: number; paid: number }> {
    const { json } = await call('/payment-requests?limit=100');
    const statuses = (json['items'] as unknown as Record<string, unknown>[])
      .filter(({ paymentProviderId }) => paymentProviderId === 12)
      .map(({ paymentRequestStatusId }) => paymentRequestStatusId);
    const count = (status: number): number => statuses.filter((one) => one === status).length;
    return { pending: count(1), paid: count(2) };
  }
  /** Through provider B, which reports a payment by this card only where it is triggered. */
  const pay = async () => call('/payments/h2h/12', cardBody('4000000000003097', '25.90'));
  /** Whatever the body: an adapter that is not on is not found. */
  const isOffered = async (): Promise<boolean> => (await call('/payments/h2h/12', '{}')).status !== 404;
  const payForId = async (): Promise<string> => {
    const { json } = await pay();
    return String((json['paymentRequest'] as unknown as { id: number }).id);
  };
  const isPaid = async (id: string): Promise<boolean> =>
    (await call(`/payment-requests/${id}`)).json['paymentRequestStatusId'] === 2;
  const payByCallback = async (): Promise<void> => {
    const id = await payForId();
    const { out } = await run('trigger', 'provider-b', 'sale/approved', '--payment', id);
    expect(out).to.equal('sale/approved  answered 200 OK\n');
    await until('paid', async () => isPaid(id));
  };

  it('trigger a callback, forged and right, as often as wanted', async () => {
    const id = await payForId();
    expect((await run('trigger', 'provider-b', 'list')).out.split('\n')).to.include('sale/approved');
    const forged = await run('trigger', 'provider-b', 'sale/approved', '--payment', id, '--forge');
    expect(forged.out).to.equal('sale/approved  answered 401 ERROR check\n');
    expect((await call(`/payment-requests/${id}`)).json).to.include({ paymentRequestStatusId: 1 });
    const right = await run('trigger', 'provider-b', 'sale/approved', '--payment', id, '--duplicate', '3');
    expect(right.out).to.equal('sale/approved  answered 200 OK\n'.repeat(3));
    await until('paid', async () => isPaid(id));
    const unknown = await run('trigger', 'provider-b', 'sale/flown', '--payment', id);
    expect(unknown).to.include({ code: 2 });
    expect(unknown.problems[0]).to.match(/^provider-b sends no "sale\/flown"; it sends: /);
  });

  it('replay stored callbacks through a candidate, without effect', async () => {
    await payByCallback();
    const stored = await inInbox(async (inbox) => inbox.countDocuments({ adapter: 'provider-b' }));
    const { out, code } = await run('replay', '--adapter', '@gateway/provider-b');
    expect({ out, code }).to.deep.equal({ out: `${stored} callbacks read, 0 differently\n`, code: 0 });
    expect((await run('replay', '--adapter', '@gateway/nobody')).code).to.equal(2);
  });

  it('replay goes on behind a callback that cannot be decrypted', async () => {
    await payByCallback();
    await inInbox(async (inbox) => {
      const rows = await inbox.find({ adapter: 'provider-b' }).sort({ receivedAt: 1 }).toArray();
      const [first] = rows;
      // Encrypted for another place; it comes before the good ones.
      await inbox.insertOne({ ...first!, _id: 'copied', receivedAt: new Date(first!.receivedAt.getTime() - 1) });
      const { out, code } = await run('replay', '--adapter', '@gateway/provider-b');
      await inbox.deleteOne({ _id: 'copied' });
      const summary = `cannot be decrypted\n${rows.length} callbacks read, 0 differently, 1 could not be decrypted\n`;
      expect(out.endsWith(summary), out).to.equal(true);
      expect(code).to.equal(0);
    });
  });

  describe('drain an adapter', () => {
    afterEach(async () => void (await run('adapters', 'on', 'provider-b')));

    it('which every process follows, and turn it on again', async () => {
      await payByCallback();
      const drained = await run('adapters', 'drain', 'provider-b', '--reason', 'maintenance');
      expect(drained.out).to.match(/^provider-b is draining \(version \d+, 3 processes follow\)\n$/);
      expect((await pay()).status).to.equal(404);
      const { pending, paid } = await openPayments();
      const refused = await run('adapters', 'off', 'provider-b');
      expect(refused.code).to.equal(1);
      expect(refused.problems[0])
        .to.match(/ say --force\.$/)
        .and.match(new RegExp(`^provider-b has ${pending} pending payments and ${paid} paid ones `));
      expect((await run('adapters', 'off', 'provider-b', '--force')).code).to.equal(0);
      expect((await fetch(`${url}/callbacks/providerB?x=1`)).status).to.equal(404);
      expect((await run('adapters', 'on', 'provider-b')).code).to.equal(0);
      expect((await pay()).status).to.equal(200);
      const listed = await run('adapters');
      expect(listed.out).to.match(/provider-b +on to draining +by command: maintenance/);
    });
  });

  describe('follow an edited state in a config file', () => {
    const write = async (state: string): Promise<void> =>
      writeFile(join(folder, 'own.yaml'), `adapters:\n  provider-b: { state: ${state} }\n`);
    afterEach(async () => {
      await write('on');
      await until('it is on', isOffered);
    });

    it('and name what is wrong with an edit', async () => {
      const already = service.out().length;
      await write('flying');
      await until('refused', async () => service.out().slice(already).includes('are not taken'));
      await write('draining');
      await until('followed', async () => !(await isOffered()));
      expect(service.out().slice(already)).to.match(/provider-b is draining/);
    });
  });

  it('explain which rule a payment takes', async () => {
    const taken = await run('routes', 'explain', '--amount', '25.90', '--unit', 'EUR');
    expect(taken.out).to.equal('rule 1: provider-a (1), 25.90 EUR\n');
    const none = await run('routes', 'explain', '--amount', '25.901', '--unit', 'EUR');
    expect(none.out).to.include('rule 1: passes over provider-a: amount: EUR has 2 decimals');
    expect(none.code).to.equal(1);
  });

  it('run recorded samples, and describe each difference', async () => {
    const file = join(root, 'adapters/provider-b/fixtures/vectors.json');
    const right = await run('vectors', 'provider-b', file, join(root, 'adapters/provider-b/fixtures/vectors.json'));
    expect(right.out).to.match(/\n52 passed, 0 failed\n$/);
    const text = await readFile(file, 'utf8');
    await writeFile(
      join(folder, 'bent.json'),
      text.replace('"status":"succeeded"', '"status":"failed"').replace(/"status": ?"succeeded"/, '"status":"failed"'),
    );
    const bent = await run('vectors', 'provider-b', join(folder, 'bent.json'));
    expect(bent.code).to.equal(1);
    expect(bent.out).to.match(/FAIL {2}callback: /);
    expect(bent.out).to.match(/events\[\d\]\.status: expected "failed", got "succeeded"/);
    const own = await run('vectors', '3ds', join(root, 'test/fixtures/3ds-vectors.json'));
    expect(own.out).to.match(/\n16 passed, 0 failed\n$/);
  });

  it('find what is wrong before a provider does', async () => {
    const healthy = await run('doctor');
    expect(healthy.out).to.match(/ok {5}provider-a: on, code 11, contract/);
    expect(healthy.out).to.include(`POST ${url}/callbacks/providerA`);
    expect(healthy.out)
      .to.match(/no problems\n$/)
      .and.not.match(/^warn/m);
    await fetch(`${url}/health`, { headers: { 'X-Forwarded-For': '203.0.113.7' } });
    await until('it is written down', async () => (await runningState(join(folder, 'data'))).hasUnknownProxy);
    const proxied = await run('doctor', '--offline');
    expect(proxied.code).to.equal(0);
    expect(proxied.out).to.match(/^warn {3}requests carry X-Forwarded-For, and server\.trustedProxies is 0: /m);
    const sickConfig = join(folder, 'sick.yaml');
    await writeFile(sickConfig, 'adapters:\n  provider-b: { state: on, options: { login: "" } }\n');
    const sick = await runWith({ GATEWAY_CONFIG: sickConfig }, 'doctor', '--offline');
    expect(sick.code).to.equal(1);
    expect(sick.out).to.match(/WRONG {2}.*\/sick\.yaml: adapters\.provider-b\.options\.login: /);
  });
});
