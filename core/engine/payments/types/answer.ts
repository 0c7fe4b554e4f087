/** What calls that pay, refund or capture return. Read by `http`. */
import type { Action } from '@paywright/contract';

/** The payment request as JSON shows it; amounts are `JsonNumber`s, so that they are written digit for digit. */
export type PaymentRequestView = Readonly<Record<string, unknown>> & { readonly id: number };

/** What a call that pays comes to when it did not fail. A refusal is thrown as a `GatewayError` with the payment's id. */
export interface PaymentAnswer {
  readonly id: number;
  /** As it was when the call ended. Reads what is stored elsewhere: an answer that shows nothing need not wait for it. */
  readonly present: () => Promise<PresentedPayment>;
}

export interface PresentedPayment {
  readonly view: PaymentRequestView;
  /** What the payer must do next; null: nothing. */
  readonly action: Action | null;
}
