/**
 * The payment request: the order, the facts, everything derived from the facts, the log and the outbox. Its status is a
 * pure function of the facts, so the order in which events arrive cannot matter.
 */
import type { EventKind, ThreeDsShown } from '@paywright/contract';
import { Schema, type Connection, type Model } from 'mongoose';
import type { Environment } from '../../base/environment.ts';
import { attemptSchema, type Attempt } from './attempt.ts';
import type { ClientInput } from './client.ts';
import { countedDepositSchema, type CountedDeposit } from './deposit.ts';
import { stageSchema, type ReportedStage } from './dispute.ts';
import { indexLeases, leaseSchema, type Leased } from '../lease.ts';
import { amount, date, plain, text } from '../members.ts';
import { modelFor } from '../model.ts';
import {
  refundSchema,
  refundTotalSchema,
  reportedRefundSchema,
  type RefundTotal,
  type Refund,
  type ReportedRefund,
} from './refund.ts';

const { Decimal128, Mixed } = Schema.Types;

/** 0 created, 1 pending, 2 paid, 3 failed, 4 refunded in full, 5 expired or cancelled by the merchant. */
export type StatusId = 0 | 1 | 2 | 3 | 4 | 5;
export const status = { created: 0, pending: 1, paid: 2, failed: 3, refunded: 4, expired: 5 } as const;

export interface Facts {
  readonly attempts: readonly Attempt[];
  readonly refunds: readonly Refund[];
  readonly reportedRefunds: readonly ReportedRefund[];
  readonly refundTotals: readonly RefundTotal[];
  readonly disputeStages: readonly ReportedStage[];
  readonly cancelledAt: Date | null;
  /** When the payment request expired without a payment. */
  readonly expiredAt: Date | null;
}

/** One entry of the payment's log; never changed once written. */
export interface LogEntry {
  readonly n: number;
  readonly attempt: number;
  readonly at: Date;
  /** The provider's reference. */
  readonly transactionId: string;
  readonly transactionStatusId: 0 | 1 | 2 | 3;
  /** Decline or UPI code, `OUTCOME_UNKNOWN`, `DOUBLE_CHARGE`, or empty. */
  readonly code: string;
  readonly message: string;
  /** For the merchant: references of banks, reason and deadline of a dispute. */
  readonly details: Readonly<Record<string, string>> | null;
  /** For a payment in coins: the amount that this event reports as received. */
  readonly received: string | null;
  /** The report of this event or answer about 3D Secure. */
  readonly threeDs: ThreeDsShown | null;
  /** Refused events are logged but never mirrored as the last entry. */
  readonly refused: boolean;
  /**
   * For an event without effect, or with less effect than it reports, because its amount, currency or reference does
   * not fit the payment: the kind of the event. Absent otherwise, and in earlier versions.
   */
  readonly misfit?: EventKind;
  /** The id of the refund that the entry is about; absent: none, or an earlier version wrote the entry. */
  readonly refund?: string;
}

const logEntrySchema = new Schema<LogEntry>(
  {
    n: Number,
    attempt: Number,
    at: Date,
    transactionId: String,
    transactionStatusId: Number,
    code: String,
    message: String,
    details: { type: Mixed, default: null },
    received: text,
    threeDs: text,
    refused: Boolean,
    // Stored only if they have a value: hosts of earlier versions do not know these members.
    misfit: String,
    refund: String,
  },
  plain,
);

export const notificationTypes = [
  'payment.pending',
  'payment.authorised',
  'payment.capture_failed',
  'payment.cancel_failed',
  'payment.succeeded',
  'payment.failed',
  'payment.amount_raised',
  'payment.double_charged',
  'payment.underpaid',
  'payment.refunded',
  'payment.partially_refunded',
  'payment.refund_needs_merchant',
  'payment.refund_failed',
  'payment.refund_reversed',
  'payment.charged_back',
  'payment.chargeback_reversed',
  'payment.expired',
] as const;
export type NotificationType = (typeof notificationTypes)[number];

/** A notification that a change makes due. */
export interface Notice {
  readonly type: NotificationType;
  /** The id of the refund that it is about; absent: it is about no refund. */
  readonly refund?: string;
}

export interface OutboxEntry {
  readonly sequence: number;
  readonly type: NotificationType;
  readonly at: Date;
  /** The final bytes of the notification. */
  readonly body: string;
  readonly requestId: string;
  /** Trace context of the span that made the notification due; absent: traces are off. */
  readonly trace?: string;
}

const outboxEntrySchema = new Schema<OutboxEntry>(
  { sequence: Number, type: { type: String }, at: Date, body: String, requestId: String, trace: String },
  plain,
);

/** A problem that operators search for, as far as the facts alone show it. */
export const storedProblems = [
  'dispute_open',
  'charged_back',
  'charged_twice',
  'underpaid',
  'overpaid',
  'refund_failed',
  'refund_pending',
  'refund_needs_merchant',
  'outcome_unknown',
  'needs_review',
] as const;
export type StoredProblem = (typeof storedProblems)[number];

export interface Transition {
  readonly at: Date;
  readonly from: StatusId;
  readonly to: StatusId;
  readonly cause: string;
}

const transitionSchema = new Schema<Transition>({ at: Date, from: Number, to: Number, cause: String }, plain);

/**
 * Members that the merchant sends with a payment request in addition to the order. They are stored and shown as sent.
 */
export interface GivenMembers {
  readonly recipientName: string | null;
  readonly payerCountry: string | null;
  readonly notes: string | null;
  readonly payerName: string | null;
  readonly payerEmail: string | null;
  /** The merchant's own label. */
  readonly targetAccountTypeId: 0 | 1 | 2 | 3;
  readonly kycApplicantId: string | null;
  /**
   * No new attempt can start after this time. Null: a version without this member created the payment request, and the
   * config determines the time.
   */
  readonly expiresAt: Date | null;
  /** As the merchant spelled it; null: the config determined it. */
  readonly expiresAtText: string | null;
}

export const nothingGiven: GivenMembers = {
  recipientName: null,
  payerCountry: null,
  notes: null,
  payerName: null,
  payerEmail: null,
  targetAccountTypeId: 0,
  kycApplicantId: null,
  expiresAt: null,
  expiresAtText: null,
};

/** A payment request as it is stored. Amounts are plain decimal text here and Decimal128 in the database. */
export interface PaymentRecord extends Facts, Leased, GivenMembers {
  readonly _id: number;
  /** Incremented with every change of the facts. Writes compare and set it. */
  readonly version: number;
  readonly ownerId: number;
  readonly environment: Environment;
  /** The environment of the key that created it: a live key may create a test payment request. */
  readonly keyEnvironment: Environment;
  readonly createdAt: Date;
  /** The unguessable part of `link`. */
  readonly linkKey: string;
  /** The phone number of the latest submission that named one. For operators. Absent or empty: unknown. */
  readonly payerPhone?: string;
  /** The payer's IP address at the latest submission. For operators. Absent or empty: unknown. */
  readonly payerIp?: string;
  readonly amount: string;
  readonly unit: string;
  readonly referenceId: string | null;
  readonly notifyUrl: string | null;
  readonly successUrl: string | null;
  readonly failureUrl: string | null;
  readonly originDomain: string | null;
  readonly clientId: number;
  readonly client: ClientInput;
  readonly isH2h: boolean;
  readonly isPremiumCardBin: boolean;
  readonly routeRuleId: number | null;
  readonly ftdTypeId: 0 | 1 | 2;
  /** Derived from the facts with every change, for queries. */
  readonly statusId: StatusId;
  readonly paidAmount: string | null;
  readonly paidCurrency: string | null;
  readonly refundedAmount: string;
  readonly chargedBack: boolean;
  /** Derived from the facts with every change, for operators' searches. Absent: none. */
  readonly problems?: readonly StoredProblem[];
  /** How operators find the payer: see `search-keys.ts`. Absent: an earlier version stored the payment. */
  readonly searchKeys?: readonly string[];
  /**
   * The version that changed this payment's contribution to the deposits of its client. It stays until the client is
   * counted, which happens only to clients with many such payments. Null: the client's sums include everything.
   */
  readonly depositDue: number | null;
  /** The part of this payment that the client's sums include. Only a count writes it. Null: nothing. */
  readonly countedDeposit: CountedDeposit | null;
  readonly feeAmount: string | null;
  readonly exchangeRate: string | null;
  readonly logs: readonly LogEntry[];
  readonly transitions: readonly Transition[];
  /** Identities of the events that added a fact. They decide whether an event is a duplicate. */
  readonly seenEventIds: readonly string[];
  /** Ids of the merchant's operations that were applied here. Each operation is a request with an `Idempotency-Key`. */
  readonly operations: readonly string[];
  /**
   * The operation that created the payment request (`POST /payment-requests`). A repetition creates it with the same
   * id, and finds it.
   */
  readonly createdBy: string | null;
  /** The gateway mailed the link to the client, so it also mails the receipt. Absent: it did not. */
  readonly linkMailed?: boolean;
  /** The account that the merchant chose for every attempt, as `<adapter>/<account>`. Absent: it chose none. */
  readonly providerAccount?: string;
  readonly sequence: number;
  readonly outbox: readonly OutboxEntry[];
  /** Since when the outbox has not been empty; null: it is empty. */
  readonly outboxSince: Date | null;
  /** When the payment is checked next. While a check runs, the end of its lease. Null: nothing to check. */
  readonly nextCheckAt: Date | null;
}

const schema = new Schema<PaymentRecord>(
  {
    _id: { type: Number, required: true },
    version: Number,
    ownerId: Number,
    environment: String,
    keyEnvironment: String,
    createdAt: Date,
    linkKey: String,
    amount: Decimal128,
    unit: String,
    recipientName: text,
    payerCountry: text,
    referenceId: text,
    notes: text,
    notifyUrl: text,
    successUrl: text,
    failureUrl: text,
    originDomain: text,
    targetAccountTypeId: Number,
    kycApplicantId: text,
    expiresAt: date,
    expiresAtText: text,
    payerName: text,
    payerEmail: text,
    clientId: Number,
    client: Mixed,
    isH2h: Boolean,
    isPremiumCardBin: Boolean,
    routeRuleId: { type: Number, default: null },
    ftdTypeId: Number,
    attempts: [attemptSchema],
    refunds: [refundSchema],
    reportedRefunds: [reportedRefundSchema],
    refundTotals: [refundTotalSchema],
    disputeStages: [stageSchema],
    cancelledAt: date,
    expiredAt: date,
    statusId: Number,
    paidAmount: amount,
    paidCurrency: text,
    refundedAmount: Decimal128,
    chargedBack: Boolean,
    depositDue: { type: Number, default: null },
    countedDeposit: { type: countedDepositSchema, default: null },
    feeAmount: amount,
    exchangeRate: amount,
    logs: [logEntrySchema],
    transitions: [transitionSchema],
    seenEventIds: [String],
    operations: [String],
    createdBy: text,
    sequence: Number,
    outbox: [outboxEntrySchema],
    outboxSince: date,
    nextCheckAt: date,
    lease: leaseSchema,
    // Hosts of earlier versions do not know these members, so they are stored only if they have a value.
    linkMailed: Boolean,
    providerAccount: String,
    payerPhone: String,
    payerIp: String,
    problems: { type: [String], default: undefined },
    searchKeys: { type: [String], default: undefined },
  },
  { collection: 'paymentRequests', strict: 'throw', versionKey: false, autoIndex: false, minimize: false },
);

// All indexes of this collection together cost the server about 0.1 ms of CPU time per charge, so none is merged with
// another one for speed.
// One index per list filter, in list order: if few payments match, no others are read.
schema.index({ ownerId: 1, environment: 1, createdAt: -1, _id: -1 });
schema.index({ ownerId: 1, environment: 1, statusId: 1, createdAt: -1, _id: -1 });
schema.index({ ownerId: 1, environment: 1, 'attempts.providerCode': 1, createdAt: -1, _id: -1 });
schema.index({ ownerId: 1, environment: 1, 'attempts.method': 1, createdAt: -1, _id: -1 });
schema.index({ ownerId: 1, environment: 1, referenceId: 1, createdAt: -1, _id: -1 });
schema.index({ clientId: 1, environment: 1, createdAt: -1, _id: -1 });
// Sums of what is due are read from this index alone: it has every member that they use.
schema.index(
  {
    clientId: 1,
    depositDue: 1,
    paidCurrency: 1,
    paidAmount: 1,
    refundedAmount: 1,
    'countedDeposit.currency': 1,
    'countedDeposit.paid': 1,
    'countedDeposit.refunded': 1,
  },
  { name: 'deposits', partialFilterExpression: { depositDue: { $type: 'number' } } },
);
schema.index({ 'attempts.adapter': 1, 'attempts.outcome': 1, 'attempts.settledAt': 1 });
// Contains only payments of accounts other than `main`. A query must name the type, as below.
schema.index(
  { 'attempts.account': 1, 'attempts.adapter': 1, 'attempts.outcome': 1, 'attempts.settledAt': 1 },
  { partialFilterExpression: { 'attempts.account': { $type: 'string' } } },
);
schema.index({ 'refunds.requestedAt': 1 }, { partialFilterExpression: { 'refunds.requestedAt': { $type: 'date' } } });
// These indexes contain only waiting documents, so the workers' queries cost nothing while nothing waits. A query must
// also name the type, or the planner does not use the index.
indexLeases(schema, 'nextCheckAt');
schema.index({ outboxSince: 1 }, { partialFilterExpression: { outboxSince: { $type: 'date' } } });
schema.index({ statusId: 1, expiresAt: 1, createdAt: 1 }, { partialFilterExpression: { statusId: 0 } });
schema.index(
  { 'attempts.providerReference': 1 },
  { partialFilterExpression: { 'attempts.providerReference': { $type: 'string' } } },
);
schema.index(
  { 'attempts.providerReferences.id': 1 },
  { partialFilterExpression: { 'attempts.providerReferences.id': { $type: 'string' } } },
);
schema.index(
  { 'reportedRefunds.subReference': 1 },
  { partialFilterExpression: { 'reportedRefunds.subReference': { $type: 'string' } } },
);

// Indexes for operator searches over all owners.
schema.index({ createdAt: 1 }, { name: 'pending', partialFilterExpression: { statusId: 1 } });
schema.index({ amount: 1, createdAt: -1, _id: -1 });
schema.index(
  { 'attempts.cardLastDigits': 1, createdAt: -1, _id: -1 },
  { partialFilterExpression: { 'attempts.cardLastDigits': { $type: 'string' } } },
);

// The environment is last, so that a search in one mode reads no payment of the other, and keeps the order.
schema.index(
  { searchKeys: 1, createdAt: -1, _id: -1, environment: 1 },
  { partialFilterExpression: { searchKeys: { $exists: true } } },
);
schema.index(
  { problems: 1, createdAt: -1, _id: -1, environment: 1 },
  { partialFilterExpression: { problems: { $exists: true } } },
);
schema.index(
  { 'attempts.decline': 1, createdAt: -1, _id: -1, environment: 1 },
  { partialFilterExpression: { 'attempts.decline': { $type: 'string' } } },
);
// Contains only disputed payments. A query must name the type, as above.
schema.index(
  { createdAt: -1, _id: -1 },
  { name: 'disputed', partialFilterExpression: { 'disputeStages.attempt': { $type: 'number' } } },
);
schema.index(
  { 'disputeStages.subReference': 1 },
  { partialFilterExpression: { 'disputeStages.subReference': { $type: 'string' } } },
);

export type PaymentRequestModel = Model<PaymentRecord>;

export function paymentRequestModel(connection: Connection): PaymentRequestModel {
  return modelFor(connection, 'PaymentRequest', schema);
}
