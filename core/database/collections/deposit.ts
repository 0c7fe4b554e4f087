/** What payments add to the deposits of their client: kept with the client as sums, and with each payment as far as they include it. */
import { Schema } from 'mongoose';
import { plain } from '../members.ts';

const { Decimal128 } = Schema.Types;

export interface DepositSum {
  readonly paid: string;
  readonly refunded: string;
}

/** By currency. */
export type DepositSums = Readonly<Record<string, DepositSum>>;

export interface Deposit extends DepositSum {
  readonly currency: string;
}

/** A payment's deposit as the sums of its client include it. */
export interface CountedDeposit extends Deposit {
  /** The payment's version that changed it. */
  readonly version: number;
}

const members = { version: Number, currency: String, paid: Decimal128, refunded: Decimal128 };

export const countedDepositSchema: Schema<CountedDeposit> = new Schema<CountedDeposit>(members, plain);

/** One entry of a count: of a payment that may not say so itself yet. */
export interface CountedPayment extends CountedDeposit {
  readonly paymentRequestId: number;
}

export const countedPaymentSchema: Schema<CountedPayment> = new Schema<CountedPayment>(
  { paymentRequestId: Number, ...members },
  plain,
);
