/** The supervisor's side of one child process: forks it, starts it, watches its heartbeat, replaces it, stops it. */
import { fork, type ChildProcess, type ForkOptions } from 'node:child_process';
import cluster from 'node:cluster';
import { fileURLToPath } from 'node:url';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { maxSilentMs, type HostProcess } from '../../../core/database/collections/host.ts';
import type { ChildOptions, ToChild, ToSupervisor } from './messages.ts';
import { createDeferred } from './deferred.ts';
import { StartError } from '../start-error.ts';

export interface ProcessSpec {
  /** The built script. */
  readonly script: URL;
  /**
   * It shares its listening sockets with all other clustered processes. All clustered processes have the same script.
   */
  readonly isClustered?: boolean;
  /** For people, such as `Worker 2`. */
  readonly title: string;
  /** Returns a name that no process had before. */
  readonly newName: () => string;
  /** Called again for each new process. */
  readonly options: (name: string) => Promise<ChildOptions>;
  readonly log: Logger;
  readonly timing?: Partial<Timing>;
  /** Receives every message except those about the start and the heartbeat. */
  onMessage?(message: ToSupervisor, name: string): void;
  onUp?(report: unknown, name: string): void;
  /** The process has exited, for any reason, whether it was up or not. */
  onDown?(name: string): void;
  /**
   * The process died or had to be killed, and is replaced. Not called after `stop`, nor before the process was up once.
   */
  onFailed?(why: string, name: string): void;
}

export interface Timing {
  /** Pause before a dead process is replaced. Doubles each time it dies within `minUptimeMs`, up to `maxBackoffMs`. */
  readonly minBackoffMs: number;
  readonly maxBackoffMs: number;
  /** A process that was up for this long is replaced after `minBackoffMs` again. */
  readonly minUptimeMs: number;
  /** A process that is up and sends no heartbeat for this long has a blocked event loop and is killed. */
  readonly blockedMs: number;
  /**
   * A process that is not up after this long is killed. Loading code is slow on a busy machine and sends no heartbeat.
   */
  readonly startMs: number;
}

const defaults: Timing = {
  minBackoffMs: 100,
  maxBackoffMs: 5000,
  minUptimeMs: 10_000,
  blockedMs: maxSilentMs,
  startMs: 60_000,
};
const pollMs = 1000;
/** Number of polls before the limit of a child. A timer that is later than this was suspended with its process. */
const nearPolls = 3;
/** After this long without a heartbeat the process counts as unresponsive. A child sends a heartbeat every second. */
const unresponsiveMs = 2500;

export interface SupervisedProcess {
  /**
   * Resolves with the report of the first process that is up. Rejects with a StartError; then no process replaces it.
   */
  readonly started: Promise<unknown>;
  /** Undefined while there is no process. */
  readonly pid: number | undefined;
  readonly name: string;
  readonly isUp: boolean;
  /** The state that other hosts and operators see. A message to an unresponsive process may wait for a long time. */
  readonly status: HostProcess;
  send(message: ToChild): void;
  /** Stops the process: cleanly, or with SIGKILL after `graceMs`. No process replaces it. */
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
      log.error({ name: running.name, why: ended.problems }, `${title} exited and is replaced`);
      spec.onFailed?.(ended.problems.join(' '), running.name);
      deaths = ended.upMs >= timing.minUptimeMs ? 0 : deaths + 1;
      const waitMs = Math.min(timing.minBackoffMs * 2 ** Math.max(deaths - 1, 0), timing.maxBackoffMs);
      await sleep(waitMs, undefined, { signal: stopping.signal }).catch(() => undefined); // Rejects if `stop` interrupts it.
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
      if (message.type === 'hello') void sendOptions(running, problems);
      else if (message.type === 'fatal') problems.push(...message.problems);
      else if (message.type === 'ready') {
        running.upAt = performance.now();
        wasUp = true;
        started.resolve(message.report);
        spec.onUp?.(message.report, name);
      } else if (message.type !== 'heartbeat') spec.onMessage?.(message, name);
    });
    // A process that could not be forked emits no exit event.
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

  async function sendOptions(running: Running, problems: string[]): Promise<void> {
    const { name, child } = running;
    try {
      const options = await spec.options(name);
      running.runSentAt = performance.now();
      send(child, { type: 'run', ...options });
    } catch (error) {
      log.error({ err: error }, `${title} did not get its options`);
      problems.push(`${title} did not get its options. See the log.`);
      child.kill('SIGKILL');
    }
  }

  // Without a handler, Node would exit on a rejection that `started` reports anyway.
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
 * Size of each half of the young generation, in megabytes. Node's default of 16 MB makes a process 25 % larger under
 * load and no faster, because almost no object outlives its request.
 */
const semiSpaceMb = 4;
/**
 * By default glibc makes eight arenas per core, and memory that is free in one is not used by the threads of another. A
 * process with its dozen threads is 5 to 9 MB smaller with two. The variable has no effect with another C library.
 */
const mallocArenas = '2';

function forkChild({ script, isClustered = false }: ProcessSpec): ChildProcess {
  const execArgv = [...process.execArgv, `--max-semi-space-size=${semiSpaceMb}`];
  const options = { stdio: ['ignore', 1, 2, 'ipc'], serialization: 'json', execArgv } satisfies ForkOptions;
  const env = { MALLOC_ARENA_MAX: mallocArenas, ...process.env };
  if (!isClustered) return fork(script, { ...options, env });
  cluster.setupPrimary({ ...options, exec: fileURLToPath(script) });
  const worker = cluster.fork(env);
  worker.on('error', () => undefined); // The error of its process is handled instead.
  return worker.process;
}

interface Running {
  readonly name: string;
  readonly child: ChildProcess;
  readonly ended: Promise<Ended>;
  /** When its options were sent. */
  runSentAt: number | undefined;
  upAt: number | undefined;
  /** When its last message arrived. */
  heartbeatAt: number;
}

function statusOf(title: string, { name, upAt, heartbeatAt }: Running): HostProcess {
  const silentMs = Math.round(performance.now() - heartbeatAt);
  // A process sends no heartbeat while it loads its code.
  const state = upAt === undefined ? 'starting' : silentMs > unresponsiveMs ? 'unresponsive' : 'up';
  return { title, name, state, silentMs };
}

interface Ended {
  readonly problems: readonly string[];
  /** How long it was up. */
  readonly upMs: number;
}

/** Never fails: a child that is exiting accepts no messages, and its exit is handled instead. */
function send(child: ChildProcess, message: ToChild): void {
  if (child.connected) child.send(message, () => undefined);
}

function describeExit(title: string, code: number | null, signal: NodeJS.Signals | null): string {
  return `${title} exited unexpectedly (${signal ?? `exit code ${code}`}). See the log.`;
}

/** Kills a child whose event loop is blocked, or which is not up in time. Returns a function that stops the watch. */
function watchHeartbeats(running: Running, { blockedMs, startMs }: Timing, report: (why: string) => void): () => void {
  let timer = setTimeout(check, pollMs);
  let dueAt = performance.now() + pollMs;

  /** Polls every second only if the limit is near. */
  function check(): void {
    const now = performance.now();
    // This process itself was suspended, for example while the machine slept: heartbeats still wait in its IPC channel.
    if (now - dueAt >= nearPolls * pollMs) running.heartbeatAt = now;
    const { upAt, heartbeatAt, runSentAt = heartbeatAt } = running;
    const leftMs = upAt === undefined ? runSentAt + startMs - now : heartbeatAt + blockedMs - now;
    if (leftMs >= 0) {
      const waitMs = Math.max(Math.min(leftMs, blockedMs) - nearPolls * pollMs, pollMs);
      dueAt = now + waitMs;
      timer = setTimeout(check, waitMs);
      return;
    }
    const seconds = (upAt === undefined ? startMs : blockedMs) / 1000;
    report(`${upAt === undefined ? 'was not up within' : 'did not answer for'} ${seconds} s and was killed.`);
    running.child.kill('SIGKILL');
  }
  return () => clearTimeout(timer);
}
