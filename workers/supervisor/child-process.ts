/** The child's side of a supervised process: starts and stops on the supervisor's messages, and sends a heartbeat. */
import type { Logger } from 'pino';
import { createLog, reopenLogs } from '../../core/base/log/log.ts';
import type { Metrics } from '../../core/base/metrics/index.ts';
import { startTraces, stopTraces } from '../../core/base/traces/index.ts';
import { limitHeapGrowth } from './heap.ts';
import type { ChildSetup, ToChild, ToSupervisor } from './messages.ts';
import { toProblems } from './start-error.ts';

export interface ChildPart {
  /** For the supervisor, as JSON. */
  readonly report?: unknown;
  /** For the scrapes of its host. */
  readonly metrics?: Pick<Metrics, 'snapshot'>;
  /** Takes every message but those about starting, stopping and metrics. */
  receive?(message: ToChild): void;
  /** Finishes what is under way, within `graceMs`. */
  stop(graceMs: number): Promise<void>;
}

export interface ChildTools {
  readonly setup: ChildSetup;
  readonly log: Logger;
  readonly send: (message: ToSupervisor) => void;
}

const heartbeatMs = 1000;
/** To send what is not sent yet. */
const tracesGraceMs = 2000;
/** The supervisor died: mongod goes with it, within seconds. */
const orphanGraceMs = 2000;

/** Runs this process as a child. Its only signals are the supervisor's messages. */
export function runChild(start: (tools: ChildTools) => Promise<ChildPart>): void {
  let part: ChildPart | undefined;
  let log: Logger | undefined;
  let isEnding = false;

  // Ctrl-C in a terminal reaches every process; only the supervisor, which knows the order, answers it.
  process.on('SIGINT', () => undefined);
  process.on('SIGTERM', () => undefined);
  // The end of a terminal, or a sign to open the log anew: the supervisor passes on which it is.
  process.on('SIGHUP', () => undefined);
  // One call's floating promise must not end the calls of others.
  process.on('unhandledRejection', (error) => log?.error({ err: error }, 'unhandled rejection'));
  process.on('uncaughtException', (error) => {
    log?.fatal({ err: error }, 'uncaught exception: the process ends');
    process.exit(1);
  });
  process.on('message', (message: ToChild) => void receive(message));
  process.on('disconnect', () => void end(orphanGraceMs));
  setInterval(() => send({ type: 'heartbeat' }), heartbeatMs);
  send({ type: 'hello' });

  async function receive(message: ToChild): Promise<void> {
    if (message.type === 'run') await begin(message);
    else if (message.type === 'stop') await end(message.graceMs);
    else if (message.type === 'reopenLogs') reopenLogs();
    else if (message.type === 'metrics') await answerScrape(message.scrape);
    else part?.receive?.(message);
  }

  /** What cannot be reported is left out of the scrape, which waits for nobody. */
  async function answerScrape(scrape: number): Promise<void> {
    const snapshot = await part?.metrics?.snapshot();
    if (snapshot !== undefined) send({ type: 'metrics', scrape, snapshot });
  }

  async function begin(setup: ChildSetup): Promise<void> {
    try {
      log = createLog({ level: setup.run.config.log.level, name: setup.name, destination: setup.log });
      const { name, run } = setup;
      await startTraces(run.config.traces, { name, onProblem: (problem) => log?.warn({ problem }, 'traces') });
      part = await start({ setup, log, send });
      limitHeapGrowth();
      send({ type: 'ready', report: part.report });
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
    await part?.stop(graceMs).catch((error: unknown) => log?.error({ err: error }, 'the process did not end cleanly'));
    await stopTraces(tracesGraceMs);
    process.exit(0);
  }
}

/** Never fails: without a supervisor the process ends anyway. */
function send(message: ToSupervisor, then: () => void = () => undefined): void {
  if (process.connected) process.send?.(message, undefined, undefined, then);
  else then();
}
