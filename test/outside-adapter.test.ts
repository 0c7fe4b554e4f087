/** An adapter from outside the repository: packed, installed into another folder by npm, loaded from there by name. */
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { after, afterEach, before, describe, it } from 'mocha';
import mongoose from 'mongoose';
import { loadConfig } from '../config/load-config.ts';
import { toShell } from '../core/cli/run-command.ts';
import { newAdapter } from '../core/cli/commands/new-adapter.ts';
import { sampleOptions } from '../core/cli/scaffold/vectors.ts';
import { until } from '../core/base/testing/until.ts';
import { chooseFreePort } from '../workers/supervisor/dev/mongod/index.ts';
import { importPackage } from '../core/engine/providers/index.ts';
import { endAll, runGateway, untilReady, type RunningGateway } from '../workers/supervisor/testing/running-gateway.ts';
import { cardBody } from './support/bodies.ts';
import { makeDecisions } from './support/make-decisions.ts';
import { root } from './support/start-gateway.ts';

const runFile = promisify(execFile);
const name = 'stranger-pay';
const packageName = `@ourshop/${name}`;

/** Packages that its build and its tests need. */
const tools = ['@types', 'chai', 'mocha', 'typescript'];

/** Runs npm offline: any request to a registry fails. */
async function runNpm(words: readonly string[], cwd: string): Promise<void> {
  await runFile('npm', [...words, '--offline', '--ignore-scripts', '--no-audit', '--no-fund'], { cwd });
}

/** Packs every runtime dependency of a package into the folder. */
async function packDependencies(home: string, into: string, packed = new Set<string>()): Promise<void> {
  const { dependencies = {} } = JSON.parse(await readFile(join(home, 'package.json'), 'utf8')) as {
    readonly dependencies?: Readonly<Record<string, string>>;
  };
  for (const name of Object.keys(dependencies).filter((one) => !packed.has(one))) {
    packed.add(name);
    const folder = join(root, 'node_modules', name);
    await runNpm(['pack', '--pack-destination', into], folder);
    await packDependencies(folder, into, packed);
  }
}

describe('an adapter from outside the repository', function () {
  this.timeout(300_000);
  let folder: string;
  let appFolder: string;
  let env: Record<string, string>;
  let uri: string;
  let judged: string;

  before(async () => {
    folder = await realpath(await mkdtemp(join(tmpdir(), 'outside-')));
    appFolder = join(folder, 'house');
    uri = `${process.env['TEST_MONGODB_URI']?.replace(/\/\?/, `/outside-${process.pid}?`)}`;
    const [author, tarballs] = [join(folder, 'author'), join(folder, 'tarballs')];
    await Promise.all([appFolder, author, tarballs].map(async (one) => mkdir(one)));

    const shell = toShell({ env: {}, root, print: () => undefined, stderr: () => undefined });
    await newAdapter.run({ values: { into: author, scope: '@ourshop' }, operands: [name], shell });
    const home = join(author, name);
    // Offline, packages that a registry would deliver come from here: the contract's dependencies as tarballs, the
    // tools from the repository.
    await packDependencies(join(root, 'core/contract'), tarballs);
    const fromRegistry = (await readdir(tarballs)).map((file) => join(tarballs, file));
    await dropDevDependencies(home);
    await runNpm(['install', '--no-save', ...fromRegistry], home);
    await mkdir(join(author, 'node_modules'));
    for (const tool of [...tools, '.bin']) {
      await mkdir(dirname(join(author, 'node_modules', tool)), { recursive: true });
      await symlink(join(root, 'node_modules', tool), join(author, 'node_modules', tool));
    }
    await makeDecisions(home);
    await runFile('npm', ['test'], { cwd: home });
    judged = (await runFile('npm', ['run', 'mutate', '--', '--only', 'stale-accepted'], { cwd: home })).stdout;

    // Stale build output must not be packed, and missing output must be built.
    await rm(join(home, 'dist'), { recursive: true });
    await mkdir(join(home, 'dist'));
    await writeFile(join(home, 'dist/stale.js'), '');
    await runFile('npm', ['pack', '--offline', '--pack-destination', folder], { cwd: home });
    await rm(author, { recursive: true });
    await writeFile(join(appFolder, 'package.json'), '{ "private": true }');
    await runNpm(['install', join(folder, `ourshop-${name}-1.0.0.tgz`)], appFolder);

    const { config } = await loadConfig({ env: { GATEWAY_ENV: 'test' }, root });
    const options = { ...sampleOptions(name), account: 'stranger-shop' };
    const listed = { package: packageName, state: 'on', sandbox: { run: true, delayMs: 30 }, options };
    const others = Object.keys(config.adapters).map((other) => [other, { state: 'off' }]);
    const file = join(appFolder, 'gateway.yaml');
    // YAML includes JSON.
    await writeFile(file, JSON.stringify({ adapters: { ...Object.fromEntries(others), [name]: listed } }));
    const port = await chooseFreePort();
    env = { GATEWAY_ENV: 'test', GATEWAY_CONFIG: file, MONGODB_URI: uri, PORT: `${port}`, WORKERS: '1' };
  });
  afterEach(function () {
    if (this.currentTest?.state === 'failed') endAll();
  });
  after(async () => {
    endAll();
    const connection = await mongoose.createConnection(uri).asPromise();
    await connection.dropDatabase();
    await connection.close();
    await rm(folder, { recursive: true, force: true });
  });

  const command = async (...words: string[]): Promise<string> => {
    const { code, out, problems } = await runGateway(words, join(folder, 'data'), env).ended;
    expect(code, problems.join('\n')).to.equal(0);
    return out;
  };

  it('is found by its name from the folder of the file that lists it, and from nowhere else', async () => {
    const loaded = await loadConfig({ env, root });
    expect(loaded.adapterDirs[name]).to.equal(appFolder);
    await importPackage(packageName, [appFolder, root]);
    const missing: unknown = await importPackage(packageName, [root]).catch((error: unknown) => error);
    expect((missing as Error).message).to.contain(`the package ${packageName} is not installed`);
    // This is a second copy of the contract: the gateway must not rely on there being only one.
    const own = join(appFolder, 'node_modules', packageName, 'node_modules/@paywright');
    expect(await readdir(own)).to.deep.equal(['contract']);
  });

  it('has its tests judged by faults on purpose', () => {
    expect(judged).to.match(/ stale-accepted +signing\.js +rule .*\n\n1 faults: the rules alone caught 1 \(100/);
  });

  it('is packed from its sources, whatever was built before', async () => {
    const built = await readdir(join(appFolder, 'node_modules', packageName, 'dist'));
    expect(built).to.include.members(['index.js', 'sandbox']).and.not.include('stale.js');
  });

  it('runs its samples by its name in config, by its package name, and by its folder', async () => {
    const installed = join(appFolder, 'node_modules', packageName);
    const samples = join(installed, 'fixtures/vectors.json');
    for (const named of [name, packageName, installed, `./${relative(process.cwd(), installed)}`]) {
      expect(await command('vectors', named, samples)).to.match(/\n\d{2} passed, 0 failed\n$/);
    }
  });

  it('gets a changed sample signed again', async () => {
    const samples = await readFile(join(appFolder, 'node_modules', packageName, 'fixtures/vectors.json'), 'utf8');
    const changed = join(folder, 'changed.json');
    await writeFile(changed, samples.replaceAll('np-7H2K9Q', 'np-OTHER1'));
    const out = await command('vectors', name, changed, '--sign');
    expect(out)
      .to.match(/^signed {2}paid\n/)
      .and.match(/\n\d{2} passed, 0 failed\n$/);
    expect(await command('vectors', name, changed)).to.match(/\n\d{2} passed, 0 failed\n$/);
  });

  it('handles a payment of the running service, with its callback and refund', async () => {
    const gateway: RunningGateway = runGateway(['start'], join(folder, 'data'), env);
    const screen = await untilReady(gateway);
    expect(screen).to.match(/^Sandbox of stranger-pay: http:\/\/127\.0\.0\.1:\d+$/m);
    expect(screen).to.not.contain('Sandbox of provider-');
    const { key } = JSON.parse(await command('keys', 'create', '--owner', 'Shop', '--env', 'sandbox', '--json')) as {
      key: string;
    };
    const url = `http://127.0.0.1:${env['PORT']}`;
    const headers = { 'X-API-Key': key, 'Content-Type': 'application/json', Accept: 'application/json' };
    const call = async (path: string, body?: string): Promise<Record<string, unknown>> => {
      const response = await fetch(`${url}${path}`, { headers, ...(body !== undefined && { method: 'POST', body }) });
      expect(response.status).to.equal(200);
      return (await response.json()) as Record<string, unknown>;
    };

    const { code } = ((await importPackage(packageName, [appFolder])) as { default: { manifest: { code: number } } })
      .default.manifest;
    const { paymentRequest } = await call(`/payments/h2h/${code}`, cardBody('4000000000003063', '25.90'));
    const { id } = paymentRequest as { id: number };
    expect(paymentRequest).to.include({ paymentRequestStatusId: 1, paymentProviderId: code });
    await until('paid by callback', async () => {
      return (await call(`/payment-requests/${id}`))['paymentRequestStatusId'] === 2;
    });
    // The commands run in the gateway's folder, where the package is not installed.
    const installed = join(appFolder, 'node_modules', packageName);
    for (const candidate of [packageName, name, installed, `./${relative(process.cwd(), installed)}`])
      expect(await command('replay', '--adapter', candidate)).to.match(/^[1-9]\d* callbacks read, 0 differently\n$/);
    await call(`/payment-requests/${id}/refund`, '{}');
    await until('refunded', async () => (await call(`/payment-requests/${id}`))['paymentRequestStatusId'] === 4);
    expect(await command('adapters')).to.match(/^stranger-pay {2}on {8}0 pending/m);
    gateway.signalGroup('SIGTERM');
    expect((await gateway.ended).code).to.equal(0);
  });
});

/** npm would request them from a registry although a folder above has them. */
async function dropDevDependencies(home: string): Promise<void> {
  const file = join(home, 'package.json');
  const { devDependencies: _, ...rest } = JSON.parse(await readFile(file, 'utf8')) as Record<string, unknown>;
  await writeFile(file, JSON.stringify(rest));
}
