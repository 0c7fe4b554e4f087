/** The supervisor's side of one child: forked, told to run, watched, replaced when it dies, stopped. */
import { fork, type ChildProcess } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { ChildSetup, ToChild, ToSupervisor } from './messages.ts';
import { StartError } from './start-error.ts';

export interface ProcessPlan {
  /** The built script. */
  readonly script: URL;
  /** As people read it, such as `worker 2`. */
  readonly title: string;
  /** A name that no process had before. */
  readonly newName: () => string;
  /** What it is told; awaited for each process anew. */
  readonly setup: (name: string) => Promise<ChildSetup>;
  readonly log: Logger;
  readonly timing?: Partial<Timing>;
  /** What it says beyond starting and beating. */
  onMessage?(message: ToSupervisor, name: string): void;
  onUp?(report: unknown, name: string): void;
  /** It has ended, for whatever reason, up or not. */
  onDown?(name: string): void;
}

export interface Timing {
  /** Before a dead process is replaced; doubled each time it dies young, up to `slowestMs`. */
  readonly quickestMs: number;
  readonly slowestMs: number;
  /** Once it was up for so long, it did not die young. */
  readonly youngMs: number;
  /** Without a beat for so long, its event loop is blocked and it is killed. */
  readonly blockedMs: number;
  /** It is killed where it is not up within so long. */
  readonly startMs: number;
}

const defaults: Timing = { quickestMs: 100, slowestMs: 5000, youngMs: 10_000, blockedMs: 15_000, startMs: 60_000 };
const lookMs = 250;
/** A child beats every second. */
const lateMs = 2500;

export interface KeptProcess {
  /** Its report when it was up for the first time. Rejects with a StartError; then it is not tried again. */
  readonly started: Promise<unknown>;
  /** Of the present process; undefined while there is none. */
  readonly pid: number | undefined;
  readonly name: string;
  readonly isUp: boolean;
  /** It has not beaten for a while: what is sent to it now may wait long. */
  readonly isLate: boolean;
  send(message: ToChild): void;
  /** Ends it: cleanly, or by force after `graceMs`. It is not replaced any more. */
  stop(graceMs: number): Promise<void>;
}

export function keepProcess(plan: ProcessPlan): KeptProcess {
  const timing = { ...defaults, ...plan.timing };
  const { log, title } = plan;
  const stopping = new AbortController();
  const started = createDeferred<unknown>();
  let current: Running | undefined;
  let wasUp = false;
  let deaths = 0;
  const kept = keep();

  async function keep(): Promise<void> {
    while (!stopping.signal.aborted) {
      const running = run();
      current = running;
      const ended = await running.ended;
      current = undefined;
      plan.onDown?.(running.name);
      if (stopping.signal.aborted) break;
      if (!wasUp) {
        started.reject(new StartError(ended.problems));
        return;
      }
      log.error({ name: running.name, why: ended.problems }, `${title} ended and is replaced`);
      deaths = ended.upMs >= timing.youngMs ? 0 : deaths + 1;
      const waitMs = Math.min(timing.quickestMs * 2 ** Math.max(deaths - 1, 0), timing.slowestMs);
      await sleep(waitMs, undefined, { signal: stopping.signal }).catch(() => undefined); // Stopped meanwhile.
    }
    started.reject(new StartError([`${title} was stopped while it was starting.`]));
  }

  function run(): Running {
    const name = plan.newName();
    const child = fork(plan.script, { stdio: ['ignore', 2, 2, 'ipc'], serialization: 'json' });
    const ended = createDeferred<Ended>();
    const times = { toldAt: undefined, upAt: undefined, beatAt: performance.now() };
    const running: Running = { name, child, ended: ended.promise, ...times };
    const problems: string[] = [];
    const endWatch = watchBeats(running, timing, (why) => problems.push(`${title} ${why}`));

    child.on('message', (message: ToSupervisor) => {
      running.beatAt = performance.now();
      if (message.type === 'hello') void begin(running);
      else if (message.type === 'fatal') problems.push(...message.problems);
      else if (message.type === 'ready') {
        running.upAt = performance.now();
        wasUp = true;
        started.resolve(message.report);
        plan.onUp?.(message.report, name);
      } else if (message.type !== 'beat') plan.onMessage?.(message, name);
    });
    // A process that could not be forked has no exit.
    child.once('error', (error) => {
      problems.push(`${title}: ${error.message}`);
      if (child.pid === undefined) child.emit('exit', null, null);
    });
    child.once('exit', (code, signal) => {
      endWatch();
      if (problems.length === 0) problems.push(describeExit(title, code, signal));
      const upMs = running.upAt === undefined ? 0 : performance.now() - running.upAt;
      ended.resolve({ problems, upMs });
    });
    return running;
  }

  async function begin(running: Running): Promise<void> {
    const { name, child } = running;
    try {
      const setup = await plan.setup(name);
      running.toldAt = performance.now();
      send(child, { type: 'run', ...setup });
    } catch (error) {
      log.error({ err: error }, `${title} could not be told what to run`);
      child.kill('SIGKILL');
    }
  }

  // Whoever waits for `started` hears of it; without a listener Node would end the process.
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
    get isLate() {
      return current !== undefined && performance.now() - current.beatAt > lateMs;
    },
    send(message) {
      if (current) send(current.child, message);
    },
    async stop(graceMs) {
      stopping.abort();
      if (current) send(current.child, { type: 'stop', graceMs });
      const force = setTimeout(() => current?.child.kill('SIGKILL'), graceMs);
      await kept;
      clearTimeout(force);
    },
  };
}

interface Deferred<T> {
  readonly promise: Promise<T>;
  readonly resolve: (value: T) => void;
  readonly reject: (error: Error) => void;
}

function createDeferred<T>(): Deferred<T> {
  let settle: Omit<Deferred<T>, 'promise'> | undefined;
  const promise = new Promise<T>((resolve, reject) => (settle = { resolve, reject }));
  return { promise, ...settle! };
}

interface Running {
  readonly name: string;
  readonly child: ChildProcess;
  readonly ended: Promise<Ended>;
  /** When it was told to run. */
  toldAt: number | undefined;
  upAt: number | undefined;
  /** When it was last heard of. */
  beatAt: number;
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

/** Kills a child whose event loop is blocked, or which does not get up in time. Answers how to end the watch. */
function watchBeats(running: Running, { blockedMs, startMs }: Timing, tell: (why: string) => void): () => void {
  let lookedAt = performance.now();
  const timer = setInterval(() => {
    const now = performance.now();
    const { toldAt = now, upAt } = running;
    // This process was held up itself, as by a machine that slept: the beats still lie in its mailbox.
    if (now - lookedAt > 4 * lookMs) running.beatAt = now;
    lookedAt = now;
    if (now - running.beatAt > blockedMs) kill(`was blocked for ${blockedMs / 1000} s and was ended.`);
    else if (upAt === undefined && now - toldAt > startMs) kill(`was not up within ${startMs / 1000} s and was ended.`);
  }, lookMs);
  const end = (): void => clearInterval(timer);
  const kill = (why: string): void => {
    end();
    tell(why);
    running.child.kill('SIGKILL');
  };
  return end;
}
