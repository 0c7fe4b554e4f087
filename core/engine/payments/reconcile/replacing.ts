/**
 * Prepares to replace an attempt that waits for its payer. If the payer could still finish the step without core, the
 * provider closes the order first, or reports its status. The replacement itself is part of the caller's change, which
 * fails if anything happened since.
 */
import { attemptOf, latestAttempt } from '../../../database/collections/attempt.ts';
import type { PaymentRecord } from '../../../database/collections/payment-request.ts';
import type { ProviderCalls } from '../../providers/calls.ts';
import type { MappedReport } from '../../providers/mapped-event.ts';
import { requestFetch } from '../record/request-fetch.ts';
import { applyFacts } from '../state/apply-facts.ts';
import { waitsForPayer } from '../state/apply-close.ts';
import type { PaymentStore } from '../store/payment-store.ts';
import { toStoredPayment } from '../submit/stored-payment.ts';
import {
  confirmsWaiting,
  createUnfinishedSteps,
  notClosed,
  notReplaceable,
  type Ended,
  type UnfinishedSteps,
  type UnfinishedStepsDeps,
} from '../submit/unfinished-step.ts';
import { createClosing, type CloseReason, type ClosingDeps } from './closing.ts';
import { createFactsOf, type FactsOfDeps } from './report-facts.ts';
import { accountRefOf } from '../../providers/account-ref.ts';

export interface Prepared {
  readonly record: PaymentRecord;
  /** The number of the attempt that the caller may end; null: none is open. */
  readonly ends: number | null;
  /** The provider closed its order. The payment has a lease, which the caller's change ends. */
  readonly isClosed: boolean;
}

export interface Replacing extends UnfinishedSteps {
  /** True if an attempt is open and could be replaced now. Throws PAY004 if it cannot. False: none is open. */
  mayReplace(record: PaymentRecord): boolean;
  /** Asks the provider if that is necessary. Throws PAY004 unless the answer allows it to replace the attempt. */
  prepare(record: PaymentRecord, requestId: string, reason: CloseReason): Promise<Prepared>;
  /**
   * The attempt that the change ends; undefined: none is open. Throws PAY004 if another attempt is open than the
   * prepared one, or if that attempt has moved on. Pure, so that a change can repeat it.
   */
  confirm(current: PaymentRecord, prepared: Prepared): Ended | undefined;
  /** Makes the caller's change. If it fails although the order is closed, a worker ends the attempt. */
  finish<T>(prepared: Prepared, requestId: string, change: () => Promise<T>): Promise<T>;
}

export interface ReplacingDeps extends FactsOfDeps, UnfinishedStepsDeps, Omit<ClosingDeps, 'calls' | 'config'> {
  readonly store: Pick<PaymentStore, 'change'>;
  readonly calls: Pick<ProviderCalls, 'fetchStatus' | 'close'>;
  readonly config: FactsOfDeps['config'] & ClosingDeps['config'];
}

interface Asked {
  readonly record: PaymentRecord;
  readonly report: MappedReport;
}

export function createReplacing(deps: ReplacingDeps): Replacing {
  const { store, calls, encrypter, feeOf, log } = deps;
  const unfinishedSteps = createUnfinishedSteps(deps);
  const factsOf = createFactsOf(deps);
  const closing = createClosing(deps);

  /**
   * Fetches the status and applies it. What the report demands beyond facts (`complete`, `markSeen`) is left to a
   * further fetch by a worker.
   */
  async function ask(record: PaymentRecord, n: number, requestId: string): Promise<Asked> {
    const attempt = attemptOf(record, n)!;
    const report = await calls.fetchStatus(accountRefOf(attempt), toStoredPayment(encrypter, record, attempt));
    const { result } = report;
    log.info(
      { requestId, paymentRequestId: record._id, attempt: n, adapter: accountRefOf(attempt), result },
      'fetched',
    );
    const facts = factsOf(attempt, report);
    const isMore =
      report.result === 'events' &&
      (report.seenToken !== undefined || report.events.some(({ awaitsCompletion }) => awaitsCompletion));
    const { record: current } = await store.change(record._id, requestId, (one) => {
      const applied = applyFacts(one, facts, feeOf);
      return isMore ? { ...applied, next: requestFetch(applied?.next ?? one, n) } : applied;
    });
    return { record: current, report };
  }

  /** What must come before the replacement; undefined: no attempt is open. Throws PAY004 if it is not possible now. */
  function howToReplace(record: PaymentRecord): 'now' | 'after_close' | 'after_fetch' | undefined {
    const replaceable = unfinishedSteps.replaceable(record);
    if (replaceable?.kind === 'later' || replaceable?.kind === 'never') throw notReplaceable(record, replaceable);
    return replaceable?.kind;
  }

  return {
    ...unfinishedSteps,
    mayReplace: (record) => howToReplace(record) !== undefined,
    async prepare(record, requestId, reason) {
      const how = howToReplace(record);
      if (!how) return { record, ends: null, isClosed: false };
      const { n } = latestAttempt(record)!;
      if (how === 'now') return { record, ends: n, isClosed: false };
      if (how === 'after_close') return close(record, n, requestId, reason);
      const asked = await ask(record, n, requestId);
      // The report may have ended the attempt.
      const replaceable = unfinishedSteps.replaceable(asked.record);
      if (!replaceable) return { record: asked.record, ends: null, isClosed: false };
      if (!confirmsWaiting(asked.report)) throw notReplaceable(asked.record, { kind: 'after_fetch' });
      return { record: asked.record, ends: n, isClosed: false };
    },
    confirm(current, prepared) {
      const { ends, isClosed } = prepared;
      const attempt = latestAttempt(current);
      const isHeld = isClosed && attempt?.n === ends && current.lease.token === prepared.record.lease.token;
      if (isHeld && waitsForPayer(attempt)) return { n: ends, isClosed };
      if (!howToReplace(current)) return undefined;
      const { n } = latestAttempt(current)!;
      if (n !== ends || isClosed) throw notReplaceable(current, { kind: 'after_fetch' });
      return { n, isClosed };
    },
    async finish(prepared, requestId, change) {
      try {
        return await change();
      } catch (error) {
        if (prepared.isClosed) await release(prepared.record, requestId);
        throw error;
      }
    },
  };

  /** The order is closed before anything replaces the attempt. The change that replaces it ends the lease. */
  async function close(record: PaymentRecord, n: number, requestId: string, reason: CloseReason): Promise<Prepared> {
    const throwIfNotClosable = (current: PaymentRecord): void => {
      const replaceable = unfinishedSteps.replaceable(current);
      const isSame = latestAttempt(current)?.n === n && replaceable?.kind === 'after_close';
      if (!isSame) throw notReplaceable(current, replaceable ?? { kind: 'after_fetch' });
    };
    const closed = await closing.close(record, reason, requestId, throwIfNotClosable);
    // A worker that repeated the request may have cancelled the payment already.
    const isDone = closed.outcome.outcome === 'succeeded' || closed.record.cancelledAt !== null;
    if (!isDone) throw notClosed(closed.record, closed.outcome);
    return { record: closed.record, ends: n, isClosed: true };
  }

  /** A worker repeats the request and applies its answer. Without this, it would wait for the end of the lease. */
  async function release({ _id, lease: { token } }: PaymentRecord, requestId: string): Promise<void> {
    await store.change(_id, requestId, (current) =>
      current.lease.token === token ? { next: current, endsLease: true } : undefined,
    );
  }
}
