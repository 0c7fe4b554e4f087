/**
 * The delivery loop: sends the notifications that are due, until none is left that can be sent now.
 *
 * The loop claims only rows that it can send immediately, so that a lease never waits behind a slow receiver. This
 * makes polling harder than "take the next hundred rows". Which rows can be sent changes whenever an attempt ends,
 * and a poll returns too little if a receiver, an owner or the process has no capacity at that moment. The loop
 * therefore polls often while it is limited, and spaces its polls so that they do not load the database.
 *
 * One call of `deliverDue` is one run. Several runs may share a process: the delivery limits and the pace of polls
 * hold for all of them together. A run is always in exactly one mode:
 *
 * - `dispatching`: starts what was dispatched directly, then chooses the next mode. Each run starts here, and returns
 *   here whenever something may have changed. It always handles all changes so far, so a change during another mode
 *   is not lost.
 * - `polling`: finds, claims and starts due rows (`poll-due.ts`): first attempts before retries, and receivers that
 *   timed out in turns. Entered if something may be due that the latest poll did not see, and every 500 ms while
 *   attempts are in progress.
 * - `resting`: waits until the next query is allowed. Queries of a kind start at least 5 ms apart; what becomes due
 *   in between, or has capacity again, is found together. If queries are slow because much was delivered recently,
 *   they start 4 times as far apart as one takes, at most 500 ms apart. A change ends the rest; `dispatching` then
 *   decides whether to rest again.
 * - `delivering`: there is nothing to poll for, and attempts are in progress. Waits for a change, at most 500 ms.
 * - `idle`: no attempt is in progress. Asks the database when the next row is due. If a row is due already, the run
 *   polls again, this time for retries too; it does not if the latest poll has tried retries and probes in vain. In
 *   every other case the run ends.
 * - `draining`: claims no more and waits until the attempts in progress have ended. Entered if nothing is due, if the
 *   caller stops the run (then the attempts have `graceMs` before they are cut off), if the run has made as many
 *   attempts as it may, and if it has lasted for 10 minutes.
 *
 * `delivery-mode.ts` lists the allowed transitions, and each one is asserted. A failed query also ends the run: it
 * still waits for its attempts, then rejects.
 *
 * A change is one of these: an attempt freed capacity that a poll had missed, the last attempt ended, another part of
 * this process says that something is due (`pollSoon`) or was dispatched directly (`dispatchDirect`), or the caller
 * stops the run.
 *
 * The trade-off: a run that was started only for what was dispatched directly does not poll at all if each of those
 * is delivered (`isQuiet`). That saves two queries per payment. Its caller learns nothing about the next due row from
 * it (`nextDueAt` is undefined), which is why every other run must ask.
 */
import type { DeliveryLimits } from './delivery-limits.ts';
import { assertTransition, type ActiveMode, type Mode } from './delivery-mode.ts';
import type { DeliveryQueue } from './delivery-queue.ts';
import { createDeliveryRun, type DeliverDue, type DeliveryRun, type DeliveryRunDeps } from './delivery-run.ts';
import type { DirectDispatch } from './direct-dispatch.ts';
import type { NextDue } from '../../database/lease.ts';
import { createPoller, type PollerDeps } from './poll-due.ts';
import { createSender, type SenderDeps, type SendOutcome } from './send-notification.ts';

/** The number of notifications by their outcome, and when to call again. */
export interface Delivered extends Readonly<Record<SendOutcome, number>> {
  /**
   * When the next row is due (may be past), or the next lease ends; null if no row waits. Server time. Undefined: the
   * run delivered what was dispatched directly and did not poll.
   */
  readonly nextDueAt: Date | null | undefined;
}

export interface DeliveryLoopDeps extends Omit<DeliveryRunDeps, 'send'>, SenderDeps, PollerDeps {
  readonly queue: DeliveryQueue;
  /** Shared by all runs, so that they hold however many run at the same time. */
  readonly limits: DeliveryLimits;
  readonly directDispatch: Pick<DirectDispatch, 'take'>;
  readonly metrics: DeliveryRunDeps['metrics'] & SenderDeps['metrics'] & PollerDeps['metrics'];
}

export interface DeliveryLoop {
  readonly deliverDue: (options: DeliverDue) => Promise<Delivered>;
  /** Something may be due. True if a run in progress polls for it; otherwise the next run does. */
  readonly pollSoon: () => boolean;
  /**
   * Something was dispatched directly. True if a run in progress sends it; otherwise the next run does, and need not
   * poll.
   */
  readonly dispatchDirect: () => boolean;
}

/** While attempts are in progress, the loop polls this often for what became due. */
const pollIntervalMs = 500;
/** Queries of a kind start at least this far apart. */
const minPollGapMs = 5;
/** If queries are slow, they start this many times as far apart as one takes, but at most `pollIntervalMs` apart. */
const backoffFactor = 4;

export function createDeliveryLoop(deps: DeliveryLoopDeps): DeliveryLoop {
  const { queue, limits, directDispatch, now } = deps;
  const send = createSender(deps);
  const pollDue = createPoller(deps);
  const runs = new Set<DeliveryRun>();
  /** The next run need not poll. */
  let isOnlyDispatched = false;
  /** Earliest time, by the clock of `performance`, of the next poll and of the next question when a row is due. */
  const earliest = { poll: -Infinity, idle: -Infinity };

  async function deliverDue(options: DeliverDue): Promise<Delivered> {
    const run = createDeliveryRun({ ...options, isPolling: !isOnlyDispatched }, { ...deps, send });
    isOnlyDispatched = false;
    runs.add(run);
    try {
      let mode: Mode = { name: 'dispatching' };
      while (mode.name !== 'draining') mode = assertTransition(mode, await leave(mode, run));
    } finally {
      runs.delete(run);
      await run.finish();
    }
    if (run.isQuiet()) return { ...run.counts, nextDueAt: undefined };
    const { due } = run.next ?? { due: await nextDue() };
    return { ...run.counts, nextDueAt: due?.at ?? null };
  }

  /** Does the work of a mode and chooses the next one. */
  async function leave(mode: ActiveMode, run: DeliveryRun): Promise<Mode> {
    switch (mode.name) {
      case 'dispatching':
        return dispatch(run);
      case 'polling':
        return poll(run);
      case 'resting':
        await run.changed.wait(mode.ms);
        return { name: 'dispatching' };
      case 'delivering':
        await run.changed.wait(pollIntervalMs);
        return { name: 'dispatching' };
      case 'idle':
        return askNextDue(run);
    }
  }

  function dispatch(run: DeliveryRun): Mode {
    if (run.isStopping()) return { name: 'draining' };
    run.changed.reset();
    for (const notification of directDispatch.take()) run.startDispatched(notification);
    const isPollTime = run.mustPoll || performance.now() - run.polledAt >= pollIntervalMs;
    return isPollTime ? enterRested('polling', earliest.poll) : withoutPoll(run);
  }

  async function poll(run: DeliveryRun): Promise<Mode> {
    run.polledAt = performance.now();
    run.hasPolled = true;
    run.mustPoll = false;
    run.isLimited = false;
    const { started, more, probed } = await pollDue(run, Math.min(run.left, limits.free()));
    run.left -= started;
    earliest.poll = restAfter(run.polledAt);
    run.foundNothing = started === 0 && probed && run.retriesPolledAt === run.polledAt;
    run.mustPoll ||= more;
    return run.mustPoll ? { name: 'dispatching' } : withoutPoll(run);
  }

  function withoutPoll(run: DeliveryRun): Mode {
    if (run.attempts.size > 0) return { name: 'delivering' };
    if (run.isQuiet()) return { name: 'draining' };
    return enterRested('idle', earliest.idle);
  }

  async function askNextDue(run: DeliveryRun): Promise<Mode> {
    const askedAt = performance.now();
    const due = await nextDue();
    earliest.idle = restAfter(askedAt);
    if (run.mustPoll || run.changed.isPending()) return { name: 'dispatching' };
    if (!due?.isDue || run.foundNothing) {
      run.next = { due };
      return { name: 'draining' };
    }
    // The row is a retry, unless it became due only now.
    run.retriesPolledAt = -Infinity;
    run.mustPoll = true;
    return { name: 'dispatching' };
  }

  /** Rows of receivers that are known to be down wait, and nothing of them is written. */
  async function nextDue(): Promise<NextDue | undefined> {
    const { receivers, forMs } = limits.paused();
    const next = await queue.nextDue(receivers);
    if (receivers.length === 0) return next;
    const reopensAt = new Date(now().getTime() + forMs);
    return next && next.at < reopensAt ? next : { at: reopensAt, isDue: false };
  }

  return {
    deliverDue,
    pollSoon() {
      isOnlyDispatched = false;
      for (const run of runs) run.requestPoll();
      return runs.size > 0;
    },
    dispatchDirect() {
      for (const run of runs) run.changed.notify();
      isOnlyDispatched = runs.size === 0;
      return runs.size > 0;
    },
  };
}

function enterRested(name: 'polling' | 'idle', earliest: number): Mode {
  const ms = earliest - performance.now();
  return ms > 0 ? { name: 'resting', ms } : { name };
}

/** The earliest start of the next query, after one that started then and has ended now. */
function restAfter(startedAt: number): number {
  const tookMs = performance.now() - startedAt;
  return startedAt + Math.min(pollIntervalMs, Math.max(minPollGapMs, backoffFactor * tookMs));
}
