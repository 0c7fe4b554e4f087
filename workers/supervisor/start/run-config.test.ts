import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { after, before, describe, it } from 'mocha';
import { loadConfig, type LoadedConfig } from '../../../config/load-config.ts';
import { chooseFreePort } from '../dev/mongod/index.ts';
import { describeStarted } from './describe-started.ts';
import { choosePorts, ownSandboxes } from './choose-ports.ts';
import { resolveSecrets, toApiUrl, toLogTarget, toRunConfig } from './run-config.ts';
import { StartError } from '../start-error.ts';

const root = fileURLToPath(new URL('../../../..', import.meta.url));

describe('the settings of a start', () => {
  let folder: string;
  let loaded: LoadedConfig;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'gateway-test-'));
    loaded = await loadConfig({ env: { GATEWAY_ENV: 'development', GATEWAY_DATA_DIR: folder }, root });
  });
  after(async () => {
    await rm(folder, { recursive: true, force: true });
  });

  type Adapter = LoadedConfig['config']['adapters'][string];
  const withAdapters = (changes: Readonly<Record<string, Partial<Adapter>>>): LoadedConfig => {
    const base: Adapter = {
      package: 'p',
      state: 'on',
      options: {},
      networks: [],
      sandbox: { run: true, delayMs: 1, options: {} },
    };
    const adapters = Object.fromEntries(
      Object.entries(changes).map(([name, change]) => [name, { ...base, ...change }]),
    );
    return { ...loaded, config: { ...loaded.config, adapters, mail: { catcher: false } } };
  };
  const problemsOf = async (act: () => Promise<unknown>): Promise<readonly string[]> => {
    const error: unknown = await act().catch((problem: unknown) => problem);
    if (!(error instanceof StartError)) throw new Error('the call was not refused');
    return error.problems;
  };

  it('runs the sandboxes that config asks for, except those of adapters that are off or have a sandboxBaseUrl', () => {
    const { config } = withAdapters({
      ours: {},
      draining: { state: 'draining' },
      off: { state: 'off' },
      notWanted: { sandbox: { run: false, delayMs: 1, options: {} } },
      elsewhere: { options: { sandboxBaseUrl: 'https://sandbox.example' } },
      here: { options: { sandboxBaseUrl: 'http://127.0.0.1:7001' } },
    });
    expect(ownSandboxes(config)).to.deep.equal(['ours', 'draining']);
  });

  it('keeps ports, chooses the missing ones, and names every sandbox whose port is taken', async () => {
    const { config } = withAdapters({ one: {}, two: {} });
    const kept = await choosePorts(config, { sandboxes: { gone: 20_001 } }, true);
    expect(kept.sandboxes).to.have.all.keys('gone', 'one', 'two');
    expect(await choosePorts(config, kept, true)).to.deep.equal(kept);
    expect(
      await choosePorts({ ...config, database: { ...config.database, uri: 'mongodb://x' } }, { sandboxes: {} }, true),
    ).to.not.have.property('mongod');

    const server = createServer().listen(kept.sandboxes['one'], '127.0.0.1');
    await once(server, 'listening');
    expect(await problemsOf(async () => choosePorts(config, kept, true))).to.deep.equal([
      `Port ${kept.sandboxes['one']} of 127.0.0.1, where the sandbox of one listens, is taken by another program: stop that program and start again.`,
    ]);
    // The sandboxes belong to another process, which reports the port itself.
    expect(await choosePorts(config, kept, false)).to.deep.equal(kept);
    server.close();
  });

  it('gives every process the same complete settings, as JSON', async () => {
    const mine = withAdapters({
      ours: { options: { a: 1 } },
      here: { options: { sandboxBaseUrl: 'http://127.0.0.1:7001' } },
    });
    const port = await chooseFreePort();
    const secrets = { encryptionKeys: ['k'], tokenSecrets: ['t'] };
    const run = toRunConfig(mine, { uri: 'mongodb://x', ports: { ours: port, here: port }, ...secrets });
    expect(JSON.parse(JSON.stringify(run))).to.deep.equal(run);
    expect(run.config.adapters['ours']?.options).to.deep.equal({ a: 1, sandboxBaseUrl: `http://127.0.0.1:${port}` });
    expect(run.config.adapters['ours']).to.include({ sandboxUrl: `http://127.0.0.1:${port}` });
    expect(run.config.adapters['here']?.options).to.deep.equal({ sandboxBaseUrl: 'http://127.0.0.1:7001' });
    expect(run.config.adapters['here']).to.not.have.property('sandboxUrl');
    expect(run.config.database.uri).to.equal('mongodb://x');
  });

  it('makes once the secrets that config does not have', async () => {
    expect(await readdir(folder)).to.deep.equal([]);
    const made = await resolveSecrets(loaded);
    expect(await resolveSecrets(loaded)).to.deep.equal(made);
    const config = { ...loaded.config, security: { encryptionKey: ['from config'] } };
    expect(await resolveSecrets({ ...loaded, config })).to.deep.equal({ ...made, encryptionKeys: ['from config'] });
  });

  it('names a reachable address for an API that listens on every address', () => {
    expect(toApiUrl({ host: '127.0.0.1', port: 80 })).to.equal('http://127.0.0.1:80');
    expect(toApiUrl({ host: '0.0.0.0', port: 8080 })).to.equal('http://127.0.0.1:8080');
    expect(toApiUrl({ host: '::', port: 8080 })).to.equal('http://[::1]:8080');
  });

  it('logs to a file and in production also to standard error, or without a file only to standard output', () => {
    const targetOf = (file: boolean, isProduction: boolean) =>
      toLogTarget({ config: { ...loaded.config, log: { ...loaded.config.log, level: 'info', file } }, isProduction });
    const file = join(folder, 'gateway.log');
    expect(targetOf(true, false)).to.deep.equal({ file, stdout: false, stderr: false });
    expect(targetOf(true, true)).to.deep.equal({ file, stdout: false, stderr: true });
    for (const isProduction of [false, true])
      expect(targetOf(false, isProduction)).to.deep.equal({ file: undefined, stdout: true, stderr: false });
  });

  describe('describeStarted', () => {
    const started = {
      apiUrl: 'http://a',
      workers: 1,
      log: { file: 'log' },
      isProduction: false,
      firstKey: undefined,
    };
    const sandboxOf = (code: number, ...inputs: string[]) => ({
      name: 'one',
      url: 'http://127.0.0.1:7001',
      code,
      inputs,
    });
    const [billing, token, upi, card] = [
      sandboxOf(18, 'billing'),
      sandboxOf(51, 'token'),
      sandboxOf(31, 'upi'),
      sandboxOf(99, 'upi', 'card'),
    ];

    for (const [sandboxes, how, code, member] of [
      [[billing, token, upi, card], 'by card', 99, '"number":"4111111111111111"'],
      [[billing, token, upi], 'by UPI', 31, '"upiId":"success@upi","amount":499,"unit":"INR"'],
      [[billing, token], 'with a saved card', 51, '"token":"tok_7H2K9Q"'],
      [[billing], 'at the address in the answer', 18, '"amount":25.9,"unit":"EUR"}'],
    ] as const) {
      it(`shows a line that pays ${how}`, () => {
        const lines = describeStarted({ ...started, sandboxes });
        const line = lines[lines.indexOf(`To pay ${how}:`) + 1];
        expect(line)
          .to.match(new RegExp(`^curl -sS http://a/payments/h2h/${code} -H "X-API-Key: \\$KEY" `))
          .and.include(member);
      });
    }

    it('shows the address and the key, as a shell variable, before the line that pays', () => {
      const firstKey = { key: 'gk_test_1', webhookSecret: 'whsec_1' };
      const lines = describeStarted({ ...started, sandboxes: [card], firstKey });
      expect(lines.slice(0, 4)).to.deep.equal([
        'API: http://a (1 worker)',
        'API key of owner demo, shown only now:',
        'KEY=gk_test_1',
        'Its notifications are signed with: whsec_1',
      ]);
      expect(lines[6]).to.match(/^curl /);
      const production = describeStarted({ ...started, isProduction: true, sandboxes: [] });
      expect(production.join('\n')).to.include('--env production').and.not.include('sandbox');
    });

    it('shows no line that pays if no sandbox runs', () => {
      expect(describeStarted({ ...started, sandboxes: [] }).join('\n')).to.not.include('curl');
    });
  });
});
