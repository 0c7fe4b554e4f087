import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { contractVersion } from '@paywright/contract/core';
import { expect } from 'chai';
import { after, before, describe, it } from 'mocha';
import {
  AdapterLoadError,
  loadAdapters,
  type AdapterEntry,
  type KnownSides,
  type LoadedAdapter,
} from './load-adapters.ts';

const options = { baseUrl: 'https://a.example', sandboxBaseUrl: 'http://127.0.0.1:9', key: 'a key of ours' };

describe('loadAdapters', () => {
  let folder: string;
  let packages = 0;

  /** Installs a package whose adapter is the usual one, changed by a statement on `a`. */
  function install(change = '', name = `pack-${(packages += 1)}`): Pick<AdapterEntry, 'package'> {
    const home = join(folder, 'house/node_modules', name);
    mkdirSync(home, { recursive: true });
    writeFileSync(join(home, 'package.json'), JSON.stringify({ type: 'module', exports: { import: './i.js' } }));
    writeFileSync(
      join(home, 'i.js'),
      `import { v, secret, described, genuine, statusTable } from '${import.meta.resolve('@paywright/contract')}';
      const route = (path, method = 'POST') => ({ path, method, caller: 'server', reports: 'payments',
        verifySignature: () => genuine(1), parseCallback: () => ({ events: [] }) });
      let a = {
        manifest: { name: 'acme', title: 'Acme', code: 41, contract: '^2.0', inputs: ['card'],
          ways: [{ method: 'card', title: 'Card', threeDs: 'unsupported', payerFields: ['name'] }],
          currencies: 'any', declines: { no: '05' }, idempotency: 'the reference',
          options: v.strictObject({ baseUrl: v.string(), sandboxBaseUrl: v.string(), key: secret(8) }),
          reconcile: { stepsSeconds: [1], thenEverySeconds: 60, giveUpAfterSeconds: 600 } },
        submit: async () => ({ outcome: 'succeeded' }), callbacks: [route('acme')], mapStatus: statusTable({ payment: { paid: 'succeeded' } }),
      };
      ${change}
      export default a;`,
    );
    return { package: name };
  }
  const load = async (...entries: Partial<AdapterEntry>[]): Promise<LoadedAdapter[]> =>
    loadAdapters(
      entries.map((entry) => ({ name: 'acme', package: '', state: 'on', options, from: folder, ...entry })),
      { gatewayRoot: join(folder, 'house'), environment: 'production', isProduction: true },
    );
  const problems = async (...entries: Partial<AdapterEntry>[]): Promise<readonly string[]> =>
    load(...entries).then(
      () => [],
      (error: unknown) => {
        if (!(error instanceof AdapterLoadError)) throw error;
        return error.problems;
      },
    );

  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'load-adapters-'));
    install('', 'good');
  });
  after(() => rmSync(folder, { recursive: true }));

  it('loads an adapter and reads its options', async () => {
    const [loaded] = await load({ package: 'good', state: 'draining' });
    expect(loaded).to.include({ name: 'acme', package: 'good', state: 'draining' });
    expect(loaded?.adapter).to.nested.include({ 'manifest.code': 41 });
    expect(loaded).to.have.property('options').that.deep.equals(options);
  });

  it('replaces members of the options with sandboxOptions for test payments', async () => {
    const [same] = await load({ package: 'good' });
    expect(same).to.include({ hasSandboxProofs: false }).and.have.property('sandboxOptions').that.deep.equals(options);
    const [other] = await load({ package: 'good', sandboxOptions: { key: 'a key for tests' } });
    expect(other)
      .to.include({ hasSandboxProofs: true })
      .and.deep.include({
        options,
        sandboxOptions: { ...options, key: 'a key for tests' },
      });
    const [sharing] = await load({ package: 'good', sandboxOptions: { sandboxBaseUrl: options.baseUrl } });
    expect(sharing).to.include({ hasSandboxProofs: false }).and.nested.include({
      'sandboxOptions.sandboxBaseUrl': options.baseUrl,
    });
  });

  it('accepts test payments in production only if no secret is shared by both modes', async () => {
    const more = `a.manifest.options = v.strictObject({ baseUrl: v.string(), sandboxBaseUrl: v.string(), key: v.array(secret()),
      other: v.optional(secret()) })`;
    const none = 'a.manifest.options = v.strictObject({ baseUrl: v.string(), sandboxBaseUrl: v.string() })';
    const nested = `a.manifest.options = v.strictObject({ baseUrl: v.string(), sandboxBaseUrl: v.string(),
      keys: v.optional(v.record(v.string(), v.object({ current: secret(), old: v.optional(v.array(secret())) }))),
      other: v.optional(secret()) })`;
    const { key: _, ...addresses } = options;
    for (const [change, own, sandboxOptions, production] of [
      [more, { key: ['a', 'b'] }, undefined, false],
      [more, { key: ['a', 'b'] }, { key: ['c'] }, true],
      [more, { key: ['a', 'b'] }, { key: ['c', 'b'] }, false], // a former live key
      [more, { key: ['a'], other: 'x' }, { key: ['c'] }, false],
      [more, { key: ['a'], other: 'x' }, { key: ['x'], other: 'y' }, false], // another option's
      [more, { key: ['a'], other: 'x' }, { key: ['c'], other: 'y' }, true],
      [none, {}, undefined, true], // nothing is signed
      [nested, { keys: { a: { current: 'x', old: ['y'] } } }, { keys: { a: { current: 'z' } } }, true],
      [nested, { keys: { a: { current: 'x', old: ['y'] } } }, { keys: { b: { current: 'y' } } }, false],
      [nested, { keys: { a: { current: 'x' } } }, { other: 'o' }, false], // the keys are used on both sides
      [nested, { other: 'o' }, { keys: { a: { current: 'x' } }, other: 'p' }, true], // secrets of one side only
      [nested, {}, { keys: { a: { current: 'x' } } }, true],
    ] as const) {
      const entry = {
        name: 'acme',
        state: 'on',
        options: { ...addresses, ...own },
        sandboxOptions,
        from: folder,
      } as const;
      for (const [isProduction, takes] of [
        [true, production],
        [false, true],
      ] as const) {
        const setup = { gatewayRoot: join(folder, 'house'), environment: 'any', isProduction };
        const [loaded] = await loadAdapters([{ ...entry, ...install(change) }], setup);
        expect(loaded, JSON.stringify([own, sandboxOptions, isProduction])).to.include({ takesTestPayments: takes });
      }
    }
  });

  it('reports the meaning of wrong options, and where to find their values', async () => {
    const change = `a.manifest.options = v.strictObject({ baseUrl: v.string(), sandboxBaseUrl: v.string(),
      accounts: v.optional(v.array(v.strictObject({ id: described(v.string(), 'Our number. Console, Account.') }))),
      key: described(v.pipe(v.array(v.string()), v.minLength(1, 'one or more keys')), 'Signs. Console, Keys.') })`;
    const given = {
      baseUrl: 'https://a.example',
      sandboxBaseUrl: 'https://a.example',
      accounts: [{ no: 1, name: 2 }],
      key: [],
    };
    expect(await problems({ ...install(change), options: given })).to.deep.equal([
      'acme: options.accounts.0.id: is missing (Our number. Console, Account)',
      'acme: options.accounts.0.no: is not an option. Known options: id',
      'acme: options.accounts.0.name: is not an option. Known options: id',
      'acme: options.key: one or more keys (Signs. Console, Keys)',
    ]);
  });

  it('reports a wrong option once if sandboxOptions replace other options', async () => {
    const wrong = { ...options, baseUrl: 'http://a.example', key: 'short' };
    expect(await problems({ package: 'good', options: wrong, sandboxOptions: { key: 'small' } })).to.deep.equal([
      'acme: options.key: at least 8 characters',
      'acme: sandboxOptions.key: at least 8 characters',
    ]);
  });

  it('uses the address for test payments in sandboxOptions if the options have none', async () => {
    const { sandboxBaseUrl, ...others } = options;
    const [loaded] = await load({ package: 'good', options: others, sandboxOptions: { sandboxBaseUrl } });
    expect(loaded).to.have.nested.property('sandboxOptions.sandboxBaseUrl', sandboxBaseUrl);
    expect(await problems({ package: 'good', options: others })).to.have.length(1);
  });

  it('reports wrong sandboxOptions under that name', async () => {
    expect((await problems({ package: 'good', sandboxOptions: { key: 'short' } })).join()).to.match(
      /^acme: sandboxOptions\.key: at least 8/,
    );
  });

  describe('the second addresses of a sandbox that runs here', () => {
    const sandboxUrl = 'http://127.0.0.1:4711';
    const second = `a.manifest.options = v.strictObject({ baseUrl: v.string(), sandboxBaseUrl: v.string(), key: secret(8),
      loginBaseUrl: v.optional(v.string(), 'https://login.example'), keysBaseUrl: v.optional(v.string()) })`;
    /** Installs a package with a sandbox that declares these addresses. */
    function installWith(addresses: string): Pick<AdapterEntry, 'package'> {
      const { package: name } = install(second);
      const home = join(folder, 'house/node_modules', name);
      const exports = { '.': './i.js', './sandbox': './sandbox.js' };
      writeFileSync(join(home, 'package.json'), JSON.stringify({ type: 'module', exports }));
      writeFileSync(
        join(home, 'sandbox.js'),
        `const createSandbox = () => ({ handle() {}, async close() {} });
        createSandbox.addresses = ${addresses};
        export default createSandbox;`,
      );
      return { package: name };
    }
    const loadWith = async (addresses: string, changes: Partial<AdapterEntry> = {}) => {
      const [loaded] = await load({ ...installWith(addresses), sandboxUrl, ...changes });
      return loaded?.adapter ? loaded : expect.fail('it is off');
    };

    it('are in the options of test payments, as the sandbox describes them', async () => {
      const loaded = await loadWith("{ loginBaseUrl: '/login', keysBaseUrl: '' }");
      expect(loaded.options).to.include({ loginBaseUrl: 'https://login.example' }).and.not.have.property('keysBaseUrl');
      expect(loaded.sandboxOptions).to.include({ loginBaseUrl: `${sandboxUrl}/login`, keysBaseUrl: sandboxUrl });
      expect(loaded.sandboxAddresses).to.deep.equal({ loginBaseUrl: `${sandboxUrl}/login`, keysBaseUrl: sandboxUrl });
      expect(loaded).to.include({ hasSandboxProofs: false, takesTestPayments: false });
    });

    it('are those of the config if sandboxOptions name them', async () => {
      const loaded = await loadWith("{ loginBaseUrl: '', keysBaseUrl: '' }", {
        sandboxOptions: { loginBaseUrl: 'https://test.example' },
      });
      expect(loaded.sandboxOptions).to.include({ loginBaseUrl: 'https://test.example', keysBaseUrl: sandboxUrl });
      expect(loaded.sandboxAddresses).to.deep.equal({ keysBaseUrl: sandboxUrl });
    });

    it('are not changed if the sandbox runs elsewhere, declares none, or cannot be imported', async () => {
      const untouched = { sandboxAddresses: {}, options: { ...options, loginBaseUrl: 'https://login.example' } };
      expect(await loadWith("{ loginBaseUrl: '' }", { sandboxUrl: undefined })).to.deep.include(untouched);
      expect(await loadWith('undefined')).to.deep.include(untouched);
      const [without] = await load({ ...install(second), sandboxUrl });
      expect(without).to.deep.include(untouched);
    });

    it('are refused if they are no table, or name no option of the adapter', async () => {
      const problemsWith = async (addresses: string) => problems({ ...installWith(addresses), sandboxUrl });
      expect(await problemsWith('{ loginBaseUrl: 5 }')).to.deep.equal([
        'acme: the `addresses` of its sandbox are not a table of option names and paths',
      ]);
      expect((await problemsWith("{ login: '' }")).join()).to.match(
        /^acme: sandboxOptions\.login: is not an option\. Known options: .*loginBaseUrl/,
      );
    });
  });

  it('does not import an adapter that is off, but keeps its name', async () => {
    const [loaded] = await load({ package: 'unknown', state: 'off', options: undefined });
    expect(loaded).to.include({ name: 'acme', package: 'unknown', state: 'off', adapter: null });
  });

  it('imports an adapter that is off only to read its code and title, and ignores failures', async () => {
    const manifestOf = async (name: string) => {
      const [loaded] = await load({ package: name, state: 'off', options: undefined });
      return loaded?.adapter ? expect.fail('it was imported') : loaded?.readManifest();
    };
    expect(await manifestOf('good')).to.deep.include({ code: 41, title: 'Acme' });
    expect(await manifestOf('unknown')).to.equal(undefined);
  });

  it('reports every problem of every adapter, on one line each', async () => {
    const error: unknown = await load(
      { name: 'one', package: 'unknown' },
      { name: 'two', ...install('throw new Error("no such moon")') },
      { name: 'three', ...install('a.manifest.name = "three"; a.manifest.code = 42; a.callbacks = []'), options: {} },
    ).catch((thrown: unknown) => thrown);
    expect(error).to.be.instanceOf(AdapterLoadError);
    const lines = (error as AdapterLoadError).message.split('\n');
    expect(lines).to.have.length(6);
    expect(lines[0]).to.equal('the adapters of environment production cannot be loaded:');
    expect(lines[1]).to.match(/^ {2}- one: cannot be imported: the package unknown is not installed/);
    expect(lines.slice(2)).to.deep.equal([
      '  - two: cannot be imported: no such moon',
      '  - three: options.baseUrl: is missing',
      '  - three: options.sandboxBaseUrl: is missing',
      '  - three: options.key: is missing',
    ]);
  });

  for (const [change, ...expected] of [
    ['a = undefined', 'is missing'],
    ['a = 5', 'its default export is no adapter: export default defineAdapter({ … })'],
    ['delete a.submit', 'submit: is missing'],
    ['a.fetchStatus = true', 'fetchStatus: a function'],
    ['delete a.callbacks[0].verifySignature', 'callbacks.0.verifySignature: is missing'],
    ['a.callbacks[0].path = "/acme"', 'callbacks.0.path: a path below /callbacks/, without a slash at either end'],
    ['a.callbacks[0].path = "3ds"', "callbacks.0.path: one of core's own addresses"],
    ['a.callbacks[0].path = "test/json"', "callbacks.0.path: one of core's own addresses"],
    ['a.manifest.code = 0', 'manifest.code: a provider code of the specification: 11 to 18 or 21 to 59'],
    ['a.manifest.code = 19', 'manifest.code: a provider code of the specification: 11 to 18 or 21 to 59'],
    ['a.manifest.code = 60', 'manifest.code: a provider code of the specification: 11 to 18 or 21 to 59'],
    ['a.manifest.ways[0].method = "cash"', 'manifest.ways.0.method: the name of a payment method of the contract'],
    ['a.manifest.ways[0].payerFields = ["shoeSize"]', 'manifest.ways.0.payerFields.0: a field of the payer'],
    [
      'a.manifest.ways[0].unfinishedStep = "maybe"',
      'manifest.ways.0.unfinishedStep: expected ("charges_nothing" | "close" | "may_charge")',
    ],
    ['a.manifest.ways[0].stepMinutes = 1.5', 'manifest.ways.0.stepMinutes: whole minutes'],
    ['a.manifest.ways[0].stepMinutes = 0', 'manifest.ways.0.stepMinutes: at least 1 minute'],
    ['a.manifest.ways = []', 'manifest.ways: a list that is not empty'],
    ['a.manifest.maxMinorDigits = 1.5', 'manifest.maxMinorDigits: a whole number'],
    ['a.callbacks[0].maxBodyBytes = 0', 'callbacks.0.maxBodyBytes: at least 1 byte'],
    ['a.callbacks[0].signatureCovers = "body"', 'callbacks.0.signatureCovers: expected "checksum"'],
    ['a.manifest.loadsPerMinute = 0', 'manifest.loadsPerMinute: at least 1'],
    ['a.manifest.loadsPerMinute = 601', 'manifest.loadsPerMinute: at most 600'],
    ['a.manifest.loadsPerMinute = 1.5', 'manifest.loadsPerMinute: a whole number'],
    ['a.manifest.declines.no = "99"', 'manifest.declines.no: a decline code of the specification'],
    ['a.mapStatus = () => "unknown"', 'mapStatus: made by statusTable'],
    ['a.mapStatus.statuses = { payments: [] }', 'mapStatus: made by statusTable'],
    ['a.manifest.options = {}', 'manifest.options: a valibot schema'],
    [
      'a.manifest.cryptocurrencies = ["EUR"]',
      'manifest.cryptocurrencies.0: a cryptocurrency of the contract, such as BTC',
    ],
    ['a.manifest.units = { XX: "EURO" }', 'manifest.units.XX: an ISO 4217 code'],
    ['a.manifest.currencies = 5', 'manifest.currencies: "any", a list of currency codes, or a function that gives one'],
    ['a.manifest.currencies = () => 5', 'manifest.currencies: its function does not return a list of currency codes'],
    ['a.manifest.coin = () => ""', 'manifest.coin: its function does not return the name of a coin'],
    ['a.manifest.ways[0].leadsTo = ""', 'manifest.ways.0.leadsTo: a text that is not empty'],
    ['a.manifest.ways[0].titles = { de: "" }', 'manifest.ways.0.titles.de: a text that is not empty'],
    [
      'a.manifest.brands = { card: [{ name: "Visa", picture: "<svg>" }] }',
      'manifest.brands.card.0.picture: an image of the payer’s page, but it is not an SVG image that begins with <svg, has xmlns and viewBox, and ends with </svg>',
    ],
    [
      'a.manifest.brands = () => ({ card: [{ name: "Visa", picture: "<svg>" }] })',
      'manifest.brands: its function does not return brands by payment method',
    ],
    ['a.manifest.name = "other"', 'manifest.name: its package calls it other; list it under that name'],
    ['a.manifest.contract = "^1.0"', `manifest.contract: written for ^1.0, this gateway has ${contractVersion}`],
    ['a.manifest.contract = "newest"', 'manifest.contract: "newest" is not a version range such as ^1.0'],
    [
      'a.manifest.undecided = { proof: "Say what proves it.", words: "Say what they mean." }',
      'manifest.undecided.proof: Say what proves it.',
      'manifest.undecided.words: Say what they mean.',
    ],
    ['delete a.mapStatus; a.manifest.title = ""', 'manifest.title: a text that is not empty', 'mapStatus: is missing'],
  ] as const) {
    it(`refuses ${change}`, async () => {
      expect(await problems(install(change))).to.deep.equal(expected.map((problem) => `acme: ${problem}`));
    });
  }

  for (const [given, ...expected] of [
    [{ ...options, more: 1 }, 'options.more: is not an option. Known options: baseUrl, sandboxBaseUrl, key'],
    [{ ...options, key: 'short' }, 'options.key: at least 8 characters'],
    [{ ...options, key: 123456789 }, 'options.key: expected string'],
    [{ ...options, baseUrl: 'http://a.example' }, 'options.baseUrl: an https address without a slash at its end'],
    [{ ...options, sandboxBaseUrl: 'https://a.example/' }, 'options.sandboxBaseUrl: an https address'],
    ['a secret instead of the options', 'options: expected Object'],
  ] as const) {
    it(`refuses options ${JSON.stringify(given)}`, async () => {
      const found = await problems({ package: 'good', options: given });
      expect(found).to.have.length(expected.length);
      for (const [at, problem] of expected.entries()) expect(found[at]).to.contain(`acme: ${problem}`);
      expect(found.join()).not.to.match(/short|123456789|a secret/);
    });
  }

  it('never shows the value of an option, for any schema', async () => {
    for (const check of [
      'v.check((key) => { throw new Error(key) })',
      "v.check(() => false, ({ input }) => 'not ' + input)",
      'v.regex(/^x$/)',
      'v.check(() => false)',
    ]) {
      const change = `a.manifest.options = v.looseObject({ key: v.pipe(v.string(), ${check}) })`;
      const [problem, ...others] = await problems(install(change));
      expect(others).to.deep.equal([]);
      expect(problem)
        .to.match(/^acme: options/)
        .and.not.contain(options.key);
    }
  });

  it('refuses two adapters with the same code or the same callback address', async () => {
    const second = install('a.manifest.name = "second"; a.callbacks.push(route("acme", "GET"), route("acme2"))');
    const third = install('a.manifest.name = "third"; a.manifest.code = 42; a.callbacks = [route("acme2")]');
    expect(
      await problems({ package: 'good' }, { name: 'second', ...second }, { name: 'third', ...third }),
    ).to.deep.equal([
      'second: manifest.code 41 belongs to acme already',
      'second: POST /callbacks/acme belongs to acme already',
      'third: POST /callbacks/acme2 belongs to second already',
    ]);
  });

  describe('accounts', () => {
    const on = { state: 'on', options: {} } as const;
    const keyed = `a.manifest.options = v.strictObject({ baseUrl: v.string(), sandboxBaseUrl: v.string(), shop: v.optional(v.string()),
        key: secret(8), parts: v.optional(v.record(v.string(), v.strictObject({ id: v.string(), pin: v.optional(secret()) }))) });
      a.manifest.accountKey = ({ shop }) => shop ?? 'none';`;
    const loadAll = async (entry: Partial<AdapterEntry>, change = keyed) => load({ ...install(change), ...entry });
    const active = (loaded: readonly LoadedAdapter[], account: string) => {
      const found = loaded.find((one) => one.account === account);
      return found?.adapter ? found : expect.fail(`${account} is off or missing`);
    };

    it('follow their adapter, which is the account main with its own options, unchanged', async () => {
      const accounts = {
        'shop-eu': { ...on, options: { key: 'key of the shop', shop: 'EU' }, merchants: ['Ribeira'] },
      };
      const [main, shop, ...others] = await loadAll({ options: { ...options, shop: 'one' }, accounts });
      expect(others).to.deep.equal([]);
      expect(main).to.include({ name: 'acme', account: 'main', ref: 'acme' });
      expect(main)
        .to.have.property('options')
        .that.deep.equals({ ...options, shop: 'one' });
      expect(main).to.not.have.property('merchants');
      expect(shop).to.include({ name: 'acme', account: 'shop-eu', ref: 'acme/shop-eu', state: 'on' });
      expect(shop).to.have.property('merchants').that.deep.equals(['Ribeira']);
      expect(shop?.adapter).to.equal(main?.adapter);
    });

    it('have the options of the adapter without its secrets, overridden by their own', async () => {
      const parts = { one: { id: '1', pin: 'secret pin' } };
      const loaded = await loadAll({
        options: { ...options, shop: 'main', parts },
        accounts: { eu: { ...on, options: { key: 'key of eu', shop: 'EU' } } },
      });
      const { key: _, ...shared } = options;
      const expected = { ...shared, key: 'key of eu', shop: 'EU', parts: { one: { id: '1' } } };
      expect(active(loaded, 'eu').options).to.deep.equal(expected);
      expect(active(loaded, 'main').options).to.deep.equal({ ...options, shop: 'main', parts });
    });

    it('inherit no list whose items have secrets', async () => {
      const change = `${keyed} a.manifest.options = v.strictObject({ ...a.manifest.options.entries,
        pins: v.optional(v.array(secret(4))), tills: v.optional(v.array(v.strictObject({ id: v.string(), pin: secret(4) }))) });`;
      const lists = { pins: ['1111'], tills: [{ id: '1', pin: '2222' }] };
      const loaded = await loadAll(
        { options: { ...options, ...lists }, accounts: { eu: { ...on, options: { key: 'key of eu', shop: 'EU' } } } },
        change,
      );
      expect(active(loaded, 'main').options).to.deep.include(lists);
      expect(active(loaded, 'eu').options).to.not.have.any.keys('pins', 'tills');
    });

    it('have test options from their live options, the adapter’s sandboxOptions without secrets, and their own', async () => {
      const sandboxOptions = { sandboxBaseUrl: 'https://test.example', key: 'test key of main', shop: 'test' };
      const loaded = await loadAll({
        sandboxOptions,
        accounts: {
          eu: { ...on, options: { key: 'key of eu', shop: 'EU' } },
          pt: {
            ...on,
            options: { key: 'key of pt', shop: 'PT' },
            sandboxOptions: { key: 'test key of pt', shop: 'X' },
          },
        },
      });
      const test = { baseUrl: options.baseUrl, sandboxBaseUrl: 'https://test.example' };
      expect(active(loaded, 'eu').sandboxOptions).to.deep.equal({ ...test, shop: 'test', key: 'key of eu' });
      expect(active(loaded, 'pt').sandboxOptions).to.deep.equal({ ...test, shop: 'X', key: 'test key of pt' });
      expect(active(loaded, 'pt').keys).to.deep.equal({ live: 'PT', test: 'X' });
    });

    it('accept test payments in production only with sandboxOptions of their own that share no secret', async () => {
      const accounts = {
        none: { ...on, options: { key: 'key of none', shop: '1' } },
        shares: { ...on, options: { key: 'a shared key', shop: '2' }, sandboxOptions: { key: 'a shared key' } },
        address: { ...on, options: { key: 'a live key', shop: '3' }, sandboxOptions: { shop: '3' } },
        own: { ...on, options: { key: 'a live key 4', shop: '4' }, sandboxOptions: { key: 'a test key 4' } },
      };
      const loaded = await loadAll({ accounts, sandboxOptions: { key: 'test key of main' } });
      const takes = Object.keys(accounts).map((account) => active(loaded, account).takesTestPayments);
      expect([active(loaded, 'main').takesTestPayments, ...takes]).to.deep.equal([true, false, false, false, true]);
    });

    it('are refused without a secret of their own, and for wrong options, each problem with its path and once', async () => {
      const accounts = {
        eu: on,
        pt: { ...on, options: { key: 'short' } },
        es: { ...on, options: { key: 'key of es', no: 1 } },
      };
      expect(await problems({ package: 'good', accounts })).to.deep.equal([
        'acme: accounts.eu.options.key: is missing',
        'acme: accounts.pt.options.key: at least 8 characters',
        'acme: accounts.es.options.no: is not an option. Known options: baseUrl, sandboxBaseUrl, key',
      ]);
      const wrong = { ...options, baseUrl: 'http://a.example' };
      const both = await problems({
        package: 'good',
        options: wrong,
        accounts: { eu: { ...on, options: { key: 'key of eu' } } },
      });
      expect(both).to.have.length(1);
      expect(both[0]).to.contain('acme: options.baseUrl');
    });

    it('are refused if the provider knows two of them as the same account', async () => {
      const accounts = {
        eu: { ...on, options: { key: 'key of eu', shop: 'EU' } },
        pt: { ...on, options: { key: 'key of pt', shop: 'EU' } },
      };
      expect(await problems({ ...install(keyed), accounts })).to.deep.equal([
        'acme: accounts.pt.options: name the same account of the provider as acme/eu: remove one of them',
      ]);
      const several = `${keyed} a.manifest.accountKey = ({ shop }) => shop?.split(' ') ?? ['none'];`;
      const holding = { ...accounts, pt: { ...on, options: { key: 'key of pt', shop: 'PT EU' } } };
      expect(await problems({ ...install(several), accounts: holding })).to.deep.equal([
        'acme: accounts.pt.options: name the same account of the provider as acme/eu: remove one of them',
      ]);
      expect(await problems(install(`${keyed} a.manifest.accountKey = () => [];`))).to.include(
        'acme: manifest.accountKey: its function does not return a text that is not empty',
      );
      expect(
        await problems(install(`${keyed} a.manifest.accountKey = () => { throw new Error('a key of ours') }`)),
      ).to.include('acme: manifest.accountKey: its function does not return a text that is not empty');
    });

    it('name the command that corrects them if the database has them', async () => {
      const stored = { accounts: { shop: { state: 'on', options: { key: 'short' } } }, removed: [] } as const;
      const [problem, ...others] = await problems({ package: 'good', stored });
      expect(others).to.deep.equal([]);
      expect(problem)
        .to.match(/^acme: accounts\.shop\.options\.key: /)
        .and.match(/: an account of the database: use paywright accounts set acme\/shop$/)
        .and.not.contain('short');
      const [, shop] = await load({
        package: 'good',
        stored: { ...stored, accounts: { shop: { state: 'on', options: { key: 'a longer key' } } } },
      });
      expect(shop).to.include({ ref: 'acme/shop', isStored: true });
    });

    it('are listed without their options while they, or their adapter, are off', async () => {
      const off = { eu: { ...on, state: 'off', options: {}, merchants: ['Ribeira'] } } as const;
      for (const entry of [
        { accounts: off },
        { accounts: { eu: { ...off.eu, state: 'on' } }, state: 'off' },
      ] as const) {
        const [main, eu] = await loadAll(entry);
        expect(main?.adapter === null).to.equal('state' in entry);
        expect(eu).to.include({ ref: 'acme/eu', state: 'off', adapter: null });
        expect(eu).to.have.property('merchants').that.deep.equals(['Ribeira']);
      }
    });

    it('are refused at the callback address of another adapter', async () => {
      const other = install('a.manifest.name = "other"; a.manifest.code = 42; a.callbacks = [route("acme/eu")]');
      const accounts = { eu: { ...on, options: { key: 'key of eu' } } };
      expect(await problems({ package: 'good', accounts }, { name: 'other', ...other })).to.deep.equal([
        'other: POST /callbacks/acme/eu belongs to acme already',
      ]);
    });

    it('are read again only if their options, or those of the adapter, have changed', async () => {
      const read = `${keyed} globalThis.readKeys = []; const { accountKey } = a.manifest;
        a.manifest.accountKey = (read) => { globalThis.readKeys.push(read.shop ?? 'main'); return accountKey(read); };`;
      const known: KnownSides = new WeakMap();
      const pack = install(read);
      const [eu, pt] = [
        { key: 'key of eu', shop: 'EU' },
        { key: 'key of pt', shop: 'PT' },
      ];
      const readOf = async (accounts: Record<string, object>, own: object = options): Promise<readonly string[]> => {
        const { readKeys } = globalThis as unknown as { readKeys?: string[] };
        readKeys?.splice(0);
        const entry = { ...pack, name: 'acme', state: 'on', from: folder, options: own } as const;
        const shops = Object.entries(accounts).map(([name, given]) => [name, { ...on, options: given }]);
        const context = { gatewayRoot: join(folder, 'house'), environment: 'test', isProduction: false, known };
        const loaded = await loadAdapters([{ ...entry, accounts: Object.fromEntries(shops) }], context);
        expect(loaded.map((one) => one.adapter && one.keys.live)).to.deep.equal([
          'none',
          ...Object.keys(accounts).map((name) => name.toUpperCase()),
        ]);
        return [...new Set((globalThis as unknown as { readKeys: string[] }).readKeys)];
      };
      expect(await readOf({ eu, pt })).to.have.members(['main', 'EU', 'PT']);
      expect(await readOf({ eu, pt })).to.deep.equal(['main']);
      expect(await readOf({ eu: { ...eu }, pt })).to.have.members(['main', 'EU']);
      expect(await readOf({ eu, pt }, { ...options, baseUrl: 'https://b.example' })).to.have.members([
        'main',
        'EU',
        'PT',
      ]);
    });

    it('are loaded by the thousand within 2 s, with one import', async () => {
      const shops = Array.from({ length: 1000 }, (_, n) => [
        `shop-${n}`,
        { ...on, options: { key: `key of shop ${n}`, shop: `${n}` } },
      ]);
      const entry = { ...install(keyed), accounts: Object.fromEntries(shops) as Record<string, typeof on> };
      await load(entry);
      const began = performance.now();
      const loaded = await load(entry);
      expect(performance.now() - began).to.be.below(2000);
      expect(loaded).to.have.length(1001);
      expect(new Set(loaded.map(({ adapter }) => adapter)).size).to.equal(1);
    });
  });
});
