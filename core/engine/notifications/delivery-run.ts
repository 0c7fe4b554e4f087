/** The state of one run of the delivery loop: what it has polled, its attempts in progress, and its counts. */
import { setMaxListeners } from 'node:events';
import type { Logger } from 'pino';
import type { Metrics } from '../../base/metrics/index.ts';
import type { NextDue } from '../../database/lease.ts';
import { maxInProgress, type EndAttempt } from './delivery-limits.ts';
import type { ClaimedNotification } from './delivery-queue.ts';
import type { DispatchedNotification } from './direct-dispatch.ts';
import { describeRow, type SendNotification, type SendOutcome } from './send-notification.ts';
import { createSignal, type Signal } from './signal.ts';

export interface DeliverDue {
  /** The worker that claims; `releaseWorker` frees what it held. */
  readonly worker: string;
  /** The most attempts in this call. */
  readonly limit?: number;
  /** Stops claiming. Attempts in progress have `graceMs` to end, then they are cut off and due again immediately. */
  readonly signal?: AbortSignal;
  readonly graceMs?: number;
}

/** All times are by the clock of `performance`. */
export interface DeliveryRun {
  readonly worker: string;
  /** Attempts that this run may still start. */
  left: number;
  /** Something may be due that the latest poll did not see. */
  mustPoll: boolean;
  /** This run has polled, so it must say when the next row is due. */
  hasPolled: boolean;
  /** Start of the latest poll. */
  polledAt: number;
  /**
   * Start of the latest poll that included retries. A run polls first attempts alone, until a retry proves due or
   * attempts take long.
   */
  retriesPolledAt: number;
  /** The latest poll included retries and probes, and started nothing. */
  foundNothing: boolean;
  /** The latest poll skipped rows for lack of capacity: each attempt that ends calls for another poll. */
  isLimited: boolean;
  /** When the next row is due, once the run has ended by asking for it. */
  next: { readonly due: NextDue | undefined } | undefined;
  readonly attempts: ReadonlySet<Promise<void>>;
  readonly counts: Readonly<Record<SendOutcome, number>>;
  readonly changed: Signal;
  /** True if the run must claim no more: the caller stopped it, its limit is used up, or it has lasted too long. */
  isStopping(): boolean;
  /** Everything that was dispatched directly is delivered, and nothing was polled. */
  isQuiet(): boolean;
  /** Requests a poll. */
  requestPoll(): void;
  start(row: ClaimedNotification, claimedAt: number, endAttempt: EndAttempt): void;
  /** Starts a notification that has its lease and its permits already. */
  startDispatched(notification: DispatchedNotification): void;
  /** Resolves when no attempt is in progress. */
  finish(): Promise<void>;
}

export interface DeliveryRunDeps {
  readonly send: SendNotification;
  readonly metrics: Pick<Metrics, 'deliveries'>;
  readonly log: Logger;
}

/**
 * After this time a run claims no more, so that a trickle of slow receivers does not hold the caller's job forever. The
 * time is long, because all receivers then wait until the slowest attempt in progress has ended.
 */
const maxRunMs = 600_000;

/** `isPolling` is false for a run that was started only for what was dispatched directly. */
export function createDeliveryRun(
  options: DeliverDue & { readonly isPolling: boolean },
  { send, metrics, log }: DeliveryRunDeps,
): DeliveryRun {
  const { worker, limit = 100_000, signal, graceMs = 5000, isPolling } = options;
  const counts = { delivered: 0, failed: 0, exhausted: 0, gone: 0, disabled: 0, cut: 0, unsigned: 0, lost: 0 };
  const attempts = new Set<Promise<void>>();
  const changed = createSignal();
  const endsAt = performance.now() + maxRunMs;
  let dispatched = 0;

  const cut = new AbortController();
  setMaxListeners(maxInProgress, cut.signal);
  let graceTimer: NodeJS.Timeout | undefined;
  const stop = () => {
    graceTimer = setTimeout(() => cut.abort(), graceMs);
    changed.notify();
  };
  signal?.addEventListener('abort', stop, { once: true });

  const run: DeliveryRun = {
    worker,
    left: limit,
    mustPoll: isPolling,
    hasPolled: isPolling,
    polledAt: isPolling ? -Infinity : performance.now(),
    retriesPolledAt: performance.now(),
    foundNothing: false,
    isLimited: false,
    next: undefined,
    attempts,
    counts,
    changed,
    isStopping: () => signal?.aborted === true || run.left <= 0 || performance.now() >= endsAt,
    isQuiet: () => !run.hasPolled && counts.delivered === dispatched,
    requestPoll() {
      run.mustPoll = true;
      changed.notify();
    },
    start,
    startDispatched({ row, claimedAt, end }) {
      dispatched += 1;
      run.left -= 1;
      start(row, claimedAt, end);
    },
    async finish() {
      await Promise.all(attempts);
      clearTimeout(graceTimer);
      signal?.removeEventListener('abort', stop);
    },
  };
  return run;

  function start(row: ClaimedNotification, claimedAt: number, endAttempt: EndAttempt): void {
    let isInProgress = true;
    const end: EndAttempt = (...result) => {
      if (!isInProgress) return;
      isInProgress = false;
      endAttempt(...result);
      if (run.isLimited) run.requestPoll();
    };
    const attempt = makeAttempt(row, claimedAt, end).finally(() => {
      attempts.delete(attempt);
      if (attempts.size === 0) changed.notify();
    });
    attempts.add(attempt);
  }

  async function makeAttempt(row: ClaimedNotification, claimedAt: number, end: EndAttempt): Promise<void> {
    let outcome: SendOutcome = 'lost';
    try {
      outcome = await send(row, { claimedAt, signal: cut.signal, end });
    } catch (error) {
      // The lease expires, and the next holder sends the same bytes under the same id.
      log.error({ ...describeRow(row), err: error }, 'the result of a notification could not be written');
    } finally {
      counts[outcome] += 1;
      metrics.deliveries.inc({ mode: row.environment, outcome });
      end('unknown');
    }
  }
}
