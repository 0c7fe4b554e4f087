/** The caller of the payments domain: a merchant's request, with its `Idempotency-Key` as one operation. */
import type { Environment } from '../../../base/environment.ts';
import type { PaymentAnswer } from './answer.ts';

/** The caller of the service, from the API key. */
export interface Caller {
  readonly ownerId: number;
  readonly environment: Environment;
  readonly requestId: string;
  /** Present if the request carries an `Idempotency-Key`. */
  readonly operation?: Operation;
  /**
   * Called as soon as it is known that a payment request exists and the caller may see it. Failures from then on name
   * it.
   */
  readonly onPayment?: (id: number) => void;
}

/** The operation of a request under an `Idempotency-Key`: carried out once, however often the request is sent. */
export interface Operation {
  /** The same for every repetition of the request. */
  readonly id: string;
  /**
   * Called before the payment request is created, or before its provider is called. Throws IDEM001 if another request
   * took over: nothing more may be done then.
   */
  readonly bindPayment: (paymentRequestId: number) => Promise<void>;
  /**
   * The payment request that the operation is about or is to create. If an earlier run was to create it, it may exist.
   */
  readonly paymentRequestId?: number | undefined;
  /** True if an earlier run has started the operation on its payment request: nothing is done again. */
  isApplied(): Promise<boolean>;
  /** The answer of the call for the payment request as it is now. Throws if the payment failed. */
  currentAnswer(): Promise<PaymentAnswer>;
  /** One operation for each payment request that a batch creates, the same ones at every repetition. */
  forEntries(count: number): Promise<readonly Operation[]>;
}

/** One run of an operation. */
export interface OperationRun extends Pick<Operation, 'id' | 'bindPayment' | 'paymentRequestId'> {
  /** Reserves these ids for what a batch creates. Returns the ids of an earlier run if there was one. */
  readonly reservePayments: (ids: readonly number[]) => Promise<readonly number[]>;
}
