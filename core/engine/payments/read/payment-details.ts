/** One payment as an operator sees it: what it is, everything that happened, its money, and what happens next. */
import { compareDecimals, type ThreeDsShown } from '@paywright/contract';
import type { Connection } from 'mongoose';
import { attemptOf, chargedAmount, latestAttempt, type Attempt } from '../../../database/collections/attempt.ts';
import { fromDocument } from '../../../database/decimals.ts';
import type { AlarmKind } from '../../../database/collections/alarm.ts';
import { paymentRequestModel, status, type PaymentRecord } from '../../../database/collections/payment-request.ts';
import type { Environment } from '../../../base/environment.ts';
import { disputesOf, type Dispute } from '../state/disputes.ts';
import { refundEntries, type RefundEntry } from '../state/refund-entries.ts';
import type { TimelineItem } from '../types/listing.ts';
import type { RefundStatus } from '../types/refund-status.ts';
import { authorisedAttempt } from '../state/authorised-attempt.ts';
import { statusLabelOf, type StatusLabel } from '../record/status-label.ts';
import { presentFailure, type FailureFacts } from '../record/failure.ts';
import { deadlineOf, reasonOf } from './dispute-facts.ts';
import { moneyOf, type MoneyDetails } from './money-details.ts';
import { isExpired } from '../record/is-expired.ts';
import type { Problem } from '../record/operator-words.ts';
import { currentProblems } from './found-payment.ts';
import type { NoRouteOf } from './no-route.ts';
import { createNextSteps, createPaymentAlarms, type NextStep, type UnresolvedAlarm } from './next-steps.ts';
import { createTimeline, type TimelineDeps } from './timeline.ts';

export interface AttemptDetails
  extends
    Pick<
      Attempt,
      | 'n'
      | 'reference'
      | 'adapter'
      | 'account'
      | 'providerCode'
      | 'method'
      | 'amount'
      | 'currency'
      | 'outcome'
      | 'unknown'
      | 'providerReference'
      | 'providerReferences'
      | 'decline'
      | 'declineText'
      | 'cardBin'
      | 'cardLastDigits'
      | 'openedAt'
      | 'settledAt'
      | 'checks'
      | 'lastCheckedAt'
      | 'needsReview'
    >,
    FailureFacts {
  /** What was captured, if it is not the whole amount. Null: nothing or all of it was charged. */
  readonly captured: string | null;
  /** The money is reserved and neither captured nor released. */
  readonly isAuthorised: boolean;
  /** What is known about 3D Secure; null: it was neither demanded nor reported. */
  readonly threeDs: ThreeDsDetails | null;
}

export interface ThreeDsDetails {
  /** The merchant or a risk rule demanded it. */
  readonly isDemanded: boolean;
  /** The provider's report; null: it reported nothing. */
  readonly shown: ThreeDsShown | null;
  /** The payer was led through a step of 3D Secure. */
  readonly hadStep: boolean;
}

/** The payer, as far as known. Null: unknown, or erased. */
export interface PayerDetails {
  readonly name: string | null;
  readonly email: string | null;
  readonly phone: string | null;
  readonly country: string | null;
  readonly ip: string | null;
}

/** An unresolved alarm about the payment. */
export interface PaymentAlarm {
  readonly id: string;
  readonly kind: AlarmKind;
  readonly reason: string;
  readonly isAcknowledged: boolean;
  readonly lastSeenAt: Date;
}

export interface RefundDetails extends Pick<RefundEntry, 'charge' | 'amount' | 'failureReason' | 'doneAt'> {
  /** Our id of the refund. For a refund that we requested it is our reference of it. */
  readonly reference: string;
  readonly providerReference: string | null;
  readonly currency: string;
  /** `requested` and `unknown`: the provider has not answered, or not readably. */
  readonly state: RefundStatus | 'requested' | 'unknown';
  /** When it was requested or first reported; null: an earlier version stored the refund without this time. */
  readonly requestedAt: Date | null;
  /** The refund was made at the provider, not by us. */
  readonly isReported: boolean;
}

export interface DisputeDetails extends Pick<Dispute, 'stage'> {
  /** The provider's number of the case; null: it gave none. */
  readonly case: string | null;
  /** As the provider reports it: decimal text in `currency`. */
  readonly amount: string;
  readonly currency: string;
  /** What the provider adds, such as the reason and the deadline. */
  readonly details: Readonly<Record<string, string>>;
  /** In the provider's words; null: it named none. */
  readonly reason: string | null;
  /** Until when the dispute must be answered; null: unknown. */
  readonly deadline: Date | null;
}

export interface PaymentDetails {
  readonly id: number;
  readonly ownerId: number;
  readonly environment: Environment;
  readonly status: StatusLabel;
  readonly amount: string;
  readonly unit: string;
  /** The currency that is charged; before the first attempt, the unit as sent. */
  readonly currency: string;
  readonly createdAt: Date;
  readonly referenceId: string | null;
  readonly email: string | null;
  readonly payer: PayerDetails;
  /** The path of the payer's page, with its key. Null: the payment can no longer be paid. */
  readonly payPath: string | null;
  /** Until when its payer can begin to pay. Null: the payment can no longer be paid, or does not expire. */
  readonly expiresAt: Date | null;
  /** Where notifications about the payment go; null: to the merchant's default address. */
  readonly notifyUrl: string | null;
  readonly problems: readonly Problem[];
  /** Why no provider can take it. Null: one can, it is not about to be paid, or the routes are not known here. */
  readonly noRoute: string | null;
  /** The most recent first. */
  readonly alarms: readonly PaymentAlarm[];
  readonly chargedBack: boolean;
  readonly attempts: readonly AttemptDetails[];
  readonly refunds: readonly RefundDetails[];
  readonly disputes: readonly DisputeDetails[];
  /** As merchants see it. */
  readonly timeline: readonly TimelineItem[];
  readonly money: MoneyDetails;
  /** Soonest first. */
  readonly next: readonly NextStep[];
}

export interface PaymentDetailsDeps extends TimelineDeps {
  readonly connection: Connection;
  /** Absent: the routes are not known here. */
  readonly noRouteOf?: NoRouteOf;
}

/** Undefined if there is no such payment request. */
export type ReadPaymentDetails = (id: number) => Promise<PaymentDetails | undefined>;

export function createPaymentDetails(deps: PaymentDetailsDeps): ReadPaymentDetails {
  const { connection, notificationsOf, noRouteOf = async () => null } = deps;
  const payments = paymentRequestModel(connection);
  const nextSteps = createNextSteps(connection);
  const readAlarms = createPaymentAlarms(connection);

  return async (id) => {
    const found = await payments.findById(id).lean();
    if (!found) return undefined;
    const record = fromDocument(found) as PaymentRecord;
    const now = new Date();
    const notifications = await notificationsOf(id);
    const alarms = await readAlarms(id);
    const [timeline, next] = await Promise.all([
      createTimeline({ connection, notificationsOf: async () => notifications })(record),
      nextSteps(record, notifications, alarms),
    ]);
    return {
      ...describe(record, now, await noRouteOf(record, now)),
      alarms: alarms.map(presentAlarm),
      timeline,
      money: moneyOf(record),
      next,
    };
  };
}

function describe(
  record: PaymentRecord,
  now: Date,
  noRoute: string | null,
): Omit<PaymentDetails, 'timeline' | 'money' | 'next' | 'alarms'> {
  const { _id: id, ownerId, environment, amount, unit, createdAt, referenceId, chargedBack } = record;
  return {
    id,
    ownerId,
    environment,
    status: statusLabelOf(record),
    amount,
    unit,
    currency: latestAttempt(record)?.currency ?? unit,
    createdAt,
    referenceId,
    email: record.client.email ?? record.payerEmail,
    payer: presentPayer(record),
    payPath: payPathOf(record, now),
    expiresAt: canBePaid(record, now) ? (record.expiresAt ?? null) : null,
    notifyUrl: record.notifyUrl,
    problems: currentProblems(record, { now, noRoute }),
    noRoute,
    chargedBack,
    attempts: record.attempts.map((attempt) => presentAttempt(attempt, attempt.n === authorisedAttempt(record)?.n)),
    refunds: refundEntries(record).map((entry) => presentRefund(record, entry)),
    disputes: record.attempts.flatMap((attempt) =>
      disputesOf(record, attempt).map((dispute) => presentDispute(record, dispute)),
    ),
  };
}

function presentPayer(record: PaymentRecord): PayerDetails {
  const { client, payerName, payerEmail, payerPhone = '', payerIp = '' } = record;
  return {
    name: payerName ?? client.name,
    email: payerEmail ?? client.email,
    phone: payerPhone === '' ? client.phone : payerPhone,
    country: latestAttempt(record)?.payerCountry ?? record.payerCountry,
    ip: payerIp === '' ? null : payerIp,
  };
}

function canBePaid(record: PaymentRecord, now: Date): boolean {
  const isPayable = record.statusId === status.created || record.statusId === status.pending;
  const isRetried = record.statusId === status.failed && !isExpired(record, now);
  return isPayable || isRetried;
}

function payPathOf(record: PaymentRecord, now: Date): string | null {
  return canBePaid(record, now) ? `/pay/${record._id}?k=${record.linkKey}` : null;
}

function presentAlarm({ _id: id, kind, reason, state, lastSeenAt }: UnresolvedAlarm): PaymentAlarm {
  return { id, kind, reason, isAcknowledged: state === 'acknowledged', lastSeenAt };
}

function presentRefund(record: PaymentRecord, entry: RefundEntry): RefundDetails {
  const { id, reference, attempt, charge, amount, status: shown, failureReason, createdAt, doneAt, ours } = entry;
  const isUnanswered = shown === 'pending' && (ours?.state === 'requested' || ours?.state === 'unknown');
  return {
    reference: id,
    providerReference: reference,
    charge,
    amount,
    currency: attemptOf(record, attempt)?.currency ?? record.unit,
    state: isUnanswered ? ours.state : shown,
    failureReason,
    requestedAt: createdAt,
    doneAt,
    isReported: ours === null,
  };
}

function presentDispute(record: PaymentRecord, { number, stage, reported }: Dispute): DisputeDetails {
  const { amount, currency } = reported;
  const details = detailsOfCase(record, number);
  return { case: number, stage, amount, currency, details, reason: reasonOf(details), deadline: deadlineOf(details) };
}

/** What the provider's reports add about a case. Later reports replace earlier ones. */
export function detailsOfCase(
  { logs }: Pick<PaymentRecord, 'logs'>,
  number: string | null,
): Readonly<Record<string, string>> {
  const entries = logs
    .filter(({ transactionId }) => number !== null && transactionId === number)
    .flatMap(({ details }) => Object.entries(details ?? {}))
    .filter(([name]) => name !== 'amount' && name !== 'currency');
  return Object.fromEntries(entries);
}

function presentAttempt(attempt: Attempt, isAuthorised: boolean): AttemptDetails {
  const { n, reference, adapter, providerCode, method, amount, currency, outcome, unknown } = attempt;
  const { providerReference, providerReferences, decline, declineText, cardBin, cardLastDigits } = attempt;
  const { openedAt, settledAt, checks, lastCheckedAt, needsReview } = attempt;
  return {
    n,
    reference,
    adapter,
    ...(attempt.account !== undefined && { account: attempt.account }),
    providerCode,
    method,
    amount,
    currency,
    outcome,
    unknown,
    providerReference,
    ...(providerReferences && { providerReferences }),
    decline,
    declineText,
    cardBin,
    cardLastDigits,
    openedAt,
    settledAt,
    checks,
    lastCheckedAt,
    needsReview,
    captured: capturedPart(attempt),
    isAuthorised,
    ...presentFailure(attempt),
    threeDs: threeDsOf(attempt),
  };
}

function capturedPart(attempt: Attempt): string | null {
  const charged = chargedAmount(attempt);
  return attempt.outcome === 'succeeded' && compareDecimals(charged, attempt.amount) !== 0 ? charged : null;
}

function threeDsOf({ threeDs: hadStep, threeDsDemand, threeDsShown }: Attempt): ThreeDsDetails | null {
  const isDemanded = threeDsDemand !== null;
  return hadStep || isDemanded || threeDsShown !== null ? { isDemanded, shown: threeDsShown, hadStep } : null;
}
