/** One poll: finds the rows that are due and have capacity, claims them, and starts their attempts. */
import type { Metrics } from '../../base/metrics/index.ts';
import type { DeliveryLimits, EndAttempt, CapacityFilter } from './delivery-limits.ts';
import type { ClaimedNotification, DeliveryQueue, DueRow } from './delivery-queue.ts';
import type { DeliveryRun } from './delivery-run.ts';

/** While attempts are in progress, retries, and receivers whose latest attempt timed out, are polled this often. */
const retryPollIntervalMs = 100;

/** Receivers that timed out get the permits that the others leave, but wait no longer than this. */
const probeIntervalMs = 5000;

export interface PollResult {
  readonly started: number;
  /** There may be more rows that can be started now. */
  readonly more: boolean;
  /** Receivers that timed out were probed too, if there were any. */
  readonly probed: boolean;
}

export interface PollerDeps {
  readonly queue: Pick<DeliveryQueue, 'findDue' | 'claim'>;
  readonly limits: Pick<DeliveryLimits, 'begin' | 'capacity' | 'nextProbes'>;
  readonly metrics: Pick<Metrics, 'leaseExpiries'>;
}

export function createPoller({ queue, limits, metrics }: PollerDeps) {
  let probedAt = performance.now();

  /** Claims and starts up to `permits` rows. */
  return async function pollDue(run: DeliveryRun, permits: number): Promise<PollResult> {
    if (permits === 0) run.isLimited = true;
    const isProbeOverdue = performance.now() - probedAt > probeIntervalMs;
    let started = isProbeOverdue ? await probeTimedOut(run, permits) : 0;
    const withRetries = run.polledAt - run.retriesPolledAt >= retryPollIntervalMs;
    if (withRetries) run.retriesPolledAt = run.polledAt;
    const others = await startFrom(run, () => limits.capacity(), permits - started, withRetries);
    started += others.started;
    // The permit of an attempt that ended during this poll goes to the other receivers first.
    const isProbeTime = run.attempts.size === 0 || run.polledAt - probedAt >= retryPollIntervalMs;
    const isProbing = !isProbeOverdue && !others.more && !run.mustPoll && isProbeTime;
    if (isProbing) started += await probeTimedOut(run, permits - started);
    return { started, more: others.more, probed: isProbeOverdue || isProbing };
  };

  /** Receivers whose latest attempt timed out come one after another, however many rows wait for each. */
  async function probeTimedOut(run: DeliveryRun, permits: number): Promise<number> {
    if (permits > 0) probedAt = performance.now();
    const seen = new Set<string>();
    let started = 0;
    while (started < permits) {
      const filter = limits.nextProbes(seen);
      if (!filter) break;
      const probes = await startFrom(run, () => filter, permits - started, true);
      started += probes.started;
      if (!probes.more || probes.started === 0) for (const receiver of filter.only) seen.add(receiver);
    }
    return started;
  }

  /** First attempts before retries. */
  async function startFrom(
    run: DeliveryRun,
    filterNow: () => CapacityFilter,
    permits: number,
    withRetries: boolean,
  ): Promise<Omit<PollResult, 'probed'>> {
    let started = 0;
    for (const fresh of withRetries ? [true, false] : [true]) {
      if (started >= permits) break;
      const wanted = permits - started;
      const filter = filterNow();
      run.isLimited ||= filter.receivers.length > 0 || filter.owners.length > 0 || filter.healthyOnly !== undefined;
      const due = await queue.findDue(fresh, filter, wanted);
      const begun = new Map<string, EndAttempt>();
      for (const row of due) {
        const end = limits.begin(row);
        if (end) begun.set(row._id, end);
      }
      run.isLimited ||= begun.size < due.length;
      const claimedAt = performance.now();
      const rows = await claim(begun, run.worker);
      countExpired(due, rows);
      for (const row of rows) run.start(row, claimedAt, begun.get(row.id)!);
      started += rows.length;
      // If not all rows of a full page could be claimed, the page may hide rows of other receivers behind it.
      if (due.length === wanted && rows.length < wanted) return { started, more: true };
    }
    return { started, more: false };
  }

  /** Returns the permits of the rows that could not be claimed. */
  async function claim(begun: ReadonlyMap<string, EndAttempt>, worker: string): Promise<ClaimedNotification[]> {
    if (begun.size === 0) return [];
    let rows: ClaimedNotification[] = [];
    try {
      rows = await queue.claim([...begun.keys()], worker);
      return rows;
    } finally {
      const claimed = new Set(rows.map(({ id }) => id));
      for (const [id, end] of begun) if (!claimed.has(id)) end('unknown');
    }
  }

  /** Counts the rows whose previous holder did not end its lease. */
  function countExpired(due: readonly DueRow[], claimed: readonly ClaimedNotification[]): void {
    for (const { id, expiries } of claimed) {
      const before = due.find(({ _id }) => expiries > 0 && _id === id)?.lease.expiries ?? expiries;
      if (expiries > before) metrics.leaseExpiries.inc({ queue: 'notifications' });
    }
  }
}
