/** The messages between the supervisor and its child processes, over IPC. */
import type { Work } from '../../core/engine/jobs/index.ts';
import type { Gathered } from '../../core/base/metrics/index.ts';
import type { RunConfig } from '../../core/base/run-config.ts';
import type { LogTarget } from '../../core/base/log/log.ts';

/** What a child needs to begin. */
export interface ChildSetup {
  readonly run: RunConfig;
  /** Names the process in leases, locks and logs: never given twice. */
  readonly name: string;
  readonly log: LogTarget;
  /** What only one kind of child needs. */
  readonly extra?: unknown;
}

export type ToChild =
  | ({ readonly type: 'run' } & ChildSetup)
  /** Finish what is under way, within `graceMs`. */
  | { readonly type: 'stop'; readonly graceMs: number }
  /** To a worker: there is work of these kinds. */
  | { readonly type: 'work'; readonly work: readonly Work[] }
  /** To a worker: free what this dead process held. */
  | { readonly type: 'release'; readonly worker: string }
  /** To the API and the operators' listener: how many processes are up. */
  | { readonly type: 'up'; readonly apis: number; readonly workers: number }
  /** To every process: why its host must not serve, and what its operator should know, a sentence each. */
  | { readonly type: 'host'; readonly problems: readonly string[]; readonly warnings: readonly string[] }
  /** The log was put aside: open it anew. */
  | { readonly type: 'reopenLogs' }
  /** To every process of the API and every worker: answer what was counted so far. */
  | { readonly type: 'metrics'; readonly scrape: number }
  /** To the operators' listener: what came of `gather`. */
  | { readonly type: 'gathered'; readonly id: number; readonly gathered: Gathered }
  /** To the API: what came of `count`. */
  | { readonly type: 'counted'; readonly id: number; readonly isCounted: boolean };

export type ToSupervisor =
  /** Its handlers are installed; it waits for `run`. */
  | { readonly type: 'hello' }
  | { readonly type: 'ready'; readonly report: unknown }
  /** It cannot start; the problems are meant for the person who starts the service, a sentence each. */
  | { readonly type: 'fatal'; readonly problems: readonly string[] }
  /** Its event loop turns. */
  | { readonly type: 'heartbeat' }
  /** There is work of these kinds, for any worker. */
  | { readonly type: 'work'; readonly work: readonly Work[] }
  | { readonly type: 'released'; readonly worker: string }
  /** What it has counted so far, as JSON text. */
  | { readonly type: 'metrics'; readonly scrape: number; readonly snapshot: string }
  /** From the operators' listener: what all other processes of the host counted is wanted, and what it counted itself. */
  | { readonly type: 'gather'; readonly id: number; readonly snapshot: string }
  /** From the API: one more of `name` in a budget that the processes of this host share. */
  | {
      readonly type: 'count';
      readonly id: number;
      readonly budget: string;
      readonly limit: number;
      readonly name: string;
    }
  /** From the API: a request came through a proxy that config does not name. */
  | { readonly type: 'unknownProxy' };
