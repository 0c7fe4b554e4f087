/**
 * The processes of the API, the workers and the operators' listener: supervises them, passes work on to workers, and frees
 * what a dead process held.
 */
import type { Logger } from 'pino';
import type { HostProcess } from '../../core/database/collections/host.ts';
import { allWork, type RecurringJobs, type Work } from '../../core/engine/jobs/index.ts';
import { superviseProcess, type SupervisedProcess } from './supervise-process.ts';
import type { ApiExtra } from './api-extra.ts';
import type { ChildSetup, ToChild, ToSupervisor } from './messages.ts';
import type { Metrics } from '../../core/base/metrics/index.ts';
import type { OpsExtra } from './ops-extra.ts';
import { newName } from './process-names.ts';
import { createReleases } from './releases.ts';
import { createScrapes } from './scrapes.ts';
import { createCounter } from './shared-counts.ts';

export interface PoolSetup {
  /** Processes of the API. */
  readonly apis: number;
  readonly workers: number;
  /** Of the operators' listener; undefined: there is none. */
  readonly opsPort: number | undefined;
  readonly setup: (name: string) => Promise<ChildSetup>;
  /** Whose Agenda locks a dead process leaves behind. */
  readonly recurringJobs: () => RecurringJobs | undefined;
  /** There is work, and no worker here does it. */
  readonly wakeElsewhere: (work: Work) => void;
  /** Of this process. */
  readonly metrics: Metrics;
  readonly log: Logger;
  /** A process came up or ended, or the host is held, or no more. */
  readonly onChange: () => void;
  /** A process died, or had to be ended, and is replaced. */
  readonly onFailed: (why: string, name: string) => void;
  /** Requests come through a proxy that config does not name. */
  readonly onUnknownProxy: () => void;
}

export interface Pool {
  /** Once all are up for the first time. Rejects with the first StartError. */
  readonly started: Promise<void>;
  /** Workers that are up and begin work: none while the host is held, or the pool stops. */
  readonly workersUp: number;
  /** There is work of these kinds. */
  notifyWorkers(work: readonly Work[]): void;
  /** To every process, those that come up later too. While there are problems the host is held: its work is for others. */
  reportHost(message: HostMessage): void;
  /** Frees what these processes held, of an earlier start or of a host that died. Resolves once all of it is free. */
  release(names: readonly string[]): Promise<void>;
  /** Sends releases again that no worker has confirmed yet. */
  retryReleases(): void;
  reopenLogs(): void;
  running(): { readonly name: string; readonly pid: number }[];
  /** Of every process that there is to be. */
  statuses(): readonly HostProcess[];
  /** The API has the whole time for requests under way; it takes no new ones, and the workers end what they do beside it. */
  stop(graceMs: number): Promise<void>;
}

type HostMessage = Extract<ToChild, { type: 'host' }>;

const apiScript = new URL('../api.js', import.meta.url);
const workerScript = new URL('../worker.js', import.meta.url);
const opsScript = new URL('../ops.js', import.meta.url);

export function createPool({
  apis: apiCount,
  workers: workerCount,
  opsPort,
  setup,
  recurringJobs,
  wakeElsewhere,
  metrics,
  log,
  onChange,
  onFailed,
  onUnknownProxy,
}: PoolSetup): Pool {
  const count = createCounter(() => new Date());
  let host: HostMessage = { type: 'host', problems: [], warnings: [] };
  let turn = 0;
  let isStopping = false;
  const releases = createReleases({
    recurringJobs,
    freeRows(name) {
      const releaser = nextOf(workers) ?? nextOf(apis);
      releaser?.send({ type: 'release', worker: name });
    },
    onFreed: () => notifyWorkers(allWork),
    log,
  });

  const apis = Array.from({ length: apiCount }, (_, index): SupervisedProcess => {
    const api: SupervisedProcess = superviseProcess({
      script: apiScript,
      isClustered: true,
      title: apiCount === 1 ? 'The API' : `API ${index + 1}`,
      newName: () => newName(`api-${index + 1}`),
      setup: async (name) => ({ ...(await setup(name)), extra: { hasWorkers: workerCount > 0 } satisfies ApiExtra }),
      log,
      onFailed,
      onMessage(message, name) {
        hear(message, name, api);
        if (message.type === 'count') api.send(count(message));
        if (message.type === 'unknownProxy') onUnknownProxy();
      },
      onUp() {
        reportUp();
        api.send(host);
        releases.retry();
        onChange();
      },
      onDown(name) {
        reportUp();
        note('api', name);
        free(name);
        onChange();
      },
    });
    return api;
  });
  const workers = Array.from({ length: workerCount }, (_, index): SupervisedProcess => {
    const worker: SupervisedProcess = superviseProcess({
      script: workerScript,
      title: `Worker ${index + 1}`,
      newName: () => newName(`worker-${index + 1}`),
      setup,
      log,
      onFailed,
      onMessage: (message, name) => hear(message, name, worker),
      onUp() {
        reportUp();
        worker.send(host);
        releases.retry();
        onChange();
      },
      onDown(name) {
        reportUp();
        note('worker', name);
        free(name);
        onChange();
      },
    });
    return worker;
  });
  const counting = [...apis, ...workers];
  const scrapes = createScrapes({ processes: () => counting, metrics });
  const listeners = opsPort === undefined ? [] : [superviseOps(opsPort)];
  const all = [...counting, ...listeners];
  const roles = Object.entries({ api: apis, worker: workers, ops: listeners }).filter(([, { length }]) => length > 0);
  for (const [role, { length }] of roles) {
    metrics.processesEnded.inc({ role }, 0);
    metrics.processesWanted.set({ role }, length);
  }
  metrics.onSnapshot(() => {
    for (const [role, processes] of roles) metrics.processesUp.set({ role }, processes.filter(isServing).length);
  });
  const started = Promise.all(all.map(async (child) => child.started)).then(() => undefined);
  started.catch(() => undefined); // Who starts the pool awaits it later.

  function superviseOps(port: number): SupervisedProcess {
    const ops: SupervisedProcess = superviseProcess({
      script: opsScript,
      title: "The operators' listener",
      newName: () => newName('ops'),
      setup: async (name) => {
        const extra: OpsExtra = { port, hasApis: apiCount > 0, hasWorkers: workerCount > 0 };
        return { ...(await setup(name)), extra };
      },
      log,
      onFailed,
      onMessage(message, name) {
        if (message.type !== 'gather') return;
        const { id, snapshot } = message;
        scrapes.receive(name, snapshot);
        void scrapes.gather().then((gathered) => ops.send({ type: 'gathered', id, gathered }));
      },
      onUp() {
        reportUp();
        ops.send(host);
        onChange();
      },
      onDown(name) {
        note('ops', name);
        onChange();
      },
    });
    return ops;
  }

  function hear(message: ToSupervisor, name: string, from: SupervisedProcess): void {
    if (message.type === 'work') notifyWorkers(message.work, from);
    if (message.type === 'released') releases.rowsFreed(message.worker);
    if (message.type === 'metrics') scrapes.receive(name, message.snapshot, message.scrape);
  }

  /** It has ended. */
  function note(role: 'api' | 'worker' | 'ops', name: string): void {
    if (!isStopping) metrics.processesEnded.inc({ role });
    scrapes.ended(name);
  }

  function candidatesOf(processes: readonly SupervisedProcess[]): readonly SupervisedProcess[] {
    const up = processes.filter(({ isUp }) => isUp);
    const quick = up.filter(isServing);
    return quick.length > 0 ? quick : up;
  }

  function nextOf(processes: readonly SupervisedProcess[]): SupervisedProcess | undefined {
    const candidates = candidatesOf(processes);
    turn += 1;
    return candidates[turn % candidates.length];
  }

  /**
   * Callbacks are drained by one worker, in larger batches than two would find, until it asks for help: what a worker wants
   * done is for another one, where there is one. Without a worker anywhere nothing is lost: the next one looks for
   * everything when it comes up, and so do those of a host that is held no more.
   */
  function notifyWorkers(work: readonly Work[], from?: SupervisedProcess): void {
    const others = workers.filter((worker) => worker !== from);
    const candidates = !canWork() ? [] : others.some(({ isUp }) => isUp) ? others : workers;
    for (const one of work) {
      const worker = one === 'callbacks' || one === 'pings' ? candidatesOf(candidates)[0] : nextOf(candidates);
      if (worker) worker.send({ type: 'work', work: [one] });
      else wakeElsewhere(one);
    }
  }

  function countUp(processes: readonly SupervisedProcess[]): number {
    return processes.filter(({ isUp }) => isUp).length;
  }

  function canWork(): boolean {
    return !isStopping && host.problems.length === 0;
  }

  function reportUp(): void {
    const up = { type: 'up', apis: countUp(apis), workers: countUp(workers) } as const;
    for (const child of [...apis, ...listeners]) child.send(up);
  }

  function free(name: string): void {
    // A process that was stopped has given back what it held.
    if (!isStopping) void releases.free(name);
  }

  return {
    started,
    get workersUp() {
      return canWork() ? countUp(workers) : 0;
    },
    notifyWorkers: (work) => notifyWorkers(work),
    reportHost(message) {
      if (JSON.stringify(message) === JSON.stringify(host)) return;
      host = message;
      for (const child of all) child.send(host);
      onChange();
    },
    async release(names) {
      await Promise.all(names.map(async (name) => releases.free(name)));
    },
    retryReleases: () => releases.retry(),
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

function isServing({ status }: SupervisedProcess): boolean {
  return status.state === 'up';
}
