/** The API and the workers: kept alive, woken through here, and cleaned up after. */
import { randomBytes } from 'node:crypto';
import type { Logger } from 'pino';
import type { Work } from '../../core/gateway.ts';
import type { JobBoard } from '../../core/jobs/index.ts';
import { keepProcess, type KeptProcess } from './supervise-process.ts';
import type { ChildSetup } from './messages.ts';

export interface PoolSetup {
  readonly workers: number;
  readonly setup: (name: string) => Promise<ChildSetup>;
  /** Whose Agenda locks a dead process leaves behind. */
  readonly board: () => JobBoard | undefined;
  readonly log: Logger;
  /** A process came up or ended. */
  readonly onChange: () => void;
}

export interface Pool {
  /** Once the API and all workers are up for the first time. Rejects with the first StartError. */
  readonly started: Promise<void>;
  readonly api: KeptProcess;
  /** Frees what these processes of an earlier start held. */
  release(names: readonly string[]): void;
  /** Asks again for what no worker has freed yet. */
  retryReleases(): void;
  running(): { readonly name: string; readonly pid: number }[];
  /** The API first, so that nothing new comes in, then the workers. */
  stop(graceMs: number): Promise<void>;
}

const apiScript = new URL('../api.js', import.meta.url);
const workerScript = new URL('worker-process.js', import.meta.url);
const allWork: readonly Work[] = ['callbacks', 'asks', 'notifications'];
/** Of the time to stop: what requests under way may take of it. */
const apiShare = 0.6;

export function createPool({ workers: count, setup, board, log, onChange }: PoolSetup): Pool {
  /** Dead processes whose rows nobody has freed yet. */
  const unreleased = new Set<string>();
  let turn = 0;
  let isStopping = false;

  const api = keepProcess({
    script: apiScript,
    title: 'The API',
    newName: () => newName('api'),
    setup,
    log,
    onMessage: (message) => message.type === 'wake' && wake(message.work),
    onUp: () => {
      tellWorkers();
      onChange();
    },
    onDown: (name) => {
      free(name);
      onChange();
    },
  });
  const workers = Array.from({ length: count }, (_, index) =>
    keepProcess({
      script: workerScript,
      title: `Worker ${index + 1}`,
      newName: () => newName(`worker-${index + 1}`),
      setup,
      log,
      onMessage(message) {
        if (message.type === 'wake') wake(message.work);
        if (message.type === 'released') unreleased.delete(message.worker);
      },
      onUp() {
        tellWorkers();
        retryReleases();
        onChange();
      },
      onDown(name) {
        tellWorkers();
        free(name);
        onChange();
      },
    }),
  );
  const all = [api, ...workers];
  const started = Promise.all(all.map(async (kept) => kept.started)).then(() => undefined);
  started.catch(() => undefined); // Whoever starts the pool hears of it, when it comes to that.

  function nextWorker(): KeptProcess | undefined {
    const up = workers.filter(({ isUp }) => isUp);
    const quick = up.filter(({ isLate }) => !isLate);
    const candidates = quick.length > 0 ? quick : up;
    turn += 1;
    return candidates[turn % candidates.length];
  }

  /** Without a worker nothing is lost: the next one looks for everything when it comes up. */
  function wake(work: readonly Work[]): void {
    for (const one of work) nextWorker()?.send({ type: 'wake', work: [one] });
  }

  function tellWorkers(): void {
    api.send({ type: 'workers', up: workers.filter(({ isUp }) => isUp).length });
  }

  function free(name: string): void {
    // Who was stopped has given back what it held.
    if (isStopping) return;
    unreleased.add(name);
    const freeing = board()?.release(name);
    freeing
      ?.then(() => wake(allWork))
      .catch((error: unknown) => {
        log.warn({ err: error, name }, 'the Agenda locks of a dead process could not be freed');
      });
    retryReleases();
  }

  function retryReleases(): void {
    for (const worker of unreleased) nextWorker()?.send({ type: 'release', worker });
  }

  return {
    started,
    api,
    release(names) {
      for (const name of names) free(name);
    },
    retryReleases,
    running: () => all.flatMap(({ name, pid }) => (pid === undefined ? [] : [{ name, pid }])),
    async stop(graceMs) {
      isStopping = true;
      const end = Date.now() + graceMs;
      await api.stop(graceMs * apiShare);
      await Promise.all(workers.map(async (worker) => worker.stop(Math.max(end - Date.now(), 0))));
    },
  };
}

function newName(role: string): string {
  return `${role}-${randomBytes(4).toString('hex')}`;
}
