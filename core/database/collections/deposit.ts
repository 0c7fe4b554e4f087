/**
 * The deposits of a client: the client keeps them as sums, and each payment keeps the part of it that the sums include.
 */
import { Schema } from 'mongoose';
import { plain } from '../members.ts';

const { Decimal128 } = Schema.Types;

export interface DepositSum {
  readonly paid: string;
  readonly refunded: string;
}

/** Sums by currency. */
export type DepositSums = Readonly<Record<string, DepositSum>>;

export interface Deposit extends DepositSum {
  readonly currency: string;
}

/** The part of a payment's deposit that the sums of its client include. */
export interface CountedDeposit extends Deposit {
  /** The version of the payment that changed it. */
  readonly version: number;
}

const members = { version: Number, currency: String, paid: Decimal128, refunded: Decimal128 };

export const countedDepositSchema: Schema<CountedDeposit> = new Schema<CountedDeposit>(members, plain);

/** One entry of a count, for a payment that may not record it itself yet. */
export interface CountedPayment extends CountedDeposit {
  readonly paymentRequestId: number;
}

export const countedPaymentSchema: Schema<CountedPayment> = new Schema<CountedPayment>(
  { paymentRequestId: Number, ...members },
  plain,
);
