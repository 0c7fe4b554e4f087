/**
 * An adapter that throws, never answers or gives invalid answers harms only its own calls. The service and the other
 * adapters continue to work.
 */
import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { after, before, describe, it } from 'mocha';
import mongoose from 'mongoose';
import { loadConfig } from '../config/load-config.ts';
import { until } from '../core/base/testing/until.ts';
import { chooseFreePort } from '../workers/supervisor/dev/mongod/index.ts';
import { endAll, runGateway, untilReady, type RunningGateway } from '../workers/supervisor/testing/running-gateway.ts';
import { cardBody } from './support/bodies.ts';
import { root } from './support/start-gateway.ts';

/** The amount of a payment and the query of a callback select the behaviour. */
const unruly = `
import { defineAdapter, genuine, statusTable, v } from '@paywright/contract';
const does = {
  1: () => { throw new Error('4111111111111111 did not fit'); },
  2: async () => { throw new TypeError('nothing there'); },
  3: () => new Promise(() => undefined),
  4: async () => ({ outcome: 'paid', providerReference: 7 }),
  5: async () => undefined,
};
const behaviours = {
  throws: () => { throw new Error('no'); },
  rejects: async () => { throw new Error('no'); },
  never: () => new Promise(() => undefined),
  invalid: () => ({ verdict: 'yes' }),
};
export default defineAdapter({
  manifest: {
    name: 'unruly', title: 'Unruly', code: 59, contract: '^2.0', inputs: ['card'], currencies: 'any',
    ways: [{ method: 'card', title: 'Card', threeDs: 'unsupported', payerFields: [] }],
    options: v.strictObject({ baseUrl: v.string(), sandboxBaseUrl: v.string() }), declines: {},
    reconcile: { stepsSeconds: [60], thenEverySeconds: 60, giveUpAfterSeconds: 600 }, idempotency: 'none',
  },
  submit: ({ money }) => does[money.amount](),
  callbacks: [{
    path: 'unruly', method: 'POST', caller: 'server', reports: 'nothing',
    verifySignature: ({ query }) => (behaviours[query] ?? (() => genuine(query)))(),
    parseCallback({ value }) {
      if (value === 'parse-throws') throw new Error('no');
      return value === 'parse-invalid' ? { events: [{ kind: 'money' }] } : { events: [] };
    },
    acknowledge() { throw new Error('no'); },
  }],
  mapStatus: statusTable({}),
});
`;

describe('an adapter that misbehaves', function () {
  this.timeout(300_000);
  let folder: string;
  let env: Record<string, string>;
  let gateway: RunningGateway;
  let url: string;
  let key: string;
  let problems: readonly string[];
  const uri = (): string => `${process.env['TEST_MONGODB_URI']?.replace(/\/\?/, `/unruly-${process.pid}?`)}`;
  const run = (words: readonly string[]): RunningGateway => runGateway(words, join(folder, 'data'), env);

  async function install(name: string, code: string): Promise<void> {
    const home = join(folder, 'node_modules', name);
    await mkdir(home, { recursive: true });
    await writeFile(join(home, 'package.json'), '{ "type": "module", "exports": "./index.js" }');
    await writeFile(join(home, 'index.js'), code);
  }

  before(async () => {
    folder = await realpath(await mkdtemp(join(tmpdir(), 'unruly-')));
    await install('unruly', unruly);
    await install('broken', "throw new Error('not today');");
    await symlink(join(root, 'node_modules/@paywright'), join(folder, 'node_modules/@paywright'));
    const { config } = await loadConfig({ env: { GATEWAY_ENV: 'test' }, root });
    const off = Object.keys(config.adapters).filter((name) => name !== 'provider-a');
    const options = { baseUrl: 'https://unruly.example', sandboxBaseUrl: 'http://127.0.0.1:9' };
    const adapters = {
      ...Object.fromEntries(off.map((name) => [name, { state: 'off' }])),
      unruly: { package: 'unruly', state: 'on', options },
    };
    const [file, wrong] = [join(folder, 'gateway.yaml'), join(folder, 'wrong.yaml')];
    await writeFile(file, JSON.stringify({ adapters, provider: { callTimeoutMs: 2000 } }));
    const more = { broken: { package: 'broken' }, unruly: { options: { baseUrl: 7 } }, absent: { package: 'absent' } };
    await writeFile(wrong, JSON.stringify({ adapters: more }));
    const port = await chooseFreePort();
    url = `http://127.0.0.1:${port}`;
    env = {
      GATEWAY_ENV: 'test',
      GATEWAY_CONFIG: `${file},${wrong}`,
      MONGODB_URI: uri(),
      PORT: `${port}`,
      WORKERS: '1',
    };
    ({ problems } = await run(['start']).ended);
    env['GATEWAY_CONFIG'] = file;
    gateway = run(['start']);
    await untilReady(gateway);
    const made = await run(['keys', 'create', '--owner', 'Shop', '--env', 'sandbox', '--json']).ended;
    ({ key } = JSON.parse(made.out) as { key: string });
  });
  after(async () => {
    gateway.signalGroup('SIGTERM');
    await gateway.ended;
    endAll();
    const connection = await mongoose.createConnection(uri()).asPromise();
    await connection.dropDatabase();
    await connection.close();
    await rm(folder, { recursive: true, force: true });
  });

  interface Answered {
    readonly status: number;
    readonly json: { readonly paymentRequest?: Record<string, unknown> };
  }
  async function pay(code: number, amount: string): Promise<Answered> {
    const headers = { 'X-API-Key': key, 'Content-Type': 'application/json', Accept: 'application/json' };
    const body = cardBody('4111111111111111', amount);
    const response = await fetch(`${url}/payments/h2h/${code}`, { method: 'POST', headers, body });
    return { status: response.status, json: (await response.json()) as Answered['json'] };
  }
  const send = async (what: string): Promise<string> => {
    const response = await fetch(`${url}/callbacks/unruly?${what}`, { method: 'POST', body: '{}' });
    return `${response.status} ${await response.text()}`;
  };

  it('stops the start if it cannot be imported or has wrong options, and lists all problems, one per line', () => {
    const file = join(folder, 'wrong.yaml');
    const found = problems.map((line) => line.split(': looked up from')[0]);
    expect(found).to.include.members([
      `${file}: adapters.unruly.options.baseUrl: expected string`,
      `${file}: adapters.broken.package: cannot be imported: not today`,
      `${file}: adapters.absent.package: cannot be imported: the package absent is not installed`,
    ]);
  });

  for (const [amount, what] of [
    ['1', 'throws'],
    ['2', 'rejects'],
    ['3', 'never answers'],
    ['4', 'gives an invalid answer'],
    ['5', 'answers nothing'],
  ] as const) {
    it(`leaves its payment open when it ${what}, because it may have been charged, while another adapter still pays`, async () => {
      const own = pay(59, amount);
      const others = await Promise.all([pay(11, '25.90'), pay(11, '19.99')]);
      for (const { status, json } of others) {
        expect(status).to.equal(200);
        expect(json.paymentRequest).to.include({ paymentRequestStatusId: 2 });
      }
      const { status, json } = await own;
      expect(status).to.equal(200);
      expect(json.paymentRequest).to.include({ paymentRequestStatusId: 1 });
      expect(json.paymentRequest?.['lastLog']).to.include({ code: 'OUTCOME_UNKNOWN' });
      // Its own message may hold anything, so the reason names only the kind of the error.
      expect(JSON.stringify(json)).to.not.contain('4111111111111111');
    });
  }

  it('makes the provider send again when it could not verify, and keeps what it could not read', async () => {
    const answers = await Promise.all(
      ['throws', 'rejects', 'invalid', 'never', 'parse-throws', 'parse-invalid', 'fine'].map(send),
    );
    expect(answers.map((answer) => answer.slice(0, 3))).to.deep.equal([
      '503',
      '503',
      '503',
      '503',
      '400',
      '400',
      '200',
    ]);
    const connection = await mongoose.createConnection(uri()).asPromise();
    const kept = await connection.collection('inbox').countDocuments({ adapter: 'unruly', state: 'malformed' });
    await connection.close();
    expect(kept).to.equal(2);
    await until('the service is ready', async () => (await fetch(`${url}/ready`)).status === 200);
    expect((await pay(11, '25.90')).json.paymentRequest).to.include({ paymentRequestStatusId: 2 });
  });
});
