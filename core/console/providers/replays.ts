/**
 * Tests a candidate version of an adapter on stored callbacks. The test takes a while, so it runs in the background and
 * its page shows the progress.
 */
import { randomUUID } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Logger } from 'pino';
import type { Actor, Audit } from '../../engine/audit/index.ts';
import { GatewayError } from '../../base/errors.ts';

export interface ReplayRequest {
  readonly adapter: string;
  /** The package of the candidate. */
  readonly package: string;
  /** Only callbacks received since then are read. */
  readonly since: Date;
}

/** The output of `paywright replay --json`. */
export interface ReplayResult {
  readonly read: number;
  readonly different: number;
  /** Callbacks that could not be decrypted. */
  readonly unreadable: number;
  /** Callbacks that the candidate reads differently. Each line is an event. */
  readonly callbacks: readonly {
    readonly id: string;
    readonly receivedAt: string;
    readonly path: string;
    readonly before: readonly string[];
    readonly after: readonly string[];
  }[];
}

/** Rejects with an Error that says why the candidate could not be tested. */
export type RunReplay = (request: ReplayRequest) => Promise<ReplayResult>;

export interface Replay extends ReplayRequest {
  readonly startedAt: Date;
  readonly state: 'in_progress' | 'done' | 'failed';
  readonly result?: ReplayResult;
  /** Why the test failed. */
  readonly problem?: string;
}

/** The tests that this host's listener started. The audit log keeps the result of each. */
export interface Replays {
  /** Returns the id of the test. Throws RATE001 while another test runs. */
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
  const replays = new LRUCache<string, Replay>({ max: keptReplays });

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
      if ([...replays.values()].some(({ state }) => state === 'in_progress'))
        throw new GatewayError(
          'RATE_LIMIT_EXCEEDED',
          'another candidate is being tested: wait until that test has finished',
        );
      const id = randomUUID();
      const started: Replay = { ...request, startedAt: now(), state: 'in_progress' };
      replays.set(id, started);
      runAudited(by, request).then(
        (result) => replays.set(id, { ...started, state: 'done', result }),
        (error: unknown) => {
          log.warn({ err: error }, 'the test of a candidate of an adapter failed');
          const problem = error instanceof Error ? error.message : String(error);
          replays.set(id, { ...started, state: 'failed', problem });
        },
      );
      return id;
    },
    get: (id) => replays.get(id),
  };
}
