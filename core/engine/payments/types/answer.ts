/** The results of calls that pay, refund or capture. Read by `http`. */
import type { Action, JsonNumber } from '@paywright/contract';
import type { RefundStatus } from './refund-status.ts';

/** The payment request as JSON shows it. Amounts are `JsonNumber`s, so that they are written digit for digit. */
export type PaymentRequestView = Readonly<Record<string, unknown>> & { readonly id: number };

/** A refund as JSON shows it. `reference` is the provider's; `id` is ours, also for a refund made at the provider. */
export interface RefundView {
  readonly id: string;
  readonly reference: string | null;
  readonly amount: JsonNumber;
  readonly status: RefundStatus;
  readonly failureReason: string | null;
  readonly createDate: string | null;
  readonly doneDate: string | null;
  /** 1 for the first charge of the payment, 2 for the later charge of a double charge. */
  readonly charge: number;
}

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
