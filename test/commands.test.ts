/** The commands for payment engineers and operators, run against a live service. */
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import mongoose, { type Collection, type Connection } from 'mongoose';
import { runCommand } from '../core/cli/run-command.ts';
import { until } from '../core/base/testing/until.ts';
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
import { createReplayRunner } from '../core/console/index.ts';
import { cardBody, payer } from './support/bodies.ts';
import { root } from './support/start-gateway.ts';

type Inbox = Collection<{ _id: string; receivedAt: Date; state: string }>;

describe('the paywright command', function () {
  this.timeout(300_000);
  let folder: string;
  let env: Record<string, string>;
  let service: RunningGateway;
  let url: string;
  let key: string;

  /** Runs the command in this process, which has already loaded the gateway's code. */
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
  /** What the command prints on a terminal, by line. */
  const linesOnTerminal = async (...words: string[]): Promise<string[]> => {
    const lines: string[] = [];
    const shown = { print: (line: string) => void lines.push(line), stderr: () => undefined, columns: 160 };
    await runCommand(words, { env: gatewayEnv(join(folder, 'data'), env), root, ...shown });
    return lines;
  };

  const [firstKey, secondKey] = [1, 2].map((byte) => Buffer.alloc(32, byte).toString('base64')) as [string, string];
  let keyFiles = 0;
  /** The first key encrypts. */
  const writeKeysConfig = async (...encryptionKey: string[]): Promise<{ readonly GATEWAY_CONFIG: string }> => {
    const file = join(folder, `keys-${(keyFiles += 1)}.yaml`);
    await writeFile(file, JSON.stringify({ security: { encryptionKey } }));
    return { GATEWAY_CONFIG: `${join(folder, 'own.yaml')},${file}` };
  };

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'gateway-commands-'));
    await writeFile(join(folder, 'own.yaml'), 'adapters:\n  provider-b: { state: on }\n');
    const port = await chooseFreePort();
    url = `http://127.0.0.1:${port}`;
    env = { PORT: `${port}`, ...(await writeKeysConfig(firstKey, secondKey)) };
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

  async function withDatabase<T>(use: (connection: Connection) => Promise<T>): Promise<T> {
    const { mongodbUri } = await runningState(join(folder, 'data'));
    const connection = await mongoose.createConnection(mongodbUri).asPromise();
    try {
      return await use(connection);
    } finally {
      await connection.close();
    }
  }
  const withInbox = async <T>(look: (inbox: Inbox) => Promise<T>): Promise<T> =>
    withDatabase(async (connection) => look(connection.collection('inbox')));
  /** Open payments of provider B. */
  async function openPayments(): Promise<{ pending: number; paid: number }> {
    const { json } = await call('/payment-requests?limit=100');
    const statuses = (json['items'] as unknown as Record<string, unknown>[])
      .filter(({ paymentProviderId }) => paymentProviderId === 12)
      .map(({ paymentRequestStatusId }) => paymentRequestStatusId);
    const count = (status: number): number => statuses.filter((one) => one === status).length;
    return { pending: count(1), paid: count(2) };
  }
  /** Pays through provider B, which reports a payment by this card only when a callback is triggered. */
  const pay = async () => call('/payments/h2h/12', cardBody('4000000000003097', '25.90'));
  /** Ignores the body: an adapter that is not on answers 404. */
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

  it('triggers a callback, forged or genuine, as often as requested', async () => {
    const id = await payForId();
    const list = (await run('trigger', 'provider-b', 'list')).out.split('\n');
    expect(list).to.include('sale/error').and.to.include('sale/approved        payment.succeeded');
    const forged = await run('trigger', 'provider-b', 'sale/approved', '--payment', id, '--forge');
    expect(forged.out).to.equal('sale/approved  answered 401 ERROR check\n');
    expect((await call(`/payment-requests/${id}`)).json).to.include({ paymentRequestStatusId: 1 });
    const right = await run('trigger', 'provider-b', 'sale/approved', '--payment', id, '--duplicate', '3');
    expect(right.out).to.equal('sale/approved  answered 200 OK\n'.repeat(3));
    await until('paid', async () => isPaid(id));
    const asJson = await run('trigger', 'provider-b', 'sale/approved', '--payment', id, '--json');
    expect(JSON.parse(asJson.out)).to.have.nested.property('[0].status', 200);
    expect(JSON.parse((await run('trigger', 'provider-b', 'list', '--json')).out)).to.be.an('array');
    const byEffect = await run('trigger', 'provider-b', 'payment.partially_refunded', '--payment', id, '--amount', '1');
    expect(byEffect.out).to.equal('reversal/approved  answered 200 OK\n');
    const unknown = await run('trigger', 'provider-b', 'sale/flown', '--payment', id);
    expect(unknown).to.include({ code: 2 });
    expect(unknown.problems[0]).to.match(/^provider-b has no event "sale\/flown": its events are /);
  });

  it('finds a payment, and shows all its details', async () => {
    const id = await payForId();
    await run('trigger', 'provider-b', 'sale/approved', '--payment', id);
    await until('paid', async () => isPaid(id));
    for (const words of [[id], [`GW-${id}-1`], ['--last-four', '3097', '--amount', '25.9'], ['--status', 'paid']]) {
      const { out } = await run('payments', 'find', ...words);
      expect(out, words.join(' ')).to.match(
        new RegExp(`^${id}  .*Z  test  paid  25\\.90 EUR  provider-b  Card  …3097`, 'm'),
      );
    }
    const [titles = '', row = '', ...rest] = await linesOnTerminal('payments', 'find', id);
    expect(rest).to.deep.equal([]);
    expect(titles).to.match(/^Payment +Created +Amount +Status +Paid with +Payer +Reference +Remarks$/);
    expect(row).to.match(
      new RegExp(
        `^${id}  \\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d \\S+ +25\\.90 EUR  paid \\(test\\) +Card …3097 at provider-b `,
      ),
    );
    for (const title of ['Created', 'Status', 'Paid with', 'Payer'])
      expect(row[titles.indexOf(title) - 1], `before ${title}`).to.equal(' ');
    await payForId();
    const page = await linesOnTerminal('payments', 'find', '--limit', '1');
    expect(page).to.have.lengthOf(3);
    expect(page.at(-1)).to.match(/^Next page: --cursor \S+$/);
    const { problems: next } = await run('payments', 'find', '--limit', '1');
    expect(next.join()).to.match(/^Next page: --cursor \S+$/);
    expect((await linesOnTerminal('payments', '--help')).join('\n'))
      .to.contain('payments find [text]')
      .and.to.contain('payments note')
      .and.not.to.contain('keys create');
    expect((await run('payments', 'find', 'nothing')).out).to.equal('No payment was found.\n');
    const [first = ''] = payer.name.split(' ');
    expect((await run('payments', 'find', first.toLowerCase())).out).to.match(new RegExp(`^${id} .*\\(by .*name`, 'm'));
    const problem = await run('payments', 'find', '--problem', 'charged_bak');
    expect(problem.problems[0]).to.match(/^--problem must be one of .*did you mean charged_back\?$/);
    const [head, ...lines] = (await run('payments', 'find', id, '--csv')).out.trimEnd().split('\n');
    expect(head).to.match(
      /^id,created_at,paid_at,mode,merchant,.*,currency,amount,paid,fee,refunded,charged_back,net,/,
    );
    expect(lines).to.have.lengthOf(1);
    expect(lines[0]).to.match(
      new RegExp(
        `^${id},2.*Z,2.*Z,test,demo,.*,paid,,EUR,25\\.90,25\\.90,.*,card,provider-b,.*,Visa,3097,,,,${payer.name},`,
      ),
    );
    expect((await run('disputes', 'list')).out).to.equal('No dispute was found.\n');
    expect((await run('payments', 'find', id, '--json')).out).to.include(`"id":${id}`);
    const { out } = await run('payments', 'show', id);
    expect(out)
      .to.match(
        new RegExp(`^payment ${id} is paid: 25\\.90 EUR, for demo \\(test\\), by Visa 400000…3097 at provider-b`),
      )
      .and.match(/Z {2}call {9}submit at provider-b: HTTP 200 in \d+ ms$/m)
      .and.match(/Z {2}callback {5}Callback of provider-b: .+$/m)
      .and.match(/Z {2}status {7}Pending → Paid$/m)
      .and.match(/paid 25\.90 EUR, refunded 0\.00 EUR, disputed 0\.00 EUR, .*left to refund 25\.90 EUR$/m);
    const shown = JSON.parse((await run('payments', 'show', id, '--json')).out) as Record<string, unknown>;
    expect(shown).to.include({ id: Number(id), status: 'paid', owner: 'demo' });
    expect((await run('payments', 'show', '1')).problems).to.deep.equal([
      'There is no payment request 1: search with "paywright payments find".',
    ]);
  });

  it('shows control characters and direction marks of a merchant as codes', async () => {
    const referenceId = 'order\u001B]52;c;cGFpZA\u0007\r\n\u202Eorder';
    const { json } = await call('/payment-requests', JSON.stringify({ amount: 10, unit: 'E\u001B[8m', referenceId }));
    const id = String((json['paymentRequest'] as unknown as { id: number }).id);
    for (const words of [
      ['payments', 'show', id],
      ['payments', 'show', id, '--json'],
      ['payments', 'find', id],
      ['payments', 'find', id, '--json'],
    ]) {
      const { out } = await run(...words);
      expect(out, words.join(' ')).to.contain('E\\u001b[8m').and.contain('order\\u001b]52;c;cGFpZA\\u0007');
      expect(out, words.join(' '))
        .to.contain('\\u202eorder')
        .and.not.match(/[^\P{Cc}\n]|[\u2028-\u202E]/u);
      expect(out.split('\n').filter((line) => line.startsWith('\u202E') || line.startsWith('order'))).to.deep.equal([]);
    }
  });

  it('refunds, cancels and reconciles after confirmation, and records the operator in the audit log', async () => {
    const id = await payForId();
    await run('trigger', 'provider-b', 'sale/approved', '--payment', id);
    await until('paid', async () => isPaid(id));
    const unasked = await run('payments', 'refund', id, '--amount', '10');
    expect(unasked).to.include({ code: 2 });
    expect(unasked.problems.at(-1)).to.match(
      /^This refunds 10\.00 EUR of payment \d+ to its payer\. There is no terminal/,
    );
    const refunded = await run('payments', 'refund', id, '--amount', '10', '--yes', '--reason', 'a broken cup');
    expect(refunded.code, refunded.problems.join()).to.equal(0);
    expect(refunded.out).to.match(new RegExp(`refund of €10\\.00 .*\\(GW-${id}-1-R1\\)`, 'i'));
    expect((await run('payments', 'refund', id, '--amount', '20', '--yes')).problems.at(-1)).to.match(
      /more than is left/,
    );
    const checked = await run('payments', 'reconcile', id, '--json');
    expect(checked.code, checked.problems.join()).to.equal(0);
    expect(JSON.parse(checked.out)).to.include({ id: Number(id), owner: 'demo' });
    const { json } = await call('/payment-requests', '{"amount": 5, "unit": "EUR"}');
    const unpaid = String((json['paymentRequest'] as unknown as { id: number }).id);
    const cancelled = await run('payments', 'cancel', unpaid, '--yes');
    expect(cancelled.out).to.match(new RegExp(`^payment ${unpaid} is cancelled: 5\\.00 EUR`));
    const again = await run('payments', 'cancel', unpaid, '--yes', '--json');
    expect(again.code).to.equal(1);
    expect(JSON.parse(again.out), 'a refusal is JSON, too').to.deep.equal({ problems: [again.problems.at(-1)] });
    const more = await run('payments', 'refund', id, '--amount', '1', '--yes', '--json');
    expect(JSON.parse(more.out), more.problems.join()).to.include({ id: Number(id) });
    const { items } = JSON.parse((await run('audit', 'list', '--subject', `payment:${id}`, '--json')).out) as {
      items: Record<string, unknown>[];
    };
    expect(items.map(({ act, state, reason }) => ({ act, state, reason }))).to.deep.equal([
      { act: 'payment.refund', state: 'done', reason: null },
      { act: 'payment.reconcile', state: 'done', reason: null },
      { act: 'payment.refund', state: 'failed', reason: null },
      { act: 'payment.refund', state: 'done', reason: 'a broken cup' },
    ]);
    expect((await run('audit', 'verify')).code).to.equal(0);
  });

  it('refunds one charge of a payment that was charged twice, and asks which', async () => {
    const id = await payForId();
    await run('trigger', 'provider-b', 'sale/approved', '--payment', id);
    await until('paid', async () => isPaid(id));
    await withDatabase(async (connection) => {
      const payments = connection.collection<{ _id: number; attempts: Record<string, unknown>[] }>('paymentRequests');
      const [attempt] = (await payments.findOne({ _id: Number(id) }))!.attempts;
      const second = { ...attempt, n: 2, reference: `GW-${id}-2`, settledAt: new Date() };
      await payments.updateOne({ _id: Number(id) }, { $push: { attempts: second } });
    });
    const shown = await run('payments', 'show', id);
    expect(shown.out)
      .to.contain(`refund one of its charges, 25.90 EUR: paywright payments refund ${id} --charge 2`)
      .and.to.contain('left to refund 25.90 EUR of charge 1, 25.90 EUR of charge 2')
      .and.not.to.contain('nothing: the payment is complete');
    const open = await run('payments', 'refund', id, '--yes');
    expect(open).to.include({ code: 2 });
    expect(open.problems.at(-1)).to.equal(
      'The payment was charged twice: choose one charge with --charge. ' +
        `Charges: 1 (GW-${id}-1 at provider-b, 25.90 EUR left); 2 (GW-${id}-2 at provider-b, 25.90 EUR left).`,
    );
    const third = await run('payments', 'refund', id, '--charge', '3', '--yes');
    expect([third.code, third.problems.at(-1)?.slice(0, 29)]).to.deep.equal([2, 'The payment has no charge 3. ']);
    const asked = await run('payments', 'refund', id, '--charge', '2');
    expect(asked.problems.at(-1)).to.contain(
      `This refunds 25.90 EUR of payment ${id} to its payer, from charge 2 (GW-${id}-2 at provider-b, 25.90 EUR left).`,
    );
    const refunded = await run('payments', 'refund', id, '--charge', '1', '--yes');
    expect(refunded.code, refunded.problems.join()).to.equal(0);
    expect(refunded.out)
      .to.match(new RegExp(`refund of €25\\.90 .*\\(GW-${id}-1-R1`, 'i'))
      .and.not.to.contain('-2-R');
  });

  it('asks about all payments since a time, and says what changed', async () => {
    const id = await payForId();
    await run('trigger', 'provider-b', 'sale/approved', '--payment', id);
    await until('paid', async () => isPaid(id));
    const since = new Date(Date.now() - 60_000).toISOString();
    const { code, out, problems } = await run('payments', 'reconcile', '--since', since, '--adapter', 'provider-b');
    expect(code, problems.join()).to.equal(0);
    expect(out).to.match(/^provider-b: [1-9]\d* payments asked about, \d+ changed/m);
    expect(problems.join()).to.match(/provider-b: \d+ asked, \d+ changed/);
    const all = await run('payments', 'reconcile', '--since', since, '--json');
    expect(all.code, all.out).to.equal(0);
    const [first] = JSON.parse(all.out) as Record<string, unknown>[];
    expect(first).to.include({ adapter: 'provider-b', notAsked: 0, obstacle: '' });
    expect(first!['asked']).to.be.above(0);
    const { items } = JSON.parse((await run('audit', 'list', '--subject', 'adapter:provider-b', '--json')).out) as {
      items: Record<string, unknown>[];
    };
    expect(items.filter(({ act }) => act === 'payments.reconcile')).to.have.length(2);
    for (const [words, problem] of [
      [[], /Give a payment id, or --since/],
      [[id, '--since', since], /either a payment id or --since/],
      [['--adapter', 'provider-b', id], /--adapter needs --since/],
      [['--since', '2999-01-01'], /--since must be in the past/],
      [['--since', since, '--adapter', 'provider-bb'], /Unknown adapter "provider-bb"/],
    ] as const) {
      const wrong = await run('payments', 'reconcile', ...words);
      expect(wrong.code).to.equal(2);
      expect(wrong.problems.join()).to.match(problem);
    }
  });

  it('lists, shows, requeues and discards dead-letter callbacks', async () => {
    await payByCallback();
    const findDeadLetter = async (): Promise<string> =>
      withInbox(async (inbox) => {
        const row = await inbox.findOne({ adapter: 'provider-b' });
        const state = { state: 'dead_letter', 'events.0.state': 'waiting', 'events.0.note': 'for this test' };
        await inbox.updateOne({ _id: row!._id }, { $set: state });
        return row!._id;
      });
    const id = await findDeadLetter();
    expect((await run('inbox', 'list')).out).to.match(
      new RegExp(`dead_letter  provider-b  payment \\d+  ${id}  for this test\n$`),
    );
    expect((await run('inbox', 'show', id)).out).to.match(/^ {2}GET \/callbacks\/providerB\?.*check=\[hidden\]/m);
    expect((await run('inbox', 'requeue', id, 'unknown')).problems).to.deep.equal(['callback unknown does not exist']);
    // A callback that waits to be applied is not a dead letter.
    await until('applied', async () =>
      withInbox(async (inbox) => (await inbox.findOne({ _id: id }))?.state === 'done'),
    );
    expect((await run('inbox', 'list')).out).to.equal('No callback needs attention.\n');
    await findDeadLetter();
    expect((await run('inbox', 'discard', id, '--yes')).problems).to.deep.equal(['Option --reason is required.']);
    const given = await run('inbox', 'discard', id, '--yes', '--reason', 'known already');
    expect(given).to.include({ code: 0, out: `${id} is discarded\n` });
  });

  it('lists notifications and sends them again', async () => {
    const body = cardBody('4000000000003097', '25.90', { notifyUrl: 'http://127.0.0.1:9/n' });
    const { json } = await call('/payments/h2h/12', body);
    const { id } = json['paymentRequest'] as unknown as { id: number };
    const listNotifications = async (): Promise<string> =>
      (await run('notifications', 'list', '--payment', String(id))).out;
    await until('the notification was attempted', async () =>
      /test {2}waiting {2}payment\.pending .*\n {2}.*Z {2}/.test(await listNotifications()),
    );
    expect((await run('notifications', 'resend', `${id}-1`)).out).to.equal(`${id}-1 will be sent again\n`);
    const all = await run('notifications', 'resend', '--owner', 'demo', '--state', 'waiting', '--yes');
    expect(all.out).to.match(/^\d+ notifications will be sent again\n$/);
    expect((await run('notifications', 'resend')).code).to.equal(2);
    expect((await run('notifications', 'list', '--owner', 'unknown')).problems[0]).to.match(
      /^Unknown merchant "unknown": /,
    );
  });

  it('lists the jobs, and runs one', async () => {
    expect((await run('jobs', 'list')).out).to.match(/^purge-expired +every 600 s {2}last .* {2}next .*Z$/m);
    expect(await run('jobs', 'run', 'purge-expired')).to.include({ code: 0, out: 'purge-expired has run\n' });
    expect((await run('jobs', 'run', 'fly')).problems[0]).to.match(
      /^There is no job fly: the jobs are drain-callbacks, /,
    );
    expect((await run('owners', 'list')).out).to.match(/^1 {2}demo {2}since .*: 1 active key, /m);
  });

  it('replays stored callbacks through a candidate version without side effects', async () => {
    await payByCallback();
    const stored = await withInbox(async (inbox) => inbox.countDocuments({ adapter: 'provider-b' }));
    const { out, code } = await run('replay', '--adapter', '@paywright/provider-b');
    expect({ out, code }).to.deep.equal({ out: `${stored} callbacks read, 0 differently\n`, code: 0 });
  });

  it('says where it looked for the package of a candidate that it does not find', async () => {
    const unknown = await run('replay', '--adapter', '@paywright/unknown');
    expect(unknown.code).to.equal(2);
    expect(unknown.problems.join()).to.match(
      /^The config has no adapter of which @paywright\/unknown could be a version.* The package @paywright\/unknown is not installed: looked up from \S+(, then \S+)+; install it in one of them\.$/,
    );
    const next = await run('replay', '--adapter', '@next/provider-b');
    expect(next.problems.join()).to.contain('the package @next/provider-b is not installed: looked up from ');
    const noPackage = await run('replay', '--adapter', './no/such/provider-b');
    expect(noPackage.problems.join()).to.contain('no/such/provider-b is not a package: it has no package.json');
  });

  it('replays for the console in a separate process, and says why a candidate cannot be tried', async () => {
    await payByCallback();
    const stored = await withInbox(async (inbox) => inbox.countDocuments({ adapter: 'provider-b' }));
    const tried = createReplayRunner(root, { ...process.env, ...gatewayEnv(join(folder, 'data'), env) });
    const question = { adapter: 'provider-b', since: new Date(0) };
    expect(await tried({ ...question, package: '@paywright/provider-b' })).to.deep.equal({
      read: stored,
      different: 0,
      unreadable: 0,
      callbacks: [],
    });
    const problem = await tried({ ...question, package: '@next/provider-b' }).catch((error: unknown) => error);
    expect((problem as Error).message).to.contain('@next/provider-b is not installed');
  });

  it('continues a replay after a callback that cannot be decrypted', async () => {
    await payByCallback();
    await withInbox(async (inbox) => {
      const rows = await inbox.find({ adapter: 'provider-b' }).sort({ receivedAt: 1 }).toArray();
      const [first] = rows;
      // Encrypted for another context. It sorts before the valid rows.
      await inbox.insertOne({ ...first!, _id: 'copied', receivedAt: new Date(first!.receivedAt.getTime() - 1) });
      const { out, code } = await run('replay', '--adapter', '@paywright/provider-b');
      await inbox.deleteOne({ _id: 'copied' });
      const summary = `cannot be decrypted\n${rows.length} callbacks read, 0 differently, 1 could not be decrypted\n`;
      expect(out.endsWith(summary), out).to.equal(true);
      expect(code).to.equal(0);
    });
  });

  describe('that drains an adapter', () => {
    afterEach(async () => void (await run('adapters', 'on', 'provider-b')));

    it('applies to every process, and turns the adapter on again', async () => {
      await payByCallback();
      const drained = await run('adapters', 'drain', 'provider-b', '--reason', 'maintenance');
      expect(drained.out).to.match(/^provider-b is draining \(version \d+, 4 processes follow\)\n$/);
      expect((await pay()).status).to.equal(404);
      const { pending, paid } = await openPayments();
      const refused = await run('adapters', 'off', 'provider-b');
      expect(refused.code).to.equal(1);
      expect(refused.problems[0])
        .to.match(/ add --force\.$/)
        .and.match(new RegExp(`^provider-b has ${pending} pending payments and ${paid} paid payments `));
      expect((await run('adapters', 'off', 'provider-b', '--force')).code).to.equal(0);
      expect((await fetch(`${url}/callbacks/providerB?x=1`)).status).to.equal(404);
      expect((await run('adapters', 'on', 'provider-b')).code).to.equal(0);
      expect((await pay()).status).to.equal(200);
      const listed = await run('adapters');
      expect(listed.out).to.match(/provider-b +on to draining +by command: maintenance/);
    });
  });

  describe('about accounts', () => {
    const secret = 'C0FFEE00-the-key-of-the-shop';
    /** Puts the text into a file, as the value of `--options`. */
    const fileOf = async (text: string): Promise<string> => {
      const file = join(folder, 'options.yaml');
      await writeFile(file, text);
      return file;
    };
    const callbackStatus = async (): Promise<number> => (await fetch(`${url}/callbacks/providerB/shop?x=1`)).status;

    it('adds an account that every process has when the command ends', async () => {
      const options = await fileOf(`endpoint: '5582'\nlogin: shop\ncontrolKeys: [${secret}]\n`);
      expect(await callbackStatus()).to.equal(404);
      const words = ['--options', options, '--merchant', 'demo', '--currencies', 'EUR,USD', '--fee', '1.4, 0.25 EUR'];
      const added = await run('accounts', 'add', 'provider-b/shop', ...words);
      expect(added.problems).to.deep.equal([]);
      expect(added.out).to.match(/^provider-b\/shop is added, and serves demo \(version \d+, 4 processes follow\)\n$/);
      expect(await callbackStatus()).to.not.equal(404);
    });

    it('reads the options from standard input', async () => {
      const child = execFile(
        process.execPath,
        [join(root, 'core/cli/bin/paywright.mjs'), 'accounts', 'add', 'provider-b/piped', '--options', '-'],
        { env: gatewayEnv(join(folder, 'data'), env) },
      );
      child.stdin!.end(JSON.stringify({ endpoint: '5583', login: 'piped', controlKeys: [secret] }));
      const [code] = (await once(child, 'exit')) as [number];
      expect(code).to.equal(0);
      const { merchants, options } = JSON.parse((await run('accounts', 'show', 'provider-b/piped', '--json')).out);
      expect([merchants, options]).to.deep.equal([[], { endpoint: '5583', login: 'piped', controlKeys: ['[hidden]'] }]);
    });

    it('never shows a secret again', async () => {
      const shown = await run('accounts', 'show', 'provider-b/shop');
      expect(shown.out).to.contain('options.login: shop\n').and.contain('options.controlKeys: ["[hidden]"]\n');
      expect(shown.out).to.contain('fee: 1.4 %, 0.25 EUR\n');
      const everything = [shown, await run('accounts', 'list', '--json'), await run('audit', 'list', '--json')];
      expect(JSON.stringify(everything)).to.contain('provider-b/shop').and.not.contain(secret);
    });

    it('shows accounts of the database in doctor and in the explanation of a route', async () => {
      const checked = await run('doctor', '--offline');
      expect(checked.out).to.contain('provider-b/shop: on, code').and.contain('/callbacks/providerB/shop');
      const payment = ['--amount', '25.90', '--unit', 'EUR', '--owner', 'demo', '--account', 'provider-b/shop'];
      const explained = await run('routes', 'explain', ...payment);
      expect(explained.out).to.contain('the merchant’s account: provider-b/shop');
    });

    it('fails in doctor for a merchant that config names and that does not exist', async () => {
      const file = join(folder, 'unknown-merchant.yaml');
      const when = { merchant: ['dem0'] };
      await writeFile(file, JSON.stringify({ routes: [{ id: 1, when, use: ['provider-b/shop', 'provider-b'] }] }));
      const more = { GATEWAY_CONFIG: `${env['GATEWAY_CONFIG']},${file}` };
      const checked = await runWith(more, 'doctor', '--offline');
      expect(checked.out).to.contain('routes.0.when.merchant: there is no merchant "dem0": did you mean demo?');
      expect(checked.code).to.equal(1);
    });

    it('fails in doctor for accounts beyond 33 without hints, until callbacks come to their own addresses', async () => {
      const file = join(folder, 'many-accounts.yaml');
      const optionsOf = (name: string) => ({
        secretKey: `sk_test_${name}_12345`,
        webhookSecrets: [`whsec_${name}_12345`],
      });
      const names = Array.from({ length: 32 }, (_, at) => `shop-${at}`);
      const accounts = Object.fromEntries(names.map((name) => [name, { state: 'on', options: optionsOf(name) }]));
      const sandboxBaseUrl = 'https://api.stripe.com';
      await writeFile(
        file,
        JSON.stringify({ adapters: { stripe: { state: 'on', options: { sandboxBaseUrl }, accounts } } }),
      );
      const more = { GATEWAY_CONFIG: `${env['GATEWAY_CONFIG']},${file}` };
      const check = async () => runWith(more, 'doctor', '--offline');
      const problem = 'No callback has come to the addresses of';
      expect((await check()).out)
        .to.contain('stripe/shop-31: on')
        .and.not.contain(problem);
      const beyond = ['first', 'second'];
      for (const name of beyond) {
        const options = await fileOf(JSON.stringify(optionsOf(name)));
        expect((await runWith(more, 'accounts', 'add', `stripe/${name}`, '--options', options)).problems).to.deep.equal(
          [],
        );
      }
      const failed = await check();
      expect(failed.out).to.contain(`stripe: 35 accounts, but its callbacks do not name the account`);
      expect(failed.out).to.contain(`${problem} stripe/first, stripe/second: enter them at the provider`);
      expect(failed.code).to.equal(1);
      await withInbox(async (inbox) => {
        const rows = beyond.map((name) => ({ _id: name, adapter: 'stripe', path: `stripe/${name}`, state: 'done' }));
        await inbox.insertMany(
          rows.map((row) => ({ ...row, receivedAt: new Date() })),
          { bypassDocumentValidation: true },
        );
      });
      expect((await check()).out).to.not.contain(problem);
      await withInbox(async (inbox) => inbox.deleteMany({ adapter: 'stripe' }));
      for (const name of beyond) await runWith(more, 'accounts', 'remove', `stripe/${name}`, '--yes');
    });

    it('names each problem of the options, and quotes none of them', async () => {
      const add = async (text: string): Promise<Ended> =>
        run('accounts', 'add', 'provider-b/bad', '--options', await fileOf(text));
      const wrong = await add(`login: 7\nsecretWord: ${secret}\n`);
      expect(wrong.code).to.equal(1);
      expect(wrong.problems.join())
        .to.match(/options\.controlKeys(\.0)?: is missing/)
        .and.contain('options.login: ')
        .and.contain('options.secretWord: is not an option')
        .and.not.contain(secret);
      const unreadable = await add(`login: [${secret}`);
      expect(unreadable.problems.join()).to.contain('is not valid YAML').and.not.contain(secret);
      const twice = await run('accounts', 'add', 'provider-b/bad', '--options', '-', '--sandbox-options', '-');
      expect(twice).to.include({ code: 2 });
      expect((await run('accounts', 'list', 'provider-b')).out).to.not.contain('provider-b/bad');
    });

    it('changes merchants and state, checks it, and removes it for good', async () => {
      const set = async (...words: string[]): Promise<string> => {
        const { out, problems } = await run('accounts', 'set', 'provider-b/shop', ...words);
        return out + problems.join();
      };
      expect(await set('--unassign', 'demo')).to.match(/^provider-b\/shop is changed, and serves no merchant /);
      expect(await set('--merchant', 'nowhere')).to.equal('merchants: there is no merchant nowhere');
      expect(await set('--everybody')).to.match(/serves every merchant /);
      expect(await set()).to.match(/^Nothing to set/);
      expect((await run('accounts', 'drain', 'provider-b/shop')).out).to.match(/^provider-b\/shop is draining /);
      expect((await run('accounts', 'off', 'provider-b/shop')).out).to.match(/^provider-b\/shop is off /);
      expect(await callbackStatus()).to.equal(404);
      expect((await run('accounts', 'on', 'provider-b/shop')).out).to.match(/^provider-b\/shop is on /);
      expect((await run('accounts', 'off', 'provider-b')).code).to.equal(2);
      expect((await run('accounts', 'check', 'provider-b/shop')).out).to.contain('provider-b/shop (test)');
      expect((await run('accounts', 'remove', 'provider-b/shop')).code).to.equal(2);
      const removed = await run('accounts', 'remove', 'provider-b/shop', '--yes', '--reason', 'closed');
      expect(removed.out).to.match(/^provider-b\/shop is removed \(version /);
      expect(await callbackStatus()).to.equal(404);
      const again = await run(
        'accounts',
        'add',
        'provider-b/shop',
        '--options',
        await fileOf(`controlKeys: [${secret}]`),
      );
      expect(again.problems.join()).to.contain('names are never reused');
      expect((await run('audit', 'list')).out).to.contain('removed account provider-b/shop');
      await run('accounts', 'remove', 'provider-b/piped', '--yes');
    });
  });

  describe('after an edit of a state in a config file', () => {
    const write = async (state: string): Promise<void> =>
      writeFile(join(folder, 'own.yaml'), `adapters:\n  provider-b: { state: ${state} }\n`);
    afterEach(async () => {
      await write('on');
      await until('provider-b is on', isOffered);
    });

    it('follows the edit, and names what is wrong with an invalid one', async () => {
      const already = service.out().length;
      await write('flying');
      await until('refused', async () => service.out().slice(already).includes('the changes are not applied'));
      await write('draining');
      await until('followed', async () => !(await isOffered()));
      expect(service.out().slice(already)).to.match(/provider-b is draining/);
    });
  });

  it('explains which route rule a payment takes', async () => {
    const taken = await run('routes', 'explain', '--amount', '25.90', '--unit', 'EUR');
    expect(taken.out).to.equal('rule 1: provider-a (1), 25.90 EUR\n');
    const none = await run('routes', 'explain', '--amount', '25.901', '--unit', 'EUR');
    expect(none.out).to.include('rule 1: skips provider-a: amount: EUR has 2 decimals');
    expect(none.code).to.equal(1);
  });

  describe('with --url', () => {
    let at: string;
    let operator: Readonly<Record<string, string>>;
    before(async () => {
      ({ opsUrl: at = '' } = await runningState(join(folder, 'data')));
      const made = JSON.parse((await run('operators', 'create', 'Grace', '--role', 'admin', '--json')).out);
      operator = { PAYWRIGHT_OPERATOR_KEY: made.key };
    });
    const runAt = async (...words: string[]): Promise<Ended> => runWith(operator, ...words, '--url', at);
    /** The same command on the database and at the service. */
    const both = async (...words: string[]): Promise<Ended> => {
      const [here, there] = [await run(...words), await runAt(...words)];
      expect(there, words.join(' ')).to.deep.equal(here);
      return there;
    };

    it('prints what the command on the database prints', async () => {
      const options = join(folder, 'url-options.json');
      await writeFile(
        options,
        JSON.stringify({ endpoint: '5584', login: 'url', controlKeys: ['url-secret-7F2C91D0'] }),
      );
      const set = [
        'owners',
        'set',
        'Url shop',
        '--test-notify-url',
        'http://127.0.0.1:9/hook',
        '--display-name',
        'Url',
      ];
      const origin = 'https://url.example';
      expect((await runAt('owners', 'create', 'Url shop', '--email', 'ana@url.example')).out).to.match(
        /^Merchant created/,
      );
      expect((await runAt('keys', 'create', '--owner', 'Url shop', '--limit', '70')).out).to.match(/^API key, shown/);
      const [first] = JSON.parse((await runAt('keys', 'list', '--owner', 'Url shop', '--json')).out);
      expect((await runAt('accounts', 'add', 'provider-b/url', '--options', options)).out).to.match(
        /serves no merchant/,
      );
      for (const words of [
        set,
        [...set, '--json'],
        ['owners', 'list'],
        ['owners', 'list', '--json'],
        ['keys', 'list', '--owner', 'Url shop'],
        ['keys', 'list', '--owner', 'Url shop', '--json'],
        ['keys', 'limit', first.keyId, '80'],
        ['endpoints', 'list'],
        ['endpoints', 'enable', 'Url shop', origin],
        ['accounts', 'list'],
        ['accounts', 'list', 'provider-b', '--json'],
        ['accounts', 'show', 'provider-b/url'],
        ['accounts', 'show', 'provider-b/url', '--json'],
        ['accounts', 'set', 'provider-b/url', '--merchant', 'Url shop', '--json'],
        ['accounts', 'check', 'provider-b/url'],
        ['accounts', 'on', 'provider-b/url'],
        ['adapters'],
        ['adapters', 'on', 'provider-b'],
        ['routes', 'explain', '--amount', '25.90', '--unit', 'EUR', '--owner', 'Url shop'],
        ['routes', 'explain', '--amount', '25.90', '--unit', 'EUR', '--json'],
        // Refusals
        ['owners', 'create', 'Url shop'],
        ['owners', 'create', 'url shop'],
        ['owners', 'set', 'Url shop', '--colour', '#ffd166'],
        ['owners', 'set', 'Uri shop', '--email', ''],
        ['keys', 'revoke', 'key_0123456789abcdef'],
        ['accounts', 'set', 'provider-b/url', '--merchant', 'Nowhere'],
        ['accounts', 'show', 'provider-b/none', '--json'],
        ['endpoints', 'test', 'Url shop', '--env', 'production'],
      ])
        await both(...words);
      expect((await runAt('endpoints', 'disable', 'Url shop', origin)).out).to.equal(
        `${origin} is disabled: no notifications are sent to it.\n`,
      );
      await both('endpoints', 'disable', 'Url shop', origin);
      const portal = JSON.parse((await runAt('owners', 'portal', 'Url shop', '--json')).out);
      expect(portal.url).to.include(`${url}/portal/open?link=plink_`);
      await both('owners', 'portal', 'Url shop', '--list', '--json');
      expect((await runAt('owners', 'portal', '--revoke', portal.id)).out).to.equal(`Revoked: ${portal.id}\n`);
      expect((await runAt('secrets', 'rotate', 'Url shop')).out).to.match(
        /^Webhook secret of Url shop, test events: whsec_/,
      );
      expect((await runAt('keys', 'rotate', first.keyId)).out).to.match(/\nThe old key key_\w+ expires at \d{4}-/);
      expect((await runAt('keys', 'revoke', first.keyId)).out).to.equal(`Revoked: ${first.keyId}\n`);
      expect((await runAt('accounts', 'drain', 'provider-b/url')).out).to.match(/^provider-b\/url is draining/);
      expect((await runAt('accounts', 'remove', 'provider-b/url', '--yes')).out).to.match(/is removed \(version/);
      expect((await runAt('owners', 'remove', 'Url shop', '--yes')).out).to.match(/^Removed: Url shop/);
      const { out } = await run('audit', 'list', '--json');
      const acts = JSON.parse(out).items as { readonly act: string; readonly actor: { type: string; name: string } }[];
      const byGrace = acts.filter(({ actor }) => actor.type === 'api' && actor.name.startsWith('Grace (op_'));
      expect(byGrace.map(({ act }) => act)).to.include.members(['owner.create', 'key.rotate', 'account.remove']);
    });

    it('refuses a missing or wrong key, another address, and an address that nothing answers', async () => {
      const missing = await run('owners', 'list', '--url', at);
      expect([missing.code, missing.problems.join()]).to.deep.equal([
        2,
        '--url needs the key of an operator with the role admin in PAYWRIGHT_OPERATOR_KEY.',
      ]);
      const viewer = JSON.parse((await run('operators', 'create', 'Vera', '--role', 'viewer', '--json')).out);
      const refused = await runWith({ PAYWRIGHT_OPERATOR_KEY: viewer.key }, 'owners', 'list', '--url', at);
      expect(refused).to.deep.include({
        code: 1,
        problems: ['the role viewer may not use the API: create a key with the role admin'],
      });
      const merchantApi = await runWith(operator, 'owners', 'list', '--url', url);
      expect(merchantApi.problems.join()).to.match(/ is not the operators' listener of a service: it answered 404\. /);
      expect((await runWith(operator, 'owners', 'list', '--url', `${at}/ops`)).code).to.equal(0);
      const nothing = await runWith(operator, 'owners', 'list', '--url', `http://127.0.0.1:${await chooseFreePort()}`);
      expect(nothing.problems.join()).to.match(
        /^The service at http:\/\/127\.0\.0\.1:\d+ cannot be reached: .*ECONNREFUSED/,
      );
      expect((await runWith(operator, 'owners', 'list', '--url', 'ops')).code).to.equal(2);
      expect(JSON.stringify([missing, refused, merchantApi, nothing])).to.not.include(
        operator['PAYWRIGHT_OPERATOR_KEY'],
      );
    });
  });

  it('runs recorded samples, and describes each difference', async () => {
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

  it('warns about a notification address that will not be called, and stores it', async () => {
    const set = async (address: string): Promise<Ended> => run('owners', 'set', 'demo', '--notify-url', address);
    const closed = await set('http://10.0.0.7/hook');
    expect(closed.problems).to.deep.equal([
      'Notifications will not be sent to http://10.0.0.7/hook: the host has no public address.',
    ]);
    expect(closed.out).to.match(/^demo \(\d+\): notify-url http:\/\/10\.0\.0\.7\/hook, /);
    for (const address of ['https://shop.example/hook', '']) {
      expect(await set(address)).to.deep.include({ code: 0, problems: [] });
    }
  });

  it('re-encrypts stored values under the first key, and reports keys that do not open them', async () => {
    await payByCallback();
    const { code, out, problems } = await runWith(await writeKeysConfig(secondKey, firstKey), 'secrets', 'reencrypt');
    expect(code).to.equal(0);
    expect(problems.join('\n'), 'progress').to.match(/^inbox: \d+ values re-encrypted$/m);
    const [, keyId] =
      /^[1-9]\d* values re-encrypted: all values use the key (\w+), earlier keys can be removed\n$/.exec(out) ?? [];
    expect(keyId, out).to.be.a('string');
    const right = await runWith(await writeKeysConfig(secondKey), 'doctor', '--offline');
    expect(right.out).to.include(`ok     the encryption keys match the database; the first key is ${keyId}\n`);
    const wrong = await runWith(await writeKeysConfig(firstKey), 'doctor', '--offline');
    expect(wrong.code).to.equal(1);
    expect(wrong.out).to.include(
      `WRONG  The database is encrypted under the key ${keyId}, which none of the keys of this process opens: `,
    );
    await payByCallback(); // The service has both keys.
  });

  it('verifies the deposit sums of clients, and shows progress', async () => {
    await payByCallback();
    const { code, out, problems } = await run('clients', 'rebuild-sums', '--json');
    expect(code, problems.join()).to.equal(0);
    expect(problems.join('\n')).to.match(/^\d+ clients checked, 0 differed$/m);
    expect(JSON.parse(out)).to.be.an('object');
  });

  it('shards only through a mongos, and prints the manual steps', async () => {
    const printed = await run('database', 'shard', '--print');
    expect(printed.code).to.equal(0);
    expect(printed.out).to.include("sh.shardCollection(db.getName() + '.paymentRequests', { _id: 'hashed' });");
    const { code, problems } = await run('database', 'shard', '--yes');
    expect(code).to.equal(1);
    expect(problems.join()).to.include('is not a mongos of a sharded cluster');
    const { out } = await run('audit', 'list', '--act', 'database.shard', '--json');
    expect(JSON.parse(out).items[0]).to.include({ state: 'failed' });
  });

  it('finds misconfiguration before a provider does', async () => {
    const healthy = await run('doctor');
    expect(healthy.out).to.match(/ok {5}provider-a: on, code 11, contract/);
    expect(healthy.out).to.include(`POST ${url}/callbacks/providerA`);
    expect(healthy.out)
      .to.match(/no problems\n$/)
      .and.not.match(/^warn/m);
    await fetch(`${url}/health`, { headers: { 'X-Forwarded-For': '203.0.113.7' } });
    await until(
      'the unknown proxy is recorded',
      async () => (await runningState(join(folder, 'data'))).hasUnknownProxy,
    );
    const proxied = await run('doctor', '--offline');
    expect(proxied.code).to.equal(0);
    expect(proxied.out).to.match(/^warn {3}requests carry X-Forwarded-For, but server\.trustedProxies is 0: /m);
    const asJson = await run('doctor', '--offline', '--json');
    expect(JSON.parse(asJson.out)).to.include({ problems: 0 });
    expect(asJson.problems, 'findings are printed immediately').to.include(
      `ok     config of development: ${/(\d+) files/.exec(proxied.out)![1]} files`,
    );
    const pci = await run('doctor', '--pci');
    expect(pci.out)
      .to.match(/^warn {3}provider-a: receives card numbers in API calls and on the payer’s page$/m)
      .and.match(/^ok {5}http.*\/pay\/assets\/pay\.[0-9a-f]{12}\.js is the script of version /m);
    expect((await run('doctor', '--link', `${url}/pay/1`)).code, '--link without --pci').to.equal(2);
    const sickConfig = join(folder, 'sick.yaml');
    await writeFile(sickConfig, 'adapters:\n  provider-b: { state: on, options: { login: "" } }\n');
    const sick = await runWith({ GATEWAY_CONFIG: sickConfig }, 'doctor', '--offline');
    expect(sick.code).to.equal(1);
    expect(sick.out).to.match(/WRONG {2}.*\/sick\.yaml: adapters\.provider-b\.options\.login: /);
  });
});
