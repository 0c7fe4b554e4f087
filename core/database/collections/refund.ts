/** What was given back of a payment, by us and as providers report it: kept in its payment request. */
import { Schema } from 'mongoose';
import { date, plain, text } from '../members.ts';

const { Decimal128 } = Schema.Types;

export type RefundState = 'requested' | 'unknown' | 'pending' | 'succeeded' | 'failed';

/** A refund that we requested. */
export interface Refund {
  readonly n: number;
  readonly attempt: number;
  readonly reference: string;
  readonly amount: string;
  readonly state: RefundState;
  /** The provider's answer itself said *succeeded*, not only an event. */
  readonly answeredSucceeded: boolean;
  /** The provider's number of it, where it has one that is not the payment's. */
  readonly providerReference: string | null;
  readonly requestedAt: Date;
  /** When the provider was first asked; null: it was not yet. */
  readonly sentAt: Date | null;
  /** The provider's numbers of refunds that it had reported before: none of them is this one. */
  readonly reportedBefore: readonly string[];
  /** When a fetch that shows all refunds first did not show this one. One is not believed: ours may wait somewhere. */
  readonly notShownAt: Date | null;
  readonly checks: number;
  readonly lastCheckedAt: Date | null;
}

export const refundSchema: Schema<Refund> = new Schema<Refund>(
  {
    n: Number,
    attempt: Number,
    reference: String,
    amount: Decimal128,
    state: String,
    answeredSucceeded: Boolean,
    providerReference: text,
    requestedAt: Date,
    sentAt: date,
    reportedBefore: [String],
    notShownAt: date,
    checks: Number,
    lastCheckedAt: date,
  },
  plain,
);

/** What the provider reports of one refund: one row per number and state, or one event without number. */
export interface ReportedRefund {
  readonly attempt: number;
  /** Null: the provider gave no number; then `eventId` distinguishes equal events. */
  readonly subReference: string | null;
  readonly eventId: string;
  readonly amount: string;
  readonly state: 'pending' | 'failed' | 'succeeded' | 'reversed';
}

export const reportedRefundSchema: Schema<ReportedRefund> = new Schema<ReportedRefund>(
  { attempt: Number, subReference: text, eventId: String, amount: Decimal128, state: String },
  plain,
);

/** The largest running total of refunds that a provider has reported. */
export interface RefundTotal {
  readonly attempt: number;
  readonly amount: string;
}

export const refundTotalSchema: Schema<RefundTotal> = new Schema<RefundTotal>(
  { attempt: Number, amount: Decimal128 },
  plain,
);
