/** What the supervisor and its children tell one another by IPC. */
import type { RunConfig, Work } from '../../core/gateway.ts';
import type { LogTarget } from '../../core/log.ts';

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
  /** To a worker. */
  | { readonly type: 'wake'; readonly work: readonly Work[] }
  /** To a worker: free what this dead process held. */
  | { readonly type: 'release'; readonly worker: string }
  /** To the API: so many workers are up. */
  | { readonly type: 'workers'; readonly up: number };

export type ToSupervisor =
  /** It has its handlers, and waits for `run`. */
  | { readonly type: 'hello' }
  | { readonly type: 'ready'; readonly report: unknown }
  /** It cannot start; the problems are meant for the person who starts the service, a sentence each. */
  | { readonly type: 'fatal'; readonly problems: readonly string[] }
  /** Its event loop turns. */
  | { readonly type: 'beat' }
  | { readonly type: 'wake'; readonly work: readonly Work[] }
  | { readonly type: 'released'; readonly worker: string };
