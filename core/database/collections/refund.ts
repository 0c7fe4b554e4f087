/** Refunds: those that we requested and those that providers report. Stored in the payment request. */
import { Schema } from 'mongoose';
import { date, plain, text } from '../members.ts';

const { Decimal128 } = Schema.Types;

/** `needs_merchant`: the provider cannot send the money, so the merchant must. */
export type RefundState = 'requested' | 'unknown' | 'pending' | 'needs_merchant' | 'succeeded' | 'failed';

/** A refund that we requested. */
export interface Refund {
  readonly n: number;
  readonly attempt: number;
  readonly reference: string;
  readonly amount: string;
  readonly state: RefundState;
  /** The provider's answer itself said *succeeded*, not only an event. */
  readonly answeredSucceeded: boolean;
  /** The provider's id of the refund, if it differs from the payment's id. */
  readonly providerReference: string | null;
  readonly requestedAt: Date;
  /** When it succeeded or failed; absent: it has not, or an earlier version stored it. */
  readonly doneAt?: Date;
  /** Why it failed or needs the merchant, in the provider's words; absent: unknown. */
  readonly failureReason?: string;
  /** An operator said how it ended, because the merchant had to send the money; absent: the provider said it. */
  readonly settledByHand?: true;
  /** When the refund was first sent to the provider; null: not yet. */
  readonly sentAt: Date | null;
  /** The provider's ids of refunds that it had reported before: none of them is this refund. */
  readonly reportedBefore: readonly string[];
  /**
   * When a fetch that lists all refunds first did not contain this one. A single such answer is not trusted, because
   * our request may still be on its way.
   */
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
    // Stored only if they have a value: hosts of earlier versions do not know these members.
    doneAt: Date,
    failureReason: String,
    settledByHand: Boolean,
    sentAt: date,
    reportedBefore: [String],
    notShownAt: date,
    checks: Number,
    lastCheckedAt: date,
  },
  plain,
);

/** One refund as the provider reports it: one row per id and state, or one event without an id. */
export interface ReportedRefund {
  readonly attempt: number;
  /** Null: the provider gave no id; `eventId` then distinguishes equal events. */
  readonly subReference: string | null;
  readonly eventId: string;
  readonly amount: string;
  readonly state: 'pending' | 'needs_merchant' | 'failed' | 'succeeded' | 'reversed';
  /** When the report was applied; absent: an earlier version stored it. */
  readonly reportedAt?: Date;
  /** Why the refund failed, came back or needs the merchant, in the provider's words; absent: unknown. */
  readonly failureReason?: string;
  /** An operator reported this, because the merchant had to send the money; absent: the provider did. */
  readonly settledByHand?: true;
  /** The provider's order hint, or the time of the event in milliseconds; absent: it names neither. */
  readonly order?: number;
  /** When a fetch showed this state although another report contradicts it; absent or null: no fetch did. */
  readonly shownAt?: Date | null;
  /** The number of the fetch that was requested because another report contradicts this one; absent: none was. */
  readonly confirmedBy?: number;
}

export const reportedRefundSchema: Schema<ReportedRefund> = new Schema<ReportedRefund>(
  {
    attempt: Number,
    subReference: text,
    eventId: String,
    amount: Decimal128,
    state: String,
    // Stored only if they have a value: hosts of earlier versions do not know these members.
    reportedAt: Date,
    failureReason: String,
    settledByHand: Boolean,
    order: Number,
    shownAt: Date,
    confirmedBy: Number,
  },
  plain,
);

/** The largest running total of refunds that a provider has reported. */
export interface RefundTotal {
  readonly attempt: number;
  readonly amount: string;
  /** When the total was applied; absent: an earlier version stored it. */
  readonly reportedAt?: Date;
}

export const refundTotalSchema: Schema<RefundTotal> = new Schema<RefundTotal>(
  { attempt: Number, amount: Decimal128, reportedAt: Date },
  plain,
);
