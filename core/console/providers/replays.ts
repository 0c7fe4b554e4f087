/** Trying a candidate version of an adapter on stored callbacks takes its time: it goes on while its page shows how it is. */
import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import type { Actor, Audit } from '../../engine/audit/index.ts';
import { GatewayError } from '../../base/errors.ts';

export interface ReplayRequest {
  readonly adapter: string;
  /** The candidate's. */
  readonly package: string;
  /** Callbacks received since then. */
  readonly since: Date;
}

/** What `paywright replay --json` prints. */
export interface ReplayResult {
  readonly read: number;
  readonly different: number;
  /** Could not be decrypted. */
  readonly unreadable: number;
  /** Those that the candidate reads differently; each line is an event. */
  readonly callbacks: readonly {
    readonly id: string;
    readonly receivedAt: string;
    readonly path: string;
    readonly before: readonly string[];
    readonly after: readonly string[];
  }[];
}

/** Rejects with an Error that says why the candidate could not be tried. */
export type RunReplay = (request: ReplayRequest) => Promise<ReplayResult>;

export interface Replay extends ReplayRequest {
  readonly startedAt: Date;
  readonly state: 'under_way' | 'done' | 'failed';
  readonly result?: ReplayResult;
  /** Why it failed. */
  readonly problem?: string;
}

/** Of this host's listener; the audit keeps what came of each. */
export interface Replays {
  /** Gives what names it. RATE001 while another one runs. */
  start(by: Actor, request: ReplayRequest): string;
  get(id: string): Replay | undefined;
}

const keptReplays = 10;

export function createReplays({
  run,
  audit,
  now,
  log,
}: {
  readonly run: RunReplay;
  readonly audit: Pick<Audit, 'run'>;
  readonly now: () => Date;
  readonly log: Pick<Logger, 'warn'>;
}): Replays {
  const replays = new Map<string, Replay>();

  async function runAudited(by: Actor, request: ReplayRequest): Promise<ReplayResult> {
    const { adapter, package: candidate, since } = request;
    const action = {
      act: 'adapter.replay',
      subject: { type: 'adapter', id: adapter },
      plan: { candidate, since },
    } as const;
    return audit.run(by, action, async () => {
      const value = await run(request);
      const { read, different, unreadable } = value;
      return { value, after: { candidate, since, read, different, unreadable } };
    });
  }

  return {
    start(by, request) {
      if ([...replays.values()].some(({ state }) => state === 'under_way'))
        throw new GatewayError('RATE_LIMIT_EXCEEDED', 'another candidate is tried at the moment: wait for its end');
      const id = randomUUID();
      const started: Replay = { ...request, startedAt: now(), state: 'under_way' };
      replays.set(id, started);
      for (const oldest of replays.keys()) if (replays.size > keptReplays) replays.delete(oldest);
      runAudited(by, request).then(
        (result) => replays.set(id, { ...started, state: 'done', result }),
        (error: unknown) => {
          log.warn({ err: error }, 'a candidate of an adapter could not be tried');
          const problem = error instanceof Error ? error.message : String(error);
          replays.set(id, { ...started, state: 'failed', problem });
        },
      );
      return id;
    },
    get: (id) => replays.get(id),
  };
}
