/** Starts what a run needs, each in processes of its own: the load generator, the baselines, the gateway. */
import { fork, type ChildProcess } from 'node:child_process';
import { readFile, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import mongoose, { type Connection } from 'mongoose';
import { loadConfig } from '../../config/load-config.ts';
import { chooseFreePort } from '../../workers/supervisor/dev/mongod/index.ts';
import { runGateway, runningState, untilReady } from '../../workers/supervisor/testing/running-gateway.ts';
import { installAdapter } from '../faults/provider.ts';
import { root } from '../support/start-gateway.ts';
import type { BaselineSetup } from './baseline-process.ts';
import type { Load, LoadResult } from './load-process.ts';

export interface LoadGenerator {
  drive(load: Load): Promise<LoadResult>;
  close(): void;
}

export function startLoadGenerator(): LoadGenerator {
  const child = forkScript('load-process.js');
  return {
    async drive(load) {
      const answer = await ask<{ result?: LoadResult; error?: string }>(child, load);
      if (!answer.result) throw new Error(`the load generator: ${answer.error}`);
      return answer.result;
    },
    close: () => child.disconnect(),
  };
}

export interface Baseline {
  readonly port: number;
  /** CPU time that it has used. */
  cpuMs(): Promise<number>;
  close(): void;
}

export async function startBaseline(setup: BaselineSetup): Promise<Baseline> {
  const child = forkScript('baseline-process.js');
  const { port } = await ask<{ port: number }>(child, setup);
  return { port, cpuMs: async () => cpuMsOf([child.pid!]), close: () => child.disconnect() };
}

export interface BenchGateway {
  readonly url: string;
  readonly port: number;
  readonly key: string;
  readonly mongodbUri: string;
  readonly connection: Connection;
  /** Stops the workers where they are, or lets them go on. Not for more than 10 s: then the supervisor replaces them. */
  holdWorkers(hold: boolean): Promise<void>;
  /** CPU time of the API, or of the workers. */
  cpuMs(role: 'api' | 'worker'): Promise<number>;
  /** Resident memory of the role's largest process, in megabytes. */
  residentMb(role: 'api' | 'worker'): Promise<number>;
  /** Its database is dropped, too. */
  close(): Promise<void>;
}

export async function startBenchGateway(
  mongodbUri: string,
  providerUrl: string,
  workers: number,
): Promise<BenchGateway> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'gateway-bench-')));
  await installAdapter(folder);
  const [dataDir, file] = [join(folder, 'data'), join(folder, 'gateway.yaml')];
  const port = await chooseFreePort();
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
    }),
  );
  // As many processes of the API as where nothing is said.
  const env = {
    GATEWAY_CONFIG: file,
    PORT: String(port),
    API_PROCESSES: '',
    WORKERS: String(workers),
    MONGODB_URI: mongodbUri,
  };
  const gateway = runGateway(['start'], dataDir, env);
  await untilReady(gateway);
  const made = await runGateway(['keys', 'create', '--owner', 'Shop', '--env', 'sandbox', '--json'], dataDir, env)
    .ended;
  const { key } = JSON.parse(made.out) as { key: string };
  const connection = await mongoose.createConnection(mongodbUri).asPromise();
  const pids = async (role: 'api' | 'worker'): Promise<number[]> => {
    const { children } = await runningState(dataDir);
    return children.filter(({ name }) => name.startsWith(role)).map(({ pid }) => pid);
  };

  return {
    url: `http://127.0.0.1:${port}`,
    port,
    key,
    mongodbUri,
    connection,
    async holdWorkers(hold) {
      for (const pid of await pids('worker')) process.kill(pid, hold ? 'SIGSTOP' : 'SIGCONT');
    },
    cpuMs: async (role) => cpuMsOf(await pids(role)),
    async residentMb(role) {
      const sizes = (await pids(role)).map(async (pid) => {
        const status = await readFile(`/proc/${pid}/status`, 'utf8');
        return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) / 1024;
      });
      return Math.max(...(await Promise.all(sizes)));
    },
    async close() {
      gateway.child.kill('SIGTERM');
      await gateway.ended;
      await connection.dropDatabase();
      await connection.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function forkScript(name: string): ChildProcess {
  return fork(fileURLToPath(new URL(name, import.meta.url)), { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
}

/** Sends it the message and waits for the next one back. */
async function ask<T>(child: ChildProcess, message: object): Promise<T> {
  return new Promise((resolve, reject) => {
    const onExit = (code: number | null): void => reject(new Error(`a process of the benchmark ended with ${code}`));
    child.once('exit', onExit);
    child.once('message', (answer) => {
      child.off('exit', onExit);
      resolve(answer as T);
    });
    child.send(message);
  });
}

/** From Linux's books: user and system time, in ticks of 10 ms. */
async function cpuMsOf(pids: readonly number[]): Promise<number> {
  const times = pids.map(async (pid) => {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return (Number(fields[11]) + Number(fields[12])) * 10;
  });
  return (await Promise.all(times)).reduce((sum, ms) => sum + ms, 0);
}
