/** The measured gateway: `paywright start` on a database of the benchmark's mongod. */
import { mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import mongoose, { type Connection } from 'mongoose';
import { loadConfig } from '../../config/load-config.ts';
import { chooseFreePort } from '../../workers/supervisor/dev/mongod/index.ts';
import {
  runGateway,
  runningState,
  untilReady,
  type RunningGateway,
} from '../../workers/supervisor/testing/running-gateway.ts';
import { installAdapter } from '../faults/provider.ts';
import { root } from '../support/start-gateway.ts';
import { cpuMsOf, residentMbOf, sharedMbOf } from './process-figures.ts';

export const roles = ['supervisor', 'api', 'worker', 'ops'] as const;
export type Role = (typeof roles)[number];

export interface BenchGateway {
  readonly url: string;
  readonly port: number;
  /** Key of the merchant Shop. */
  readonly key: string;
  readonly mongodbUri: string;
  readonly connection: Connection;
  /** Time from the start of the command until it was ready. */
  readonly startMs: number;
  /** Creates a key, and its merchant if necessary. */
  createKey(owner: string): Promise<string>;
  /** Address of the operators' console, and the key of an operator with all permissions. */
  openConsole(): Promise<{ readonly url: string; readonly key: string }>;
  /** Freezes the workers, or resumes them. Not for more than 15 s, because then the supervisor replaces them. */
  holdWorkers(hold: boolean): Promise<void>;
  /** Kills the workers with SIGKILL. The supervisor replaces them. */
  killWorkers(): Promise<void>;
  /** What the service has printed. */
  out(): string;
  /** Runs a command of `paywright` on its data folder. */
  run(...words: readonly string[]): RunningGateway;
  /** CPU time of the role's processes. */
  cpuMs(role: Role): Promise<number>;
  /** Memory of all processes of the service, without mongod, in megabytes. Shared memory counts once. */
  sharedMb(): Promise<number>;
  /** Resident memory of the role's largest process, in megabytes. */
  residentMb(role: Role): Promise<number>;
  close(): Promise<void>;
}

export interface BenchGatewayOptions {
  readonly mongodbUri: string;
  readonly providerUrl: string;
  readonly workers: number;
  /** Config sections that differ from the default. */
  readonly config?: object;
  /** Keeps the database after the gateway was closed. */
  readonly keepsDatabase?: boolean;
}

/** Later runs open the databases that are kept. The keys have no other use. */
export const encryptionKey = Buffer.alloc(32, 'bench').toString('base64');
const secrets = {
  security: { encryptionKey },
  threeDs: { tokenSecrets: ['of the benchmark, worth nothing elsewhere'] },
};

export async function startBenchGateway(setup: BenchGatewayOptions): Promise<BenchGateway> {
  const { mongodbUri, providerUrl, workers } = setup;
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'gateway-bench-')));
  await installAdapter(folder);
  const [dataDir, file] = [join(folder, 'data'), join(folder, 'gateway.yaml')];
  const [port, opsPort] = [await chooseFreePort(), await chooseFreePort()];
  const { config } = await loadConfig({ env: { GATEWAY_ENV: 'development' }, root });
  const off = Object.fromEntries(Object.keys(config.adapters).map((name) => [name, { state: 'off' }]));
  const options = { baseUrl: providerUrl, sandboxBaseUrl: providerUrl };
  await writeFile(
    file,
    JSON.stringify({
      adapters: { ...off, faults: { package: 'faults', state: 'on', options } },
      routes: [{ id: 1, when: {}, use: ['faults'] }],
      keys: { rateLimitPerMinute: 1_000_000 },
      mail: { catcher: false },
      ops: { port: opsPort },
      ...secrets,
      ...setup.config,
    }),
  );
  // The default number of API processes.
  const env = {
    GATEWAY_CONFIG: file,
    PORT: String(port),
    API_PROCESSES: '',
    WORKERS: String(workers),
    MONGODB_URI: mongodbUri,
  };
  const began = performance.now();
  const gateway = runGateway(['start'], dataDir, env);
  await untilReady(gateway);
  const startMs = performance.now() - began;
  const run = (...words: readonly string[]): RunningGateway => runGateway(words, dataDir, env);
  const keyOf = async (...words: readonly string[]): Promise<string> => {
    const { out, problems } = await run(...words, '--json').ended;
    if (!out) throw new Error(`no key was created: ${problems.join(' ')}`);
    return (JSON.parse(out) as { key: string }).key;
  };
  const createKey = async (owner: string): Promise<string> =>
    keyOf('keys', 'create', '--owner', owner, '--env', 'sandbox');
  const key = await createKey('Shop');
  const connection = await mongoose.createConnection(mongodbUri).asPromise();
  const pids = async (role: Role): Promise<number[]> => {
    const { pid: supervisor, children } = await runningState(dataDir);
    if (role === 'supervisor') return [supervisor];
    return children.filter(({ name }) => name.startsWith(role)).map(({ pid }) => pid);
  };

  return {
    url: `http://127.0.0.1:${port}`,
    port,
    key,
    mongodbUri,
    connection,
    startMs,
    createKey,
    openConsole: async () => ({
      url: `http://127.0.0.1:${opsPort}`,
      key: await keyOf('operators', 'create', 'Bench', '--role', 'admin'),
    }),
    async holdWorkers(hold) {
      for (const pid of await pids('worker')) process.kill(pid, hold ? 'SIGSTOP' : 'SIGCONT');
    },
    async killWorkers() {
      for (const pid of await pids('worker')) process.kill(pid, 'SIGKILL');
    },
    out: () => gateway.out(),
    run,
    cpuMs: async (role) => cpuMsOf(await pids(role)),
    residentMb: async (role) => residentMbOf(await pids(role)),
    async sharedMb() {
      const { pid, children } = await runningState(dataDir);
      return sharedMbOf([pid, ...children.map((child) => child.pid)]);
    },
    async close() {
      gateway.child.kill('SIGTERM');
      await gateway.ended;
      if (!setup.keepsDatabase) await connection.dropDatabase();
      await connection.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
