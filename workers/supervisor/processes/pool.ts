/**
 * The processes of the API, the workers and the operators' listener: supervises them, passes work on to workers, and
 * frees what a dead process held.
 */
import type { Logger } from 'pino';
import type { HostProcess } from '../../../core/database/collections/host.ts';
import { allWork, type RecurringJobs, type Work } from '../../../core/engine/jobs/index.ts';
import type { Metrics } from '../../../core/base/metrics/index.ts';
import { createDeadProcessCleanup } from './dead-process-cleanup.ts';
import type { ApiOptions, ChildOptions, OpsOptions, ToChild, ToSupervisor } from './messages.ts';
import { createMetricsScrapes } from './metrics-scrapes.ts';
import { newName } from './process-names.ts';
import { createCounter } from './shared-counts.ts';
import { superviseProcess, type SupervisedProcess } from './supervise-process.ts';
import { createWorkDispatch, isServing } from './work-dispatch.ts';

export interface PoolDeps {
  /** Number of API processes. */
  readonly apis: number;
  /** Number of worker processes. */
  readonly workers: number;
  /** Port of the operators' listener. Undefined: there is no listener. */
  readonly opsPort: number | undefined;
  readonly childOptions: (name: string) => Promise<ChildOptions>;
  /** Frees the Agenda locks of dead processes. Undefined before the database is open. */
  readonly recurringJobs: () => RecurringJobs | undefined;
  /** There is work, and no worker of this host can start it. */
  readonly wakeElsewhere: (work: Work) => void;
  /** The metrics of the supervisor. */
  readonly metrics: Metrics;
  readonly log: Logger;
  /** A process came up or ended, or the host was fenced or released. */
  readonly onChange: () => void;
  /** A process died or had to be killed, and is replaced. */
  readonly onFailed: (why: string, name: string) => void;
  /** Requests come through a proxy that config does not name. */
  readonly onUnknownProxy: () => void;
}

export interface Pool {
  /** Resolves when all processes are up for the first time. Rejects with the first StartError. */
  readonly started: Promise<void>;
  /** Number of workers that are up and start work: 0 while the host is fenced or the pool stops. */
  readonly workersUp: number;
  /** There is work of these kinds. */
  notifyWorkers(work: readonly Work[]): void;
  /**
   * Sends the state of this host to every process, including those that start later. While it has problems the host is
   * fenced: its work goes to other hosts.
   */
  reportHost(message: HostMessage): void;
  /** Frees what these processes held, of an earlier start or of a host that died. Resolves when all of it is free. */
  release(names: readonly string[]): Promise<void>;
  /** Lets one worker check for all work. Finds work whose notification was lost, even if Agenda fails completely. */
  sweep(): void;
  /** Repeats the releases that no worker has confirmed yet. */
  retryReleases(): void;
  /** The states of adapters changed: every process reads them. */
  notifyOfStates(): void;
  reopenLogs(): void;
  running(): { readonly name: string; readonly pid: number }[];
  /** The state of every process, including those that are down. */
  statuses(): readonly HostProcess[];
  /**
   * Stops all processes at the same time. The API takes no new requests and has all of `graceMs` for requests in
   * progress; the workers finish their work in the same time.
   */
  stop(graceMs: number): Promise<void>;
}

type HostMessage = Extract<ToChild, { type: 'host' }>;
type Role = 'api' | 'worker' | 'ops';

interface RoleSpec {
  readonly script: URL;
  readonly isClustered: boolean;
  /** It claims rows and locks, which are freed when it dies. */
  readonly claimsWork: boolean;
  readonly titleOf: (number: number, count: number) => string;
  readonly seriesOf: (number: number) => string;
}

const roleSpecs: Readonly<Record<Role, RoleSpec>> = {
  api: {
    script: new URL('../../api.js', import.meta.url),
    isClustered: true,
    claimsWork: true,
    titleOf: (number, count) => (count === 1 ? 'The API' : `API ${number}`),
    seriesOf: (number) => `api-${number}`,
  },
  worker: {
    script: new URL('../../worker.js', import.meta.url),
    isClustered: false,
    claimsWork: true,
    titleOf: (number) => `Worker ${number}`,
    seriesOf: (number) => `worker-${number}`,
  },
  ops: {
    script: new URL('../../ops.js', import.meta.url),
    isClustered: false,
    claimsWork: false,
    titleOf: () => "The operators' listener",
    seriesOf: () => 'ops',
  },
};

export function createPool(deps: PoolDeps): Pool {
  const { childOptions, opsPort, metrics, log, onChange, onFailed } = deps;
  const count = createCounter(() => new Date());
  let host: HostMessage = { type: 'host', problems: [], warnings: [] };
  let isStopping = false;
  const roleOptions = {
    api: { hasWorkers: deps.workers > 0 } satisfies ApiOptions,
    worker: undefined,
    ops: { port: opsPort ?? 0, hasApis: deps.apis > 0, hasWorkers: deps.workers > 0 } satisfies OpsOptions,
  };
  const cleanup = createDeadProcessCleanup({
    recurringJobs: deps.recurringJobs,
    freeRows(name) {
      const process = dispatch.nextOf(workers) ?? dispatch.nextOf(apis);
      process?.send({ type: 'release', worker: name });
    },
    onFreed: () => dispatch.notifyWorkers(allWork),
    log,
  });

  const apis = superviseRole('api', deps.apis);
  const workers = superviseRole('worker', deps.workers);
  const listeners = superviseRole('ops', opsPort === undefined ? 0 : 1);
  const counting = [...apis, ...workers];
  const all = [...counting, ...listeners];
  const dispatch = createWorkDispatch({ workers, canWork, wakeElsewhere: deps.wakeElsewhere });
  const scrapes = createMetricsScrapes({ processes: () => counting, metrics });
  const started = Promise.all(all.map(async (child) => child.started)).then(() => undefined);
  started.catch(() => undefined); // The caller awaits it later.
  countProcesses();

  function superviseRole(role: Role, total: number): SupervisedProcess[] {
    const { script, isClustered, claimsWork, titleOf, seriesOf } = roleSpecs[role];
    return Array.from({ length: total }, (_, index): SupervisedProcess => {
      const child: SupervisedProcess = superviseProcess({
        script,
        isClustered,
        title: titleOf(index + 1, total),
        newName: () => newName(seriesOf(index + 1)),
        options: async (name) => ({ ...(await childOptions(name)), extra: roleOptions[role] }),
        log,
        onFailed,
        onMessage: (message, name) => receivers[role](message, name, child),
        onUp() {
          reportUp();
          child.send(host);
          // They may have changed while it started.
          child.send({ type: 'adapterStates' });
          if (claimsWork) cleanup.retry();
          onChange();
        },
        onDown(name) {
          if (claimsWork) reportUp();
          if (!isStopping) metrics.processesEnded.inc({ role });
          scrapes.ended(name);
          // A process that was stopped has released what it held.
          if (claimsWork && !isStopping) void cleanup.free(name);
          onChange();
        },
      });
      return child;
    });
  }

  type Receiver = (message: ToSupervisor, name: string, from: SupervisedProcess) => void;
  const receivers: Readonly<Record<Role, Receiver>> = {
    api(message, name, from) {
      receiveFromWorking(message, name, from);
      if (message.type === 'count') from.send(count(message));
      if (message.type === 'unknownProxy') deps.onUnknownProxy();
    },
    worker: receiveFromWorking,
    ops(message, name, from) {
      if (message.type !== 'gather') return;
      const { id, snapshot } = message;
      scrapes.receive(name, snapshot);
      void scrapes.gather().then((gathered) => from.send({ type: 'gathered', id, gathered }));
    },
  };

  function receiveFromWorking(message: ToSupervisor, name: string, from: SupervisedProcess): void {
    if (message.type === 'work') dispatch.notifyWorkers(message.work, from);
    if (message.type === 'released') cleanup.confirmRowsFreed(message.worker);
    if (message.type === 'metrics') scrapes.receive(name, message.snapshot, message.scrape);
  }

  function countProcesses(): void {
    const roles = Object.entries({ api: apis, worker: workers, ops: listeners }).filter(([, { length }]) => length > 0);
    for (const [role, { length }] of roles) {
      metrics.processesEnded.inc({ role }, 0);
      metrics.processesWanted.set({ role }, length);
    }
    metrics.onSnapshot(() => {
      for (const [role, processes] of roles) metrics.processesUp.set({ role }, processes.filter(isServing).length);
    });
  }

  function canWork(): boolean {
    return !isStopping && host.problems.length === 0;
  }

  function reportUp(): void {
    const up = { type: 'up', apis: countUp(apis), workers: countUp(workers) } as const;
    for (const child of [...apis, ...listeners]) child.send(up);
  }

  return {
    started,
    get workersUp() {
      return canWork() ? countUp(workers) : 0;
    },
    notifyWorkers: (work) => dispatch.notifyWorkers(work),
    reportHost(message) {
      if (JSON.stringify(message) === JSON.stringify(host)) return;
      host = message;
      for (const child of all) child.send(host);
      onChange();
    },
    async release(names) {
      await Promise.all(names.map(async (name) => cleanup.free(name)));
    },
    sweep() {
      if (canWork()) dispatch.nextOf(workers)?.send({ type: 'sweep' });
    },
    retryReleases: () => cleanup.retry(),
    notifyOfStates() {
      for (const child of all) child.send({ type: 'adapterStates' });
    },
    reopenLogs() {
      for (const child of all) child.send({ type: 'reopenLogs' });
    },
    running: () => all.flatMap(({ name, pid }) => (pid === undefined ? [] : [{ name, pid }])),
    statuses: () => all.map(({ status }) => status),
    async stop(graceMs) {
      isStopping = true;
      onChange();
      await Promise.all(all.map(async (child) => child.stop(graceMs)));
    },
  };
}

function countUp(processes: readonly SupervisedProcess[]): number {
  return processes.filter(({ isUp }) => isUp).length;
}
