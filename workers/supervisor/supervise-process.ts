/** The supervisor's side of one child process: forks it, starts it, watches its heartbeat, replaces it, stops it. */
import { fork, type ChildProcess, type ForkOptions } from 'node:child_process';
import cluster from 'node:cluster';
import { fileURLToPath } from 'node:url';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { maxSilentMs, type HostProcess } from '../../core/database/collections/host.ts';
import type { ChildSetup, ToChild, ToSupervisor } from './messages.ts';
import { createDeferred } from './deferred.ts';
import { StartError } from './start-error.ts';

export interface ProcessSpec {
  /** The built script. */
  readonly script: URL;
  /** What it listens on it shares with all others that do. All clustered processes have the same script. */
  readonly isClustered?: boolean;
  /** As people read it, such as `worker 2`. */
  readonly title: string;
  /** A name that no process had before. */
  readonly newName: () => string;
  /** What it runs with; awaited for each process anew. */
  readonly setup: (name: string) => Promise<ChildSetup>;
  readonly log: Logger;
  readonly timing?: Partial<Timing>;
  /** Takes every message but those about its start and its heartbeat. */
  onMessage?(message: ToSupervisor, name: string): void;
  onUp?(report: unknown, name: string): void;
  /** It has ended, for whatever reason, up or not. */
  onDown?(name: string): void;
  /** It died, or had to be ended, and is replaced: neither as it was stopped nor in the start of the service. */
  onFailed?(why: string, name: string): void;
}

export interface Timing {
  /** Before a dead process is replaced; doubles each time it dies within `minUptimeMs`, up to `maxBackoffMs`. */
  readonly minBackoffMs: number;
  readonly maxBackoffMs: number;
  /** A process that was up for so long is replaced without further backoff. */
  readonly minUptimeMs: number;
  /** Once up and without a heartbeat for so long, its event loop is blocked and it is killed. */
  readonly blockedMs: number;
  /** It is killed where it is not up within so long. Loading its code takes long on a busy machine, and has no heartbeat. */
  readonly startMs: number;
}

const defaults: Timing = {
  minBackoffMs: 100,
  maxBackoffMs: 5000,
  minUptimeMs: 10_000,
  blockedMs: maxSilentMs,
  startMs: 60_000,
};
const pollMs = 250;
/** A child sends a heartbeat every second. */
const unresponsiveMs = 2500;

export interface SupervisedProcess {
  /** Its report when it was up for the first time. Rejects with a StartError; then it is not tried again. */
  readonly started: Promise<unknown>;
  /** Of the present process; undefined while there is none. */
  readonly pid: number | undefined;
  readonly name: string;
  readonly isUp: boolean;
  /** As other hosts and operators see it. What is sent to one that is unresponsive may wait long. */
  readonly status: HostProcess;
  send(message: ToChild): void;
  /** Ends it: cleanly, or by force after `graceMs`. It is not replaced any more. */
  stop(graceMs: number): Promise<void>;
}

export function superviseProcess(spec: ProcessSpec): SupervisedProcess {
  const timing = { ...defaults, ...spec.timing };
  const { log, title } = spec;
  const stopping = new AbortController();
  const started = createDeferred<unknown>();
  let current: Running | undefined;
  let wasUp = false;
  let deaths = 0;
  const supervision = supervise();

  async function supervise(): Promise<void> {
    while (!stopping.signal.aborted) {
      const running = run();
      current = running;
      const ended = await running.ended;
      current = undefined;
      spec.onDown?.(running.name);
      if (stopping.signal.aborted) break;
      if (!wasUp) {
        started.reject(new StartError(ended.problems));
        return;
      }
      log.error({ name: running.name, why: ended.problems }, `${title} ended and is replaced`);
      spec.onFailed?.(ended.problems.join(' '), running.name);
      deaths = ended.upMs >= timing.minUptimeMs ? 0 : deaths + 1;
      const waitMs = Math.min(timing.minBackoffMs * 2 ** Math.max(deaths - 1, 0), timing.maxBackoffMs);
      await sleep(waitMs, undefined, { signal: stopping.signal }).catch(() => undefined); // Stopped meanwhile.
    }
    started.reject(new StartError([`${title} was stopped while it was starting.`]));
  }

  function run(): Running {
    const name = spec.newName();
    const child = forkChild(spec);
    const ended = createDeferred<Ended>();
    const times = { runSentAt: undefined, upAt: undefined, heartbeatAt: performance.now() };
    const running: Running = { name, child, ended: ended.promise, ...times };
    const problems: string[] = [];
    const stopWatching = watchHeartbeats(running, timing, (why) => problems.push(`${title} ${why}`));

    child.on('message', (message: ToSupervisor) => {
      running.heartbeatAt = performance.now();
      if (message.type === 'hello') void begin(running, problems);
      else if (message.type === 'fatal') problems.push(...message.problems);
      else if (message.type === 'ready') {
        running.upAt = performance.now();
        wasUp = true;
        started.resolve(message.report);
        spec.onUp?.(message.report, name);
      } else if (message.type !== 'heartbeat') spec.onMessage?.(message, name);
    });
    // A process that could not be forked has no exit.
    child.once('error', (error) => {
      problems.push(`${title}: ${error.message}`);
      if (child.pid === undefined) child.emit('exit', null, null);
    });
    child.once('exit', (code, signal) => {
      stopWatching();
      if (problems.length === 0) problems.push(describeExit(title, code, signal));
      const upMs = running.upAt === undefined ? 0 : performance.now() - running.upAt;
      ended.resolve({ problems, upMs });
    });
    return running;
  }

  async function begin(running: Running, problems: string[]): Promise<void> {
    const { name, child } = running;
    try {
      const setup = await spec.setup(name);
      running.runSentAt = performance.now();
      send(child, { type: 'run', ...setup });
    } catch (error) {
      log.error({ err: error }, `${title} could not be given its setup`);
      problems.push(`${title} could not be given its setup.`);
      child.kill('SIGKILL');
    }
  }

  // Without a listener Node would end the process on a rejection that `started` reports anyway.
  started.promise.catch(() => undefined);
  return {
    started: started.promise,
    get pid() {
      return current?.child.pid;
    },
    get name() {
      return current?.name ?? '';
    },
    get isUp() {
      return current?.upAt !== undefined;
    },
    get status() {
      return current ? statusOf(title, current) : { title, name: '', state: 'down' as const, silentMs: 0 };
    },
    send(message) {
      if (current) send(current.child, message);
    },
    async stop(graceMs) {
      stopping.abort();
      if (current) send(current.child, { type: 'stop', graceMs });
      const force = setTimeout(() => current?.child.kill('SIGKILL'), graceMs);
      await supervision;
      clearTimeout(force);
    },
  };
}

/**
 * In megabytes, of each half of the young generation. Node’s own 16 make a process a quarter larger under load, and
 * no quicker: hardly anything of a request outlives it.
 */
const semiSpaceMb = 4;

function forkChild({ script, isClustered = false }: ProcessSpec): ChildProcess {
  const execArgv = [...process.execArgv, `--max-semi-space-size=${semiSpaceMb}`];
  const options = { stdio: ['ignore', 1, 2, 'ipc'], serialization: 'json', execArgv } satisfies ForkOptions;
  if (!isClustered) return fork(script, options);
  cluster.setupPrimary({ ...options, exec: fileURLToPath(script) });
  const worker = cluster.fork();
  worker.on('error', () => undefined); // That of its process is heard.
  return worker.process;
}

interface Running {
  readonly name: string;
  readonly child: ChildProcess;
  readonly ended: Promise<Ended>;
  /** When its setup was sent. */
  runSentAt: number | undefined;
  upAt: number | undefined;
  /** When its last message arrived. */
  heartbeatAt: number;
}

function statusOf(title: string, { name, upAt, heartbeatAt }: Running): HostProcess {
  const silentMs = Math.round(performance.now() - heartbeatAt);
  // While it loads its code it sends no heartbeat.
  const state = upAt === undefined ? 'starting' : silentMs > unresponsiveMs ? 'unresponsive' : 'up';
  return { title, name, state, silentMs };
}

interface Ended {
  readonly problems: readonly string[];
  /** How long it was up. */
  readonly upMs: number;
}

/** Never fails: a child that is ending takes no more messages, and its end is what counts then. */
function send(child: ChildProcess, message: ToChild): void {
  if (child.connected) child.send(message, () => undefined);
}

function describeExit(title: string, code: number | null, signal: NodeJS.Signals | null): string {
  return `${title} ended by itself (${signal ?? `exit code ${code}`}): the log says more.`;
}

/** Kills a child whose event loop is blocked, or which does not get up in time. Gives how to end the watch. */
function watchHeartbeats(running: Running, { blockedMs, startMs }: Timing, report: (why: string) => void): () => void {
  let polledAt = performance.now();
  const timer = setInterval(() => {
    const now = performance.now();
    // This process was held up itself, as by a machine that slept: the heartbeats still wait in its IPC channel.
    if (now - polledAt > 4 * pollMs) running.heartbeatAt = now;
    polledAt = now;
    const { upAt, heartbeatAt, runSentAt = heartbeatAt } = running;
    if (upAt === undefined) {
      if (now - runSentAt > startMs) kill(`was not up within ${startMs / 1000} s and was ended.`);
    } else if (now - heartbeatAt > blockedMs) kill(`did not answer for ${blockedMs / 1000} s and was ended.`);
  }, pollMs);
  const end = (): void => clearInterval(timer);
  const kill = (why: string): void => {
    end();
    report(why);
    running.child.kill('SIGKILL');
  };
  return end;
}
