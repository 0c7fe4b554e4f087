/** What a provider reports of chargeback cases: kept in the payment request. */
import { Schema } from 'mongoose';
import { amount, plain, text } from '../members.ts';

export type DisputeStage = 'opened' | 'won' | 'lost' | 'reversed';

/** A stage of a chargeback case that was reported; the case's state follows from all of its stages. */
export interface ReportedStage {
  readonly attempt: number;
  readonly subReference: string | null;
  readonly stage: DisputeStage;
  /** What the case is about; null: the provider named no amount. */
  readonly amount: string | null;
  /** The provider's order hint, or the time of the event in milliseconds. */
  readonly order: number | null;
}

export const stageSchema: Schema<ReportedStage> = new Schema<ReportedStage>(
  { attempt: Number, subReference: text, stage: String, amount, order: { type: Number, default: null } },
  plain,
);
