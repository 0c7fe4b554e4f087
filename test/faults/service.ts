/**
 * The service as it runs in production: `paywright start` with a supervisor, an API, workers and a mongod of its own.
 */
import { execFile } from 'node:child_process';
import { mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import mongoose, { type Connection } from 'mongoose';
import { loadConfig } from '../../config/load-config.ts';
import { chooseFreePort } from '../../workers/supervisor/dev/mongod/index.ts';
import {
  gatewayEnv,
  processesOf,
  runGateway,
  runningState,
  untilReady,
  type RunningGateway,
} from '../../workers/supervisor/testing/running-gateway.ts';
import { root } from '../support/start-gateway.ts';
import { installAnswersAdapters } from './answers-provider.ts';
import { installAdapter, type FaultsProvider } from './provider.ts';

const runFile = promisify(execFile);

export interface Service {
  readonly url: string;
  /** Removed at the end. */
  readonly folder: string;
  readonly key: string;
  /** Secret of the owner's test events, as it was created. */
  readonly webhookSecret: string;
  /** Connection to the database; reconnects automatically. */
  readonly connection: Connection;
  /** The environment of its commands. */
  readonly env: NodeJS.ProcessEnv;
  /** The process ids of a role. */
  pids(role: 'supervisor' | 'API' | 'worker' | 'mongod'): Promise<readonly number[]>;
  /** Stops the service with a signal to its supervisor, and waits until it has exited. */
  end(signal: NodeJS.Signals): Promise<number | null>;
  /** `env` is added to its environment. */
  start(env?: Readonly<Record<string, string>>): Promise<void>;
  /** The output of a `paywright` command. */
  command(...words: readonly string[]): Promise<string>;
  /** Stops the service and removes its folder. `before` may first remove what another program put there. */
  close(before?: () => Promise<void>): Promise<void>;
}

const adapterSettings = (name: string, url: string): object => ({
  package: name,
  state: 'on',
  options: { baseUrl: url, sandboxBaseUrl: url },
});

/** Only the adapters of the rows are on, and no limit of senders or providers disturbs the load. */
async function faultsSettings(urls: Readonly<Record<string, string>>): Promise<object> {
  const { config } = await loadConfig({ env: { GATEWAY_ENV: 'development' }, root });
  return {
    adapters: {
      ...Object.fromEntries(Object.keys(config.adapters).map((name) => [name, { state: 'off' }])),
      ...Object.fromEntries(Object.entries(urls).map(([name, url]) => [name, adapterSettings(name, url)])),
    },
    routes: [{ id: 1, when: {}, use: ['faults'] }],
    keys: { rateLimitPerMinute: 1_000_000 },
    // There are many bad answers, and some never arrive.
    provider: { callTimeoutMs: 3000, breakerFailures: 10_000 },
    http: { maxConnectionsPerAddress: 5000 },
    mail: { catcher: false },
  };
}

/** Two API processes with default settings, every adapter with its settings of development, and the faults provider. */
export async function startDefaultService({ url }: FaultsProvider): Promise<Service> {
  const { config } = await loadConfig({ env: { GATEWAY_ENV: 'development' }, root });
  const ours = Object.fromEntries(Object.keys(config.adapters).map((name) => [name, { state: 'on' }]));
  const settings = { adapters: { ...ours, faults: adapterSettings('faults', url) }, mail: { catcher: false } };
  return startFaultsService({}, undefined, { API_PROCESSES: '2' }, settings);
}

/**
 * `urls`: base addresses by adapter name; the service finds the adapters as packages. `prepare` runs before the first
 * start. `given` is added to the environment. `settings` replaces the usual settings.
 */
export async function startFaultsService(
  urls: Readonly<Record<string, string>>,
  prepare: (dataDir: string) => Promise<void> = async () => undefined,
  given: Readonly<Record<string, string>> = {},
  settings?: object,
): Promise<Service> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'gateway-faults-')));
  await installAdapter(folder);
  await installAnswersAdapters(folder);
  const dataDir = join(folder, 'data');
  const port = given['PORT'] ?? String(await chooseFreePort());
  const file = join(folder, 'gateway.yaml');
  await writeFile(file, JSON.stringify(settings ?? (await faultsSettings(urls))));
  const env = { GATEWAY_CONFIG: file, PORT: port, WORKERS: '2', ...given };
  let gateway: RunningGateway;

  async function start(more: Readonly<Record<string, string>> = {}): Promise<void> {
    gateway = runGateway(['start'], dataDir, { ...env, ...more });
    // The start may take long on a busy machine.
    await untilReady(gateway, 180_000);
  }

  async function command(...words: readonly string[]): Promise<string> {
    const { code, out, problems } = await runGateway(words, dataDir, env).ended;
    if (code !== 0) throw new Error(`paywright ${words.join(' ')} exited with ${code}: ${problems.join(' ')}`);
    return out;
  }

  await prepare(dataDir);
  await start();
  const made = await command('keys', 'create', '--owner', 'Shop', '--env', 'sandbox', '--json');
  const { key, webhookSecret } = JSON.parse(made) as { readonly key: string; readonly webhookSecret: string };
  const { mongodbUri } = await runningState(dataDir);
  const connection = await mongoose.createConnection(mongodbUri, { serverSelectionTimeoutMS: 60_000 }).asPromise();
  connection.on('error', () => undefined); // Its server is killed on purpose.

  return {
    url: `http://127.0.0.1:${port}`,
    folder,
    key,
    webhookSecret,
    connection,
    env: gatewayEnv(dataDir, env),
    start,
    command,
    async pids(role) {
      if (role === 'supervisor') return [(await runningState(dataDir)).pid];
      if (role !== 'mongod') {
        const { children } = await runningState(dataDir);
        return children.filter(({ name }) => name.startsWith(role === 'API' ? 'api' : 'worker')).map(({ pid }) => pid);
      }
      const pids = await processesOf(dataDir);
      const { stdout } = await runFile('ps', ['-o', 'pid=,comm=', '-p', pids.join(',')]);
      const lines = stdout.split('\n').map((line) => line.trim().split(/\s+/));
      return lines.filter(([, name = '']) => /mongod/.test(name)).map(([pid]) => Number(pid));
    },
    async end(signal) {
      gateway.child.kill(signal);
      return (await gateway.ended).code;
    },
    async close(before) {
      await connection.close();
      if (gateway.child.exitCode === null && gateway.child.signalCode === null) {
        gateway.child.kill('SIGTERM');
        await gateway.ended;
      }
      await before?.();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
