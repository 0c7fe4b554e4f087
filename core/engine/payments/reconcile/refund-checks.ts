/** Checks a refund whose outcome is unknown by repeating it under its own reference. */
import { addDecimals, compareDecimals } from '@paywright/contract';
import { paymentSubject, type Raise } from '../../alarms/index.ts';
import { attemptOf } from '../../../database/collections/attempt.ts';
import type { PaymentRecord } from '../../../database/collections/payment-request.ts';
import type { RefundState } from '../../../database/collections/refund.ts';
import type { Encrypter } from '../../../base/crypto/encryption.ts';
import type { Attempt } from '../../../database/collections/attempt.ts';
import type { ProviderCalls } from '../../providers/calls.ts';
import type { Registry } from '../../providers/registry.ts';
import type { FeeOf } from '../state/fee.ts';
import type { PaymentStore } from '../store/payment-store.ts';
import { applyFacts, type AppliedFacts } from '../state/apply-facts.ts';
import type { Fact } from '../state/fact.ts';
import { toRefundRequest } from '../submit/attempt.ts';
import { aboutPayment } from '../record/alarm-about.ts';
import { leaseExpired } from '../record/call-lease.ts';
import { keepAdapterState, toStoredPayment } from '../submit/stored-payment.ts';
import { laterCharges, withRefundsOf } from '../refund/double-charge.ts';
import { claimReport, isReportedPending } from '../refund/claim-report.ts';
import type { MappedReport } from '../../providers/mapped-event.ts';
import type { StatusFetches } from './status-fetches.ts';
import { accountRefOf } from '../../providers/account-ref.ts';

export interface RefundChecks {
  /** Opens refunds of double charges, if config wants that. */
  openDoubles(record: PaymentRecord, requestId: string): Promise<PaymentRecord>;
  check(record: PaymentRecord, n: number, requestId: string): Promise<PaymentRecord>;
}

/**
 * Refunds are checked for as long as it takes. After this many checks, about five days, an operator must review them.
 */
const ALARM_AFTER_CHECKS = 10;

export interface RefundChecksDeps {
  readonly store: Pick<PaymentStore, 'change'>;
  readonly calls: Pick<ProviderCalls, 'refund' | 'fetchStatus'>;
  readonly registry: Pick<Registry, 'byName'>;
  readonly encrypter: Encrypter;
  readonly feeOf: FeeOf;
  /** True if this charge is refunded automatically when another charge came first. */
  readonly refundsDouble: (attempt: Attempt) => boolean;
  readonly statusFetches: Pick<StatusFetches, 'factsOf'>;
  readonly config: { readonly nothingChargedAfterSeconds: number };
  readonly now: () => Date;
  readonly raise: Raise;
}

export function createRefundChecks(deps: RefundChecksDeps): RefundChecks {
  const { store, calls, registry, encrypter, feeOf, refundsDouble, statusFetches, config, now, raise } = deps;

  /** Before the provider is called. If the process dies then, the refund is repeated as a repetition. */
  async function markSent(record: PaymentRecord, n: number, requestId: string): Promise<PaymentRecord> {
    const changed = await store.change(record._id, requestId, (current) => {
      const refunds = current.refunds.map((one) => (one.n === n ? { ...one, sentAt: now() } : one));
      return { next: { ...current, refunds } };
    });
    return changed.record;
  }

  /**
   * Checks a refund that failed because the provider did not show it, or that the merchant must send. What the provider
   * shows now counts, and the refund is never repeated.
   */
  async function checkWithoutRepetition(record: PaymentRecord, n: number, requestId: string): Promise<PaymentRecord> {
    const { attempt: of, providerReference } = record.refunds[n - 1]!;
    const attempt = attemptOf(record, of)!;
    const payment = toStoredPayment(encrypter, record, attempt);
    const report = await calls.fetchStatus(accountRefOf(attempt), payment, providerReference ?? undefined);
    const facts = statusFetches.factsOf(attempt, report);
    const { record: checked } = await store.change(record._id, requestId, (current) => {
      const change = applyFacts(current, facts, feeOf);
      const next = change?.next ?? current;
      const refunds = next.refunds.map((one) => (one.n === n ? { ...one, lastCheckedAt: now() } : one));
      return { notify: change?.notify ?? [], next: { ...next, refunds } };
    });
    return checked;
  }

  /** If the fetch shows all refunds, either this one is among them or the provider does not have it. */
  function withoutLost(record: PaymentRecord, n: number, shown: string): AppliedFacts {
    const settleSeconds = config.nothingChargedAfterSeconds;
    const fact = { type: 'refund_not_shown', refund: n, at: now(), shown, settleSeconds } as const;
    const change = isReportedPending(record, n) ? undefined : applyFacts(record, [fact], feeOf);
    return change ?? { next: record, notify: [] };
  }

  return {
    async openDoubles(record, requestId) {
      if (!laterCharges(record).some(refundsDouble)) return record;
      const changed = await store.change(record._id, requestId, (current) => {
        return { next: withRefundsOf(current, laterCharges(current).filter(refundsDouble), now()) };
      });
      return changed.record;
    },

    async check(given, n, requestId) {
      const { state: known } = given.refunds[n - 1]!;
      if (known === 'failed' || known === 'needs_merchant') return checkWithoutRepetition(given, n, requestId);
      const isFirst = given.refunds[n - 1]!.sentAt === null;
      const record = isFirst ? await markSent(given, n, requestId) : given;
      const refund = record.refunds[n - 1]!;
      const attempt = attemptOf(record, refund.attempt)!;
      const payment = toStoredPayment(encrypter, record, attempt);
      // A repetition under the same reference is safe and reports the result of the first request, unless it did not
      // reach the provider. A provider that cannot recognise a repetition receives none: a status fetch shows the
      // result of the first request.
      const request = toRefundRequest(record, refund, !isFirst);
      const outcome = await calls.refund(accountRefOf(attempt), payment, request, {
        deadlinePassed: leaseExpired(record, now),
      });
      const isCertain = outcome.outcome !== 'failed' || !(outcome.notSent || outcome.requestRejected);
      const facts: Fact[] = isCertain
        ? [{ type: 'refund_outcome', refund: n, outcome, at: now(), isByWorker: true }]
        : [];
      let shown: string | undefined;
      const isNeverRepeated = registry.byName(accountRefOf(attempt))?.adapter.manifest.repeatRefund === 'never';
      if (!isFirst && (refund.state === 'pending' || !isCertain || isNeverRepeated)) {
        const report = await calls.fetchStatus(accountRefOf(attempt), payment, refund.providerReference ?? undefined);
        facts.push(...statusFetches.factsOf(attempt, report));
        if (isNeverRepeated) shown = shownRefunds(report);
      }
      const { record: settled } = await store.change(record._id, requestId, (current) => {
        const change = applyFacts(current, facts, feeOf);
        const kept = keepAdapterState(encrypter, change?.next ?? current, attempt.n, outcome);
        const claimed = isNeverRepeated ? claimReport(kept, n) : kept;
        const lost = shown === undefined ? { next: claimed, notify: [] } : withoutLost(claimed, n, shown);
        const refunds = lost.next.refunds.map((one) =>
          one.n === n
            ? {
                ...one,
                checks: one.checks + 1,
                lastCheckedAt: now(),
                sentAt: isFirst && !isCertain ? null : one.sentAt,
              }
            : one,
        );
        return { notify: [...(change?.notify ?? []), ...lost.notify], next: { ...lost.next, refunds } };
      });
      const { state } = settled.refunds[n - 1]!;
      const logFields = { requestId, paymentRequestId: record._id, refund: refund.reference };
      const about = aboutPayment(record, { amount: refund.amount, currency: attempt.currency });
      // No caller waits for this answer and would see the refusal.
      if (refund.state === 'requested' && state === 'failed')
        raise('refund_failed', paymentSubject(record._id), `refund ${refund.reference}`, logFields, about);
      else if (refund.checks + 1 === ALARM_AFTER_CHECKS && !isEnded(state) && state !== 'needs_merchant')
        raise('refund_unresolved', paymentSubject(record._id), `refund ${refund.reference}`, logFields, about);
      return settled;
    },
  };
}

function isEnded(state: RefundState): boolean {
  return state === 'succeeded' || state === 'failed';
}

/** The sum of all refunds of a payment, if the report shows all of them. */
function shownRefunds(report: MappedReport): string | undefined {
  if (report.result !== 'events' || !report.showsAllRefunds) return undefined;
  const given = report.events.filter(({ kind, status }) => kind === 'refund' && status === 'succeeded');
  const each = addDecimals(...given.flatMap(({ amount, cumulative }) => (cumulative ? [] : (amount ?? []))));
  const totals = given.flatMap(({ amount, cumulative }) => (cumulative ? (amount ?? []) : []));
  return totals.reduce((largest, total) => (compareDecimals(total, largest) > 0 ? total : largest), each);
}
