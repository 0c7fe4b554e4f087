import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { expect } from 'chai';
import { after, before, describe, it } from 'mocha';
import { ConfigError, loadConfig } from './load-config.ts';

const root = resolve(import.meta.dirname, '../..');

const [key, otherKey] = [7, 8].map((byte) => Buffer.alloc(32, byte).toString('base64'));

/** The variables that production.yaml needs. */
const production = {
  GATEWAY_ENV: 'production',
  PUBLIC_URL: 'https://pay.example',
  MONGODB_URI: 'mongodb://gateway:word@db.example/gateway?tls=true',
  GATEWAY_ENCRYPTION_KEY: `${key}, ${otherKey}`,
  GATEWAY_3DS_TOKEN_SECRET: 'a token secret of at least 32 bytes',
  PROVIDER_A_BASE_URL: 'https://api.provider-a.example',
  PROVIDER_A_SANDBOX_BASE_URL: 'https://sandbox.provider-a.example',
  PROVIDER_A_ACCOUNT: 'GatewayEU',
  PROVIDER_A_API_KEY: 'api-key',
  PROVIDER_A_ITEM_KEY: 'item-key',
  PROVIDER_A_RETURN_KEY: 'return-key',
  PROVIDER_A_SEAL_KEY: 'seal-key',
  PROVIDER_A_REFUND_KEY: 'refund-key',
};

describe('loadConfig', () => {
  let cwd: string;
  before(async () => {
    cwd = await mkdtemp(join(tmpdir(), 'gateway-config-'));
  });
  after(() => rm(cwd, { recursive: true }));

  /** Loads with further files, given as name and text, in their order. */
  async function load(files: Record<string, string> = {}, env: Record<string, string> = {}) {
    for (const [name, text] of Object.entries(files)) {
      await mkdir(dirname(join(cwd, name)), { recursive: true });
      await writeFile(join(cwd, name), text);
    }
    return loadConfig({ env: { GATEWAY_CONFIG: Object.keys(files).join(','), ...env }, root, cwd });
  }

  async function problemsOf(files: Record<string, string>, env: Record<string, string> = {}) {
    try {
      await load(files, env);
    } catch (error) {
      if (error instanceof ConfigError) return error.problems;
      throw error;
    }
    throw new Error('the settings were accepted');
  }

  describe('merging', () => {
    it('loads development if nothing is set', async () => {
      const { config, environment, files, adapterDirs } = await load();
      expect(environment).to.equal('development');
      expect(files).to.deep.equal(['default', 'development'].map((name) => join(root, `config/${name}.yaml`)));
      expect(config.server.publicUrl).to.equal('http://127.0.0.1:8080');
      expect(config.database).to.deep.equal({ dataDir: join(root, '.data'), allowInsecure: false });
      expect(config.notifications.allowedPrivateNetworks).to.deep.equal(['127.0.0.0/8', '::1/128']);
      expect(config.adapters['provider-a']).to.deep.include({ package: '@paywright/provider-a', state: 'on' });
      expect(config.adapters['provider-a']?.sandbox).to.deep.equal({ run: true, delayMs: 300, options: {} });
      expect(config.routes[0]).to.deep.equal({
        id: 1,
        when: { method: ['card', 'wallet_card'] },
        use: ['provider-a'],
        fallback: false,
      });
      expect(adapterDirs).to.include({ 'provider-a': join(root, 'config') });
    });

    it('keeps the data outside of node_modules if npm installed the gateway', async () => {
      const installed = join(cwd, 'shop/node_modules/paywright');
      await cp(join(root, 'config'), join(installed, 'config'), { recursive: true });
      const { config } = await loadConfig({ env: {}, root: installed, cwd });
      expect(config.database.dataDir).to.equal(join(cwd, 'shop/.data'));
    });

    it('merges the files of GATEWAY_CONFIG last: maps key by key, lists whole', async () => {
      const { config, origin, adapterDirs } = await load({
        'one.yaml': 'adapters: { provider-a: { options: { sandboxBaseUrl: "http://127.0.0.1:1", sealKeys: [a] } } }',
        'sub/two.yaml':
          'adapters: { provider-a: { options: { sandboxBaseUrl: "http://127.0.0.1:2" } }, own: { package: own } }',
      });
      expect(config.adapters['provider-a']?.options).to.deep.include({
        account: 'GatewayEU',
        sealKeys: ['a'],
        sandboxBaseUrl: 'http://127.0.0.1:2',
      });
      expect(origin(['adapters', 'provider-a', 'options', 'sealKeys'])).to.equal('one.yaml');
      expect(origin(['adapters', 'provider-a', 'options', 'account'])).to.equal('config/development.yaml');
      expect(adapterDirs).to.include({ 'provider-a': join(root, 'config'), own: join(cwd, 'sub') });
    });

    it('puts environment variables above every file, and ignores an empty one', async () => {
      const { config, origin } = await load(
        { 'a.yaml': 'server: { port: 1111 }\nworkers: { count: 5 }' },
        { PORT: '2222', HOST: '::1', API_PROCESSES: '4', WORKERS: '3', LOG_LEVEL: '', GATEWAY_DATA_DIR: 'here' },
      );
      expect(config.server).to.include({ port: 2222, host: '::1', processes: 4, publicUrl: 'http://[::1]:2222' });
      expect(config.workers.count).to.equal(3);
      expect(config.log.level).to.equal('info');
      expect(config.database.dataDir).to.equal(join(cwd, 'here'));
      expect(origin(['server', 'port'])).to.equal('environment variable PORT');
    });

    it('reads the files of every environment', async () => {
      expect((await load({}, { GATEWAY_ENV: 'test' })).config.log.level).to.equal('silent');
      const { config, environment } = await load({}, production);
      expect(environment).to.equal('production');
      expect(config.keys.liveKeys).to.equal(true);
      expect(config.payments.openAllCurrencies).to.equal(false);
      expect(config.notifications.allowedPrivateNetworks).to.deep.equal([]);
      expect(config.adapters['provider-a']?.state).to.equal('on');
      expect(config.adapters['provider-a']?.options['itemKeys']).to.deep.equal(['item-key']);
    });

    it('reads the files that an environment extends before its own file', async () => {
      const folder = join(cwd, 'bases');
      const files = {
        default: await readFile(join(root, 'config/default.yaml'), 'utf8'),
        first: 'workers: { count: 1 }\nlog: { level: warn }',
        second: 'extends: first\nworkers: { count: 2 }',
        third: 'extends: second\nserver: { port: 3 }',
        around: 'extends: about',
        about: 'extends: around',
        strange: 'extends: 7',
      };
      await mkdir(join(folder, 'config'), { recursive: true });
      for (const [name, text] of Object.entries(files)) await writeFile(join(folder, `config/${name}.yaml`), text);
      const loadThere = async (name: string) => loadConfig({ env: { GATEWAY_ENV: name }, root: folder });

      const { config, environment, origin, files: read } = await loadThere('third');
      expect(environment).to.equal('third');
      expect([config.server.port, config.workers.count, config.log.level]).to.deep.equal([3, 2, 'warn']);
      expect(read).to.deep.equal(
        ['default', 'first', 'second', 'third'].map((name) => join(folder, `config/${name}.yaml`)),
      );
      expect(origin(['log', 'level'])).to.equal('config/first.yaml');

      for (const [name, where, choices] of [
        ['around', 'about', 'first, second, strange, third'],
        ['strange', 'strange', 'about, around, first, second, third'],
      ] as const) {
        const error: unknown = await loadThere(name).catch((problem: unknown) => problem);
        expect(error).to.be.instanceOf(ConfigError);
        expect((error as ConfigError).problems).to.deep.equal([
          `config/${where}.yaml: extends: must be another environment: one of ${choices}`,
        ]);
      }
      expect(await problemsOf({ 'x.yaml': 'extends: development' })).to.have.length(1);
    });

    it('loads a file that has the earlier name of an adapter package, with a warning that names file and cure', async () => {
      const adapter = "adapters: { provider-c: { package: '@gateway/provider-c' } }";
      const { config, warnings, adapterDirs } = await load({ 'a.yaml': adapter });
      expect(config.adapters['provider-c']?.package).to.equal('@paywright/provider-c');
      expect(adapterDirs['provider-c']).to.equal(cwd);
      expect(warnings).to.deep.equal([
        'a.yaml: adapters.provider-c.package: the package is now called @paywright/provider-c; change the name in this file',
      ]);
      expect((await load({})).warnings).to.deep.equal([]);
    });

    it('removes the slash at the end of publicUrl', async () => {
      const { config } = await load({}, { PUBLIC_URL: 'http://pay.example/gateway/' });
      expect(config.server.publicUrl).to.equal('http://pay.example/gateway');
    });
  });

  describe('problems', () => {
    for (const [title, text, problem] of [
      [
        'an unknown key',
        'server: { prot: 1 }',
        /^x\.yaml: server\.prot: is not a setting; server may have host, port, /,
      ],
      ['an unknown section', 'serverr: {}', /^x\.yaml: serverr: is not a setting; the file may have server, /],
      [
        'an unknown key of an adapter',
        'adapters: { provider-a: { opts: {} } }',
        /^x\.yaml: adapters\.provider-a\.opts: is not a setting; adapters\.provider-a may have package, state, /,
      ],
      [
        'an unknown key of a rule',
        'risk: [{ id: 1, action: deny, reason: a, hi: 1 }]',
        /^x\.yaml: risk\.0\.hi: is not a setting; risk\.0 may have id, /,
      ],
      ['a wrong number', 'server: { port: 70000 }', /^x\.yaml: server\.port: must be a number from 1 to 65535$/],
      ['a broken number', 'server: { port: 80.5 }', /^x\.yaml: server\.port: must be a whole number from 1 to 65535$/],
      ['a wrong value', 'log: { level: loud }', /^x\.yaml: log\.level: must be one of fatal, error, /],
      ['a float as money', 'payments: { exchangeRates: { USD: 0.9 } }', /exchangeRates\.USD: must be a decimal number/],
      ['a rate of zero', 'payments: { exchangeRates: { USD: "0.00" } }', /exchangeRates\.USD: must be more than 0$/],
      ['an empty section', 'server:', /^x\.yaml: server: must be a map$/],
      ['a list for a map', 'server: [1]', /^x\.yaml: server: must be a map$/],
      ['a list for options', 'adapters: { provider-a: { options: [] } }', /provider-a\.options: must be a map$/],
      ['a wrong network', 'notifications: { allowedPrivateNetworks: [10.0.0.0/33] }', /Networks\.0: must be a network/],
      ['a wrong adapter name', 'adapters: { Provider_A: { package: a } }', /adapters\.Provider_A: must be 1 to 40 of/],
      ['an adapter without package', 'adapters: { own: {} }', /^x\.yaml: adapters\.own\.package: is missing; /],
      ['a short token secret', 'threeDs: { tokenSecrets: [short] }', /tokenSecrets\.0: must have at least 32 bytes$/],
      ['a wrong key', 'security: { encryptionKey: c2hvcnQ= }', /encryptionKey\.0: must be 32 bytes in base64/],
      ['a wrong key among others', `security: { encryptionKey: "${key},c2hvcnQ=" }`, /encryptionKey\.1: must be 32/],
      ['a URL with a query', 'server: { publicUrl: "http://a.example/?a" }', /publicUrl: must be an http or https/],
      [
        'a short retention',
        'callbacks: { keepDays: 89 }',
        /^x\.yaml: callbacks\.keepDays: must be a number from 90 to/,
      ],
      [
        'a rule that names no adapter',
        'routes: [{ id: 1, use: [provider-a, provider-z] }]',
        /^x\.yaml: routes\.0\.use\.1: is not an adapter of the section adapters; it has: provider-a(, [a-z-]+)*$/,
      ],
      [
        'an id used twice',
        'routes: [{ id: 1, use: [provider-a] }, { id: 1, use: [provider-a] }]',
        /^x\.yaml: routes\.1\.id: is also the id of routes\.0$/,
      ],
      ['broken YAML', 'log:\n  level: "info', /^x\.yaml: line 2: is not valid YAML \(missing char\)$/],
      ['a key given twice', 'log: { level: info, level: warn }', /^x\.yaml: log\.level: is defined twice; keep one$/],
      ['a key of the prototype', '__proto__: { a: 1 }', /^x\.yaml: __proto__: is not allowed as a name of a setting$/],
      ['an alias', 'log: &a {}\nmail: *a', /^x\.yaml: mail: is an alias/],
      ['a file that is a list', '- 1', /^x\.yaml: must be a map of settings$/],
    ] as const) {
      it(`names ${title}`, async () => {
        const problems = await problemsOf({ 'x.yaml': text });
        expect(problems).to.have.length(1);
        expect(problems[0]).to.match(problem);
      });
    }

    it('reports all problems together, each with its file', async () => {
      const problems = await problemsOf(
        { 'one.yaml': 'log: { level: 1 }\nkeys: { a: 1, b: 2 }', 'two.yaml': 'routes: [{ id: 2, use: [none] }]' },
        { PORT: 'eighty' },
      );
      expect(problems.map((line) => line.split(': ').slice(0, 2).join(': '))).to.have.members([
        'environment variable PORT: server.port',
        'one.yaml: log.level',
        'one.yaml: keys.a',
        'one.yaml: keys.b',
        'two.yaml: routes.0.use.0',
      ]);
    });

    it('names a file that is missing', async () => {
      expect(await problemsOf({}, { GATEWAY_CONFIG: 'nowhere.yaml' })).to.deep.equal([
        'nowhere.yaml: the file does not exist; create it, or correct GATEWAY_CONFIG',
      ]);
    });

    for (const name of ['staging', 'default', '../package']) {
      it(`refuses the environment "${name}" and lists the environments`, async () => {
        expect(await problemsOf({}, { GATEWAY_ENV: name })).to.deep.equal([
          `config/${name}.yaml: the file does not exist; GATEWAY_ENV must be one of development, production, test`,
        ]);
      });
    }

    for (const [title, url, source] of [
      ['no public address', '', 'config/default.yaml'],
      ['a public address without https', 'http://pay.example', 'environment variable PUBLIC_URL'],
    ] as const) {
      it(`refuses ${title} in production`, async () => {
        expect(await problemsOf({}, { ...production, PORT: '81', PUBLIC_URL: url })).to.deep.equal([
          `${source}: server.publicUrl: must be an https address in production; set PUBLIC_URL`,
        ]);
      });
    }
  });

  describe('substituted values', () => {
    const options = async (files: Record<string, string>, env: Record<string, string> = {}) =>
      (await load(files, env)).config.adapters['provider-a']?.options;
    const inOptions = (text: string) => `adapters: { provider-a: { options: { apiKey: ${JSON.stringify(text)} } } }`;

    for (const [written, becomes] of [
      ['${env:NAME}', 'value'],
      ['a ${env:NAME}, ${env:NAME}', 'a value, value'],
      ['${env:NONE:-default}', 'default'],
      ['${env:EMPTY:-}', ''],
      ['$${env:NAME}', '${env:NAME}'],
      ['${env:NESTED}', '${env:NAME}'],
      ['$NAME $ {env:NAME}', '$NAME $ {env:NAME}'],
    ] as const) {
      it(`reads ${written}`, async () => {
        const env = { NAME: 'value', EMPTY: '', NESTED: '${env:NAME}' };
        expect(await options({ 'x.yaml': inOptions(written) }, env)).to.include({ apiKey: becomes });
      });
    }

    it('reads a file relative to the settings file, without its last line feed', async () => {
      await mkdir(join(cwd, 'deep'), { recursive: true });
      await writeFile(join(cwd, 'deep/secret'), 'two\nlines\n');
      const { config, secretValues } = await load({ 'deep/x.yaml': inOptions('${file:secret}') });
      expect(config.adapters['provider-a']?.options).to.include({ apiKey: 'two\nlines' });
      expect([...secretValues]).to.deep.equal(['adapters.provider-a.options.apiKey']);
    });

    const at = 'x.yaml: adapters.provider-a.options.apiKey';
    for (const [text, removed] of [
      ['good secret\n', 'a line end after the value was removed'],
      ['good secret\r\n\n', 'a line end after the value was removed'],
      [' good secret', 'a blank before the value was removed'],
      ['\tgood secret \n', 'a tab before the value and a line end, a blank after the value was removed'],
      ['\uFEFFgood secret\u00A0', 'a byte order mark before the value and a blank after the value was removed'],
    ] as const) {
      it(`removes white space around a value of the environment and warns: ${JSON.stringify(text)}`, async () => {
        const { config, warnings } = await load({ 'x.yaml': inOptions('${env:NAME}') }, { NAME: text });
        expect(config.adapters['provider-a']?.options).to.include({ apiKey: 'good secret' });
        expect(warnings).to.deep.equal([`${at} (environment variable NAME): ${removed}`]);
      });
    }

    for (const [text, removed] of [
      ['good secret\n\n', 'a line end after the value was removed'],
      ['good secret \n', 'a blank after the value was removed'],
      ['\uFEFFgood secret', 'a byte order mark before the value was removed'],
      ['\uFEFFgood secret\r\n', 'a byte order mark before the value was removed'],
    ] as const) {
      it(`removes white space around the text of a file and warns: ${JSON.stringify(text)}`, async () => {
        await writeFile(join(cwd, 'secret'), text);
        const { config, warnings } = await load({ 'x.yaml': inOptions('${file:secret}') });
        expect(config.adapters['provider-a']?.options).to.include({ apiKey: 'good secret' });
        expect(warnings).to.deep.equal([`${at} (file secret): ${removed}`]);
      });
    }

    it('names the position of a list item, and removes white space around variables that set a value', async () => {
      const list = 'adapters: { provider-a: { options: { itemKeys: [one, "${env:KEY}"] } } }';
      const { config, warnings } = await load({ 'x.yaml': list }, { KEY: 'two\n', LOG_LEVEL: ' warn\n' });
      expect(config.adapters['provider-a']?.options).to.deep.include({ itemKeys: ['one', 'two'] });
      expect(config.log.level).to.equal('warn');
      expect(warnings).to.deep.equal([
        'x.yaml: adapters.provider-a.options.itemKeys.1 (environment variable KEY): a line end after the value was removed',
      ]);
    });

    it('refuses white space alone as a missing value', async () => {
      expect(await problemsOf({ 'x.yaml': inOptions('${env:NAME}') }, { NAME: ' \n' })).to.deep.equal([
        `${at}: the environment variable NAME is not set or empty; set it`,
      ]);
    });

    it('refuses control characters, whatever the value comes from', async () => {
      await writeFile(join(cwd, 'secret'), 'good\0secret\n');
      expect(await problemsOf({ 'x.yaml': inOptions('${file:secret}') })).to.deep.equal([
        `${at} (file secret): contains the control character U+0000; remove it`,
      ]);
      expect(await problemsOf({ 'x.yaml': inOptions('${env:NAME}') }, { NAME: 'a\u001Bb' })).to.deep.equal([
        `${at} (environment variable NAME): contains the control character U+001B; remove it`,
      ]);
      expect(await problemsOf({ 'x.yaml': inOptions('a\u0007b') })).to.deep.equal([
        `${at}: contains the control character U+0007; remove it`,
      ]);
    });

    it('reads a number and a truth value from text', async () => {
      const text = 'server: { port: "${env:A}" }\nkeys: { liveKeys: "${env:B}" }';
      const { config } = await load({ 'x.yaml': text }, { A: '81', B: 'true' });
      expect([config.server.port, config.keys.liveKeys]).to.deep.equal([81, true]);
    });

    for (const [written, problem] of [
      ['${env:NONE}', 'the environment variable NONE is not set or empty; set it'],
      ['${env:EMPTY}', 'the environment variable EMPTY is not set or empty; set it'],
      ['${file:none}', 'the file none cannot be read (ENOENT); make it readable or correct the path'],
      ['${file:.}', 'the file . cannot be read (EISDIR); make it readable or correct the path'],
      [
        '${ENV:NAME}',
        'has a ${…} that is not ${env:NAME}, ${env:NAME:-default} or ${file:path}; write $${ for a literal ${',
      ],
      [
        '${env:NAME',
        'has a ${…} that is not ${env:NAME}, ${env:NAME:-default} or ${file:path}; write $${ for a literal ${',
      ],
    ] as const) {
      it(`refuses ${written}`, async () => {
        const problems = await problemsOf({ 'x.yaml': inOptions(written) }, { EMPTY: '', NAME: 'value' });
        expect(problems).to.deep.equal([`x.yaml: adapters.provider-a.options.apiKey: ${problem}`]);
      });
    }

    for (const [uri, lacks] of [
      ['mongodb://db.example/', 'has no credentials and no TLS (tls=true): '],
      ['mongodb://db.example/?ssl=true', 'has no credentials: '],
      ['mongodb://me@db.example/?tls=true', 'has no credentials: '],
      ['mongodb://me:word@a.example,b.example/x?replicaSet=r', 'has no TLS (tls=true): '],
      ['mongodb+srv://me:word@db.example/?tls=false', 'has no TLS (tls=true): '],
      [
        'mongodb+srv://me:word@db.example/?tlsInsecure=true',
        "has no check of the server's identity (tlsInsecure=false): ",
      ],
      [
        'mongodb://db.example/?tls=true&TLSAllowInvalidCertificates=true&tlsAllowInvalidHostnames=1',
        "has no credentials and no check of the server's identity (tlsAllowInvalidCertificates=false) and no check of the server's identity (tlsAllowInvalidHostnames=false): ",
      ],
      ['mongodb+srv://me:word@db.example', ''],
      ['mongodb+srv://me:word@db.example/?tlsInsecure=false', ''],
      ['mongodb://db.example/?authMechanism=MONGODB-X509&authSource=%24external&tls=true', ''],
      ['mongodb+srv://db.example/?authMechanism=MONGODB-AWS', ''],
    ] as const) {
      it(`${lacks ? 'refuses' : 'accepts'} in production a database at ${uri}`, async () => {
        const env = { ...production, MONGODB_URI: uri };
        if (!lacks) return void (await load({}, env));
        const [problem, ...others] = await problemsOf({}, env);
        expect(problem).to.contain(`database.uri: ${lacks}`).and.contain('database.allowInsecure');
        expect(problem).to.not.contain('db.example');
        expect(others).to.deep.equal([]);
        const { config } = await load({ 'x.yaml': 'database: { allowInsecure: true }' }, env);
        expect(config.database.uri).to.equal(uri);
      });
    }

    it('refuses production without its secrets, even if no file names a variable for them', async () => {
      const text = 'security: { encryptionKey: null }\nthreeDs: { tokenSecrets: null }';
      expect((await problemsOf({ 'x.yaml': text }, production)).map((line) => line.split(': ')[1])).to.have.members([
        'security.encryptionKey',
        'threeDs.tokenSecrets',
      ]);
      const own = join(cwd, 'own');
      const files = { default: await readFile(join(root, 'config/default.yaml'), 'utf8'), production: '' };
      await mkdir(join(own, 'config'), { recursive: true });
      for (const [name, file] of Object.entries(files)) await writeFile(join(own, `config/${name}.yaml`), file);
      const env = { GATEWAY_ENV: 'production', PUBLIC_URL: 'https://pay.example' };
      const error: unknown = await loadConfig({ env, root: own }).catch((problem: unknown) => problem);
      expect((error as ConfigError).problems).to.deep.equal([
        'config/production.yaml: security.encryptionKey: must be set in production; set GATEWAY_ENCRYPTION_KEY',
        'config/default.yaml: threeDs.tokenSecrets: must be set in production; set GATEWAY_3DS_TOKEN_SECRET',
      ]);
    });

    it('applies the rules of production to every environment that extends it, directly or not', async () => {
      const folder = join(cwd, 'environments');
      await mkdir(join(folder, 'config'), { recursive: true });
      for (const name of ['default', 'development', 'production', 'test'])
        await writeFile(join(folder, `config/${name}.yaml`), await readFile(join(root, `config/${name}.yaml`), 'utf8'));
      await writeFile(join(folder, 'config/prod-eu.yaml'), 'extends: production\nlog: { level: warn }');
      await writeFile(join(folder, 'config/prod-eu-2.yaml'), 'extends: prod-eu');
      const insecure = { ...production, PUBLIC_URL: 'http://pay.example', MONGODB_URI: 'mongodb://db.example/gateway' };
      const seen: Record<string, boolean> = {};
      const refusedAs = async (name: string): Promise<string[]> => {
        const error: unknown = await loadConfig({
          env: { ...insecure, GATEWAY_ENV: name },
          root: folder,
          async checkAdapters({ isProduction }) {
            seen[name] = isProduction;
            return [];
          },
        }).catch((problem: unknown) => problem);
        return error instanceof ConfigError ? [...error.problems] : [];
      };
      const refused = await refusedAs('production');
      expect(refused).to.have.length(2);
      for (const name of ['prod-eu', 'prod-eu-2']) expect(await refusedAs(name), name).to.deep.equal(refused);
      expect(await refusedAs('test')).to.deep.equal([]);
      expect(seen).to.deep.equal({ production: true, 'prod-eu': true, 'prod-eu-2': true, test: false });
      const env = { ...production, GATEWAY_ENV: 'prod-eu-2' };
      expect(await loadConfig({ env, root: folder })).to.include({ environment: 'prod-eu-2', isProduction: true });
    });

    it('names the variable that a wrong value came from', async () => {
      const env = { WORD: 'loud', OTHER: 'x' };
      const text = 'log: { level: "${env:WORD}" }\nserver: { host: "${env:OTHER} ${env:UNSET:-y}" }';
      expect(await problemsOf({ 'x.yaml': text }, env)).to.have.members([
        'x.yaml: log.level (environment variable WORD): must be one of fatal, error, warn, info, debug, trace, silent',
        'x.yaml: server.host (environment variable OTHER, environment variable UNSET): must be a host name or an IP address',
      ]);
    });

    it('checks the adapters even if other settings are wrong, and reports each problem once', async () => {
      const asked: string[] = [];
      const text =
        'log: { level: loud }\nadapters: { provider-a: { fee: wrong, options: { apiKey: "${env:NONE}" } }, bad: { package: 1 } }';
      const file = join(cwd, 'asked.yaml');
      await writeFile(file, text);
      const error: unknown = await loadConfig({
        env: { GATEWAY_CONFIG: file },
        root,
        async checkAdapters({ adapters, adapterDirs }) {
          asked.push(...Object.keys(adapters));
          expect(adapterDirs['provider-a']).to.equal(join(root, 'config'));
          const at = (...path: string[]) => ({
            path: ['adapters', 'provider-a', 'options', ...path],
            message: 'wrong',
          });
          return [at('apiKey'), at('account')];
        },
      }).catch((problem: unknown) => problem);
      expect(asked).to.include('provider-a').and.not.include('bad');
      expect((error as ConfigError).problems).to.have.members([
        `${file}: adapters.provider-a.options.apiKey: the environment variable NONE is not set or empty; set it`,
        `${file}: log.level: must be one of fatal, error, warn, info, debug, trace, silent`,
        `${file}: adapters.provider-a.fee: must be a map`,
        `${file}: adapters.bad.package: must be text that is not empty`,
        'config/development.yaml: adapters.provider-a.options.account: wrong',
      ]);
    });

    it('names every missing secret of production', async () => {
      const problems = await problemsOf({}, { GATEWAY_ENV: 'production', PUBLIC_URL: 'https://pay.example' });
      const needed = Object.keys(production).filter((name) => !['GATEWAY_ENV', 'PUBLIC_URL'].includes(name));
      expect(problems).to.have.length(needed.length);
      for (const name of needed) {
        const line = problems.find((problem) => problem.includes(`variable ${name} `));
        expect(line).to.match(/^config\/production\.yaml: [\w.-]+: the environment variable /);
      }
    });

    it('allows an adapter that is off without its secrets, and lists the missing ones', async () => {
      const { PROVIDER_A_ITEM_KEY: _, ...env } = production;
      const { config, adapterGaps } = await load({ 'x.yaml': 'adapters: { provider-a: { state: off } }' }, env);
      expect(config.adapters['provider-a']?.options).to.include({ apiKey: 'api-key' }).and.not.have.key('itemKeys');
      expect(adapterGaps['provider-a']).to.deep.equal([
        'config/production.yaml: adapters.provider-a.options.itemKeys.0: the environment variable PROVIDER_A_ITEM_KEY is not set or empty; set it',
      ]);
      expect(await problemsOf({ 'x.yaml': 'adapters: { provider-a: { state: draining } }' }, env)).to.have.length(1);
    });

    it('reads further accounts of an adapter, and resolves the secrets in their options', async () => {
      const account = 'options: { apiKey: " ${env:EU_KEY}" }, currencies: [EUR], merchants: [Ribeira Books]';
      const { config, secretValues } = await load(
        { 'x.yaml': `adapters: { provider-a: { accounts: { shop-eu: { ${account} } } } }` },
        { EU_KEY: 'the key' },
      );
      expect(config.adapters['provider-a']?.accounts).to.deep.equal({
        'shop-eu': {
          state: 'on',
          options: { apiKey: ' the key' },
          currencies: ['EUR'],
          merchants: ['Ribeira Books'],
        },
      });
      expect([...secretValues]).to.include('adapters.provider-a.accounts.shop-eu.options.apiKey');
    });

    for (const name of ['main', 'Shop', '1st', 'a_b', 'a'.repeat(41)]) {
      it(`refuses an account with the name ${name}`, async () => {
        const [problem, ...others] = await problemsOf({
          'x.yaml': `adapters: { provider-a: { accounts: { ${name}: {} } } }`,
        });
        expect(others).to.deep.equal([]);
        expect(problem).to.match(/^x\.yaml: adapters\.provider-a\.accounts\.\S+: must /);
      });
    }

    it('reports missing values of an account, unless the account or its adapter is off', async () => {
      const file = (state: string) =>
        `adapters: { provider-a: { accounts: { eu: { state: ${state}, options: { apiKey: "\${env:EU_KEY}" } } } } }`;
      expect(await problemsOf({ 'x.yaml': file('on') })).to.deep.equal([
        'x.yaml: adapters.provider-a.accounts.eu.options.apiKey: the environment variable EU_KEY is not set or empty; set it',
      ]);
      const { adapterGaps } = await load({ 'x.yaml': file('off') });
      expect(adapterGaps['provider-a']).to.deep.equal([]);
    });

    it('accepts accounts in route rules, and names the adapters that exist for an unknown one', async () => {
      const rule = (use: string) => ({
        'x.yaml': `routes: [{ id: 1, when: { merchant: Ribeira Books }, use: [${use}] }]`,
      });
      const { config } = await load(rule('provider-a/shop-eu, provider-a'));
      expect(config.routes[0]?.use).to.deep.equal(['provider-a/shop-eu', 'provider-a']);
      expect(config.routes[0]?.when.merchant).to.deep.equal(['Ribeira Books']);
      expect((await problemsOf(rule('provider-x/shop-eu')))[0]).to.contain('is not an adapter of the section adapters');
      expect((await problemsOf(rule('provider-a/Shop')))[0]).to.contain('must be <adapter> or <adapter>/<account>');
    });

    it('does not substitute ${…} in an environment variable that sets a value directly', async () => {
      const { config } = await load({}, { MONGODB_URI: 'mongodb://a:${env:b}@c' });
      expect(config.database.uri).to.equal('mongodb://a:${env:b}@c');
    });
  });
});
