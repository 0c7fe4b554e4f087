/** Sends what is due: claims only what can be sent at once, so that a lease never waits behind a slow receiver. */
import { setMaxListeners } from 'node:events';
import type { Logger } from 'pino';
import type { AttemptRecord } from '../documents/notification.ts';
import type { Breaker } from './breaker.ts';
import { createChange } from './change.ts';
import { deliver } from './deliver.ts';
import type { Delivery } from './deliver.ts';
import type { Guard } from './guard.ts';
import type { ClaimedNotification, DueRow, Leases, Verdict } from './delivery-queue.ts';
import { nextDelayMs, readRetryAfter } from './schedule.ts';
import type { Schedule } from './schedule.ts';
import { signatureHeaders } from './sign.ts';
import type { WebhookSecrets } from './sign.ts';
import { concurrency, createSlots } from './slots.ts';

export interface DeliverDue {
  /** Who claims; `releaseWorker` frees what it held. */
  readonly worker: string;
  /** At most so many attempts in this call. */
  readonly limit?: number;
  /** Claims no more; attempts under way have `graceMs` to end, then they are cut and due again. */
  readonly signal?: AbortSignal;
  readonly graceMs?: number;
}

export interface Delivered {
  readonly delivered: number;
  readonly failed: number;
  readonly exhausted: number;
  readonly gone: number;
  /** Ended by the signal; due again at once. */
  readonly cut: number;
  /** Their result was not written: another worker held the row by then, or the database could not be reached. */
  readonly lost: number;
  /** When the next row is due (may be past), or the next lease ends; null where nothing waits. Server time. */
  readonly nextDueAt: Date | null;
}

export interface DrainParts {
  readonly leases: Leases;
  readonly guard: Guard;
  readonly breaker: Breaker;
  readonly schedule: Schedule;
  readonly timeoutMs: number;
  readonly perReceiverConcurrency: number;
  readonly secrets: (ownerId: number) => Promise<WebhookSecrets>;
  readonly now: () => Date;
  readonly random: () => number;
  readonly log: Logger;
}

/** How much longer a lease is than an attempt: to read the secrets before it, and write the result after it. */
export const leaseMarginMs = 15_000;

/** While slow attempts are under way, what became due meanwhile is looked for this often. */
const lookAgainMs = 500;

/**
 * After this no more is claimed, so that a trickle of slow receivers does not hold the caller's job for ever. Seldom, for
 * then everybody waits until the slowest attempt under way has ended.
 */
const longestDrainMs = 600_000;

/** A row whose worker died this often while sending it is put aside: it may be what kills them. */
const maxLapses = 5;

export function createDrain(parts: DrainParts) {
  const { leases, guard, breaker, schedule, timeoutMs, now, random, log } = parts;
  // Shared by all calls, so that the limits hold however many of them run at once.
  const slots = createSlots(breaker, parts.perReceiverConcurrency);

  return async function deliverDue(options: DeliverDue): Promise<Delivered> {
    const { worker, limit = 100_000, signal, graceMs = 5000 } = options;
    const counts = { delivered: 0, failed: 0, exhausted: 0, gone: 0, cut: 0, lost: 0 };
    const attempts = new Set<Promise<void>>();
    const change = createChange();
    const cut = new AbortController();
    setMaxListeners(concurrency, cut.signal);
    let graceTimer: NodeJS.Timeout | undefined;
    const stopped = () => signal?.aborted === true;
    const stop = () => {
      graceTimer = setTimeout(() => cut.abort(), graceMs);
      change.happened();
    };
    signal?.addEventListener('abort', stop, { once: true });
    const until = performance.now() + longestDrainMs;
    let left = limit;

    try {
      while (!stopped() && left > 0 && performance.now() < until) {
        change.forget();
        const { started, more } = await startDue(Math.min(left, slots.free()));
        left -= started;
        if (more) continue;
        // An attempt that ended while we looked may have made room for its receiver's next.
        if (attempts.size === 0 && !change.isPending()) break;
        await change.within(lookAgainMs);
      }
    } finally {
      await Promise.all(attempts);
      clearTimeout(graceTimer);
      signal?.removeEventListener('abort', stop);
    }
    return { ...counts, nextDueAt: (await nextDueAt()) ?? null };

    /** Claims and starts up to `room` rows, first attempts before retries. `more`: there may be others to start now. */
    async function startDue(room: number): Promise<{ started: number; more: boolean }> {
      let started = 0;
      for (const fresh of [true, false]) {
        if (started >= room) break;
        const wanted = room - started;
        const due = await leases.findDue(fresh, slots.full(), wanted);
        const chosen = due.filter((row) => slots.take(row));
        const claimedAt = performance.now();
        const rows = await claim(chosen);
        for (const row of rows) start(row, claimedAt);
        started += rows.length;
        // A full page of which not all could be taken may hide rows of other receivers behind it.
        if (due.length === wanted && rows.length < wanted) return { started, more: true };
      }
      return { started, more: false };
    }

    async function claim(chosen: readonly DueRow[]): Promise<ClaimedNotification[]> {
      if (chosen.length === 0) return [];
      let rows: ClaimedNotification[] = [];
      try {
        rows = await leases.claim(
          chosen.map(({ _id }) => _id),
          worker,
        );
        return rows;
      } finally {
        const claimed = new Set(rows.map(({ id }) => id));
        for (const row of chosen) if (!claimed.has(row._id)) slots.giveBack(row);
      }
    }

    function start(row: ClaimedNotification, claimedAt: number): void {
      const attempt = run(row, claimedAt).finally(() => {
        slots.giveBack(row);
        attempts.delete(attempt);
        change.happened();
      });
      attempts.add(attempt);
    }

    async function run(row: ClaimedNotification, claimedAt: number): Promise<void> {
      try {
        const outcome = await send(row, claimedAt, cut.signal);
        counts[outcome] += 1;
      } catch (error) {
        // Its lease lapses, and whoever claims it next sends the same bytes under the same id.
        counts.lost += 1;
        log.error({ ...describeRow(row), err: error }, 'the result of a notification could not be written');
      }
    }
  };

  /** Rows of receivers that are known to be down wait where they stand, and nothing of them is written. */
  async function nextDueAt(): Promise<Date | undefined> {
    const { receivers, forMs } = breaker.open();
    const next = await leases.nextDueAt(receivers);
    const reopens = receivers.length > 0 ? new Date(Date.now() + forMs) : undefined;
    return next && reopens && reopens < next ? reopens : (next ?? reopens);
  }

  async function send(row: ClaimedNotification, claimedAt: number, signal: AbortSignal) {
    const { tries } = row;
    if (row.lapses > maxLapses) {
      log.error(describeRow(row), 'notification put aside: its workers died');
      return (await leases.settle(row, { state: 'exhausted', tries })) ? 'exhausted' : 'lost';
    }

    const at = now();
    const delivery = await attempt(row, at, claimedAt, signal);
    if (!delivery) {
      log.warn(describeRow(row), 'a notification was held up for too long to be sent under this lease');
      return 'lost';
    }
    if (delivery.outcome !== 'cut' && (delivery.status !== null || delivery.code)) {
      breaker.note(row.receiver, delivery.status !== null);
    }
    const { status, ms, code, error } = delivery;
    const record: AttemptRecord = { at, ms, status, ...(code ? { code } : {}), error };
    const verdict = judge(tries, delivery);
    const written = await leases.settle(row, verdict, record);

    const outcome = verdict.state === 'waiting' ? (delivery.outcome === 'cut' ? 'cut' : 'failed') : verdict.state;
    const line = { ...describeRow(row), attempt: tries + 1, outcome, status, ms, ...(error ? { error } : {}) };
    if (outcome === 'delivered') log.info(line, 'notification delivered');
    else log.warn(line, 'notification not delivered');
    return written ? outcome : 'lost';
  }

  async function attempt(row: ClaimedNotification, at: Date, claimedAt: number, signal: AbortSignal) {
    const body = Buffer.from(row.body);
    let headers: Record<string, string>;
    try {
      headers = signatureHeaders({ id: row.id, body, at }, await parts.secrets(row.ownerId));
    } catch (error) {
      log.error({ ...describeRow(row), err: error }, 'a notification could not be signed');
      return { outcome: 'failed', status: null, ms: 0, error: 'it could not be signed' } satisfies Delivery;
    }
    // A process that was held up for so long may lose the row to another in the midst of the attempt.
    if (performance.now() - claimedAt > leaseMarginMs) return undefined;
    return deliver({ url: row.url, headers, body, timeoutMs, guard, signal });
  }

  function judge(tries: number, { outcome, retryAfter }: Delivery): Verdict {
    if (outcome === 'cut') return { state: 'waiting', tries, delayMs: 0 };
    if (outcome !== 'failed') return { state: outcome, tries: tries + 1 };
    const delayMs = nextDelayMs(tries + 1, schedule, random(), readRetryAfter(retryAfter, now()));
    if (delayMs === undefined) return { state: 'exhausted', tries: tries + 1 };
    return { state: 'waiting', tries: tries + 1, delayMs };
  }
}

function describeRow({ id, requestId, paymentRequestId, ownerId, receiver }: ClaimedNotification) {
  return { notificationId: id, requestId, paymentRequestId, ownerId, host: receiver };
}
