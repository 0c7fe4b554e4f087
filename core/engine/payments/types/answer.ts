/** The results of calls that pay, refund or capture. Read by `http`. */
import type { Action } from '@paywright/contract';

/** The payment request as JSON shows it. Amounts are `JsonNumber`s, so that they are written digit for digit. */
export type PaymentRequestView = Readonly<Record<string, unknown>> & { readonly id: number };

/**
 * The result of a call that pays, if it did not fail. A refusal is thrown as a `GatewayError` with the payment's id.
 */
export interface PaymentAnswer {
  readonly id: number;
  /**
   * The payment as it was when the call ended. Reads other collections: an answer that shows nothing need not wait for
   * that.
   */
  readonly present: () => Promise<PresentedPayment>;
}

export interface PresentedPayment {
  readonly view: PaymentRequestView;
  /** What the payer must do next; null: nothing. */
  readonly action: Action | null;
}
