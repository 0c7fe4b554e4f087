/** The child's side of a process that the supervisor keeps: it starts when told, beats, and ends when told or left. */
import type { Logger } from 'pino';
import { createLog } from '../../core/log.ts';
import type { ChildSetup, ToChild, ToSupervisor } from './messages.ts';
import { toProblems } from './start-error.ts';

export interface ChildPart {
  /** For the supervisor, as JSON. */
  readonly report?: unknown;
  /** Takes what is not about starting and stopping. */
  receive?(message: ToChild): void;
  /** Finishes what is under way, within `graceMs`. */
  stop(graceMs: number): Promise<void>;
}

export interface ChildTools {
  readonly setup: ChildSetup;
  readonly log: Logger;
  readonly tell: (message: ToSupervisor) => void;
}

const beatMs = 1000;
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
  // One call's floating promise must not end the calls of others.
  process.on('unhandledRejection', (error) => log?.error({ err: error }, 'a promise failed and nobody listened'));
  process.on('uncaughtException', (error) => {
    log?.fatal({ err: error }, 'the process ends on an error that nobody caught');
    process.exit(1);
  });
  process.on('message', (message: ToChild) => void receive(message));
  process.on('disconnect', () => void end(orphanGraceMs));
  setInterval(() => tell({ type: 'beat' }), beatMs);
  tell({ type: 'hello' });

  async function receive(message: ToChild): Promise<void> {
    if (message.type === 'run') await begin(message);
    else if (message.type === 'stop') await end(message.graceMs);
    else part?.receive?.(message);
  }

  async function begin(setup: ChildSetup): Promise<void> {
    try {
      log = createLog({ level: setup.run.config.log.level, name: setup.name, destination: setup.log });
      part = await start({ setup, log, tell });
      tell({ type: 'ready', report: part.report });
    } catch (error) {
      log?.error({ err: error }, 'the process cannot start');
      tell({ type: 'fatal', problems: toProblems(error) }, () => process.exit(1));
    }
  }

  async function end(graceMs: number): Promise<void> {
    if (isEnding) return;
    isEnding = true;
    setTimeout(() => process.exit(1), graceMs);
    await part?.stop(graceMs).catch((error: unknown) => log?.error({ err: error }, 'the process did not end cleanly'));
    process.exit(0);
  }
}

/** Never fails: without a supervisor the process ends anyway. */
function tell(message: ToSupervisor, then: () => void = () => undefined): void {
  if (process.connected) process.send?.(message, undefined, undefined, then);
  else then();
}
