/**
 * Forks the child processes at the very beginning of a start, so that they load their code while mongod starts. They
 * get their options later: first the sandboxes, when the database is up, then the API and the workers.
 */
import type { Logger } from 'pino';
import * as v from 'valibot';
import type { LoadedConfig } from '../../../config/load-config.ts';
import { createDeferred } from '../processes/deferred.ts';
import { mailCatcher } from '../dev/mail-catcher.ts';
import { SandboxReports, type SandboxReport } from '../dev/sandboxes.ts';
import type { ChildOptions } from '../processes/messages.ts';
import { createPool, type Pool, type PoolDeps } from '../processes/pool.ts';
import { rolesOf, type Role } from '../roles.ts';
import { superviseProcess, type SupervisedProcess } from '../processes/supervise-process.ts';
import { hasMailCatcher, ownSandboxes } from './choose-ports.ts';
import { toLogTarget, toRunConfig } from './run-config.ts';
import type { TakenFolder } from './take-folder.ts';

export interface ForkDeps extends Pick<
  PoolDeps,
  'recurringJobs' | 'wakeElsewhere' | 'metrics' | 'log' | 'onChange' | 'onFailed' | 'onUnknownProxy'
> {
  readonly role: Role;
  readonly loaded: LoadedConfig;
  readonly folder: Pick<TakenFolder, 'ports' | 'opsPort' | 'secrets'>;
}

export interface ForkedProcesses {
  readonly pool: Pool;
  /** Sends the sandboxes their options. */
  startSandboxes(mongodbUri: string): void;
  /** Resolves when all sandboxes are up. */
  sandboxesStarted(): Promise<readonly SandboxReport[]>;
  /** Sends the API, the workers and the operators' listener their options. Resolves when all are up. */
  startPool(): Promise<void>;
  /** Every process that runs now. */
  running(): { readonly name: string; readonly pid: number }[];
  reopenLogs(): void;
  /** Stops the pool, then the sandboxes, within `graceMs` in all. */
  stop(graceMs: number): Promise<void>;
}

const sandboxScript = new URL('../dev/sandboxes-process.js', import.meta.url);

export function forkProcesses({ role, loaded, folder, ...deps }: ForkDeps): ForkedProcesses {
  const { config } = loaded;
  const { ports, opsPort, secrets } = folder;
  const { runsApi, runsWorkers, runsSandboxes } = rolesOf[role];
  const databaseUp = createDeferred<string>();
  const sandboxesUp = createDeferred<void>();
  const optionsOf = async (name: string): Promise<ChildOptions> => {
    const uri = await databaseUp.promise;
    const run = toRunConfig(loaded, { ...secrets, uri, ports: ports.sandboxes, opsPort });
    return { run, name, log: toLogTarget(loaded) };
  };
  const sandboxes = runsSandboxes ? superviseSandboxes({ config, ports, optionsOf, log: deps.log }) : undefined;
  const pool = createPool({
    ...deps,
    apis: runsApi ? config.server.processes : 0,
    workers: runsWorkers ? config.workers.count : 0,
    opsPort,
    childOptions: async (name) => sandboxesUp.promise.then(async () => optionsOf(name)),
  });
  return {
    pool,
    startSandboxes: (mongodbUri) => databaseUp.resolve(mongodbUri),
    sandboxesStarted: async () => v.parse(SandboxReports, (await sandboxes?.started) ?? []),
    async startPool() {
      sandboxesUp.resolve();
      await pool.started;
    },
    running() {
      const { name = '', pid } = sandboxes ?? {};
      return [...(pid === undefined ? [] : [{ name, pid }]), ...pool.running()];
    },
    reopenLogs() {
      pool.reopenLogs();
      sandboxes?.send({ type: 'reopenLogs' });
    },
    async stop(graceMs) {
      const until = Date.now() + graceMs;
      await pool.stop(graceMs);
      await sandboxes?.stop(Math.max(until - Date.now(), 0));
    },
  };
}

interface SandboxDeps {
  readonly config: LoadedConfig['config'];
  readonly ports: TakenFolder['ports'];
  readonly optionsOf: (name: string) => Promise<ChildOptions>;
  readonly log: Logger;
}

/** Undefined: no sandbox and no mail catcher runs here. */
function superviseSandboxes({ config, ports, optionsOf, log }: SandboxDeps): SupervisedProcess | undefined {
  const names = [...ownSandboxes(config), ...(hasMailCatcher(config) ? [mailCatcher] : [])];
  if (names.length === 0) return undefined;
  const extra: unknown = Object.fromEntries(names.map((name) => [name, ports.sandboxes[name]]));
  return superviseProcess({
    script: sandboxScript,
    title: 'The process of the sandboxes',
    newName: () => 'sandboxes',
    options: async (name) => ({ ...(await optionsOf(name)), extra }),
    log,
  });
}
