/**
 * What `paywright start` and `paywright doctor` say about wrong settings: all problems together, in plain words, and
 * nothing else.
 */
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { after, before, describe, it } from 'mocha';
import { runGateway } from '../workers/supervisor/testing/running-gateway.ts';
import { root } from './support/start-gateway.ts';

const key = Buffer.alloc(32, 7).toString('base64');

/** The adapters of the repository, in the order of their config blocks. */
const adapterNames = [
  ...readFileSync(join(root, 'config/default.yaml'), 'utf8').matchAll(/^ {2}([\w-]+):\n {4}package:/gm),
].map(([, name]) => name);

/** All settings that production requires. */
const production = {
  GATEWAY_ENV: 'production',
  PUBLIC_URL: 'https://pay.example',
  MONGODB_URI: 'mongodb://gateway:word@127.0.0.1:9/gateway?tls=true',
  GATEWAY_ENCRYPTION_KEY: key,
  GATEWAY_3DS_TOKEN_SECRET: 'a token secret of at least 32 bytes',
  PROVIDER_A_BASE_URL: 'https://api.provider-a.example',
  PROVIDER_A_SANDBOX_BASE_URL: 'https://sandbox.provider-a.example',
  PROVIDER_A_ACCOUNT: 'GatewayEU',
  PROVIDER_A_API_KEY: 'an api key of ours',
  PROVIDER_A_ITEM_KEY: '0f'.repeat(32),
  PROVIDER_A_RETURN_KEY: 'a return key of ours',
  PROVIDER_A_SEAL_KEY: 'ask_a_seal_key',
  PROVIDER_A_REFUND_KEY: 'a refund key of ours',
};

interface Case {
  readonly title: string;
  /** Content of an additional config file. */
  readonly text?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly problems: readonly string[];
}

const missing = (path: string, variable: string): string =>
  `config/production.yaml: ${path}: the environment variable ${variable} is not set or empty; set it`;

const cases: readonly Case[] = [
  {
    title: 'wrong settings of core together with wrong options of adapters',
    text: `
      server: { prot: 8080 }
      log: { level: loud }
      adapters:
        provider-a: { options: { acount: GatewayEU, apiKye: an api key of ours } }
        provider-b: { options: { login: "", endpoint: abc } }`,
    problems: [
      'FILE: server.prot: is not a setting; server may have host, port, publicUrl, trustedProxies, shutdownSeconds, processes',
      'FILE: log.level: must be one of fatal, error, warn, info, debug, trace, silent',
      'FILE: adapters.provider-a.options.acount: is not an option. Known options: baseUrl, sandboxBaseUrl, account, apiKey, itemKeys, returnKeys, sealKeys, refundKeys',
      'FILE: adapters.provider-a.options.apiKye: is not an option. Known options: baseUrl, sandboxBaseUrl, account, apiKey, itemKeys, returnKeys, sealKeys, refundKeys',
      'FILE: adapters.provider-b.options.endpoint: 1 to 10 digits, in quotes (Merchant endpoint, in the path of every call and in every callback. B console, Integration, Endpoints)',
      'FILE: adapters.provider-b.options.login: 1 to 50 letters, digits, dots, underscores and dashes (Merchant login. B console, Integration, Endpoints)',
    ],
  },
  {
    title: 'production with nothing set',
    env: { GATEWAY_ENV: 'production' },
    problems: [
      missing('database.uri', 'MONGODB_URI'),
      missing('threeDs.tokenSecrets.0', 'GATEWAY_3DS_TOKEN_SECRET'),
      missing('adapters.provider-a.options.baseUrl', 'PROVIDER_A_BASE_URL'),
      missing('adapters.provider-a.options.sandboxBaseUrl', 'PROVIDER_A_SANDBOX_BASE_URL'),
      missing('adapters.provider-a.options.account', 'PROVIDER_A_ACCOUNT'),
      missing('adapters.provider-a.options.apiKey', 'PROVIDER_A_API_KEY'),
      missing('adapters.provider-a.options.itemKeys.0', 'PROVIDER_A_ITEM_KEY'),
      missing('adapters.provider-a.options.returnKeys.0', 'PROVIDER_A_RETURN_KEY'),
      missing('adapters.provider-a.options.sealKeys.0', 'PROVIDER_A_SEAL_KEY'),
      missing('adapters.provider-a.options.refundKeys.0', 'PROVIDER_A_REFUND_KEY'),
      missing('security.encryptionKey', 'GATEWAY_ENCRYPTION_KEY'),
      'config/default.yaml: server.publicUrl: must be an https address in production; set PUBLIC_URL',
    ],
  },
  {
    title: 'variables with wrong values',
    env: {
      ...production,
      PORT: 'eighty',
      GATEWAY_ENCRYPTION_KEY: `${key},c2hvcnQ=`,
      PROVIDER_A_BASE_URL: 'api.provider-a.example',
      PROVIDER_A_API_KEY: 'short',
    },
    problems: [
      'environment variable PORT: server.port: must be a number from 1 to 65535',
      'config/production.yaml: security.encryptionKey.1 (environment variable GATEWAY_ENCRYPTION_KEY): must be 32 bytes in base64: openssl rand -base64 32',
      'config/production.yaml: adapters.provider-a.options.baseUrl (environment variable PROVIDER_A_BASE_URL): an https address without a slash at its end (http only for a loopback address) (Live address. A console, API, Endpoints)',
      'config/production.yaml: adapters.provider-a.options.apiKey (environment variable PROVIDER_A_API_KEY): at least 16 characters (Sent as X-A-Key. A console, API, Keys)',
    ],
  },
  {
    title: 'production open to everyone',
    env: { ...production, PUBLIC_URL: 'http://pay.example', MONGODB_URI: 'mongodb://db.example/gateway' },
    problems: [
      'environment variable PUBLIC_URL: server.publicUrl: must be an https address in production; set PUBLIC_URL',
      'environment variable MONGODB_URI: database.uri: has no credentials and no TLS (tls=true): anyone who reaches the database can mark payments paid; add them to MONGODB_URI, or set database.allowInsecure: true if its network is closed',
    ],
  },
  {
    title: 'an adapter whose package is missing, and one under another name',
    text: `
      adapters:
        acme: { package: "@acme/gateway-adapter" }
        coins: { package: "@paywright/crypto", options: { storeId: 7 } }`,
    problems: [
      'FILE: adapters.acme.package: cannot be imported: the package @acme/gateway-adapter is not installed: looked up from FOLDER, then ROOT/; install it in one of them',
      'FILE: adapters.coins.package: manifest.name: its package calls it crypto; list it under that name',
      'FILE: adapters.coins.options.baseUrl: is missing (Live address: where the server runs)',
      'FILE: adapters.coins.options.sandboxBaseUrl: is missing (Sandbox address: where the server for tests runs)',
      'FILE: adapters.coins.options.storeId: expected string (Our store; every message names it. Server, Stores, General)',
      'FILE: adapters.coins.options.apiToken: is missing (Token of every request of ours. Server, Account, API tokens)',
      'FILE: adapters.coins.options.hookSecrets: is missing (Verify callbacks, newest first. Server, Stores, Webhooks)',
    ],
  },
  {
    title: 'invalid options for test payments',
    text: 'adapters: { provider-f: { sandboxOptions: { baseUrl: "ftp://f.example", key: a } } }',
    problems: [
      'FILE: adapters.provider-f.sandboxOptions.baseUrl: an https address without a slash at its end (http only for a loopback address) (Live address. F console, Developers, Addresses)',
      'FILE: adapters.provider-f.sandboxOptions.key: is not an option. Known options: baseUrl, sandboxBaseUrl, shopId, apiToken, pingSecrets, requireSignedPing',
    ],
  },
  {
    title: 'rules that name unknown things',
    text: 'routes: [{ id: 1, use: [provider-z] }, { id: 1, use: [upi] }]\nrisk: [{ id: 1, action: refuse, reason: "" }]',
    problems: [
      `FILE: routes.0.use.0: is not an adapter of the section adapters; it has: ${adapterNames.join(', ')}`,
      'FILE: routes.1.id: is also the id of routes.0',
      'FILE: risk.0.action: must be one of deny, require3ds',
      'FILE: risk.0.reason: must be text that is not empty',
    ],
  },
  {
    title: 'a secret whose file cannot be read, together with a wrong option',
    text: 'adapters: { provider-h: { options: { apiSecret: "${file:secrets/h}", ttlSeconds: 1 } } }',
    problems: [
      'FILE: adapters.provider-h.options.apiSecret: the file secrets/h cannot be read (ENOENT); make it readable or correct the path',
      'FILE: adapters.provider-h.options.ttlSeconds: 60 to 86400 seconds',
    ],
  },
  {
    title: 'files that are not YAML, repeat a key or do not exist',
    text: 'log:\n  level: info\n  level: warn',
    env: { GATEWAY_CONFIG: 'FILE,nowhere.yaml' },
    problems: [
      'FILE: log.level: is defined twice; keep one',
      'nowhere.yaml: the file does not exist; create it, or correct GATEWAY_CONFIG',
    ],
  },
  {
    title: 'an environment that does not exist',
    env: { GATEWAY_ENV: 'staging' },
    problems: [
      'config/staging.yaml: the file does not exist; GATEWAY_ENV must be one of development, production, test',
    ],
  },
];

describe('a configuration with wrong settings', function () {
  this.timeout(300_000);
  let folder: string;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'gateway-wrong-'));
  });
  after(async () => {
    await rm(folder, { recursive: true });
  });

  for (const [at, { title, text = '', env, problems }] of cases.entries()) {
    it(`has all of them listed at the start and by doctor: ${title}`, async () => {
      const file = join(folder, `${at}.yaml`);
      const here = (line: string): string =>
        line.replace('FILE', file).replace('FOLDER', folder).replace('ROOT/', join(root, '/'));
      await writeFile(file, text);
      const given = { ...env, GATEWAY_CONFIG: here(env?.['GATEWAY_CONFIG'] ?? 'FILE') };
      const run = async (name: string) => runGateway([name], join(folder, 'data'), given).ended;
      const [start, doctor] = await Promise.all([run('start'), run('doctor')]);

      expect(start).to.include({ code: 1, out: '' });
      expect(start.problems).to.have.members(problems.map(here));
      expect(doctor).to.include({ code: 1 }).and.deep.include({ problems: [] });
      const lines = doctor.out.split('\n').filter((line) => line.startsWith('WRONG  '));
      expect(lines).to.include.members(start.problems.map((problem) => `WRONG  ${problem}`));
    });
  }

  it('has warnings only in doctor if the service can run: a host without an address, test payments that share secrets, alarms without a recipient, no mail server', async () => {
    const env = { ...production, GATEWAY_CONFIG: '' };
    const { out, code } = await runGateway(['doctor'], join(folder, 'data'), env).ended;
    expect(code).to.equal(1);
    const lines = out.split('\n').filter((line) => line.startsWith('warn'));
    expect(lines).to.have.length(3);
    expect(lines[0]).to.match(/^warn {3}provider-a: accepts no test payments: .* in sandboxOptions$/);
    expect(lines[1]).to.match(
      /^warn {3}provider-a: https:\/\/api\.provider-a\.example: its host does not resolve \(E\w+\): /,
    );
    expect(lines[2]).to.equal('warn   alarms are not reported: set alarms.webhook or alarms.mailTo (config/README.md)');
    expect(out).to.not.match(/WRONG {2}provider-a/);
    expect(out).to.match(/^-- {5}provider-a \(live\): credentials not checked: /m);
    expect(out.split('\n')).to.include(
      'WRONG  mail.smtp is not set: requests with send=true fail with SYS001, and no link is mailed',
    );
  });
});
