/**
 * Prepares to replace an attempt that waits for its payer. If the payer could still finish the step without core, the
 * provider is asked first. The replacement itself is part of the caller's change, which fails if anything happened
 * since.
 */
import type { Logger } from 'pino';
import { attemptOf, latestAttempt } from '../../../database/collections/attempt.ts';
import type { PaymentRecord } from '../../../database/collections/payment-request.ts';
import type { ProviderCalls } from '../../providers/calls.ts';
import type { MappedReport } from '../../providers/mapped-event.ts';
import { requestFetch } from '../record/request-fetch.ts';
import { applyFacts } from '../state/apply-facts.ts';
import type { FeeOf } from '../state/fee.ts';
import type { PaymentStore } from '../store/payment-store.ts';
import { toStoredPayment } from '../submit/stored-payment.ts';
import {
  confirmsWaiting,
  createUnfinishedSteps,
  notReplaceable,
  type UnfinishedSteps,
  type UnfinishedStepsDeps,
} from '../submit/unfinished-step.ts';
import { createFactsOf, type FactsOfDeps } from './report-facts.ts';

export interface Prepared {
  readonly record: PaymentRecord;
  /** The number of the attempt that the caller may end; null: none is open. */
  readonly ends: number | null;
}

export interface Replacing extends UnfinishedSteps {
  /** True if an attempt is open and could be replaced now. Throws PAY004 if it cannot. False: none is open. */
  mayReplace(record: PaymentRecord): boolean;
  /** Asks the provider if that is necessary. Throws PAY004 unless the report allows it to replace the attempt. */
  prepare(record: PaymentRecord, requestId: string): Promise<Prepared>;
  /**
   * The number of the attempt that the change ends; undefined: none is open. Throws PAY004 if another attempt is open
   * than the prepared one, or if that attempt has moved on. Pure, so that a change can repeat it.
   */
  confirm(current: PaymentRecord, prepared: Prepared): number | undefined;
}

export interface ReplacingDeps extends FactsOfDeps, UnfinishedStepsDeps {
  readonly store: Pick<PaymentStore, 'change'>;
  readonly calls: Pick<ProviderCalls, 'fetchStatus'>;
  readonly feeOf: FeeOf;
  readonly log: Logger;
}

interface Asked {
  readonly record: PaymentRecord;
  readonly report: MappedReport;
}

export function createReplacing(deps: ReplacingDeps): Replacing {
  const { store, calls, encrypter, feeOf, log } = deps;
  const unfinishedSteps = createUnfinishedSteps(deps);
  const factsOf = createFactsOf(deps);

  /**
   * Fetches the status and applies it. What the report demands beyond facts (`complete`, `markSeen`) is left to a
   * further fetch by a worker.
   */
  async function ask(record: PaymentRecord, n: number, requestId: string): Promise<Asked> {
    const attempt = attemptOf(record, n)!;
    const report = await calls.fetchStatus(attempt.adapter, toStoredPayment(encrypter, record, attempt));
    const { result } = report;
    log.info({ requestId, paymentRequestId: record._id, attempt: n, adapter: attempt.adapter, result }, 'fetched');
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

  function mayReplace(record: PaymentRecord): boolean {
    const replaceable = unfinishedSteps.replaceable(record);
    if (!replaceable) return false;
    if (replaceable.kind === 'later' || replaceable.kind === 'never') throw notReplaceable(record, replaceable);
    return true;
  }

  return {
    ...unfinishedSteps,
    mayReplace,
    async prepare(record, requestId) {
      if (!mayReplace(record)) return { record, ends: null };
      const { n } = latestAttempt(record)!;
      if (unfinishedSteps.replaceable(record)?.kind === 'now') return { record, ends: n };
      const asked = await ask(record, n, requestId);
      // The report may have ended the attempt.
      const replaceable = unfinishedSteps.replaceable(asked.record);
      if (!replaceable) return { record: asked.record, ends: null };
      if (!confirmsWaiting(asked.report)) throw notReplaceable(asked.record, { kind: 'after_fetch' });
      return { record: asked.record, ends: n };
    },
    confirm(current, { ends }) {
      if (!mayReplace(current)) return undefined;
      const { n } = latestAttempt(current)!;
      if (n !== ends) throw notReplaceable(current, { kind: 'after_fetch' });
      return n;
    },
  };
}
