import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { after, afterEach, before, describe, it } from 'mocha';
import type { Connection } from 'mongoose';
import { pino } from 'pino';
import { testEncrypter } from '../../../base/testing/test-encrypter.ts';
import { until } from '../../../base/testing/until.ts';
import { createCipher } from '../../../base/crypto/encryption.ts';
import type { RunConfig } from '../../../base/run-config.ts';
import { accountModel } from '../../../database/collections/account.ts';
import { ensureCollections } from '../../../database/collections.ts';
import { ownerModel } from '../../../database/collections/owner.ts';
import { connectDatabase, type Database } from '../../../database/connect.ts';
import { webhookSecretContext } from '../../../database/encryption-context.ts';
import { testDatabaseUri } from '../../../database/testing/test-database-uri.ts';
import { createAudit } from '../../audit/index.ts';
import { reencrypt } from '../../secrets/index.ts';
import { loadConfigured } from '../create-providers.ts';
import { createRegistry, type Registry } from '../registry.ts';
import { readHeldMoney } from '../states/account-money.ts';
import { createAdapterStateStore, fileStates, type AdapterStateStore } from '../states/adapter-states.ts';
import { turnAdapter } from '../states/turn-adapter.ts';
import { followAdapterStates, type Following } from '../states/follow-states.ts';
import { createAccounts, type Accounts } from './accounts.ts';
import { keepConfigIdentities } from './config-identities.ts';
import { hasKnownFee } from './known-fees.ts';
import { createReportedIds } from './reported-ids.ts';
import { readStoredAccounts } from './stored-accounts.ts';

const log = pino({ level: 'silent' });
const ada = { type: 'command', name: 'Ada Lovelace', from: 'here' } as const;
const now = (): Date => new Date();
const own = { merchantId: 'M-SHOP', key: 'the key of the shop' };
const options = {
  baseUrl: 'https://a.example',
  sandboxBaseUrl: 'http://127.0.0.1:9',
  merchantId: 'M-MAIN',
  key: 'the key of main',
};

/** An adapter that tells accounts apart by their merchant id. */
function install(house: string): void {
  const home = join(house, 'node_modules/acme');
  mkdirSync(home, { recursive: true });
  writeFileSync(join(home, 'package.json'), JSON.stringify({ type: 'module', exports: { import: './i.js' } }));
  writeFileSync(
    join(home, 'i.js'),
    `import { v, secret, genuine, statusTable } from '${import.meta.resolve('@paywright/contract')}';
    export default {
      manifest: { name: 'acme', title: 'Acme', code: 41, contract: '^2.0', inputs: ['card'],
        ways: [{ method: 'card', title: 'Card', threeDs: 'unsupported', payerFields: ['name'] }],
        currencies: 'any', declines: { no: '05' }, idempotency: 'the reference',
        options: v.strictObject({ baseUrl: v.string(), sandboxBaseUrl: v.string(), merchantId: v.string(), key: secret(8) }),
        accountKey: ({ merchantId }) => merchantId,
        reconcile: { stepsSeconds: [1], thenEverySeconds: 60, giveUpAfterSeconds: 600 } },
      checkAccount: async ({ options: { key } }) => {
        const accountId = /the key of (\\w+)/.exec(key)?.[1];
        return [{ ok: accountId !== undefined, finding: 'the key is known or not', ...(accountId && { accountId }) }];
      },
      submit: async () => ({ outcome: 'succeeded' }), mapStatus: statusTable({ payment: { paid: 'succeeded' } }),
      callbacks: [{ path: 'acme', method: 'POST', caller: 'server', reports: 'payments',
        verifySignature: () => genuine(1), parseCallback: () => ({ events: [] }) }],
    };`,
  );
}

describe('createAccounts', () => {
  const encrypter = testEncrypter();
  let folder: string;
  let run: RunConfig;
  let database: Database;
  let elsewhere: Database;
  let accounts: Accounts;
  const hosts: { readonly registry: Registry; readonly following: Following }[] = [];

  /** A process on a connection of its own, as on another host. */
  async function follow({ connection }: Database, process: string): Promise<void> {
    const adapterStates = createAdapterStateStore(connection, now);
    const load = async (states: Parameters<typeof loadConfigured>[1]) =>
      loadConfigured(run, states, await readStoredAccounts(connection, encrypter, states));
    const { version, states } = await adapterStates.read();
    const registry = createRegistry(await load(states));
    const following = followAdapterStates({ adapterStates, registry, load, process, version, log });
    hosts.push({ registry, following });
  }
  function build(
    connection: Connection,
    bend: (states: AdapterStateStore) => AdapterStateStore = (states) => states,
  ): Accounts {
    const adapterStates = bend(createAdapterStateStore(connection, now));
    const audit = createAudit({ connection, encrypter, now, log });
    return createAccounts({ connection, encrypter, run, adapterStates, audit, now });
  }
  const refusal = async (work: Promise<unknown>): Promise<string> =>
    work.then(
      () => 'done',
      (error: Error) => error.message,
    );
  const everywhere = async (what: string, isTrue: (registry: Registry) => boolean): Promise<void> => {
    await until(what, () => hosts.every(({ registry }) => isTrue(registry)));
  };
  const storedText = async (): Promise<string> =>
    JSON.stringify([
      await database.connection.collection('accounts').find().toArray(),
      await database.connection.collection('audit').find().toArray(),
      await database.connection.collection('adapterRuns').find().toArray(),
    ]);

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'accounts-'));
    install(folder);
    const acme = {
      package: 'acme',
      state: 'on',
      options,
      accounts: { pt: { state: 'on', options: { merchantId: 'M-PT', key: 'the key of Portugal' } } },
    };
    run = {
      config: {
        adapters: { acme },
        provider: { callTimeoutMs: 2000, concurrency: 4, breakerFailures: 20, breakerCoolOffMs: 1000 },
        server: { publicUrl: 'https://pay.example' },
        keys: { liveKeys: true },
      },
      root: folder,
      adapterDirs: {},
      environment: 'production',
      isProduction: true,
    } as never;
    const uri = testDatabaseUri(`accounts_${randomBytes(6).toString('hex')}`);
    [database, elsewhere] = await Promise.all([
      connectDatabase(uri, { log, patience: 'endless' }),
      connectDatabase(uri, { log, patience: 'endless' }),
    ]);
    const { connection } = database;
    await ensureCollections(connection, log);
    const secretOf = (environment: 'test' | 'live') => {
      return { current: encrypter.encrypt('secret', webhookSecretContext(1, environment, 'current')) };
    };
    await ownerModel(connection).collection.insertOne({
      _id: 1,
      name: 'Ribeira Books',
      webhookSecrets: { test: secretOf('test'), live: secretOf('live') },
      createdAt: now(),
    } as never);
    await createAdapterStateStore(connection, now).storeInitial(fileStates(run.config));
    accounts = build(connection);
    await follow(database, 'here');
    await follow(elsewhere, 'there');
  });
  afterEach(async () => {
    await database.connection.collection('paymentRequests').deleteMany({});
  });
  after(async () => {
    for (const { following } of hosts) await following.stop();
    await database.connection.dropDatabase();
    await Promise.all([database.close(), elsewhere.close()]);
    rmSync(folder, { recursive: true });
  });

  it('adds an account that every process of every host loads within 2 s, and that serves no merchant', async () => {
    const begun = performance.now();
    await accounts.add(ada, 'acme/shop', {
      options: own,
      fee: { percent: '1.4', fixed: { EUR: '0.25' } },
      currencies: ['EUR'],
    });
    await everywhere('the account is loaded', (registry) => registry.byName('acme/shop') !== undefined);
    expect(performance.now() - begun).to.be.lessThan(2000);
    expect(hosts[1]!.registry.byName('acme/shop')).to.deep.include({
      options: { ...options, ...own },
      state: 'on',
      merchants: [],
      currencies: ['EUR'],
      fee: { percent: '1.4', fixed: { EUR: '0.25' } },
      keys: { live: 'M-SHOP', test: 'M-SHOP' },
      takesTestPayments: false,
    });
    expect(hosts[0]!.registry.route('POST', 'acme/shop')?.active.ref).to.equal('acme/shop');
  });

  it('knows the fee of a stored account, so that a settlement file is compared with it', async () => {
    const isKnown = async (account: string | undefined, fee?: object): Promise<boolean> => {
      const adapters = { acme: { ...run.config.adapters['acme'], ...(fee && { fee }) } };
      return hasKnownFee(database.connection, { adapters } as never, 'acme', account);
    };
    const fee = { percent: '1', fixed: {} };
    expect([await isKnown('shop'), await isKnown('pt'), await isKnown('none')]).to.deep.equal([true, false, false]);
    expect([await isKnown(undefined), await isKnown(undefined, fee), await isKnown('pt', fee)]).to.deep.equal([
      false,
      true,
      true,
    ]);
  });

  it('stores options encrypted, and shows of a secret only that it is set', async () => {
    const shown = await accounts.get('acme/shop');
    expect(shown).to.deep.include({
      source: 'database',
      options: { merchantId: 'M-SHOP', key: '[hidden]' },
      sandboxOptions: null,
      merchants: [],
    });
    expect(shown.created).to.include({ by: 'Ada Lovelace' });
    expect((await accounts.get('acme/pt')).options).to.deep.equal({ merchantId: 'M-PT', key: '[hidden]' });
    expect((await accounts.get('acme')).options['key']).to.equal('[hidden]');
    expect(JSON.stringify(await accounts.list())).to.not.contain('the key');
    const text = await storedText();
    expect(text).to.not.contain('the key').and.not.contain(Buffer.from('the key').toString('base64').slice(0, 8));
  });

  it('lists main, then the accounts of config, then those of the database', async () => {
    const listed = await accounts.list('acme');
    expect(listed.map(({ ref, source, merchants }) => [ref, source, merchants])).to.deep.equal([
      ['acme', 'config', null],
      ['acme/pt', 'config', null],
      ['acme/shop', 'database', []],
    ]);
  });

  it('refuses options that the schema of the adapter refuses, and stores nothing', async () => {
    const { connection } = database;
    const before = await accountModel(connection).countDocuments();
    expect(await refusal(accounts.add(ada, 'acme/bad', { options: { merchantId: 'M-BAD', speed: 1 } }))).to.equal(
      'options.key: is missing; options.speed: is not an option. Known options: baseUrl, sandboxBaseUrl, merchantId, key',
    );
    const written = await refusal(accounts.add(ada, 'acme/bad', { options: { ...own, key: '${env:SHOP_KEY}' } }));
    expect(written).to.match(/^options\.key: write the value itself/);
    expect(await refusal(accounts.add(ada, 'acme/bad', { options: own, currencies: ['euro'] }))).to.contain('euro');
    expect(await accountModel(connection).countDocuments()).to.equal(before);
  });

  it('puts an account as wanted: creates it, removes what is absent, and writes nothing if nothing changes', async () => {
    const { connection } = database;
    const stored = async () => accountModel(connection).findById('acme/put').lean();
    const acts = async () => connection.collection('audit').countDocuments({ 'subject.id': 'acme/put', state: 'done' });
    const wanted = { options: { merchantId: 'M-PUT', key: 'the key of put' }, currencies: ['EUR'] };
    const given = { ...wanted, merchants: ['Ribeira Books'] };
    expect(await accounts.put(ada, 'acme/put', given)).to.deep.equal({ isNew: true });
    expect(await accounts.put(ada, 'acme/put', given)).to.deep.equal({ isNew: false });
    await accounts.set(ada, 'acme/put', { assign: ['Ribeira Books'], options: { key: 'the key of put' } });
    expect([(await stored())?.version, await acts()]).to.deep.equal([1, 1]);
    await accounts.put(ada, 'acme/put', { options: wanted.options, merchants: null });
    expect(await accounts.get('acme/put')).to.deep.include({ currencies: null, merchants: null });
    await accounts.put(ada, 'acme/put', { options: wanted.options });
    expect((await accounts.get('acme/put')).merchants).to.deep.equal([]);
    expect((await stored())?.version).to.equal(3);
    const { options: shown } = await accounts.get('acme/put');
    expect(await refusal(accounts.put(ada, 'acme/put', { options: shown }))).to.match(/^options\.key: write the value/);
    expect(await refusal(accounts.put(ada, 'acme/put', { options: own, merchants: ['Nowhere'] }))).to.match(/Nowhere$/);
    expect(await refusal(accounts.put(ada, 'acme/pt', { options: own }))).to.match(/is an account of the config files/);
    expect((await stored())?.version).to.equal(3);
    const both = { options: { merchantId: 'M-BOTH', key: 'the key of both' } };
    const puts = await Promise.all([
      accounts.put(ada, 'acme/both', both),
      build(elsewhere.connection).put(ada, 'acme/both', both),
    ]);
    expect(puts.map(({ isNew }) => isNew)).to.have.members([true, false]);
    expect((await accountModel(connection).findById('acme/both').lean())?.version).to.equal(1);
    await accounts.remove(ada, 'acme/both');
    await accounts.remove(ada, 'acme/put');
    expect(await refusal(accounts.put(ada, 'acme/put', wanted))).to.match(/names are never reused/);
  });

  it('refuses an account that the provider knows as another one, also when both are added at the same time', async () => {
    expect(await refusal(accounts.add(ada, 'acme/twin', { options: { ...own, merchantId: 'M-PT' } }))).to.contain(
      'name the same account of the provider as acme/pt',
    );
    const add = async (one: Accounts, ref: string): Promise<string> =>
      refusal(one.add(ada, ref, { options: { ...own, merchantId: 'M-RUSH' } }));
    // The rival adds its account after this one was checked, and before it is stored.
    const rival = build(elsewhere.connection);
    const rivals: string[] = [];
    const slow = build(database.connection, (adapterStates) => ({
      ...adapterStates,
      async announce(...from) {
        if (rivals.length === 0) rivals.push(await add(rival, 'acme/one'));
        return adapterStates.announce(...from);
      },
    }));
    expect(await add(slow, 'acme/two')).to.contain('name the same account of the provider as acme/one');
    expect(rivals).to.deep.equal(['done']);
    for (const ref of ['acme/one', 'acme/two']) await refusal(accounts.remove(ada, ref));
  });

  it('refuses a name that config has, that exists, or that is not a name', async () => {
    const add = async (ref: string): Promise<string> =>
      refusal(accounts.add(ada, ref, { options: { ...own, merchantId: ref } }));
    expect(await add('acme/pt')).to.contain('is an account of the config files already');
    expect(await add('acme/shop')).to.contain('exists already');
    for (const name of ['main', 'Shop', '1st', 'a'.repeat(41), 'a_b', ''])
      expect(await add(`acme/${name}`), name).to.match(/^The name of an account is 1 to 40/);
    expect(await add('acne/shop')).to.equal('Unknown adapter "acne": did you mean acme?');
  });

  it('refuses a start whose config has the name of a stored or removed account', async () => {
    const { connection } = database;
    const settings = run.config.adapters['acme']!;
    const clashing = { ...settings, accounts: { shop: { state: 'on', options: own } } };
    const changed = { ...run, config: { adapters: { acme: clashing } } } as unknown as RunConfig;
    const stored = await readStoredAccounts(connection, encrypter, {});
    expect(await refusal(loadConfigured(changed, {}, stored))).to.contain(
      'acme: accounts.shop: is also an account of the database: rename it',
    );
    const removed = new Map([['acme', { accounts: {}, removed: ['shop'] }]]);
    expect(await refusal(loadConfigured(changed, {}, removed))).to.contain('is the name of a removed account');
  });

  it('assigns merchants, and serves none after the last one is removed', async () => {
    const merchants = async (): Promise<unknown> => (await accounts.get('acme/shop')).merchants;
    expect(await refusal(accounts.set(ada, 'acme/shop', { assign: ['Unknown Ltd'] }))).to.equal(
      'merchants: there is no merchant Unknown Ltd',
    );
    await accounts.set(ada, 'acme/shop', { assign: ['Ribeira Books'] });
    expect(await merchants()).to.deep.equal(['Ribeira Books']);
    await everywhere('it is assigned', (registry) => registry.byName('acme/shop')?.merchants?.[0] === 'Ribeira Books');
    await accounts.set(ada, 'acme/shop', { unassign: ['Ribeira Books'] });
    expect(await merchants()).to.deep.equal([]);
    await accounts.set(ada, 'acme/shop', { everybody: true });
    expect(await merchants()).to.equal(null);
    await everywhere('it serves everybody', (registry) => registry.byName('acme/shop')?.merchants === undefined);
  });

  it('changes only the options that are given, and a call in progress keeps its options', async () => {
    const before = hosts[0]!.registry.byName('acme/shop')!;
    await accounts.set(ada, 'acme/shop', {
      options: { key: 'a newer key' },
      sandboxOptions: { key: 'a key for tests' },
    });
    await everywhere('the key changed', (registry) => registry.byName('acme/shop')?.takesTestPayments === true);
    const after = hosts[1]!.registry.byName('acme/shop')!;
    expect(after.options).to.deep.include({ merchantId: 'M-SHOP' });
    expect(after).to.include({ takesTestPayments: true, hasSandboxProofs: true });
    expect(before.options).to.deep.include({ key: own.key });
    const { items } = await createAudit({ connection: database.connection, encrypter, now, log }).list({
      act: 'account.set',
      limit: 1,
    });
    expect(items[0]).to.deep.include({ after: { options: ['key'], sandboxOptions: ['key'] }, state: 'done' });
  });

  it('is read after the encryption key was rotated, with only the new key', async () => {
    const keys = [3, 1].map((seed) => Buffer.alloc(32, seed).toString('base64'));
    expect(await reencrypt(database.connection, createCipher(keys), () => undefined)).to.equal(4);
    const [newKey] = keys;
    const stored = await readStoredAccounts(database.connection, createCipher([newKey!]), {});
    expect(stored.get('acme')?.accounts['shop']).to.deep.include({
      options: { ...own, key: 'a newer key' },
      sandboxOptions: { key: 'a key for tests' },
    });
    await reencrypt(database.connection, createCipher(keys.toReversed()), () => undefined);
  });

  describe('with money', () => {
    const day = 86_400_000;
    /** Stores a payment with one attempt of the account. */
    async function pay(id: number, attempt: object, more: object = {}): Promise<void> {
      const whole = { n: 1, adapter: 'acme', account: 'shop', sandbox: false, ...attempt };
      const payments = database.connection.collection('paymentRequests');
      await payments.insertOne(
        { _id: id as never, statusId: 2, ...more, attempts: [whole] },
        { bypassDocumentValidation: true },
      );
    }
    const paid = (ago: number): object => ({ outcome: 'succeeded', settledAt: new Date(Date.now() - ago * day) });
    const changeIdentity = async (merchantId = 'M-OTHER'): Promise<string> =>
      refusal(accounts.set(ada, 'acme/shop', { options: { merchantId } }));

    it('refuses a change of identity and a removal, and says the numbers', async () => {
      await pay(1, { outcome: 'open' }, { statusId: 1 });
      await pay(2, paid(1));
      await pay(3, paid(179));
      await pay(4, paid(400), { problems: ['dispute_open'] });
      const numbers =
        'acme/shop has money: open payments: 1, payments of the last 180 days that can be refunded: 2, payments with an open dispute: 1. ';
      expect(await changeIdentity()).to.equal(`${numbers}Create a new account instead.`);
      expect(await refusal(accounts.remove(ada, 'acme/shop'))).to.equal(
        `${numbers}It cannot be removed, only drained or turned off.`,
      );
      expect(hosts[0]!.registry.stateOf('acme/shop')).to.equal('on');
      await accounts.set(ada, 'acme/shop', { options: { key: 'the newest key' } });
    });

    it('turns it off only by force, and counts no payment of another account', async () => {
      const ref = 'acme/shop';
      const { connection } = database;
      const adapterStates = createAdapterStateStore(connection, now);
      const audit = createAudit({ connection, encrypter, now, log });
      const turnOff = async (isForced: boolean): Promise<string> =>
        refusal(turnAdapter({ adapterStates, audit }, ada, { adapter: ref, to: 'off', reason: 'a test', isForced }));
      await pay(1, { outcome: 'open' }, { statusId: 1 });
      await pay(2, { outcome: 'open', account: 'pt' }, { statusId: 1 });
      expect(await turnOff(false)).to.contain('acme/shop has 1 pending payments and 0 paid payments');
      expect(hosts[0]!.registry.stateOf(ref)).to.equal('on');
      expect(await turnOff(true)).to.equal('done');
      await everywhere('it is off', (registry) => registry.stateOf(ref) === 'off');
      await adapterStates.set(ref, 'on', 'a test');
      await everywhere('it is on again', (registry) => registry.stateOf(ref) === 'on');
    });

    it('drains the account first, and refuses if a payment was submitted in the meantime', async () => {
      const turned: string[] = [];
      const late = build(database.connection, (adapterStates) => ({
        ...adapterStates,
        async set(ref, to, reason) {
          turned.push(to);
          if (to === 'draining') await pay(1, { outcome: 'open' }, { statusId: 1 });
          return adapterStates.set(ref, to, reason);
        },
      }));
      const refused = await refusal(late.set(ada, 'acme/shop', { options: { merchantId: 'M-LATE' } }));
      expect(refused).to.contain('acme/shop has money: open payments: 1,');
      expect(turned).to.deep.equal(['draining', 'on']);
      expect((await accounts.get('acme/shop')).options).to.include({ merchantId: 'M-SHOP' });
      await everywhere('it is on again', (registry) => registry.stateOf('acme/shop') === 'on');
    });

    it('waits until every process knows that the account is not on, and refuses if one cannot know', async () => {
      const { connection } = database;
      const adapterStates = createAdapterStateStore(connection, now);
      const version = await adapterStates.set('acme/shop', 'draining', 'a test');
      await adapterStates.report('a late host', version - 1, 'its file is missing', version);
      const late = /a late host.* did not drain acme\/shop in time: try again$/;
      expect(await changeIdentity()).to.match(late);
      expect(await refusal(accounts.remove(ada, 'acme/shop'))).to.match(late);
      expect((await adapterStates.read()).states['acme/shop']).to.equal('draining');
      await adapterStates.forget('a late host');
      await adapterStates.set('acme/shop', 'on', 'a test');
      await everywhere('it is on again', (registry) => registry.stateOf('acme/shop') === 'on');
    });

    it('ignores payments of other accounts and of the other side, those refunded, and those paid long ago', async () => {
      await pay(1, { outcome: 'open', account: 'pt' });
      await pay(2, { outcome: 'open', account: undefined });
      await pay(3, { outcome: 'open', adapter: 'other' });
      await pay(4, paid(1), { statusId: 4 });
      await pay(5, paid(181));
      await pay(6, { outcome: 'failed' });
      await pay(7, { outcome: 'open', sandbox: true });
      await accounts.set(ada, 'acme/shop', { sandboxOptions: { merchantId: 'M-SHOP' } });
      expect(await changeIdentity()).to.equal('done');
      await everywhere('it is on with the new identity', (registry) => {
        return registry.stateOf('acme/shop') === 'on' && registry.byName('acme/shop')?.keys.live === 'M-OTHER';
      });
    });

    describe('and the id that the provider reports', () => {
      const ref = 'acme/named';
      const key = (key: string) => accounts.set(ada, ref, { options: { key } });
      const keep = async (...[of, id, sandbox = false]: [string, string, boolean?]) =>
        createReportedIds(database.connection, now)(of, sandbox, id);
      const idsOf = async () => (await accountModel(database.connection).findById(ref).lean())?.reportedIds;
      before(async () => {
        await accounts.add(ada, ref, { options: { merchantId: 'M-NAMED', key: 'the key of Porto, first' } });
      });

      for (const of of [ref, 'acme']) {
        it(`keeps the id of a check of ${of}, and reports another one while money depends on it`, async () => {
          expect(await keep(of, 'Porto')).to.equal(undefined);
          await pay(1, { ...paid(1), account: of === ref ? 'named' : undefined });
          expect(await keep(of, 'Porto')).to.equal(undefined);
          const refused = `${of} has money: open payments: 0, payments of the last 180 days that can be refunded: 1, payments with an open dispute: 0. The provider named this account Porto, and with these options it is Lisboa.`;
          expect(await keep(of, 'Lisboa')).to.contain(refused);
          expect(await keep(of, 'Lisboa')).to.contain(refused);
          expect(await keep(of, 'Lisboa', true)).to.equal(undefined);
          await database.connection.collection('paymentRequests').deleteMany({});
          expect(await keep(of, 'Lisboa')).to.equal(undefined);
          expect(await keep(of, 'Porto')).to.equal(undefined);
        });
      }

      it('accepts a new key of the same account, and refuses one of another account with the numbers', async () => {
        await pay(1, { ...paid(1), account: 'named' });
        expect(await refusal(key('the key of Porto, second'))).to.equal('done');
        expect(await refusal(key('the key of Lisboa')))
          .to.contain(`${ref} has money: open payments: 0, payments of the last 180 days that can be refunded: 1`)
          .and.contain('The provider named this account Porto, and with these options it is Lisboa.');
        expect(await refusal(key('a key without an account'))).to.contain('its answer to the new options names none');
        expect(await idsOf()).to.deep.equal({ live: 'Porto', test: 'Porto' });
        expect((await accounts.load(ref)).options).to.include({ key: 'the key of Porto, second' });
      });

      it('accepts a key of another account once no money depends on it, and forgets an id that no check shows', async () => {
        expect(await refusal(key('the key of Lisboa'))).to.equal('done');
        expect(await idsOf()).to.deep.equal({ live: 'Lisboa', test: 'Lisboa' });
        expect(await refusal(key('a key without an account'))).to.equal('done');
        expect(await idsOf()).to.deep.equal({});
      });

      it('asks no provider if the options stay the same, or no check showed an id', async () => {
        expect(await refusal(accounts.set(ada, ref, { everybody: true }))).to.equal('done');
        expect(await refusal(key('the key of Faro'))).to.equal('done');
        expect(await idsOf()).to.deep.equal({});
      });

      it('is not lost by a change at the same time, nor by two checks', async () => {
        await Promise.all([keep(ref, 'Faro'), keep(ref, 'Faro'), accounts.set(ada, ref, { currencies: ['EUR'] })]);
        expect(await idsOf()).to.deep.equal({ live: 'Faro' });
        const late = build(database.connection, (adapterStates) => ({
          ...adapterStates,
          async read() {
            const read = await adapterStates.read();
            await keep(ref, 'Faro', true);
            return read;
          },
        }));
        await database.connection
          .collection('accounts')
          .updateOne({ _id: ref as never }, { $unset: { 'reportedIds.test': '' } });
        expect(await refusal(late.set(ada, ref, { options: { key: 'the key of Faro, new' } }))).to.contain(
          'at the same time',
        );
      });
    });

    it('counts with an index', async () => {
      const { connection } = database;
      for (let id = 1; id <= 60; id += 1) await pay(id, { ...paid(1), account: id === 60 ? 'shop' : 'pt' });
      await connection.db!.command({ profile: 2 });
      expect((await readHeldMoney(connection, 'acme/shop', now(), [false])).refundable).to.equal(1);
      await connection.db!.command({ profile: 0 });
      const found = await connection
        .db!.collection('system.profile')
        .find({ ns: /paymentRequests$/ })
        .toArray();
      expect(found).to.have.lengthOf(3);
      for (const one of found) {
        expect(one['planSummary']).to.match(/^IXSCAN/);
        expect(one['docsExamined']).to.be.lessThan(3);
      }
    });
  });

  describe('with accounts of config', () => {
    const day = 86_400_000;
    const start = async (accountsOfConfig: object, mainId = 'M-MAIN'): Promise<string> => {
      const { connection } = database;
      const acme = {
        package: 'acme',
        state: 'on',
        options: { ...options, merchantId: mainId },
        accounts: accountsOfConfig,
      };
      const changed = { ...run, config: { adapters: { acme } } } as unknown as RunConfig;
      const stored = new Map();
      return refusal(
        loadConfigured(changed, {}, stored).then(async (loaded) =>
          keepConfigIdentities(connection, changed.config, loaded, now()),
        ),
      );
    };
    const pt = (merchantId: string, state = 'on'): object => ({
      pt: { state, options: { merchantId, key: 'the key of Portugal' } },
    });

    /** A payment of `pt` that can be refunded, and an open one of `main`. */
    const payRecently = async (): Promise<void> => {
      const payments = database.connection.collection('paymentRequests');
      const settledAt = new Date(Date.now() - day);
      const attempt = { n: 1, adapter: 'acme', sandbox: false, outcome: 'succeeded', settledAt };
      await payments.insertMany(
        [
          { _id: 1 as never, statusId: 2, attempts: [{ ...attempt, account: 'pt' }] },
          { _id: 2 as never, statusId: 1, attempts: [{ ...attempt, outcome: 'open' }] },
        ],
        { bypassDocumentValidation: true },
      );
    };

    it('refuses a start that changes or removes an account with money, and prints the numbers', async () => {
      expect(await start(pt('M-PT'))).to.equal('done');
      await payRecently();
      const [refundable, open] = ['0, payments of the last 180 days that can be refunded: 1', '1, payments of'];
      expect(await start(pt('M-OTHER')))
        .to.contain(`acme/pt has money: open payments: ${refundable}`)
        .and.contain('restore it');
      expect(await start(pt('M-PT'), 'M-NEW')).to.contain(`acme has money: open payments: ${open}`);
      expect(await start({}))
        .to.contain(`acme/pt has money: open payments: ${refundable}`)
        .and.contain('add it again');
      expect(await start(pt('M-OTHER', 'off'))).to.equal('done');
      expect(await start(pt('M-PT'))).to.equal('done');
    });

    it('lets the options of an account hold another account of the provider, and none less while it has money', async () => {
      const hold = async (...ids: string[]): Promise<string> => {
        const of = { adapter: {}, name: 'acme', account: 'pt', ref: 'acme/pt', keys: { live: ids } };
        const config = { adapters: { acme: { ...run.config.adapters['acme']!, accounts: pt('M-PT') } } };
        const loaded = [of] as unknown as Awaited<ReturnType<typeof loadConfigured>>;
        return refusal(keepConfigIdentities(database.connection, config as never, loaded, now()));
      };
      await payRecently();
      expect(await hold('M-PT')).to.equal('done');
      expect(await hold('M-PT', 'M-MORE')).to.equal('done');
      expect(await hold('M-MORE', 'M-PT')).to.equal('done');
      expect(await hold('M-MORE')).to.contain('acme/pt has money');
      expect(await hold('M-PT', 'M-MORE', 'M-THIRD')).to.equal('done');
    });

    it('starts with a changed identity, or without the account, once no money depends on it', async () => {
      expect(await start(pt('M-OTHER'), 'M-NEW')).to.equal('done');
      expect(await start({})).to.equal('done');
      expect(await refusal(accounts.add(ada, 'acme/pt', { options: own }))).to.contain(
        'is an account of the config files',
      );
    });
  });

  describe('at the end of an account', () => {
    it('removes it from every process, and never gives its name to another one', async () => {
      await accounts.remove(ada, 'acme/shop', 'the shop closed');
      await everywhere('it is gone', (registry) => registry.stateOf('acme/shop') === undefined);
      expect(await refusal(accounts.get('acme/shop'))).to.equal('There is no account acme/shop');
      expect(await refusal(accounts.add(ada, 'acme/shop', { options: own }))).to.contain('names are never reused');
      expect((await accounts.list('acme')).map(({ ref }) => ref)).to.not.include('acme/shop');
      const kept = await accountModel(database.connection).findById('acme/shop').lean();
      expect(kept).to.include.keys('removedAt').and.not.include.keys('options');
    });

    it('leaves accounts of config to the config files', async () => {
      for (const ref of ['acme', 'acme/main', 'acme/pt']) {
        expect(await refusal(accounts.set(ada, ref, { everybody: true })), ref).to.contain(
          'is an account of the config files',
        );
        expect(await refusal(accounts.remove(ada, ref)), ref).to.contain('is an account of the config files');
      }
    });
  });
});
