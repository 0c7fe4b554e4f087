/**
 * Runs `paywright settle` on a gateway with real payments: each kind of difference, the alarm, the audit and the
 * console page.
 */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { after, before, describe, it } from 'mocha';
import { runCommand } from '../core/cli/run-command.ts';
import type { RunningServer } from '../core/http/index.ts';
import { until } from '../core/base/testing/until.ts';
import { cardBody } from './support/bodies.ts';
import { FormBrowser, hiddenFieldsOf } from './support/form-browser.ts';
import { startConsole } from './support/start-console.ts';
import { root, startGateway, type TestGateway } from './support/start-gateway.ts';
import { toTestPayment, type TestPayment } from './support/scenarios.ts';

const approved = '4111111111111111';
const declined = '4000000000000002';
const fee = { percent: '1', fixed: { EUR: '0.25' } };
const mapping = `
adapter: provider-a
columns: { reference: Reference, kind: Type, amount: Amount, currency: Currency, fee: Fee, date: Date }
kinds: { payment: SALE, refund: REFUND, chargeback: CHARGEBACK, fee: MONTHLY, ignored: [PAYOUT] }
`;
const header = 'Reference,Type,Amount,Currency,Fee,Date';

describe('a settlement run', function () {
  this.timeout(180_000);
  let gateway: TestGateway;
  let server: RunningServer;
  let folder: string;
  let span: readonly [string, string];
  const payments: Record<string, TestPayment> = {};

  before(async () => {
    const from = new Date(Date.now() - 60_000).toISOString();
    folder = await mkdtemp(join(tmpdir(), 'gateway-settle-'));
    gateway = await startGateway({
      adapters: ['provider-a'],
      worksLater: true,
      config(config) {
        config.adapters['provider-a'].fee = fee;
      },
    });
    server = await startConsole(gateway);
    const own = {
      security: { encryptionKey: gateway.run.config.security.encryptionKey },
      adapters: { 'provider-a': { fee } },
      settlement: { keepDays: 45 },
    };
    await writeFile(join(folder, 'own.yaml'), JSON.stringify(own));
    await writeFile(join(folder, 'map.yaml'), mapping);
    for (const name of ['agreeing', 'amount', 'currency', 'fee', 'unlisted', 'refunded', 'half']) {
      payments[name] = toTestPayment(gateway, await gateway.post('/payments/h2h/11', cardBody(approved, '25.90')));
      await payments[name].waitForStatus(2);
    }
    payments['failed'] = toTestPayment(gateway, await gateway.post('/payments/h2h/11', cardBody(declined, '25.90')));
    await payments['failed'].waitForStatus(3);
    for (const name of ['refunded', 'half']) {
      const { id } = payments[name]!;
      await gateway.post(`/payment-requests/${id}/refund`, { amount: 10 });
      const refunded = { _id: id as never, 'refunds.state': 'succeeded' };
      const stored = gateway.gateway.connection.collection('paymentRequests');
      await until('the payment is refunded', async () => (await stored.countDocuments(refunded)) === 1);
    }
    span = [from, new Date(Date.now() + 60_000).toISOString()];
  });
  after(async () => {
    await server.close(0);
    await gateway.close();
    await rm(folder, { recursive: true, force: true });
  });

  const referenceOf = (name: string): string => `GW-${payments[name]!.id}-1`;
  const row = (
    name: string,
    more: { type?: string; amount?: string; currency?: string; fee?: string } = {},
  ): string => {
    const { type = 'SALE', amount = '25.90', currency = 'EUR', fee: taken = '0.51' } = more;
    return `${referenceOf(name)},${type},${amount},${currency},${taken},2026-03-01`;
  };
  type Ran = { code: number; out: string; problems: string[] };
  const settle = async (rows: readonly string[], ...words: string[]): Promise<Ran> =>
    settleFile('march.csv', rows, ...words);
  async function settleFile(name: string, rows: readonly string[], ...words: string[]): Promise<Ran> {
    const file = join(folder, name);
    await writeFile(file, [header, ...rows, ''].join('\n'));
    const [out, problems]: [string[], string[]] = [[], []];
    const shell = {
      env: {
        GATEWAY_ENV: 'development',
        GATEWAY_DATA_DIR: join(folder, 'data'),
        GATEWAY_CONFIG: words[0] === '--broken' ? join(folder, 'broken.yaml') : join(folder, 'own.yaml'),
        MONGODB_URI: gateway.run.config.database.uri!,
      },
      root,
      print: (line: string) => void out.push(line),
      stderr: (line: string) => void problems.push(line),
    };
    const code = await runCommand(
      [
        'settle',
        file,
        '--mapping',
        join(folder, 'map.yaml'),
        '--env',
        'sandbox',
        ...words.filter((one) => one !== '--broken'),
      ],
      shell,
    );
    return { code, out: out.join('\n'), problems };
  }
  const spanOptions = (): string[] => ['--from', span[0], '--to', span[1]];
  const findAlarm = async () => gateway.gateway.alarms.get('settlement_difference:adapter:provider-a (test)');

  it('finds each kind of difference, and shows each payment on both sides', async () => {
    const rows = [
      row('agreeing'),
      row('amount', { amount: '24.90' }),
      row('currency', { currency: 'USD' }),
      row('fee', { fee: '0.80' }),
      row('failed'),
      row('refunded'),
      `${referenceOf('refunded')}-R1,REFUND,-10.00,EUR,,2026-03-02`,
      row('half'),
      'GW-999-1,SALE,5.00,EUR,,2026-03-01',
      `${referenceOf('agreeing')},CHARGEBACK,-25.90,EUR,,2026-03-03`,
      ',MONTHLY,-12.00,EUR,,2026-03-31',
      ',PAYOUT,-100.00,EUR,,2026-03-31',
    ];
    const csv = join(folder, 'differences.csv');
    const { code, out, problems } = await settle(rows, ...spanOptions(), '--json', '--csv', csv);
    expect(problems).to.deep.equal([]);
    expect(code).to.equal(1);
    const run = JSON.parse(out);
    expect(run).to.deep.include({
      adapter: 'provider-a',
      environment: 'test',
      file: 'march.csv',
      rows: 12,
      ignoredRows: 1,
      agreeing: 4,
      comparesFees: true,
      differenceCount: 8,
      counts: { missing_here: 3, missing_there: 2, amount: 1, fee: 1, currency: 1 },
    });
    const id = (name: string): number => payments[name]!.id;
    const shown = run.differences.map((one: Record<string, unknown>) =>
      [one['kind'], one['row'], one['line'], one['paymentId'], one['hereAmount'], one['thereAmount'], one['note']].join(
        ' ',
      ),
    );
    expect(shown).to.have.members([
      `missing_here payment 6 ${id('failed')}  25.9 ${referenceOf('failed')} is failed here`,
      'missing_here payment 10   5 no payment has these references',
      `missing_here chargeback 11 ${id('agreeing')}  25.9 ${referenceOf('agreeing')} has no such chargeback here`,
      `amount payment 3 ${id('amount')} 25.9 24.9 `,
      `currency payment 4 ${id('currency')} 25.9 25.9 `,
      `fee payment 5 ${id('fee')} 0.51 0.8 `,
      `missing_there payment  ${id('unlisted')} 25.9  `,
      `missing_there refund  ${id('half')} 10  `,
    ]);
    const lines = (await readFile(csv, 'utf8')).trim().split('\r\n');
    expect(lines).to.have.lengthOf(9);
    expect(lines[0]).to.equal(
      'kind,row,line,paymentId,reference,providerReference,hereAmount,hereCurrency,thereAmount,thereCurrency,note',
    );
    expect(lines).to.include(
      `currency,payment,4,${id('currency')},${referenceOf('currency')},${run.differences.find(({ kind }: { kind: string }) => kind === 'currency').providerReference},25.9,EUR,25.9,USD,`,
    );
    expect(await findAlarm()).to.include({ state: 'open', count: 1 });
    expect((await findAlarm())!.reason).to.equal(
      '8 differences in march.csv: 3 not in gateway, 2 not in file, 1 amount differs, 1 fee differs, 1 currency differs',
    );
  });

  it('is shown in the console, with links to the payments', async () => {
    const { key } = await gateway.gateway.access.operators.create({ name: 'Ada', role: 'viewer' });
    const url = `http://127.0.0.1:${server.port}/ops`;
    const signedIn = await fetch(`${url}/sign-in`, {
      method: 'POST',
      redirect: 'manual',
      body: new URLSearchParams({ key }),
    });
    const headers = { Cookie: signedIn.headers.get('set-cookie')!.split(';')[0]! };
    const list = await (await fetch(`${url}/settlement`, { headers })).text();
    const [, id = ''] = /href="\/ops\/settlement\/([\w-]+)">march\.csv/.exec(list) ?? [];
    const page = await (await fetch(`${url}/settlement/${id}`, { headers })).text();
    expect(page).to.include(`href="/ops/payments/${payments['amount']!.id}"`);
    expect(page).to.include('€25.90').and.include('€24.90').and.include('no payment has these references');
    expect(page).to.include('Not in gateway (3)').and.include('Amount differs (1)').and.not.include('missing');
    const places = ['Amount differs (1)', 'Not in gateway (3)', 'Not in file (2)'].map((title) => page.indexOf(title));
    expect(places, 'what the next file may have is last').to.deep.equal(places.toSorted((one, other) => one - other));
    expect(page).to.match(/Not in file \(2\)<\/h2>\s*<div><span>\w+: <strong><data/);
    expect(page).to.match(/Amount differs \(1\)<\/h2>\s*<div><span>Payment: <strong><data[^>]*>−€1\.00</);
    expect(page.match(/>Difference</g), 'only amounts and fees have a difference').to.have.lengthOf(2);
    expect((await fetch(`${url}/settlement/none`, { headers })).status).to.equal(404);
  });

  describe('in the console', () => {
    let browser: FormBrowser;
    const uploads = '/ops/settlement/uploads';
    before(async () => {
      const { key } = await gateway.gateway.access.operators.create({ name: 'Bo', role: 'support' });
      browser = new FormBrowser(`http://127.0.0.1:${server.port}`);
      expect((await browser.post('/ops/sign-in', { key })).status).to.equal(303);
    });

    async function upload(rows: readonly string[], fields: Readonly<Record<string, string>> = {}): Promise<Response> {
      const form = new FormData();
      const own = hiddenFieldsOf(await browser.get('/ops/settlement/new'), uploads);
      const all = { ...own, adapter: 'provider-a', environment: 'sandbox', ...fields };
      for (const [name, value] of Object.entries(all)) form.set(name, value);
      form.set(
        'file',
        new Blob([[header.replace('Reference', 'Our ref'), ...rows, ''].join('\n')]),
        rows.length === 0 ? '' : 'console.csv',
      );
      const headers = { Cookie: browser.cookie };
      return fetch(`http://127.0.0.1:${server.port}${uploads}`, {
        method: 'POST',
        headers,
        body: form,
        redirect: 'manual',
      });
    }
    const columns = {
      'column.reference': 'Our ref',
      'column.kind': 'Type',
      'column.amount': 'Amount',
      'column.currency': 'Currency',
      'column.fee': 'Fee',
      'column.date': 'Date',
      'kind.0': 'payment',
      'kind.1': 'ignored',
      isWhole: 'yes',
    };
    /** The page that the reader is led to, or the page of the upload if nothing was compared. */
    async function end(path: string): Promise<{ readonly location: string | null; readonly text: string }> {
      return until('the comparison ends', async () => {
        const page = await browser.get(path);
        return page.status === 303 || page.text.includes('was not compared') ? page : undefined;
      });
    }

    it('recognises the columns of an uploaded file, shows its rows, and compares it', async () => {
      const rows = [row('agreeing'), row('amount', { amount: '24.90' }), ',PAYOUT,-1.00,EUR,,2026-03-02'];
      const path = (await upload(rows)).headers.get('location')!;
      expect(path).to.match(/^\/ops\/settlement\/uploads\/[\w-]{36}$/);
      const guessed = await browser.get(path);
      expect(guessed.text)
        .to.contain('guessed: check them below')
        .and.to.contain('<option value="Our ref" selected>')
        .and.not.to.contain('>Compare<');
      const wrong = await browser.press(guessed, `${path}/columns`, { ...columns, 'column.amount': '' });
      expect([wrong.status, wrong.text.includes('Choose a column.')]).to.deep.equal([400, true]);
      expect((await browser.press(guessed, `${path}/columns`, columns)).location).to.equal(path);
      const shown = await browser.get(path);
      expect(shown.text).to.contain('€24.90').and.to.contain(referenceOf('agreeing'));
      expect((await browser.press(shown, `${path}/compare`)).location).to.equal(path);
      const result = (await end(path)).location ?? '';
      expect(result).to.match(/^\/ops\/settlement\/[\w-]{36}$/);
      const { text } = await browser.get(result);
      expect(text).to.contain('Amount differs (1)').and.to.contain('console.csv').and.to.contain('by Bo');
      const list = await browser.get('/ops/settlement');
      expect(list.text).to.contain(`href="${result}">console.csv`).and.to.contain('1 difference');

      const again = (await upload(rows)).headers.get('location')!;
      const known = await browser.get(again);
      expect(known.text).to.contain('as in the last comparison of this provider').and.to.contain('>Compare<');
      expect((await browser.press(known, `${again}/discard`)).location).to.equal('/ops/settlement?done=yes');
      expect((await browser.get(again)).status).to.equal(404);
    });

    it('asks for the period of a file whose period is unknown, and compares it again', async () => {
      const path = (await upload([row('amount', { amount: '24.90' })])).headers.get('location')!;
      const guessed = await browser.get(path);
      const { isWhole: _, ...withoutPeriod } = columns;
      await browser.press(guessed, `${path}/columns`, withoutPeriod);
      await browser.press(await browser.get(path), `${path}/compare`);
      const first = (await end(path)).location ?? '';
      const result = await browser.get(first);
      expect(result.text)
        .to.contain('were not looked for, because its period is unknown')
        .and.to.contain('Compare again');
      const alarm = await browser.get(
        `/ops/alarms/${encodeURIComponent('settlement_difference:adapter:provider-a (test)')}`,
      );
      expect(alarm.text).to.contain(`href="${first}">View differences`);
      const period = { from: '2026-01-01T00:00', to: '2026-01-02T00:00' };
      expect((await browser.press(result, `${path}/compare`, period)).location).to.equal(path);
      const second = (await end(path)).location ?? '';
      expect(second)
        .to.match(/^\/ops\/settlement\/[\w-]{36}$/)
        .and.not.equal(first);
      const { text } = await browser.get(second);
      expect(text).to.contain('looked for from').and.not.to.contain('Compare again');
    });

    it('says that a file belongs to the other mode, and stores nothing', async () => {
      const runs = gateway.gateway.connection.collection('settlementRuns');
      const before = await runs.countDocuments();
      const path = (await upload([row('agreeing')], { environment: 'production' })).headers.get('location')!;
      await browser.press(await browser.get(path), `${path}/compare`);
      expect((await end(path)).text).to.contain(
        '1 row names test payments of provider-a, and none names a live payment',
      );
      expect(await runs.countDocuments()).to.equal(before);
    });

    it('refuses a form without a file or a provider, a file that is no table, and a form of another session', async () => {
      for (const [answer, status, said] of [
        [await upload([]), 400, 'Choose the file to compare.'],
        [await upload([row('agreeing')], { adapter: '' }), 400, 'Choose the provider of the file.'],
        [await upload([row('agreeing')], { mapping: 'columns: 1' }), 400, 'Mapping: columns'],
        [await upload([row('agreeing')], { formToken: 'x' }), 403, 'another session'],
      ] as const)
        expect([answer.status, (await answer.text()).includes(said)], said).to.deep.equal([status, true]);
    });
  });

  it('ends its text output with the differences found, and says what it did not check', async () => {
    const rows = [row('agreeing'), row('amount', { amount: '26.00' })];
    const { code, out } = await settleFile('weekly.csv', rows);
    expect(code).to.equal(1);
    expect(out)
      .to.match(/^difference +type +line +payment +reference +gateway +file$/m)
      .and.match(/^Amount differs +payment +3 +\d+ +GW-\d+-1 +25\.90 EUR +26\.00 EUR$/m)
      .and.include('weekly.csv of provider-a, test payments: 2 rows, 0 of them ignored; 1 match.')
      .and.include('1 difference: 1 amount differs.')
      .and.include(
        'Movements missing in the file were not checked: use --from and --to, or span: dates in the mapping',
      );
  });

  it('resolves the alarm without differences only when no other time span still differs', async () => {
    const refund = (name: string): string => `${referenceOf(name)}-R1,REFUND,-10.00,EUR,,2026-03-02`;
    const all = ['agreeing', 'amount', 'currency', 'fee', 'unlisted', 'refunded', 'half'].map((name) => row(name));
    const rows = [...all, refund('refunded'), refund('half')];
    const first = await settle(rows, ...spanOptions());
    expect(first.out).to.include('No differences.');
    expect(first.code).to.equal(0);
    expect(await findAlarm(), 'the file without a time span still differs').to.include({ state: 'open' });
    expect(await settleFile('weekly.csv', [row('agreeing')])).to.include({ code: 0 });
    expect(await findAlarm()).to.include({ state: 'resolved' });
    const acts = await gateway.gateway.connection
      .collection('audit')
      .find({ act: 'settlement.compare' })
      .sort({ _id: 1 })
      .toArray();
    expect(acts.map(({ state }) => state)).to.deep.equal(Array.from({ length: 4 }, () => ['begun', 'done']).flat());
    expect(JSON.parse(acts[1]!['after'])).to.deep.include({ adapter: 'provider-a', file: 'march.csv', rows: 12 });
  });

  it('replaces an earlier run of the same file without a time span', async () => {
    const refund = (name: string): string => `${referenceOf(name)}-R1,REFUND,-10.00,EUR,,2026-03-02`;
    const all = ['agreeing', 'amount', 'currency', 'fee', 'unlisted', 'refunded', 'half'].map((name) => row(name));
    expect((await settleFile('april.csv', [row('amount', { amount: '26.00' })])).code).to.equal(1);
    expect(await findAlarm()).to.include({ state: 'open' });
    const { code, out } = await settleFile('april.csv', [...all, refund('refunded'), refund('half')], ...spanOptions());
    expect(code, out).to.equal(0);
    expect(await findAlarm()).to.include({ state: 'resolved' });
  });

  it('compares nothing and exits with 2 when the differences cannot be written', async () => {
    const runs = gateway.gateway.connection.collection('settlementRuns');
    const before = await runs.countDocuments();
    const { code, out, problems } = await settle([row('agreeing')], '--csv', join(folder, 'none', 'd.csv'), '--json');
    expect(code).to.equal(2);
    expect(problems).to.have.lengthOf(1);
    expect(problems[0]).to.match(/^--csv .*d\.csv cannot be written: ENOENT: .*Nothing was compared\.$/);
    expect(JSON.parse(out)).to.deep.equal({ problems });
    const same = await settle([row('agreeing')], '--csv', join(folder, 'march.csv'));
    expect(same.code).to.equal(2);
    expect(same.problems[0]).to.include('--csv must not name the compared file');
    expect(await readFile(join(folder, 'march.csv'), 'utf8'), 'the file itself').to.include(header);
    expect(await runs.countDocuments()).to.equal(before);
  });

  it('exits with 3 on any other failure', async () => {
    await writeFile(join(folder, 'broken.yaml'), 'settlement: { keepDays: soon }');
    const { code, problems } = await settle([row('agreeing')], '--broken');
    expect(code).to.equal(3);
    expect(problems.join()).to.include('settlement.keepDays');
  });

  it('reports its progress in rows on standard error, and keeps its result for settlement.keepDays', async () => {
    const many = Array.from({ length: 10_000 }, () => ',PAYOUT,-100.00,EUR,,2026-03-31');
    const { out, problems } = await settleFile('many.csv', many, '--json');
    expect(problems).to.deep.equal(['10000 rows']);
    const { endedAt, expireAt } = JSON.parse(out);
    expect(Date.parse(expireAt) - Date.parse(endedAt)).to.equal(45 * 86_400_000);
  });

  it('refuses a file whose payments are all of the other mode, stores nothing and raises no alarm', async () => {
    const runs = gateway.gateway.connection.collection('settlementRuns');
    const before = [await runs.countDocuments(), (await findAlarm())?.count];
    const { code, problems } = await settle([row('agreeing'), row('fee')], '--env', 'production');
    expect(code).to.equal(2);
    expect(problems).to.deep.equal([
      'march.csv: 2 rows name test payments of provider-a, and none names a live payment: compare the file with test ' +
        'payments. Nothing was stored.',
    ]);
    expect([await runs.countDocuments(), (await findAlarm())?.count]).to.deep.equal(before);
    expect(await gateway.gateway.alarms.get('settlement_difference:adapter:provider-a (live)')).to.equal(undefined);
  });

  it('compares nothing and exits with 2 when the file cannot be read', async () => {
    const before = await gateway.gateway.connection.collection('settlementRuns').countDocuments();
    const { code, problems } = await settle([row('agreeing', { amount: 'much' })]);
    expect(code).to.equal(2);
    expect(problems).to.have.lengthOf(1);
    expect(problems[0]).to.match(/^march\.csv: line 2, column "Amount": "much" is not an amount/);
    expect(await gateway.gateway.connection.collection('settlementRuns').countDocuments()).to.equal(before);
    const noAdapter = await settle([row('agreeing')], '--adapter', 'provider-aa');
    expect(noAdapter.code).to.equal(2);
    expect(noAdapter.problems[0]).to.include('did you mean provider-a?');
  });

  it('misses a payment up to the end of the last day, minute or second of a file whose dates are its span', async () => {
    const wholeSpan = join(folder, 'whole.yaml');
    await writeFile(wholeSpan, `${mapping}span: dates\n`);
    const latest = await gateway.gateway.connection
      .collection('paymentRequests')
      .findOne({ _id: payments['half']!.id as never });
    const settledAt = (latest!['attempts'][0].settledAt as Date).toISOString();
    for (const length of ['2026-01-31'.length, '2026-01-31T12:30'.length, '2026-01-31T12:30:59'.length]) {
      const dated = (name: string, time: string): string => row(name).replace(/[^,]*$/, time.slice(0, length));
      const rows = [dated('agreeing', span[0]), dated('unlisted', settledAt)];
      const { code, out } = await settleFile('dated.csv', rows, '--mapping', wholeSpan, '--json');
      expect(code, out).to.equal(1);
      const missing = JSON.parse(out).differences.map((one: Record<string, unknown>) =>
        [one['kind'], one['row'], one['paymentId']].join(' '),
      );
      expect(missing, rows[1]).to.include(`missing_there payment ${payments['half']!.id}`);
    }
  });

  it('compares a file with one account, keeps its runs apart, and raises the alarm of that account', async () => {
    const alarmOf = async (ref: string) => gateway.gateway.alarms.get(`settlement_difference:adapter:${ref} (test)`);
    const before = (await findAlarm())?.count;
    const refused = await settleFile('shop.csv', [row('agreeing')], '--adapter', 'provider-a/shop');
    expect([refused.code, refused.problems.join()]).to.deep.equal([
      2,
      'shop.csv: 1 row names payments of provider-a/main, and none names a payment of provider-a/shop: choose the ' +
        'account of the file. Nothing was stored.',
    ]);
    const stored = gateway.gateway.connection.collection('paymentRequests');
    const { id } = payments['agreeing']!;
    await stored.updateOne({ _id: id as never }, { $set: { 'attempts.0.account': 'shop' } });
    const rows = [row('agreeing', { amount: '24.90' })];
    const differing = await settleFile('shop.csv', rows, '--adapter', 'provider-a/shop');
    expect([differing.code, differing.out.includes('shop.csv of provider-a/shop, test')]).to.deep.equal([1, true]);
    expect(await alarmOf('provider-a/shop')).to.include({ state: 'open' });
    const again = await settleFile('shop.csv', [row('agreeing')], '--adapter', 'provider-a/shop');
    expect(again.code).to.equal(0);
    expect(await alarmOf('provider-a/shop')).to.include({ state: 'resolved' });
    expect((await findAlarm())?.count, 'the alarm of the adapter').to.equal(before);
    await stored.updateOne({ _id: id as never }, { $unset: { 'attempts.0.account': '' } });
  });
});
