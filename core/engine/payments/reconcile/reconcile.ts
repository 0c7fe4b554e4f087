/**
 * Resolves payments that nothing else resolves: completes steps that were taken, closes orders of expired payments,
 * fetches statuses, repeats refunds.
 */
import { paymentSubject } from '../../alarms/index.ts';
import { unknown } from '@paywright/contract';
import type { Connection, QueryFilter } from 'mongoose';
import { attemptOf, latestAttempt, type Attempt } from '../../../database/collections/attempt.ts';
import { isDatabaseAway } from '../../../database/database-away.ts';
import { fromDocument } from '../../../database/decimals.ts';
import { createLeases } from '../../../database/lease.ts';
import { paymentRequestModel, type PaymentRecord } from '../../../database/collections/payment-request.ts';
import type { Refund } from '../../../database/collections/refund.ts';
import { HOUR, MINUTE, SECOND } from '../../../base/async/time.ts';
import type { Metrics } from '../../../base/metrics/index.ts';
import type { ProviderCalls } from '../../providers/calls.ts';
import type { PaymentStore } from '../store/payment-store.ts';
import { applyFacts } from '../state/apply-facts.ts';
import { outcomeFact } from '../state/apply-outcome.ts';
import { createCaptureChecks, type CaptureChecksDeps } from './capture-checks.ts';
import { createClosing, type ClosingDeps } from './closing.ts';
import { createCompletion, type CompletionDeps } from './complete.ts';
import { createStatusFetches, type StatusFetchesDeps } from './status-fetches.ts';
import { createRefundChecks, type RefundChecksDeps } from './refund-checks.ts';
import { awaitsAnswer, isWatched, lateCheckAt, lateRefundCheckAt, plannedAt, refundCheckAt } from './schedule.ts';
import { withSpan } from '../../../base/traces/index.ts';

export interface Reconciler {
  /**
   * Claims the payment whose check has been due longest, except payments with an attempt at one of the `busy` adapters.
   */
  claim(busy: readonly string[]): Promise<PaymentRecord | undefined>;
  /**
   * Claims a payment that `claim` leaves alone because its checks crashed their workers. Nothing else may run during
   * its check.
   */
  claimSuspect(): Promise<PaymentRecord | undefined>;
  /** Releases what this worker holds when the worker stops. This does not count as a failed check. */
  releaseAll(): Promise<void>;
  /**
   * Checks what is due of a claimed payment. Never throws. If the check fails, its lease expires and the payment is
   * claimed again. If the database did not answer, the payment is released as soon as it does.
   */
  reconcile(claimed: PaymentRecord): Promise<void>;
  /** When the next check is due; undefined: none is. */
  nextDueAt(): Promise<Date | undefined>;
  /** Releases what a dead worker had claimed. */
  releaseWorker(worker: string): Promise<void>;
}

export interface ReconcilerDeps
  extends
    CaptureChecksDeps,
    Omit<ClosingDeps, 'config'>,
    CompletionDeps,
    Omit<StatusFetchesDeps, 'completion'>,
    Omit<RefundChecksDeps, 'statusFetches'> {
  readonly connection: Connection;
  readonly store: PaymentStore;
  readonly calls: ProviderCalls;
  /** Names this process in leases. */
  readonly worker: string;
  readonly config: { readonly callTimeoutMs: number; readonly nothingChargedAfterSeconds: number };
  readonly metrics: Pick<Metrics, 'leaseExpiries'>;
}

/** After this many checks that crashed their worker or failed for a reason of our own, further checks are postponed. */
const PUT_OFF_AFTER = 3;
const MIN_PUT_OFF_MS = 5 * MINUTE;
const MAX_PUT_OFF_MS = 6 * HOUR;

const isHeld = { 'lease.token': { $type: 'string' } } as const;
/** Two checks crashed their worker: the next check runs alone, so that it takes no other checks with it. */
const suspect = { $or: [{ 'lease.expiries': { $gte: 2 } }, { 'lease.expiries': 1, ...isHeld }] };
const diedAgain = { 'lease.expiries': { $gte: PUT_OFF_AFTER - 1 }, ...isHeld };

export function createReconciler(deps: ReconcilerDeps): Reconciler {
  const { connection, store, feeOf, worker, now, raise, metrics, log } = deps;
  const model = paymentRequestModel(connection);
  // One part of a check makes at most four calls: a close, a completion, a fetch, and a note to the provider. Each part
  // renews the lease.
  const leaseMs = 4 * deps.config.callTimeoutMs + 30 * SECOND;
  const leases = createLeases(model, 'nextCheckAt', leaseMs);
  const completion = createCompletion(deps);
  const captureChecks = createCaptureChecks(deps);
  const closing = createClosing(deps);
  const statusFetches = createStatusFetches({ ...deps, completion });
  const refundChecks = createRefundChecks({ ...deps, statusFetches });

  async function check(claimed: PaymentRecord, requestId: string): Promise<void> {
    const token = claimed.lease.token!;
    let record = claimed;
    let isFirst = true;
    // The lease of the claim covers the first part. A payment may have many parts, each of which may take long.
    const renewLease = async (): Promise<void> => {
      const nextCheckAt = new Date(now().getTime() + leaseMs);
      if (!isFirst && (await leases.renew(claimed._id, token))) record = { ...record, nextCheckAt };
      isFirst = false;
    };
    for (const { n } of claimed.attempts) {
      if (!isAttemptDue(record, attemptOf(record, n)!)) continue;
      await renewLease();
      record = await checkAttempt(record, n, requestId);
    }
    record = await refundChecks.openDoubles(record, requestId);
    for (const { n } of record.refunds) {
      if (!isRefundDue(record.refunds[n - 1]!, now())) continue;
      await renewLease();
      record = await refundChecks.check(record, n, requestId);
    }
    await store.change(record._id, requestId, (current) =>
      current.lease.token === token ? { next: current, endsLease: true } : undefined,
    );
  }

  function isAttemptDue(record: PaymentRecord, attempt: Attempt): boolean {
    // While the submission runs, its own answer comes first, whatever was requested.
    if (attempt.endedAt === null) return awaitsAnswer(attempt) && attempt.deadlineAt <= now();
    if (attempt.fetchesRequested > attempt.fetchesDone || attempt.seenToken !== null) return true;
    if (closing.isDue(record, attempt)) return true;
    const ownTime = isWatched(attempt) ? plannedAt(record, attempt, deps.delayOf) : lateCheckAt(attempt);
    if (ownTime) return ownTime <= now();
    return attempt.outcome === 'open' && !attempt.needsReview;
  }

  async function checkAttempt(record: PaymentRecord, n: number, requestId: string): Promise<PaymentRecord> {
    let current = record;
    if (attemptOf(record, n)!.endedAt === null) {
      const outcome = unknown('the submission did not end; its process may have been killed');
      const fact = outcomeFact(n, outcome, now());
      ({ record: current } = await store.change(record._id, requestId, (one) => applyFacts(one, [fact], feeOf)));
    }
    current = await captureChecks.repeat(current, n, requestId);
    if (closing.isDue(current, attemptOf(current, n)!)) {
      current = await closing.closeDue(current, n, requestId);
      if (attemptOf(current, n)!.outcome !== 'open') return current;
    }
    const completed = await completion.completeTaken(current, n, requestId);
    if (!completed) return closing.giveUp(await statusFetches.fetch(current, n, requestId), n, requestId);
    if (completed.outcome.outcome === 'unknown') return statusFetches.fetch(completed.record, n, requestId);
    return statusFetches.recordCheck(completed.record, attemptOf(record, n)!, { failed: [] }, requestId);
  }

  /** Checks that crashed their workers repeatedly run less and less often, but never stop. */
  async function postponeDoomed(): Promise<void> {
    for (;;) {
      const found = await model.findOne({ ...leases.due(), ...diedAgain }, { lease: 1 }).lean();
      if (!found) return;
      const { _id, lease } = found;
      const expiries = lease.expiries + 1;
      const delayMs = Math.min(MAX_PUT_OFF_MS, MIN_PUT_OFF_MS * 2 ** (expiries - PUT_OFF_AFTER));
      // Another process was faster: it handles the payment.
      if (!(await leases.postpone(_id, lease.token!, delayMs, { version: { $add: ['$version', 1] } }))) continue;
      const reason = `${expiries} checks ended without a result; the next is in ${delayMs / MINUTE} min`;
      metrics.leaseExpiries.inc({ queue: 'reconcile' });
      raise('payment_ends_workers', paymentSubject(_id), reason, { paymentRequestId: _id });
    }
  }

  async function claimNext(where: QueryFilter<PaymentRecord>): Promise<PaymentRecord | undefined> {
    const claimed = await leases.claimNext(worker, { where, set: { version: { $add: ['$version', 1] } } });
    // A finished check clears the payment's expiries. Those of a postponed check were counted when it was postponed.
    const { expiries = 0 } = claimed?.lease ?? {};
    if (expiries > 0 && expiries < PUT_OFF_AFTER) metrics.leaseExpiries.inc({ queue: 'reconcile' });
    return claimed && (fromDocument(claimed) as PaymentRecord);
  }

  return {
    claim: async (busy) =>
      claimNext({ $nor: [suspect], ...(busy.length ? { 'attempts.adapter': { $nin: [...busy] } } : {}) }),
    async claimSuspect() {
      await postponeDoomed();
      return claimNext(suspect);
    },
    async reconcile(claimed) {
      const requestId = `reconcile-${claimed.lease.token}`;
      try {
        await withSpan(
          'reconcile',
          () => ({
            kind: 'consumer',
            parent: latestAttempt(claimed)?.trace,
            attributes: { 'gateway.payment_request_id': claimed._id },
          }),
          async () => check(claimed, requestId),
        );
      } catch (error) {
        log.error({ err: error, requestId, paymentRequestId: claimed._id }, 'a payment could not be reconciled');
        if (isDatabaseAway(error)) leases.releaseWhenBack(claimed.lease.token!, worker);
      }
    },
    nextDueAt: async () => leases.nextDueAt(),
    async releaseWorker(name) {
      await leases.releaseWorker(name);
    },
    async releaseAll() {
      await leases.releaseAll(worker);
    },
  };
}

function isRefundDue(refund: Refund, now: Date): boolean {
  const { state, requestedAt, lastCheckedAt, sentAt } = refund;
  if (state === 'succeeded' || state === 'failed')
    return (lateRefundCheckAt(refund)?.getTime() ?? Infinity) <= now.getTime();
  if (sentAt === null && lastCheckedAt === null) return true;
  if (state === 'needs_merchant') return refundCheckAt(refund)! <= now;
  return now.getTime() - (lastCheckedAt ?? requestedAt).getTime() >= SECOND;
}
