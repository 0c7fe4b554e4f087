import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { hostname, tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { after, before, describe, it } from 'mocha';
import mongoose from 'mongoose';
import { pino } from 'pino';
import { pngImage } from '../../engine/access/testing/images.ts';
import { createAlarms } from '../../engine/alarms/index.ts';
import { clientModel, nothingCounted } from '../../database/collections/client.ts';
import { notificationModel } from '../../database/collections/notification.ts';
import { until } from '../../base/testing/until.ts';
import { folderOf, lockFolder, writeState, type RunningState } from '../../../workers/supervisor/data-folder/index.ts';
import { UsageError } from '../command.ts';
import { parseCommand } from '../parse-command.ts';
import { runCommand, toShell, type Terminal } from '../run-command.ts';
import { commands } from './index.ts';

const root = fileURLToPath(new URL('../../../..', import.meta.url));

describe('paywright commands', () => {
  let folder: string;
  let uri: string;
  before(async () => {
    const server = process.env['TEST_MONGODB_URI'];
    if (!server) throw new Error('TEST_MONGODB_URI is not set: it names the mongod that tests use');
    uri = server.replace(/\/\?/, `/commands-${process.pid}?`);
    folder = await mkdtemp(join(tmpdir(), 'gateway-test-'));
  });
  after(async () => {
    const connection = await mongoose.createConnection(uri).asPromise();
    await connection.dropDatabase();
    await connection.close();
    await rm(folder, { recursive: true, force: true });
  });

  interface Ran {
    readonly code: number;
    readonly out: string;
    readonly err: string;
  }
  const runWith = async (env: Readonly<Record<string, string>>, words: readonly string[]): Promise<Ran> => {
    const [out, err]: [string[], string[]] = [[], []];
    const terminal: Terminal = {
      env: { GATEWAY_ENV: 'development', GATEWAY_DATA_DIR: join(folder, 'data'), ...env },
      root,
      print: (line) => out.push(line),
      stderr: (line) => err.push(line),
    };
    const { command, values, operands } = await parseCommand(words, commands);
    const code = await command.run({ values, operands, shell: toShell(terminal) });
    return { code, out: out.join('\n'), err: err.join('\n') };
  };
  const run = async (...words: string[]): Promise<Ran> => runWith({ MONGODB_URI: uri }, words);
  const runJson = async (...words: string[]): Promise<Record<string, unknown>> => {
    return JSON.parse((await run(...words, '--json')).out) as Record<string, unknown>;
  };
  const list = async (owner: string): Promise<Record<string, unknown>[]> => {
    return (await runJson('keys', 'list', '--owner', owner)) as unknown as Record<string, unknown>[];
  };
  const refusal = async (...words: string[]): Promise<Error> => {
    try {
      await run(...words);
    } catch (error) {
      if (error instanceof Error) return error;
    }
    throw new Error('it was not refused');
  };

  it('create a key with exactly three members as JSON, and its owner once', async () => {
    const first = await runJson('keys', 'create', '--owner', 'Shop', '--env', 'sandbox');
    const second = await runJson(
      'keys',
      'create',
      '--owner',
      'Shop',
      '--env',
      'production',
      '--scopes',
      'requests:read',
    );
    expect(Object.keys(first)).to.deep.equal(['key', 'ownerId', 'webhookSecret']);
    expect(first['key']).to.match(/^gk_test_/);
    expect(second['key']).to.match(/^gk_live_/);
    expect(second).to.include({ ownerId: first['ownerId'] });
    expect(second['webhookSecret']).to.not.equal(first['webhookSecret']);
    expect((await list('Shop')).map(({ scopes }) => scopes)).to.deep.include(['requests:read']);
  });

  it('report on standard error that a live key will not be accepted', async () => {
    const { out, err } = await run('keys', 'create', '--owner', 'Live', '--env', 'production');
    expect(out).to.match(/^API key, shown only now: gk_live_/);
    expect(err).to.equal('Live keys are not accepted in this environment: keys.liveKeys is false.');
  });

  it('limit, rotate and revoke a key', async () => {
    await run('keys', 'create', '--owner', 'Turn', '--limit', '7', '--expires', '2999-12-31');
    const [made] = await list('Turn');
    const keyId = made?.['keyId'] as string;
    expect(made).to.include({ limit: 7, state: 'active', expiresAt: '2999-12-31T00:00:00.000Z' });
    await run('keys', 'limit', keyId, '9');
    const rotated = await runJson('keys', 'rotate', keyId, '--overlap-hours', '0');
    await run('keys', 'revoke', rotated['keyId'] as string);
    expect((await list('Turn')).map(({ state, limit }) => ({ state, limit }))).to.deep.equal([
      { state: 'expired', limit: 9 },
      { state: 'revoked', limit: 9 },
    ]);
    expect((await run('keys', 'list', '--owner', 'Turn')).out.split('\n')).to.have.length(2);
  });

  it("create, list and revoke an operator's key, which the API for merchants refuses", async () => {
    const { key, keyId, role } = await runJson('operators', 'create', 'Ada', '--role', 'viewer');
    expect(key).to.match(/^gk_ops_/);
    expect(role).to.equal('viewer');
    expect((await run('operators', 'create', 'Bo', '--role', 'admin')).out).to.match(
      /^Key of Bo \(admin\), shown only now: gk_ops_\S+\nKey id: op_[0-9a-f]{16}\nConsole, once the service runs: /,
    );
    await run('operators', 'revoke', String(keyId));
    const { out } = await run('operators', 'list');
    expect(out.split('\n').map((line) => line.split('  ').slice(1))).to.deep.equal([
      ['Ada', 'viewer', 'revoked', 'never used'],
      ['Bo', 'admin', 'active', 'never used'],
    ]);
    expect((await refusal('operators', 'create', 'Cy')).message).to.equal('Option --role is required.');
    expect((await refusal('operators', 'create', 'Cy', '--role', 'root')).message).to.include('admin, support, viewer');
  });

  it("set and remove an owner's addresses, and rotate its secret", async () => {
    const { webhookSecret } = await runJson('keys', 'create', '--owner', 'Addr');
    const set = await run(
      'owners',
      'set',
      'Addr',
      '--notify-url',
      'https://shop.example/n',
      '--email',
      'a@shop.example',
      '--currency',
      'EUR',
    );
    expect(set.out).to.match(
      /^Addr \(\d+\): notify-url https:\/\/shop\.example\/n, test-notify-url none, email a@shop\.example, currency EUR, types all$/,
    );
    expect((await run('owners', 'set', 'Addr', '--email', '', '--currency', '')).out).to.match(
      /example\/n, test-notify-url none, email none, currency config's, types all$/,
    );
    const warned = await run('owners', 'set', 'Addr', '--notify-url', 'https://10.0.0.7/n');
    expect(warned.err).to.equal(
      'Notifications will not be sent to https://10.0.0.7/n: the host has no public address.',
    );
    expect((await run('owners', 'set', 'Addr', '--test-notify-url', 'http://127.0.0.1:8099/n')).err).to.equal('');
    const logo = join(folder, 'logo.png');
    await writeFile(logo, pngImage());
    const look = ['--display-name', 'Rua Shoes', '--colour', '#0B7443', '--terms', 'https://shop.example/terms'];
    expect((await run('owners', 'set', 'Addr', '--logo', logo, ...look)).out).to.match(
      /^payers see display-name Rua Shoes, logo image\/png [0-9a-f]{16}, colour #0b7443, terms https:\/\/shop\.example\/terms$/m,
    );
    const [{ after: seen = {} } = {}] = (await runJson('audit', 'list', '--subject', 'owner:Addr'))[
      'items'
    ] as readonly { readonly after?: Readonly<Record<string, unknown>> }[];
    expect(seen['logo']).to.match(/^[0-9a-f]{16}$/);
    expect((await run('owners', 'set', 'Addr', '--logo', '', '--display-name', '')).out).to.match(
      /^payers see colour #0b7443, terms https:\/\/shop\.example\/terms$/m,
    );
    const rotated = await runJson('secrets', 'rotate', 'Addr', '--overlap-hours', '1');
    expect(rotated).to.have.all.keys('ownerId', 'webhookSecret', 'previousValidUntil');
    expect(rotated['webhookSecret']).to.not.equal(webhookSecret);
    const live = await runJson('keys', 'create', '--owner', 'Addr', '--env', 'production');
    const rotatedLive = await runJson('secrets', 'rotate', 'Addr', '--env', 'production');
    expect(rotatedLive['webhookSecret']).to.not.equal(live['webhookSecret']);
    const again = await runJson('keys', 'create', '--owner', 'Addr');
    expect(again['webhookSecret']).to.equal(rotated['webhookSecret']);
    expect((await run('secrets', 'rotate', 'Addr')).err).to.include('rotate it with --env production');
    expect((await run('secrets', 'rotate', 'Addr', '--env', 'sandbox')).err).to.equal('');
  });

  it('reads a time without an offset as UTC, also on a host in another time zone', async () => {
    const { TZ } = process.env;
    process.env['TZ'] = 'America/New_York';
    try {
      await run('keys', 'create', '--owner', 'Zone', '--expires', '2999-12-31T00:00:00');
      expect((await list('Zone'))[0]).to.include({ expiresAt: '2999-12-31T00:00:00.000Z' });
    } finally {
      if (TZ === undefined) delete process.env['TZ'];
      else process.env['TZ'] = TZ;
    }
  });

  for (const [words, problem, isUsage] of [
    [['keys', 'create'], 'Option --owner is required.', true],
    [['keys', 'create', '--owner', 'A', '--env', 'live'], '--env must be sandbox or production.', true],
    [['keys', 'create', '--owner', 'A', '--limit', '1.5'], '--limit must be a whole number above 0.', true],
    [
      ['keys', 'create', '--owner', 'A', '--expires', 'soon'],
      '--expires must be a time, for example 2026-03-01 or 2026-03-01T12:00:00Z.',
      true,
    ],
    [['keys', 'rotate', 'k', '--overlap-hours', 'x'], '--overlap-hours must be a number of hours, 0 to 168.', true],
    [['owners', 'set', 'A'], 'Nothing to set: "paywright owners set --help" lists the settings.', true],
    [['owners', 'set', 'A', '--currency', 'euro'], 'currency: must be an active ISO 4217 currency, such as EUR', false],
    [
      ['owners', 'set', 'A', '--logo', 'nowhere.png'],
      "The logo nowhere.png cannot be read: ENOENT: no such file or directory, open 'nowhere.png'",
      false,
    ],
    [
      ['owners', 'set', 'A', '--colour', '#ffd166'],
      'colour: must have a contrast of at least 4.5 with white, and has 1.4: #8c7338 would do',
      false,
    ],
    [
      ['owners', 'set', 'A', '--currency', 'CHF'],
      'currency: the config has no rate for CHF: set payments.exchangeRates.CHF',
      false,
    ],
    [['owners', 'set', 'Missing', '--email', 'a@b.example'], 'owner Missing does not exist', false],
    [['keys', 'revoke', 'key_0123456789abcdef'], 'API key key_0123456789abcdef does not exist', false],
    [
      ['keys', 'create', '--owner', 'A', '--scopes', 'all'],
      'scopes: must be one or more of payments:write, requests:write, requests:read, notifications:write, admin',
      false,
    ],
  ] as const) {
    it(`refuse in one sentence: ${words.join(' ')}`, async () => {
      const error = await refusal(...words);
      expect(error.message).to.equal(problem);
      expect(error instanceof UsageError).to.equal(isUsage);
    });
  }

  it('migrate a database of the previous version, and finish only after confirmation', async () => {
    await run('keys', 'create', '--owner', 'Here');
    const connection = await mongoose.createConnection(uri).asPromise();
    try {
      expect((await run('database', 'migrate', '--plan')).out).to.equal(
        'The database has schema version 7: there is nothing to migrate.',
      );
      await connection.collection<{ _id: string }>('meta').updateOne({ _id: 'schema' }, { $set: { version: 6 } });
      expect((await run('database', 'migrate', '--plan')).out).to.match(
        /^The database has schema version 6; this version uses 7\..*Move \(--apply\): about 0 documents.*Next: paywright database migrate --apply$/s,
      );
      expect((await run('doctor', '--offline')).out).to.match(/^warn {3}database: Schema version 6 of 7: not started/m);
      expect(await run('database', 'migrate', '--finish', '--yes')).to.deep.include({
        code: 1,
        err: 'Nothing was moved yet: run paywright database migrate --apply first.',
      });
      for (let time = 1; time <= 2; time += 1) {
        const { code, out } = await run('database', 'migrate', '--apply');
        expect([code, out]).to.deep.equal([
          0,
          'Schema version 6 of 7: all documents were moved. Next, once this version has proven itself: paywright database migrate --finish',
        ]);
      }
      expect((await refusal('database', 'migrate', '--finish')).message).to.contain('add --yes');
      expect(await runJson('database', 'migrate', '--finish', '--yes')).to.deep.equal({ version: 7, to: 7 });
      expect((await run('doctor', '--offline')).out).to.contain('ok     the database has schema version 7');
      const acts = (await run('audit', 'list', '--act', 'database.migrate')).out.trim().split('\n');
      expect(acts, acts.join('\n')).to.have.length(3);
      expect((await refusal('database', 'migrate')).message).to.equal('Name one of --plan, --apply and --finish.');
    } finally {
      await connection.close();
    }
  });

  it('refuse a database with the encryption keys of another host, and doctor reports it', async () => {
    await run('keys', 'create', '--owner', 'Here');
    expect((await run('doctor', '--offline')).out).to.contain('ok     the encryption keys match the database');
    const elsewhere = { MONGODB_URI: uri, GATEWAY_DATA_DIR: join(folder, 'second-host') };
    const { code, out } = await runWith(elsewhere, ['doctor', '--offline']);
    expect(out).to.match(/^WRONG {2}The database is encrypted under the key [0-9a-f]{16}, which none of the keys/m);
    expect(code).to.equal(1);
    const refused = await runWith(elsewhere, ['keys', 'create', '--owner', 'There']).catch((error: unknown) => error);
    expect(String(refused)).to.contain('GATEWAY_ENCRYPTION_KEY');
  });

  it('say what to do while the service is stopped or a name is wrong', async () => {
    expect((await refusal('trigger', 'provider-a', 'list')).message).to.equal(
      `No service runs on the data folder ${join(folder, 'data')} (set GATEWAY_DATA_DIR if it is another folder): start it with "paywright start".`,
    );
    expect((await refusal('trigger', 'provder-a', 'list')).message).to.equal(
      'Unknown adapter "provder-a": did you mean provider-a?',
    );
    expect((await refusal('adapters', 'off', 'provder-a')).message).to.match(/did you mean provider-a\?$/);
    expect((await refusal('replay', '--adapter', '@paywright/missing')).message).to.match(
      /^The config has no adapter of which @paywright\/missing could be a version: the config has provider-a, /,
    );
    expect((await run('replay', '--adapter', '@paywright/provider-a')).out).to.equal('0 callbacks read, 0 differently');
    const { code, out } = await run('doctor');
    expect(code, out).to.equal(0);
    expect(out).to.include(
      'warn   provider-a: its sandbox is not running, because the service is stopped: "paywright start"',
    );
  });

  it('name the second addresses of a provider that its sandbox plays', async () => {
    const extra = join(folder, 'adyen.yaml');
    await writeFile(extra, 'adapters: { adyen: { state: on } }\n');
    const { out } = await runWith({ GATEWAY_CONFIG: extra }, ['doctor', '--offline']);
    expect(out).to.match(/^ {9}sandbox: sandboxManagementBaseUrl of test payments is its address$/m);
    const other =
      'adapters: { adyen: { state: on, sandboxOptions: { sandboxManagementBaseUrl: "https://a.example" } } }';
    await writeFile(extra, `${other}\n`);
    const elsewhere = await runWith({ GATEWAY_CONFIG: extra }, ['doctor', '--offline']);
    expect(elsewhere.out).to.contain('adyen: on').and.not.contain('sandbox: sandboxManagementBaseUrl');
  });

  it('ask before a name that is close to another name creates a second merchant', async () => {
    await run('keys', 'create', '--owner', 'Book shop');
    const question = 'There is no merchant "book shop": did you mean "Book shop"? This creates a second merchant';
    const refused = await refusal('keys', 'create', '--owner', 'book shop');
    expect(refused.message).to.include(question).and.to.include('add --yes');
    const owners = async () => (await runJson('owners', 'list')) as unknown as { readonly name: string }[];
    expect((await owners()).map(({ name }) => name)).to.not.include('book shop');
    await run('keys', 'create', '--owner', 'Book shop');
    await run('keys', 'create', '--owner', 'book shop', '--yes');
    await run('keys', 'create', '--owner', 'Book shop 2');
    expect((await owners()).map(({ name }) => name)).to.include.members(['Book shop', 'book shop', 'Book shop 2']);
  });

  it('create and remove a merchant, and record both in the audit log', async () => {
    const made = await run('owners', 'create', 'Kiosk', '--email', 'ana@kiosk.example', '--currency', 'EUR');
    expect(made.out).to.match(/^Merchant created: Kiosk \(\d+\)$/);
    expect((await refusal('owners', 'create', 'Kiosk')).message).to.equal('There is already a merchant "Kiosk".');
    expect((await refusal('owners', 'create', 'kiosk')).message).to.include('did you mean "Kiosk"?');
    const { key } = await runJson('keys', 'create', '--owner', 'Kiosk');
    expect(key).to.match(/^gk_test_/);
    expect((await refusal('owners', 'remove', 'Kiosk')).message).to.include('This removes the merchant "Kiosk"');
    expect((await run('owners', 'remove', 'Kiosk', '--yes')).out).to.match(/^Removed: Kiosk \(\d+\)$/);
    expect((await run('owners', 'list')).out).to.not.include('Kiosk');
    const { items } = (await runJson('audit', 'list', '--subject', 'merchant Kiosk')) as {
      items: Record<string, unknown>[];
    };
    expect(items.map(({ act }) => act)).to.deep.equal(['owner.remove', 'key.create', 'owner.create']);
    expect(items[0]).to.deep.include({ after: { keysRevoked: 1, linksRevoked: 0 } });
    const text = (await run('audit', 'list', '--subject', 'merchant:Kiosk')).out;
    expect(text).to.include('created a test API key for merchant Kiosk').and.not.match(/[{}]/);
  });

  it('find the service that runs on the data folder, whatever their own environment says', async () => {
    const dataDir = join(folder, 'running');
    const env = { MONGODB_URI: uri.replace('/commands-', '/commands-running-'), GATEWAY_DATA_DIR: dataDir };
    const words = ['settle', 'file.csv', '--mapping', 'none.yaml'];
    // Nothing runs: the config accepts no live keys, so there are only test payments.
    expect((await runWith(env, words)).err).to.include('none.yaml');
    await mkdir(folderOf('api', dataDir), { recursive: true });
    const unlock = await lockFolder(folderOf('api', dataDir), 'service');
    const running = {
      pid: process.pid,
      mongodbUri: uri,
      apiUrl: 'http://127.0.0.1:18931',
      sandboxes: {},
      children: [],
    };
    const note = async (more: Partial<RunningState>) =>
      writeState(folderOf('api', dataDir), {
        ports: { sandboxes: {} },
        hasFirstKey: false,
        running: { ...running, hasUnknownProxy: false, ...more },
      });
    try {
      await note({ publicUrl: 'http://127.0.0.1:18931', opsUrl: 'http://127.0.0.1:18932', liveKeys: true });
      const operator = await runWith(env, ['operators', 'create', 'Cy', '--role', 'viewer']);
      expect(operator.out).to.match(/\nConsole: http:\/\/127\.0\.0\.1:18932\/ops$/);
      await runWith(env, ['keys', 'create', '--owner', 'Gate']);
      const { out } = await runWith(env, ['owners', 'portal', 'Gate']);
      expect(out).to.include(': http://127.0.0.1:18931/portal/open?link=');
      const refused = await runWith(env, words).catch((error: unknown) => error);
      expect(String(refused)).to.include('Option --env is required');
      expect((await runWith(env, [...words, '--env', 'production'])).err).to.include('none.yaml');
      await note({});
      expect((await runWith(env, words)).err).to.include('none.yaml');
    } finally {
      await unlock?.();
      const connection = await mongoose.createConnection(env.MONGODB_URI).asPromise();
      await connection.dropDatabase();
      await connection.close();
    }
  });

  it('list a key with its last use', async () => {
    await run('keys', 'create', '--owner', 'Use');
    expect((await run('keys', 'list', '--owner', 'Use')).out).to.match(/ {2}never used$/);
    const at = new Date('2026-03-01T12:00:00Z');
    const connection = await mongoose.createConnection(uri).asPromise();
    await connection.collection('apiKeys').updateMany({}, { $set: { lastUsedAt: at } });
    await connection.close();
    expect((await run('keys', 'list', '--owner', 'Use')).out).to.match(/ {2}last used 2026-03-01T12:00:00\.000Z$/);
  });

  it('print the settings in the format of the files, with secrets hidden, without creating a folder', async () => {
    const extra = join(folder, 'extra.yaml');
    await writeFile(extra, 'adapters: { provider-a: { options: { sandboxBaseUrl: "http://127.0.0.1:7001" } } }\n');
    const env = {
      GATEWAY_DATA_DIR: join(folder, 'none'),
      GATEWAY_CONFIG: extra,
      MONGODB_URI: 'mongodb://me:pw@db.example/',
    };
    const { out } = await runWith(env, ['config', 'print', '--json']);
    const { server, database, adapters } = JSON.parse(out) as Record<string, Record<string, never>>;
    expect(server).to.include({ host: '127.0.0.1' });
    expect(database).to.include({ uri: '[hidden]' });
    const { options } = (adapters as unknown as Record<string, { options: Record<string, unknown> }>)['provider-a']!;
    expect(options).to.include({ sandboxBaseUrl: 'http://127.0.0.1:7001', account: 'GatewayEU', apiKey: '[hidden]' });
    expect(options['itemKeys']).to.deep.equal(['[hidden]', '[hidden]']);
    expect(await readdir(folder)).to.not.include('none');
    expect((await runWith(env, ['config', 'print'])).out).to.match(/^server:\n {2}host: 127\.0\.0\.1$/m);
  });

  it('record each action in the audit log, whose chain is verified', async () => {
    await run('keys', 'create', '--owner', 'Audited');
    const keyId = (await list('Audited'))[0]?.['keyId'] as string;
    await run('keys', 'limit', keyId, '9');
    await run('owners', 'set', 'Audited', '--notify-url', 'https://shop.example/n?token=hidden');
    await run('secrets', 'rotate', 'Audited');
    await refusal('owners', 'set', 'Audited', '--currency', 'euro');
    const about = async (subject: string): Promise<readonly Record<string, unknown>[]> =>
      (await runJson('audit', 'list', '--subject', subject))['items'] as readonly Record<string, unknown>[];
    expect((await about(`key:${keyId}`))[0]).to.deep.include({
      act: 'key.limit',
      state: 'done',
      actor: { type: 'command', name: userInfo().username, from: hostname() },
      before: { limit: 600 },
      after: { limit: 9 },
    });
    const ofOwner = await about('owner:Audited');
    expect(ofOwner.map(({ act, state }) => `${String(act)} ${String(state)}`)).to.deep.equal([
      'owner.set failed',
      'secret.rotate done',
      'owner.set done',
      'key.create done',
    ]);
    expect(ofOwner[2]).to.deep.include({ after: { notifyUrl: 'https://shop.example/n?…' } });
    expect((await run('audit', 'list', '--act', 'key.limit', '--limit', '2')).out).to.match(
      / changed the rate limit of key key_[0-9a-f]{16} from 600 to 9 requests per minute {2}\(from \S+\)$/m,
    );
    const { out, code } = await run('audit', 'verify');
    expect(code).to.equal(0);
    const noted = /^Last entry: (.+)$/m.exec(out)?.[1] ?? '';
    await run('keys', 'limit', keyId, '8');
    expect((await run('audit', 'verify', '--noted', noted)).code).to.equal(0);
    const other = noted.replace(/.$/, (digit) => (digit === '0' ? '1' : '0'));
    expect(await run('audit', 'verify', '--noted', other)).to.include({ code: 1 });
  });

  it('disable and enable an address of a merchant, and record it in the audit log', async () => {
    await run('keys', 'create', '--owner', 'Addressed');
    const origin = 'https://shop.example';
    const disable = ['endpoints', 'disable', 'Addressed', origin, '--reason', 'they asked for it'] as const;
    expect((await refusal('endpoints', 'enable', 'Addressed', origin)).message).to.match(
      /^https:\S+ is not failing for Addressed: /,
    );
    expect((await refusal('endpoints', 'disable', 'Addressed', `${origin}/hook`)).message).to.match(
      /^<origin> must be/,
    );
    expect((await run(...disable)).out).to.equal(`${origin} is disabled: no notifications are sent to it.`);
    expect(await run(...disable)).to.include({ code: 1, out: `${origin} was already disabled.` });
    const [listed] = (await runJson('endpoints', 'list', '--owner', 'Addressed')) as unknown as Record<
      string,
      unknown
    >[];
    expect(listed).to.include({ origin, environment: 'test', receiver: 'shop.example' });
    expect(listed!['disabledAt']).to.be.a('string');
    expect(await runJson('endpoints', 'enable', 'Addressed', origin)).to.include({ origin, sentAgain: 0 });
    expect(await runJson('endpoints', 'list', '--owner', 'Addressed')).to.deep.equal([]);
    const about = await runJson('audit', 'list', '--subject', `endpoint:Addressed:test:${origin}`);
    const acts = (about['items'] as Record<string, unknown>[]).map(({ act }) => act);
    expect(acts).to.deep.equal(['endpoint.enable', 'endpoint.disable', 'endpoint.disable']);
  });

  it('send a test event, print its answer, and record it in the audit log', async () => {
    await run('keys', 'create', '--owner', 'Tested');
    await run('owners', 'set', 'Tested', '--test-notify-url', 'https://shop.example/hook');
    const connection = await mongoose.createConnection(uri).asPromise();
    const rows = notificationModel(connection);
    const answering = (async () => {
      const row = await until(
        'it is due',
        async () => (await rows.findOne({ type: 'webhook.test' }).lean()) ?? undefined,
      );
      const attempt = { at: new Date(), ms: 12, status: 200, error: null };
      await rows.updateOne({ _id: row._id }, { $set: { state: 'delivered', attempts: [attempt] } });
    })();
    const { code, out } = await run('endpoints', 'test', 'Tested');
    await answering;
    await connection.close();
    expect([code, out]).to.deep.equal([0, 'https://shop.example/hook answered 200 in 12 ms.']);
    const about = await runJson('audit', 'list', '--subject', 'endpoint:Tested:test:https://shop.example');
    const [entry] = about['items'] as Record<string, unknown>[];
    expect(entry).to.include({ act: 'endpoint.test', state: 'done' });
  });

  it('print JSON if they have a result', async () => {
    const without: string[] = [];
    for (const { name, load } of commands) if (!('json' in (await load()).options)) without.push(name);
    // They run on until they are stopped: what they say is for who looks on, and /ready says when they serve.
    expect(without).to.have.members(['start', 'api', 'worker', 'mongod']);
  });

  it('suggest the nearest owner, state, level and job', async () => {
    await run('keys', 'create', '--owner', 'Guessed');
    for (const [words, problem] of [
      [['endpoints', 'test', 'Gusesed'], 'Unknown merchant "Gusesed": did you mean Guessed?'],
      [['payments', 'find', '--owner', 'Guesed'], 'Unknown merchant "Guesed": did you mean Guessed?'],
      [['owners', 'set', 'guessed', '--email', 'a@b.example'], 'Unknown merchant "guessed": did you mean Guessed?'],
      [['secrets', 'rotate', 'Guesssed'], 'Unknown merchant "Guesssed": did you mean Guessed?'],
      [['jobs', 'run', 'purge-expird'], 'There is no job purge-expird: did you mean purge-expired?'],
      [['logs', 'tail', '--level', 'eror'], 'fatal: did you mean error?'],
      [['inbox', 'list', '--state', 'dead-leter'], 'waiting: did you mean dead_letter?'],
      [['notifications', 'list', '--state', 'exhausted!'], 'gone: did you mean exhausted?'],
    ] as const) {
      const error = await refusal(...words);
      expect(error.message.endsWith(problem), error.message).to.equal(true);
      expect(error).to.be.instanceOf(UsageError);
    }
  });

  it('accept --force only to turn an adapter off', async () => {
    for (const action of ['on', 'drain'])
      expect((await refusal('adapters', action, 'provider-a', '--force')).message).to.include('Unknown option --force');
    expect(await runJson('adapters', 'off', 'provider-a', '--force')).to.include({ state: 'off' });
    expect(await runJson('adapters', 'on', 'provider-a')).to.include({ adapter: 'provider-a', state: 'on' });
  });

  it('print their problems as JSON too with --json', async () => {
    const [out, err]: [string[], string[]] = [[], []];
    const terminal: Terminal = {
      env: { GATEWAY_ENV: 'development', GATEWAY_DATA_DIR: join(folder, 'data'), MONGODB_URI: uri },
      root,
      print: (line) => out.push(line),
      stderr: (line) => err.push(line),
    };
    for (const [words, code, problem] of [
      [
        ['payers', 'erase', '--email', 'none@shop.example', '--without-export'],
        1,
        'No payer is known with this e-mail address.',
      ],
      [['payments', 'show', '7'], 1, 'There is no payment request 7: search with "paywright payments find".'],
      [
        ['payments', 'show', 'x'],
        2,
        '<payment id> must be the id of a payment request, or a reference such as GW-10042-1.',
      ],
      [['fly'], 2, 'Unknown command "fly": see "paywright --help".'],
    ] as const) {
      [out.length, err.length] = [0, 0];
      expect(await runCommand([...words, '--json'], terminal), words.join(' ')).to.equal(code);
      expect(err).to.deep.equal([problem]);
      expect(JSON.parse(out.join('\n'))).to.deep.equal({ problems: [problem] });
    }
    [out.length, err.length] = [0, 0];
    const asked = { ...terminal, ask: async () => 'n' };
    await run('keys', 'create', '--owner', 'Refused');
    expect(await runCommand(['notifications', 'resend', '--owner', 'Refused', '--json'], asked)).to.be.a('number');
    for (const line of out) expect(() => JSON.parse(line) as unknown).not.to.throw();
  });

  it('print valid JSON: doctor, routes, jobs, callbacks, notifications, payments, replay, vectors', async () => {
    const samples = ['vectors', 'provider-a', join(root, 'adapters/provider-a/fixtures/vectors.json')];
    const asked = ['doctor', '--offline'];
    for (const [words, members] of [
      [asked, ['problems', 'findings']],
      [['routes', 'explain', '--amount', '25.90', '--unit', 'EUR'], []],
      [['jobs', 'list'], []],
      [['inbox', 'list'], []],
      [['notifications', 'list'], []],
      [['payments', 'find'], []],
      [
        ['replay', '--adapter', '@paywright/provider-a'],
        ['read', 'different', 'unreadable', 'erased', 'callbacks'],
      ],
      [samples, ['passed', 'failed', 'results']],
    ] as const) {
      const { out, err } = await run(...words, '--json');
      if (words === samples) expect(err, 'how far it is').to.match(/vectors\.json: \d+ samples$/m);
      const read: unknown = JSON.parse(out);
      expect(read, words.join(' ')).to.be.an(Array.isArray(read) ? 'array' : 'object');
      if (members.length > 0) expect(read).to.include.all.keys(...members);
    }
  });

  it('sign samples with the key pair of a provider, and refuse an adapter without signers', async () => {
    const fixtures = (name: string): string => join(root, `adapters/${name}/fixtures/vectors.json`);
    const error = await refusal('vectors', 'provider-a', fixtures('provider-a'), '--sign');
    expect(error).to.be.instanceOf(UsageError);
    expect(error.message).to.match(/^provider-a\/sandbox exports neither signCallback\(.*\) nor signAnswer\(.*\)\.$/);
    const text = await readFile(fixtures('provider-g'), 'utf8');
    const [nonce = ''] = /[0-9a-f]{32}/.exec(text) ?? [];
    const changed = join(folder, 'vectors-of-g.json');
    await writeFile(changed, text.replaceAll(nonce, '00112233445566778899aabbccddeeff'));
    expect((await run('vectors', 'provider-g', changed)).out).to.match(/\n\d+ passed, 1 failed$/);
    expect((await run('vectors', 'provider-g', changed, '--sign')).out).to.match(
      /^signed {2}paid\n[^]*\n\d+ passed, 0 failed$/,
    );
  });

  it('show the log of a payment, as text or as JSON', async () => {
    await mkdir(join(folder, 'data'), { recursive: true });
    const lines = [7, 8].map((id) =>
      JSON.stringify({ level: 'info', process: 'api-1', paymentRequestId: id, msg: `of ${id}` }),
    );
    await writeFile(join(folder, 'data/gateway.log'), `${lines.join('\n')}\n`);
    const tail = ['logs', 'tail', '--no-follow'] as const;
    expect((await run(...tail, '--payment', 'GW-7-1')).out).to.match(/INFO {3}api-1 +of 7 {2}paymentRequestId=7$/);
    expect((await run(...tail, '--lines', '1', '--json')).out).to.equal(lines[1]);
    expect((await run(...tail, '--level', 'warn')).out).to.equal('');
    expect((await refusal(...tail, '--level', 'loud')).message).to.match(/^--level must be one of trace, /);
    const file = join(folder, 'no-file.yaml');
    await writeFile(file, 'log: { file: false }');
    const words = [...tail];
    const failed = await runWith({ MONGODB_URI: uri, GATEWAY_CONFIG: file }, words).catch((error: unknown) => error);
    expect(failed).to.be.instanceOf(Error).with.property('message').that.includes('log.file is false');
  });

  it('create, list and revoke a portal link of a merchant, and record each in the audit log', async () => {
    await run('keys', 'create', '--owner', 'Gate');
    const { out } = await run('owners', 'portal', 'Gate');
    expect(out).to.match(
      /^Portal of Gate, test mode, until \S+Z: http:\S+\/portal\/open\?link=plink_[0-9a-f]{16}\.[\w-]{43}\nLink id: plink_/,
    );
    const made = await runJson('owners', 'portal', 'Gate', '--mode', 'live', '--allow-rotation');
    expect(made).to.include({ environment: 'live', allowsRotation: true });
    const id = String(made['id']);
    expect(await runJson('owners', 'portal', '--revoke', id)).to.deep.equal({ id });
    const lines = (await run('owners', 'portal', 'Gate', '--list')).out.split('\n');
    expect(lines.map((line) => line.split('  ').slice(1, 3).join(' '))).to.deep.equal(['Gate live', 'Gate test']);
    expect(lines[0]).to.match(/ {2}revoked, expires .* {2}never used {2}allows changes$/);
    expect(lines[1]).to.match(/ {2}active, expires /);
    expect(lines.join('\n'), 'no link').not.to.match(/\.[\w-]{43}/);
    const { items } = (await runJson('audit', 'list')) as { items: Record<string, unknown>[] };
    expect(items.slice(0, 3).map(({ act, subject }) => ({ act, subject }))).to.deep.equal([
      { act: 'portal.revoke', subject: { type: 'portal link', id } },
      { act: 'portal.create', subject: { type: 'owner', id: 'Gate' } },
      { act: 'portal.create', subject: { type: 'owner', id: 'Gate' } },
    ]);
    for (const [words, problem] of [
      [['Missing'], 'Unknown merchant "Missing"'],
      [[], '<name> is missing'],
      [['Gate', '--mode', 'odd'], '--mode must be test or live.'],
      [['--revoke', `${id}.x`], 'a portal link with this id'],
    ] as const)
      expect((await refusal('owners', 'portal', ...words)).message).to.include(problem);
  });

  it('erase a payer after a confirmation, and write a copy first', async () => {
    const created = await runJson('keys', 'create', '--owner', 'Erases');
    const connection = await mongoose.createConnection(uri).asPromise();
    const email = 'lea@shop.example';
    const lea = { ...nothingCounted, name: 'Lea Roth', email, address: null, phone: null, memberId: null };
    await clientModel(connection).create({
      ...lea,
      _id: 1,
      ownerId: Number(created['ownerId']),
      environment: 'test',
      emailKey: email,
      createdAt: new Date(),
      firstPaidId: null,
    });
    const file = join(folder, 'lea.json');
    expect((await refusal('payers', 'erase', '--email', email)).message).to.match(
      /^Use either --export <file> or --without/,
    );
    expect((await refusal('payers', 'erase', '--email', 'none@shop.example', '--without-export')).message).to.equal(
      'No payer is known with this e-mail address.',
    );
    expect((await refusal('payers', 'erase', '--email', email, '--export', file)).message).to.match(
      /^This permanently erases the personal data of the payer from 1 client, 0 payments, .+\. There is no terminal to ask/,
    );
    expect(await readdir(folder), 'no copy before the confirmation').not.to.include('lea.json');
    await writeFile(file, 'another copy');
    const again = await refusal('payers', 'erase', '--email', email, '--export', file, '--yes');
    expect(again.message, 'no copy is overwritten').to.equal(
      `${file} already exists and is not overwritten: name another file. Nothing was erased.`,
    );
    expect(await readFile(file, 'utf8')).to.equal('another copy');
    expect((await clientModel(connection).findById(1))?.name).to.equal('Lea Roth');
    await rm(file);
    const words = ['payers', 'erase', '--email', email, '--export', file, '--yes', '--owner', 'Erases'];
    const { out, err } = await run(...words);
    expect(JSON.parse(await readFile(file, 'utf8'))).to.have.nested.property('clients[0].name', 'Lea Roth');
    expect((await stat(file)).mode & 0o777).to.equal(0o600);
    expect(err).to.equal(`A copy of all known data is in ${file}.`);
    expect(out).to.match(
      /^Erased from 1 client, .*"paywright audit list --subject payer:[0-9a-f]{24}" shows the entry\.$/,
    );
    expect(await clientModel(connection).findById(1).lean()).to.include({ name: null, email: null, emailKey: null });
    await connection.close();
  });

  it('list and show an alarm of a kind that only a later version knows', async () => {
    const connection = await mongoose.createConnection(uri).asPromise();
    const at = new Date();
    const id = 'ledger_gap:ledger:7';
    const times = { firstSeenAt: at, lastSeenAt: at };
    const subject = { type: 'ledger', id: '7' };
    const alarm = { _id: id, kind: 'ledger_gap', subject, reason: 'a gap', state: 'open', count: 1, ...times };
    await connection.collection('alarms').insertOne(alarm as never);
    expect((await run('alarms', 'list')).out).to.match(/^critical {2}open {2}Ledger gap/);
    expect((await run('alarms', 'show', id)).out).to.include('does not know the kind ledger_gap');
    await connection.collection('alarms').deleteMany({});
    await connection.close();
  });

  it('list, show, acknowledge and resolve alarms', async () => {
    expect((await run('alarms', 'list')).out).to.equal('No alarm is open or acknowledged.');
    const connection = await mongoose.createConnection(uri).asPromise();
    const alarms = createAlarms({ connection, log: pino({ level: 'silent' }) });
    alarms.raise('charged_twice', { type: 'payment', id: '10042' }, 'another attempt succeeded too');
    await alarms.close();
    await connection.close();
    const id = 'charged_twice:payment:10042';
    expect((await run('alarms', 'list')).out)
      .to.match(/^critical {2}open {2}Customer charged twice/)
      .and.include('charged_twice:payment:10042');
    expect((await run('alarms', 'show', id)).out).to.include('What to do: Refund one charge');
    expect(await runJson('alarms', 'show', id)).to.include({ id, state: 'open', count: 1 });
    expect((await run('alarms', 'ack', id)).out).to.equal(`${id} is acknowledged.`);
    expect(await run('alarms', 'ack', id)).to.include({ code: 1, out: `${id} was already acknowledged.` });
    expect(await runJson('alarms', 'resolve', id)).to.deep.equal({ id, isDone: true, state: 'resolved' });
    const { items } = (await runJson('audit', 'list', '--subject', `alarm:${id}`)) as {
      items: Record<string, unknown>[];
    };
    expect(items.map(({ act, before, after }) => ({ act, before, after }))).to.deep.equal([
      { act: 'alarm.resolve', before: { state: 'acknowledged' }, after: { state: 'resolved' } },
      { act: 'alarm.acknowledge', before: { state: 'open' }, after: { state: 'acknowledged' } },
    ]);
    expect(await runJson('alarms', 'list')).to.deep.equal([]);
    expect((await refusal('alarms', 'ack', 'none')).message).to.equal(
      'There is no alarm none: "paywright alarms list" lists the open and acknowledged alarms.',
    );
  });
});
