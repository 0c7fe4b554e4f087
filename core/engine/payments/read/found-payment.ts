/** A payment as a row of an operator's list and of its export. */
import { accountNameOf } from '../../providers/account-ref.ts';
import { cardBrandOf, type PaymentMethod } from '@paywright/contract';
import { HOUR, MINUTE } from '../../../base/async/time.ts';
import type { Environment } from '../../../base/environment.ts';
import { status, type PaymentRecord } from '../../../database/collections/payment-request.ts';
import type { Refund } from '../../../database/collections/refund.ts';
import { failureOf, presentFailure, type FailureFacts } from '../record/failure.ts';
import type { Problem } from '../record/operator-words.ts';
import { statusLabelOf, type StatusLabel } from '../record/status-label.ts';
import { payingAttempt } from '../state/charges.ts';
import { underpaidText } from '../state/received-coins.ts';
import { refundEntries } from '../state/refund-entries.ts';
import { problemsOf } from '../store/problems.ts';
import { moneyOf, type MoneyDetails } from './money-details.ts';

/** `failure` is about the latest attempt. */
export interface FoundPayment extends FailureFacts {
  readonly id: number;
  readonly ownerId: number;
  readonly environment: Environment;
  readonly createdAt: Date;
  /** When the first charge succeeded; null: nothing was charged. */
  readonly paidAt: Date | null;
  readonly status: StatusLabel;
  readonly amount: string;
  readonly unit: string;
  /** The currency that is charged; before the first attempt, the unit as sent. */
  readonly currency: string;
  readonly referenceId: string | null;
  readonly name: string | null;
  readonly email: string | null;
  /** The adapter of the latest attempt. */
  readonly adapter: string | null;
  /** The account of the latest attempt, as `<adapter>/<account>`. */
  readonly providerAccount: string | null;
  readonly method: PaymentMethod | null;
  readonly providerReference: string | null;
  readonly cardBrand: string | null;
  readonly cardLastDigits: string | null;
  /** What the provider reported of the latest attempt. `failure` says whether it is the reason. */
  readonly decline: { readonly code: string; readonly text: string | null } | null;
  /** The rule by which a sandbox failed on purpose, such as `.50`. Null: there was none. */
  readonly sandboxRule: string | null;
  readonly chargedBack: boolean;
  /** True if the outcome of an attempt is no longer checked. */
  readonly needsReview: boolean;
  /** For coins that arrived without paying: `Received 48.36 EUR of 80.60 EUR`. Null: there are none. */
  readonly underpaid: string | null;
  readonly problems: readonly Problem[];
  /** Why no provider can take it. Null: one can, it is not about to be paid, or the routes are not known here. */
  readonly noRoute: string | null;
  readonly money: Omit<MoneyDetails, 'charges' | 'doubleCharges' | 'chargedTwice'>;
  /** What the text of the search found: the name, the amount and so on. Empty: the search had no text. */
  readonly foundBy: readonly string[];
}

/** A payment or a refund that is open for longer than this is a problem. */
export const longMs = HOUR;

/** Members that a row does not need. They can be large. */
export const notListed = {
  logs: 0,
  transitions: 0,
  seenEventIds: 0,
  operations: 0,
  outbox: 0,
  searchKeys: 0,
  countedDeposit: 0,
  'attempts.action': 0,
  'attempts.steps': 0,
  'attempts.adapterState': 0,
} as const;

export type FoundRecord = Omit<
  PaymentRecord,
  'logs' | 'transitions' | 'seenEventIds' | 'operations' | 'outbox' | 'searchKeys' | 'countedDeposit'
>;

export function presentFound(
  record: FoundRecord,
  {
    foundBy,
    now,
    noRoute = null,
  }: { readonly foundBy: readonly string[]; readonly now: Date; readonly noRoute?: string | null },
): FoundPayment {
  const { _id: id, ownerId, environment, createdAt, amount, unit, referenceId, chargedBack, attempts } = record;
  const latest = attempts.at(-1);
  const failure = latest ? failureOf(latest) : null;
  const { charges: _, doubleCharges: __, chargedTwice: ___, ...money } = moneyOf(record);
  return {
    id,
    ownerId,
    environment,
    createdAt,
    paidAt: payingAttempt(record)?.settledAt ?? null,
    status: statusLabelOf(record),
    amount,
    unit,
    currency: latest?.currency ?? unit,
    referenceId,
    name: record.payerName ?? record.client.name ?? null,
    email: record.client.email ?? record.payerEmail ?? null,
    adapter: latest?.adapter ?? null,
    providerAccount: latest ? accountNameOf(latest) : null,
    method: latest?.method ?? null,
    providerReference: latest?.providerReference ?? null,
    cardBrand: cardBrandOf(latest?.cardBin ?? '')?.name ?? null,
    cardLastDigits: latest?.cardLastDigits ?? null,
    decline: latest?.decline ? { code: latest.decline, text: latest.declineText } : null,
    ...(latest ? presentFailure(latest) : { failure: null, failureWords: null }),
    sandboxRule: failure?.kind === 'nothing_charged' ? (failure.sandboxRule ?? null) : null,
    chargedBack,
    needsReview: attempts.some(({ needsReview }) => needsReview),
    underpaid: underpaidText(attempts) ?? null,
    problems: currentProblems(record, { now, noRoute }),
    noRoute,
    money,
    foundBy,
  };
}

/** A provider answers a refund within seconds. Without an answer it is a problem after this time. */
export const unansweredAfterMs = MINUTE;
export const unansweredStates = ['requested', 'unknown'] as const satisfies readonly Refund['state'][];

export function isUnanswered(state: Refund['state']): boolean {
  return unansweredStates.some((one) => one === state);
}

/** The problems of a payment now. A refund or a payment is only a problem if it is open for long. */
export function currentProblems(
  record: FoundRecord,
  { now, noRoute }: { readonly now: Date; readonly noRoute: string | null },
): readonly Problem[] {
  const isOlder = (since: Date | null, ms: number): boolean => since !== null && now.getTime() - since.getTime() > ms;
  const isLong = (since: Date | null): boolean => isOlder(since, longMs);
  const lasting = problemsOf(record).filter(
    (problem) =>
      problem !== 'refund_pending' ||
      refundEntries(record).some((refund) => refund.status === 'pending' && isLong(refund.createdAt)) ||
      record.refunds.some(({ state, requestedAt }) => isUnanswered(state) && isOlder(requestedAt, unansweredAfterMs)),
  );
  const isPending = record.attempts.some(
    ({ outcome, openedAt, authorisedAt }) => outcome === 'open' && authorisedAt === null && isLong(openedAt),
  );
  const isPendingLong = isPending && record.statusId === status.pending;
  return [
    ...lasting,
    ...(isPendingLong ? ['pending_long' as const] : []),
    ...(noRoute === null ? [] : ['no_route' as const]),
  ];
}
