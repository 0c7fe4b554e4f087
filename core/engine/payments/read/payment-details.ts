/** One payment as an operator sees it: what it is, everything that happened, its money, and what happens next. */
import { addDecimals, subtractDecimals } from '@paywright/contract';
import type { Connection } from 'mongoose';
import { attemptOf, chargedAmount, latestAttempt, type Attempt } from '../../../database/collections/attempt.ts';
import { fromDocument } from '../../../database/decimals.ts';
import { paymentRequestModel, type PaymentRecord } from '../../../database/collections/payment-request.ts';
import type { Environment } from '../../../base/environment.ts';
import { doubleCharges } from '../refund/double-charge.ts';
import { chargesOf } from '../state/charges.ts';
import { disputedSum, disputesOf, type Dispute } from '../state/disputes.ts';
import { leftToRefund, refundableOf } from '../state/left-to-refund.ts';
import { refundEntries, type RefundEntry } from '../state/refund-entries.ts';
import type { TimelineItem } from '../types/listing.ts';
import type { RefundStatus } from '../types/refund-status.ts';
import { receivedSum, underpaidText } from '../state/received-coins.ts';
import { authorisedAttempt } from '../submit/capture-request.ts';
import { statusLabelOf, type StatusLabel } from '../record/status-label.ts';
import { createNextSteps, type NextStep } from './next-steps.ts';
import { createTimeline, type TimelineDeps } from './timeline.ts';

export interface AttemptDetails extends Pick<
  Attempt,
  | 'n'
  | 'reference'
  | 'adapter'
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
> {
  /** The money is reserved and neither captured nor released. */
  readonly isAuthorised: boolean;
}

/** Decimal text in `currency`. `currency` is null if nothing was paid. */
export interface MoneyDetails {
  readonly currency: string | null;
  readonly paid: string;
  /** For a payment in coins: what providers report as received. Null: nothing was reported. */
  readonly received: string | null;
  /** For coins that arrived without paying: `Received 48.36 EUR of 80.60 EUR`. Null: there are none. */
  readonly underpaid: string | null;
  readonly refunded: string;
  /** Held by open and lost cases. */
  readonly disputed: string;
  readonly fee: string | null;
  /** The paid amount minus the fee. */
  readonly net: string | null;
  /** `net` minus what was refunded. Below 0 if the fee is not returned. */
  readonly netAfterRefunds: string | null;
  readonly leftToRefund: string;
  /** After a double charge: the amount that is to be refunded; null: there was none, or it has been refunded. */
  readonly chargedTwice: string | null;
  /** If there are several charges of which something can still be refunded: these charges. Otherwise empty. */
  readonly doubleCharges: readonly ChargeDetails[];
  /** All charges, in their order. */
  readonly charges: readonly ChargeDetails[];
}

export interface ChargeDetails extends Pick<Attempt, 'n' | 'reference' | 'adapter' | 'currency' | 'settledAt'> {
  /** The number of the charge, from 1, as in a refund's `charge`. */
  readonly charge: number;
  /** Decimal text: what can still be refunded of the charge. */
  readonly left: string;
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
}

/** Undefined if there is no such payment request. */
export type ReadPaymentDetails = (id: number) => Promise<PaymentDetails | undefined>;

export function createPaymentDetails(deps: PaymentDetailsDeps): ReadPaymentDetails {
  const { connection, notificationsOf } = deps;
  const payments = paymentRequestModel(connection);
  const nextSteps = createNextSteps(connection);

  return async (id) => {
    const found = await payments.findById(id).lean();
    if (!found) return undefined;
    const record = fromDocument(found) as PaymentRecord;
    const notifications = await notificationsOf(id);
    const [timeline, next] = await Promise.all([
      createTimeline({ connection, notificationsOf: async () => notifications })(record),
      nextSteps(record, notifications),
    ]);
    return { ...describe(record), timeline, money: moneyOf(record), next };
  };
}

function describe(record: PaymentRecord): Omit<PaymentDetails, 'timeline' | 'money' | 'next'> {
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
    chargedBack,
    attempts: record.attempts.map((attempt) => presentAttempt(attempt, attempt.n === authorisedAttempt(record)?.n)),
    refunds: refundEntries(record).map((entry) => presentRefund(record, entry)),
    disputes: record.attempts.flatMap((attempt) =>
      disputesOf(record, attempt).map((dispute) => presentDispute(record, dispute)),
    ),
  };
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

function presentDispute({ logs }: PaymentRecord, { number, stage, reported }: Dispute): DisputeDetails {
  const { amount, currency } = reported;
  const entries = logs
    .filter(({ transactionId }) => number !== null && transactionId === number)
    .flatMap(({ details }) => Object.entries(details ?? {}))
    .filter(([name]) => name !== 'amount' && name !== 'currency');
  return { case: number, stage, amount, currency, details: Object.fromEntries(entries) };
}

function presentAttempt(attempt: Attempt, isAuthorised: boolean): AttemptDetails {
  const { n, reference, adapter, providerCode, method, amount, currency, outcome, unknown } = attempt;
  const { providerReference, providerReferences, decline, declineText, cardBin, cardLastDigits } = attempt;
  const { openedAt, settledAt, checks, lastCheckedAt, needsReview } = attempt;
  return {
    n,
    reference,
    adapter,
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
    isAuthorised,
  };
}

function moneyOf(record: PaymentRecord): MoneyDetails {
  const { paidAmount, paidCurrency, refundedAmount, feeAmount, attempts } = record;
  const charged = attempts.filter(({ outcome }) => outcome === 'succeeded');
  const charges = chargesOf(record).map((attempt, index) => presentCharge(record, attempt, index + 1));
  const double = doubleCharges(record).flatMap(({ n }) => charges.find((charge) => charge.n === n) ?? []);
  const net = paidAmount === null ? null : subtractDecimals(paidAmount, feeAmount ?? '0');
  return {
    currency: paidCurrency,
    paid: addDecimals('0', ...charged.map(chargedAmount)),
    received: receivedSum(attempts),
    underpaid: underpaidText(attempts) ?? null,
    refunded: refundedAmount,
    disputed: addDecimals('0', ...charged.map((attempt) => disputedSum(record, attempt))),
    fee: feeAmount,
    net,
    netAfterRefunds: net === null ? null : subtractDecimals(net, refundedAmount),
    leftToRefund: leftToRefund(record),
    chargedTwice: double.at(-1)?.left ?? null,
    doubleCharges: double,
    charges,
  };
}

function presentCharge(record: PaymentRecord, attempt: Attempt, charge: number): ChargeDetails {
  const { n, reference, adapter, currency, settledAt } = attempt;
  return { n, charge, reference, adapter, currency, settledAt, left: refundableOf(record, attempt) };
}
