/** Fetches the status of an attempt, applies what the provider reports, and records the check. */
import { paymentSubject, type Raise } from '../../alarms/index.ts';
import { attemptOf, type Attempt } from '../../../database/collections/attempt.ts';
import type { PaymentRecord } from '../../../database/collections/payment-request.ts';
import type { MappedReport } from '../../providers/mapped-event.ts';
import type { Encrypter } from '../../../base/crypto/encryption.ts';
import type { Logger } from 'pino';
import type { ProviderCalls } from '../../providers/calls.ts';
import type { Registry } from '../../providers/registry.ts';
import type { FeeOf } from '../state/fee.ts';
import type { PaymentStore } from '../store/payment-store.ts';
import { applyFacts } from '../state/apply-facts.ts';
import { decide } from '../state/decide.ts';
import type { Fact } from '../state/fact.ts';
import { toStoredPayment } from '../submit/stored-payment.ts';
import { confirmationAt, type DelayOf } from './schedule.ts';
import type { Completion } from './complete.ts';
import { aboutPayment } from '../record/alarm-about.ts';
import { createFactsOf } from './report-facts.ts';
import { accountRefOf } from '../../providers/account-ref.ts';

export interface StatusFetches {
  /**
   * Fetches everything that was requested of the attempt, or its payment if nothing was requested. Returns the payment
   * as it is then.
   */
  fetch(record: PaymentRecord, n: number, requestId: string): Promise<PaymentRecord>;
  /** The facts that a report adds to an attempt. */
  factsOf(attempt: Attempt, report: MappedReport): Fact[];
  /** Records that the attempt was checked. `checked`: the attempt as it was when the check began. */
  recordCheck(record: PaymentRecord, checked: Attempt, result: CheckResult, requestId: string): Promise<PaymentRecord>;
}

interface CheckResult {
  /** Subjects about which the provider gave no information. */
  readonly failed: readonly string[];
  /** The token that `markSeen` still has to send; absent: unchanged. */
  readonly seenToken?: string | null;
}

/** After more fetches than this without information about one request, an operator must review the payment. */
const MAX_FETCH_FAILURES = 200;
/** A late check without information is repeated this often, for about a day. */
const MAX_LATE_FAILURES = 30;
/** How often it is tried to notify a provider that its facts are stored: for about a day. */
const MAX_SEEN_FAILURES = 30;

export interface StatusFetchesDeps {
  readonly store: Pick<PaymentStore, 'change'>;
  readonly calls: Pick<ProviderCalls, 'fetchStatus' | 'markSeen'>;
  readonly registry: Pick<Registry, 'byName'>;
  readonly encrypter: Encrypter;
  readonly feeOf: FeeOf;
  readonly delayOf: DelayOf;
  readonly completion: Pick<Completion, 'completeUnseen'>;
  readonly config: { readonly nothingChargedAfterSeconds: number };
  readonly now: () => Date;
  readonly raise: Raise;
  readonly log: Logger;
}

export function createStatusFetches(deps: StatusFetchesDeps): StatusFetches {
  const { store, calls, registry, encrypter, feeOf, delayOf, completion, config, now, raise, log } = deps;
  const factsOf = createFactsOf(deps);

  async function fetch(record: PaymentRecord, n: number, requestId: string): Promise<PaymentRecord> {
    const attempt = attemptOf(record, n)!;
    const active = registry.byName(accountRefOf(attempt));
    // Only its callbacks report more, and the attempt is settled: a fetch can add nothing.
    if (active && !active.adapter.fetchStatus && attempt.outcome !== 'open')
      return recordCheck(record, attempt, { failed: [] }, requestId);
    const payment = toStoredPayment(encrypter, record, attempt);
    const subjects = isRequested(attempt) && attempt.fetchSubjects.length ? attempt.fetchSubjects : [''];
    let current = record;
    const failed: string[] = [];
    let { seenToken } = attempt;
    for (const subject of subjects) {
      const report = await calls.fetchStatus(accountRefOf(attempt), payment, subject || undefined);
      const { result } = report;
      log.info(
        { requestId, paymentRequestId: record._id, attempt: n, adapter: accountRefOf(attempt), result },
        'fetched',
      );
      if (report.result === 'no_information') {
        failed.push(subject);
        continue;
      }
      const facts = factsOf(attempt, report);
      // Facts that do not agree with the payment are not stored, so the provider must not learn that they were seen.
      const agrees = facts.every((fact) => {
        const decision = decide(current, fact, feeOf);
        return decision.kind !== 'refused' || !decision.fetch;
      });
      ({ record: current } = await store.change(record._id, requestId, (one) => applyFacts(one, facts, feeOf)));
      if (report.result !== 'events') continue;
      if (agrees) seenToken = report.seenToken ?? seenToken;
      if (report.events.some(({ awaitsCompletion }) => awaitsCompletion))
        current = await completion.completeUnseen(current, n, requestId);
    }
    return recordCheck(current, attempt, { failed, seenToken: await markSeen(current, attempt, seenToken) }, requestId);
  }

  /** Notifies the provider that its facts are stored. Returns the token that the provider still has to receive. */
  async function markSeen(record: PaymentRecord, attempt: Attempt, token: string | null): Promise<string | null> {
    if (token === null) return null;
    const payment = toStoredPayment(encrypter, record, attemptOf(record, attempt.n)!);
    return (await calls.markSeen(accountRefOf(attempt), payment, token)) === 'done' ? null : token;
  }

  async function recordCheck(
    record: PaymentRecord,
    checked: Attempt,
    { failed, seenToken = checked.seenToken }: CheckResult,
    requestId: string,
  ): Promise<PaymentRecord> {
    const wasRequested = isRequested(checked);
    /** The findings of the try that is stored. */
    let news = { needsReview: false, isRefused: false };
    const changed = await store.change(record._id, requestId, (current) => {
      const attempt = attemptOf(current, checked.n)!;
      // A fetch was requested again since: the next check does all of it.
      const isAgain = attempt.fetchesRequested > checked.fetchesRequested;
      const fetchFailures = failed.length ? checked.fetchFailures + 1 : 0;
      const isRepeated = failed.length > 0 && wasRequested && fetchFailures <= MAX_FETCH_FAILURES;
      const needsReview = attempt.needsReview || fetchFailures > MAX_FETCH_FAILURES || isPolicyOver(current, attempt);
      const seenFailures = seenToken === null ? 0 : seenToken === attempt.seenToken ? attempt.seenFailures + 1 : 1;
      const isRefused = seenFailures >= MAX_SEEN_FAILURES;
      news = { needsReview: needsReview && !attempt.needsReview, isRefused };
      const isLate = !wasRequested && checked.lateChecks !== null;
      const endsLate = isLate && (failed.length === 0 || fetchFailures > MAX_LATE_FAILURES);
      const next: Attempt = {
        ...attempt,
        // A requested fetch does not count as a step of the policy: a payer who watches the page must not use the steps
        // up.
        checks: wasRequested ? attempt.checks : attempt.checks + 1,
        lateChecks: endsLate ? checked.lateChecks + 1 : attempt.lateChecks,
        lastCheckedAt: now(),
        seenToken: isRefused ? null : seenToken,
        seenFailures: isRefused ? 0 : seenFailures,
        needsReview,
        fetchFailures: isAgain || endsLate ? 0 : fetchFailures,
        ...(!isAgain && {
          fetchSubjects: wasRequested ? failed : [],
          fetchesDone: isRepeated ? attempt.fetchesDone : attempt.fetchesRequested,
        }),
      };
      return { next: { ...current, attempts: current.attempts.map((one) => (one.n === next.n ? next : one)) } };
    });
    const { _id } = record;
    const { n, adapter } = checked;
    const logFields = { requestId, paymentRequestId: _id, attempt: n };
    const about = aboutPayment(record, { amount: checked.amount, currency: checked.currency });
    if (news.needsReview) raise('payment_unresolved', paymentSubject(_id), `attempt ${n}`, logFields, about);
    if (news.isRefused) raise('seen_refused', paymentSubject(_id), `attempt ${n} at ${adapter}`, logFields, about);
    return changed.record;
  }

  function isPolicyOver(record: PaymentRecord, attempt: Attempt): boolean {
    if (attempt.outcome !== 'open' || confirmationAt({ ...attempt, lastCheckedAt: now() }, config)) return false;
    return delayOf(record, { ...attempt, checks: attempt.checks + 1 }) === undefined;
  }

  return { fetch, factsOf, recordCheck };
}

function isRequested({ fetchesRequested, fetchesDone }: Attempt): boolean {
  return fetchesRequested > fetchesDone;
}
