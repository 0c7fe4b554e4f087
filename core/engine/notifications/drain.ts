/** Sends what is due: claims only what can be sent at once, so that a lease never waits behind a slow receiver. */
import { setMaxListeners } from 'node:events';
import { mongo } from 'mongoose';
import type { Logger } from 'pino';
import { ownerSubject, type Raise } from '../alarms/index.ts';
import type { AttemptRecord } from '../../database/collections/notification.ts';
import type { Environment } from '../../base/environment.ts';
import type { Metrics } from '../../base/metrics/index.ts';
import type { NextDue } from '../../database/lease.ts';
import { createSignal } from './signal.ts';
import type { Connections } from './connections.ts';
import { disabledError } from './enable-endpoint.ts';
import type { Endpoints } from './endpoints.ts';
import { deliver } from './deliver.ts';
import type { Delivery } from './deliver.ts';
import type { Guard } from './guard.ts';
import type { HandOver } from './hand-over.ts';
import type { ClaimedNotification, DeliveryQueue, DueRow, Verdict } from './delivery-queue.ts';
import { nextDelayMs, readRetryAfter } from './schedule.ts';
import type { Schedule } from './schedule.ts';
import { signatureHeaders } from '../../base/crypto/webhook-signature.ts';
import type { WebhookSecrets } from '../../base/crypto/webhook-signature.ts';
import { writeResult } from './write-result.ts';
import { traceForMerchant, withSpan, type SpanPlan } from '../../base/traces/index.ts';
import { maxUnderWay, type DeliveryLimits, type EndAttempt, type RoomFor } from './delivery-limits.ts';

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
  /** Their endpoint is disabled: nothing was sent, and they are kept as exhausted. */
  readonly disabled: number;
  /** Ended by the signal; due again at once. */
  readonly cut: number;
  /** They could not be signed: due again soon, and no attempt of theirs is used up. */
  readonly unsigned: number;
  /** Their result was not written: another worker held the row by then, or the database could not be reached. */
  readonly lost: number;
  /**
   * When the next row is due (may be past), or the next lease ends; null where nothing waits. Server time. Undefined: it
   * delivered what was handed over, and looked for nothing else.
   */
  readonly nextDueAt: Date | null | undefined;
}

export interface DrainParts {
  readonly queue: DeliveryQueue;
  readonly guard: Guard;
  readonly connections: Connections;
  /** Shared by all calls, so that they hold however many of them run at once. */
  readonly limits: DeliveryLimits;
  readonly endpoints: Pick<Endpoints, 'isDisabled' | 'note'>;
  readonly handOver: Pick<HandOver, 'take'>;
  readonly schedule: Schedule;
  readonly timeoutMs: number;
  readonly secrets: (ownerId: number, environment: Environment) => Promise<WebhookSecrets>;
  readonly now: () => Date;
  readonly random: () => number;
  readonly raise: Raise;
  readonly metrics: Pick<Metrics, 'deliveries' | 'firstAttemptLagSeconds' | 'leaseExpiries'>;
  readonly log: Logger;
}

/** How much longer a lease is than an attempt: to read the secrets before it, and write the result after it. */
export const leaseMarginMs = 15_000;

/** While slow attempts are under way, what became due meanwhile is looked for this often. */
const lookAgainMs = 500;
/** Looks begin at least so far apart: what becomes due in between, or has room again, is found together. */
const lookPaceMs = 5;
/** Where looks take long, because much was delivered of late, this many times as long is between them, but at most `lookAgainMs`. */
const looksPerRest = 4;
/** While attempts are under way, repetitions, and receivers that timed out, are looked for this often. */
const retriesEveryMs = 100;

/**
 * After this no more is claimed, so that a trickle of slow receivers does not hold the caller's job for ever. Seldom, for
 * then everybody waits until the slowest attempt under way has ended.
 */
const longestDrainMs = 600_000;

/** What cannot be signed waits for somebody to mend that. */
const unsignedDelayMs = 60_000;
/** Where the database did not answer, that mends itself. */
const unreadDelayMs = 1000;

/** A receiver that answers too late, or says that it is too much, has at least so long. */
const overloadedDelayMs = 60_000;

/** A row whose worker died this often while sending it is exhausted: it may be what ends them. */
const maxExpiries = 5;

/** Receivers that timed out wait for what the others leave, but no longer than this. */
const turnsEveryMs = 5000;

/** A call under way. */
interface Running {
  readonly look: () => void;
  /** Without a look for what is due. */
  readonly wake: () => void;
}

interface Started {
  readonly started: number;
  /** There may be others to start now. */
  readonly more: boolean;
}

export interface Drain {
  readonly deliverDue: (options: DeliverDue) => Promise<Delivered>;
  /** Something may be due: true where a call that runs looks for it. */
  readonly look: () => boolean;
  /** Something was handed over: true where a call that runs sends it; else the next one looks for nothing beside it. */
  readonly sendHanded: () => boolean;
}

export function createDrain(parts: DrainParts): Drain {
  const { queue, guard, connections, limits, endpoints, handOver, schedule, timeoutMs, now, random } = parts;
  const { raise, metrics, log } = parts;
  const running = new Set<Running>();
  let turnsGivenAt = performance.now();
  /** The next call need not look for anything. */
  let onlyHanded = false;
  /** Before that it is neither looked nor asked for what is due. */
  const rests = { looking: -Infinity, asking: -Infinity };
  const restAfter = (began: number): number =>
    began + Math.min(lookAgainMs, Math.max(lookPaceMs, looksPerRest * (performance.now() - began)));

  async function deliverDue(options: DeliverDue): Promise<Delivered> {
    const { worker, limit = 100_000, signal, graceMs = 5000 } = options;
    const counts = { delivered: 0, failed: 0, exhausted: 0, gone: 0, disabled: 0, cut: 0, unsigned: 0, lost: 0 };
    const attempts = new Set<Promise<void>>();
    const changed = createSignal();
    const cut = new AbortController();
    setMaxListeners(maxUnderWay, cut.signal);
    let graceTimer: NodeJS.Timeout | undefined;
    const stopped = () => signal?.aborted === true;
    const stop = () => {
      graceTimer = setTimeout(() => cut.abort(), graceMs);
      changed.notify();
    };
    signal?.addEventListener('abort', stop, { once: true });
    const until = performance.now() + longestDrainMs;
    let left = limit;
    let handed = 0;
    /** Something may be due that the latest look did not see. */
    let mustLook = !onlyHanded;
    let hasLooked = mustLook;
    let lookedAt = onlyHanded ? performance.now() : -Infinity;
    onlyHanded = false;
    /** A run looks for first attempts alone, until something else proves due or attempts take long. */
    let retriesAt = performance.now();
    /** The latest look was for repetitions too. */
    let foundNothing = false;
    /** The latest look passed by what there was no room for. */
    let isLimited = false;
    let next: { readonly due: NextDue | undefined } | undefined;
    const look = () => {
      mustLook = true;
      changed.notify();
    };
    const own: Running = { look, wake: () => changed.notify() };
    running.add(own);

    try {
      while (!stopped() && left > 0 && performance.now() < until) {
        changed.reset();
        startHanded();
        if (mustLook || performance.now() - lookedAt >= lookAgainMs) {
          const restMs = rests.looking - performance.now();
          if (restMs > 0) {
            await changed.wait(restMs);
            continue;
          }
          lookedAt = performance.now();
          hasLooked = true;
          [mustLook, isLimited] = [false, false];
          const { started, more } = await startDue(Math.min(left, limits.free()));
          left -= started;
          rests.looking = restAfter(lookedAt);
          foundNothing = started === 0 && retriesAt === lookedAt;
          mustLook ||= more;
        }
        if (mustLook) continue;
        if (attempts.size > 0) {
          await changed.wait(lookAgainMs);
          continue;
        }
        if (isQuiet()) break;
        const restMs = rests.asking - performance.now();
        if (restMs > 0) {
          await changed.wait(restMs);
          continue;
        }
        const askedAt = performance.now();
        const due = await nextDue();
        rests.asking = restAfter(askedAt);
        if (mustLook || changed.isPending()) continue;
        if (!due?.isDue || foundNothing) {
          next = { due };
          break;
        }
        // A repetition, unless it became due only now.
        retriesAt = -Infinity;
        mustLook = true;
      }
    } finally {
      running.delete(own);
      await Promise.all(attempts);
      clearTimeout(graceTimer);
      signal?.removeEventListener('abort', stop);
    }
    if (isQuiet()) return { ...counts, nextDueAt: undefined };
    const { due } = next ?? { due: await nextDue() };
    return { ...counts, nextDueAt: due?.at ?? null };

    /** What was handed over is delivered, and nothing was looked for. */
    function isQuiet(): boolean {
      return !hasLooked && counts.delivered === handed;
    }

    function startHanded(): void {
      for (const { row, claimedAt, end } of handOver.take()) {
        handed += 1;
        left -= 1;
        start(row, claimedAt, end);
      }
    }

    /** Claims and starts up to `places` rows. */
    async function startDue(places: number): Promise<Started> {
      if (places === 0) isLimited = true;
      const turnsFirst = performance.now() - turnsGivenAt > turnsEveryMs;
      let started = turnsFirst ? await giveTurns(places) : 0;
      const withRetries = lookedAt - retriesAt >= retriesEveryMs;
      if (withRetries) retriesAt = lookedAt;
      const others = await startFrom(() => limits.room(), places - started, withRetries);
      started += others.started;
      // The place of an attempt that ended meanwhile is for the others first.
      const isTurn = attempts.size === 0 || lookedAt - turnsGivenAt >= retriesEveryMs;
      if (!turnsFirst && !others.more && !mustLook && isTurn) started += await giveTurns(places - started);
      return { started, more: others.more };
    }

    /** Receivers whose latest attempt timed out come one after another, whatever waits for each. */
    async function giveTurns(places: number): Promise<number> {
      if (places > 0) turnsGivenAt = performance.now();
      const seen = new Set<string>();
      let started = 0;
      while (started < places) {
        const room = limits.nextTurns(seen);
        if (!room) break;
        const turns = await startFrom(() => room, places - started, true);
        started += turns.started;
        if (!turns.more || turns.started === 0) for (const receiver of room.only) seen.add(receiver);
      }
      return started;
    }

    /** First attempts before retries. */
    async function startFrom(roomNow: () => RoomFor, places: number, withRetries: boolean): Promise<Started> {
      let started = 0;
      for (const fresh of withRetries ? [true, false] : [true]) {
        if (started >= places) break;
        const wanted = places - started;
        const room = roomNow();
        isLimited ||= room.receivers.length > 0 || room.owners.length > 0 || room.answering !== undefined;
        const due = await queue.findDue(fresh, room, wanted);
        const begun = new Map<string, EndAttempt>();
        for (const row of due) {
          const end = limits.begin(row);
          if (end) begun.set(row._id, end);
        }
        isLimited ||= begun.size < due.length;
        const claimedAt = performance.now();
        const rows = await claim(begun);
        countExpired(due, rows);
        for (const row of rows) start(row, claimedAt, begun.get(row.id)!);
        started += rows.length;
        // A full page of which not all could be taken may hide rows of other receivers behind it.
        if (due.length === wanted && rows.length < wanted) return { started, more: true };
      }
      return { started, more: false };
    }

    async function claim(begun: ReadonlyMap<string, EndAttempt>): Promise<ClaimedNotification[]> {
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

    function start(row: ClaimedNotification, claimedAt: number, endAttempt: EndAttempt): void {
      let isUnderWay = true;
      const end: EndAttempt = (...result) => {
        if (!isUnderWay) return;
        isUnderWay = false;
        endAttempt(...result);
        if (isLimited) look();
      };
      const attempt = run(row, claimedAt, end).finally(() => {
        attempts.delete(attempt);
        if (attempts.size === 0) changed.notify();
      });
      attempts.add(attempt);
    }

    async function run(row: ClaimedNotification, claimedAt: number, end: EndAttempt): Promise<void> {
      let outcome: keyof typeof counts = 'lost';
      try {
        outcome = await send(row, claimedAt, cut.signal, end);
      } catch (error) {
        // Its lease expires, and the next holder sends the same bytes under the same id.
        log.error({ ...describeRow(row), err: error }, 'the result of a notification could not be written');
      } finally {
        counts[outcome] += 1;
        metrics.deliveries.inc({ mode: row.environment, outcome });
        end('unknown');
      }
    }
  }

  /** Those whose claim found the lease of somebody who did not end it. */
  function countExpired(due: readonly DueRow[], claimed: readonly ClaimedNotification[]): void {
    for (const { id, expiries } of claimed) {
      const before = due.find(({ _id }) => expiries > 0 && _id === id)?.lease.expiries ?? expiries;
      if (expiries > before) metrics.leaseExpiries.inc({ queue: 'notifications' });
    }
  }

  return {
    deliverDue,
    look() {
      onlyHanded = false;
      for (const { look } of running) look();
      return running.size > 0;
    },
    sendHanded() {
      for (const { wake } of running) wake();
      onlyHanded = running.size === 0;
      return running.size > 0;
    },
  };

  /** Rows of receivers that are known to be down wait, and nothing of them is written. */
  async function nextDue(): Promise<NextDue | undefined> {
    const { receivers, forMs } = limits.spared();
    const next = await queue.nextDue(receivers);
    if (receivers.length === 0) return next;
    const reopensAt = new Date(now().getTime() + forMs);
    return next && next.at < reopensAt ? next : { at: reopensAt, isDue: false };
  }

  /** Ends the attempt as soon as its receiver has answered: the next need not wait until that is written. */
  async function send(row: ClaimedNotification, claimedAt: number, signal: AbortSignal, end: EndAttempt) {
    const { tries } = row;
    const until = claimedAt + timeoutMs + leaseMarginMs;
    const settle = async (verdict: Verdict, record?: AttemptRecord): Promise<boolean> => {
      const written = await writeResult(async () => queue.settle(row, verdict, record), { until, signal });
      const owner = ownerSubject(row.ownerId, row.environment);
      if (written && verdict.state === 'exhausted' && !verdict.isSilent)
        raise('notifications_exhausted', owner, `to ${row.receiver}`, describeRow(row));
      return written;
    };

    if (row.expiries > maxExpiries) {
      log.error(describeRow(row), 'notification exhausted: its workers died');
      return (await settle({ state: 'exhausted', tries })) ? 'exhausted' : 'lost';
    }

    const at = now();
    if (await endpoints.isDisabled(row)) {
      const record = { at, ms: 0, status: null, error: disabledError };
      return (await settle({ state: 'exhausted', tries, isSilent: true }, record)) ? 'disabled' : 'lost';
    }
    const headers = await sign(row, at);
    if ('delayMs' in headers) {
      return (await settle({ state: 'waiting', tries, ...headers })) ? 'unsigned' : 'lost';
    }
    if (row.tries === 0 && row.round === 1 && row.expiries === 0) {
      const lagMs = Math.max(at.getTime() - row.createdAt.getTime(), 0);
      metrics.firstAttemptLagSeconds.observe({ mode: row.environment }, lagMs / 1000);
    }
    const delivery = await attempt(row, headers, claimedAt, signal);
    if (!delivery) {
      log.warn(describeRow(row), 'a notification was held up for too long to be sent under this lease');
      return 'lost';
    }
    const { status, ms, timedOut, code, error } = delivery;
    if (delivery.outcome !== 'cut' && (status !== null || code)) {
      end(status === null ? 'unreachable' : 'answered', {
        ms,
        timedOut,
        isFailing: status === 429 || (status ?? 0) >= 500,
      });
    }
    const record: AttemptRecord = { at, ms, status, ...(code ? { code } : {}), error };
    const verdict = judge(tries, delivery);
    const written = await settle(verdict, record);

    if (delivery.outcome !== 'cut') {
      const result = delivery.outcome === 'delivered' ? 'delivered' : 'failed';
      await endpoints
        .note(row, result, at)
        .catch((error: unknown) =>
          log.warn({ ...describeRow(row), err: error }, 'the state of an endpoint was not written'),
        );
    }
    const outcome = verdict.state === 'waiting' ? (delivery.outcome === 'cut' ? 'cut' : 'failed') : verdict.state;
    const line = { ...describeRow(row), attempt: tries + 1, outcome, status, ms, ...(error ? { error } : {}) };
    if (outcome === 'delivered') log.info(line, 'notification delivered');
    else log.warn(line, 'notification not delivered');
    return written ? outcome : 'lost';
  }

  /** A delay where the secret cannot be had: that is our fault, and none of the receiver's attempts. */
  async function sign(row: ClaimedNotification, at: Date): Promise<Record<string, string> | { delayMs: number }> {
    try {
      const { id, ownerId, environment, body } = row;
      const secrets = await parts.secrets(ownerId, environment);
      return { 'X-Webhook-Mode': environment, ...signatureHeaders({ id, body: Buffer.from(body), at }, secrets) };
    } catch (error) {
      if (error instanceof mongo.MongoError) {
        log.warn({ ...describeRow(row), err: error }, 'the database did not answer for the secret of a notification');
        return { delayMs: unreadDelayMs };
      }
      const { message } = error as Error;
      raise('notification_unsigned', ownerSubject(row.ownerId, row.environment), message, describeRow(row));
      return { delayMs: unsignedDelayMs };
    }
  }

  async function attempt(
    row: ClaimedNotification,
    headers: Readonly<Record<string, string>>,
    claimedAt: number,
    signal: AbortSignal,
  ): Promise<Delivery | undefined> {
    // A process that was held up for so long may lose the row to another in the midst of the attempt.
    if (performance.now() - claimedAt > leaseMarginMs) return undefined;
    const plan = (): SpanPlan => ({
      kind: 'client',
      parent: row.trace,
      attributes: {
        'gateway.notification_type': row.type,
        'gateway.payment_request_id': row.paymentRequestId ?? undefined,
        'gateway.mode': row.environment,
        'gateway.attempt': row.tries + 1,
      },
    });
    return withSpan('deliver notification', plan, async (span) => {
      const delivery = await deliver({
        url: row.url,
        headers: { ...headers, ...traceForMerchant(span) },
        body: Buffer.from(row.body),
        timeoutMs,
        guard,
        connections,
        signal,
      });
      const { outcome, status } = delivery;
      span.set({ 'gateway.outcome': outcome, 'http.response.status_code': status ?? undefined });
      if (outcome !== 'delivered') span.fail();
      return delivery;
    });
  }

  function judge(tries: number, { outcome, status, timedOut, retryAfter }: Delivery): Verdict {
    if (outcome === 'cut') return { state: 'waiting', tries, delayMs: 0 };
    if (outcome !== 'failed') return { state: outcome, tries: tries + 1 };
    const atLeastMs = Math.max(
      timedOut || status === 429 ? overloadedDelayMs : 0,
      readRetryAfter(retryAfter, now()) ?? 0,
    );
    const delayMs = nextDelayMs(tries + 1, schedule, random(), atLeastMs);
    if (delayMs === undefined) return { state: 'exhausted', tries: tries + 1 };
    return { state: 'waiting', tries: tries + 1, delayMs };
  }
}

function describeRow({ id, requestId, paymentRequestId, ownerId, receiver }: ClaimedNotification) {
  return { notificationId: id, requestId, paymentRequestId, ownerId, host: receiver };
}
