/** The child's side of a supervised process: starts and stops on the supervisor's messages, and sends a heartbeat. */
import type { Logger } from 'pino';
import { createLog, reopenLogs } from '../../../core/base/log/log.ts';
import type { Metrics } from '../../../core/base/metrics/index.ts';
import { startTraces, stopTraces } from '../../../core/base/traces/index.ts';
import { limitHeapGrowth } from './heap.ts';
import type { ChildOptions, ToChild, ToSupervisor } from './messages.ts';
import { toProblems } from '../start-error.ts';

/** What the child process does between start and stop. */
export interface ChildTask {
  /** For the supervisor, as JSON. */
  readonly report?: unknown;
  /** For the scrapes of its host. */
  readonly metrics?: Pick<Metrics, 'snapshot'>;
  /** Receives every message except those about start, stop, logs and metrics. */
  receive?(message: ToChild): void;
  /** Finishes the work in progress within `graceMs`. */
  stop(graceMs: number): Promise<void>;
}

export interface ChildDeps {
  readonly options: ChildOptions;
  readonly log: Logger;
  readonly send: (message: ToSupervisor) => void;
}

const heartbeatMs = 1000;
/** Time to send the spans that are not sent yet. */
const tracesGraceMs = 2000;
/** The supervisor died: mongod stops with it within seconds. */
const orphanGraceMs = 2000;

/** Runs this process as a child. It obeys only the supervisor's messages, not signals. */
export function runChild(start: (deps: ChildDeps) => Promise<ChildTask>): void {
  let task: ChildTask | undefined;
  let log: Logger | undefined;
  let isEnding = false;

  // Ctrl-C in a terminal reaches every process. Only the supervisor handles it, because it knows the order.
  process.on('SIGINT', () => undefined);
  process.on('SIGTERM', () => undefined);
  // A closed terminal, or a request to reopen the log: the supervisor decides which, and sends a message.
  process.on('SIGHUP', () => undefined);
  // An unhandled rejection of one call must not end the calls of others.
  process.on('unhandledRejection', (error) => log?.error({ err: error }, 'unhandled rejection'));
  process.on('uncaughtException', (error) => {
    log?.fatal({ err: error }, 'uncaught exception: the process exits');
    process.exit(1);
  });
  process.on('message', (message: ToChild) => void receive(message));
  process.on('disconnect', () => void end(orphanGraceMs));
  setInterval(() => send({ type: 'heartbeat' }), heartbeatMs);
  send({ type: 'hello' });

  async function receive(message: ToChild): Promise<void> {
    if (message.type === 'run') await run(message);
    else if (message.type === 'stop') await end(message.graceMs);
    else if (message.type === 'reopenLogs') reopenLogs();
    else if (message.type === 'metrics') await answerScrape(message.scrape);
    else task?.receive?.(message);
  }

  /** A process without metrics sends no answer; the scrape leaves it out after its time limit. */
  async function answerScrape(scrape: number): Promise<void> {
    const snapshot = await task?.metrics?.snapshot();
    if (snapshot !== undefined) send({ type: 'metrics', scrape, snapshot });
  }

  async function run(options: ChildOptions): Promise<void> {
    try {
      log = createLog({ level: options.run.config.log.level, name: options.name, destination: options.log });
      const { name, run: runConfig } = options;
      await startTraces(runConfig.config.traces, { name, onProblem: (problem) => log?.warn({ problem }, 'traces') });
      task = await start({ options, log, send });
      await limitHeapGrowth();
      send({ type: 'ready', report: task.report });
    } catch (error) {
      const problems = toProblems(error);
      const isForPerson = error instanceof Error && 'problems' in error;
      log?.error(isForPerson ? { problems } : { err: error }, 'the process cannot start');
      send({ type: 'fatal', problems }, () => process.exit(1));
    }
  }

  async function end(graceMs: number): Promise<void> {
    if (isEnding) return;
    isEnding = true;
    setTimeout(() => process.exit(1), graceMs);
    await task?.stop(graceMs).catch((error: unknown) => log?.error({ err: error }, 'the process did not stop cleanly'));
    await stopTraces(tracesGraceMs);
    process.exit(0);
  }
}

/** Never fails: without a supervisor the process exits anyway. */
function send(message: ToSupervisor, then: () => void = () => undefined): void {
  if (process.connected) process.send?.(message, undefined, undefined, then);
  else then();
}
