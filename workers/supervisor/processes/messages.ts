/** The messages between the supervisor and its child processes, over IPC. */
import * as v from 'valibot';
import type { Work } from '../../../core/engine/jobs/index.ts';
import type { Gathered } from '../../../core/base/metrics/index.ts';
import type { RunConfig } from '../../../core/base/run-config.ts';
import type { LogTarget } from '../../../core/base/log/log.ts';

/** Everything that a child process needs to start. */
export interface ChildOptions {
  readonly run: RunConfig;
  /** Names the process in leases, locks and logs. No other process ever gets the same name. */
  readonly name: string;
  readonly log: LogTarget;
  /** Options that only one kind of child process has. */
  readonly extra?: unknown;
}

/** The `extra` of an API process. */
export const ApiOptions = v.object({
  /** Its supervisor runs workers too. */
  hasWorkers: v.boolean(),
});
export type ApiOptions = v.InferOutput<typeof ApiOptions>;

/** The `extra` of the operators' listener. */
export const OpsOptions = v.object({
  port: v.number(),
  /** Its supervisor runs the API. */
  hasApis: v.boolean(),
  /** Its supervisor runs workers. */
  hasWorkers: v.boolean(),
});
export type OpsOptions = v.InferOutput<typeof OpsOptions>;

export type ToChild =
  | ({ readonly type: 'run' } & ChildOptions)
  /** Finish the work in progress within `graceMs`, then exit. */
  | { readonly type: 'stop'; readonly graceMs: number }
  /** To a worker: there is work of these kinds. */
  | { readonly type: 'work'; readonly work: readonly Work[] }
  /** To a worker: check for all work, because a notification may be lost. */
  | { readonly type: 'sweep' }
  /** To a worker, or to the API if no worker is up: free the rows of this dead process. */
  | { readonly type: 'release'; readonly worker: string }
  /** To the API and the operators' listener: how many processes are up. */
  | { readonly type: 'up'; readonly apis: number; readonly workers: number }
  /** To every process: why its host is fenced, and warnings for its operator. One sentence each. */
  | { readonly type: 'host'; readonly problems: readonly string[]; readonly warnings: readonly string[] }
  /** To every process: the states of adapters changed. */
  | { readonly type: 'adapterStates' }
  /** The log file was rotated: open it again. */
  | { readonly type: 'reopenLogs' }
  /** To every API process and every worker: send the metrics. */
  | { readonly type: 'metrics'; readonly scrape: number }
  /** To the operators' listener: the answer to `gather`. */
  | { readonly type: 'gathered'; readonly id: number; readonly gathered: Gathered }
  /** To the API: the answer to `count`. */
  | { readonly type: 'counted'; readonly id: number; readonly isCounted: boolean };

export type ToSupervisor =
  /** The message handlers are installed; the process waits for `run`. */
  | { readonly type: 'hello' }
  | { readonly type: 'ready'; readonly report: unknown }
  /** The process cannot start. The problems are for the person who starts the service, one sentence each. */
  | { readonly type: 'fatal'; readonly problems: readonly string[] }
  /** The event loop is not blocked. */
  | { readonly type: 'heartbeat' }
  /** There is work of these kinds, for any worker. */
  | { readonly type: 'work'; readonly work: readonly Work[] }
  | { readonly type: 'released'; readonly worker: string }
  /** The metrics of the process, as JSON text. */
  | { readonly type: 'metrics'; readonly scrape: number; readonly snapshot: string }
  /** From the operators' listener: its own metrics, and a request for those of all other processes of the host. */
  | { readonly type: 'gather'; readonly id: number; readonly snapshot: string }
  /** From the API: count one more of `name` in a budget that the processes of this host share. */
  | {
      readonly type: 'count';
      readonly id: number;
      readonly budget: string;
      readonly limit: number;
      readonly name: string;
    }
  /** From the API: a request came through a proxy that config does not name. */
  | { readonly type: 'unknownProxy' };
