/** Chargeback cases as a provider reports them. Stored in the payment request. */
import { Schema } from 'mongoose';
import { amount, plain, text } from '../members.ts';

export type DisputeStage = 'opened' | 'won' | 'lost' | 'reversed';

/** A reported stage of a chargeback case. The state of the case follows from all of its stages. */
export interface ReportedStage {
  readonly attempt: number;
  readonly subReference: string | null;
  readonly stage: DisputeStage;
  /** The disputed amount; null: the provider named none. */
  readonly amount: string | null;
  /** The currency of `amount`, if it differs from the currency of the attempt; absent: it is the same. */
  readonly currency?: string;
  /** The provider's order hint, or the time of the event in milliseconds. */
  readonly order: number | null;
  /** The order of the report that named the amount, if a later report of the stage named none; absent: `order`. */
  readonly amountOrder?: number | null;
}

export const stageSchema: Schema<ReportedStage> = new Schema<ReportedStage>(
  {
    attempt: Number,
    subReference: text,
    stage: String,
    amount,
    order: { type: Number, default: null },
    // Stored only if they have a value: hosts of earlier versions do not know these members.
    currency: String,
    amountOrder: Number,
  },
  plain,
);
