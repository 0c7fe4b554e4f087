/** Who calls the payments domain: a merchant's request, and its `Idempotency-Key` as one operation. */
import type { Environment } from '../../../base/environment.ts';
import type { PaymentAnswer } from './answer.ts';

/** The caller of the service, from the API key. */
export interface Caller {
  readonly ownerId: number;
  readonly environment: Environment;
  readonly requestId: string;
  /** Where the request carries an `Idempotency-Key`. */
  readonly operation?: Operation;
  /** Called as soon as a payment request that the caller may see is known to exist: failures from then on name it. */
  readonly onPayment?: (id: number) => void;
}

/** What a request under an `Idempotency-Key` sets out to do: done once, however often it is sent. */
export interface Operation {
  /** The same for every repetition of the request. */
  readonly id: string;
  /**
   * Called before the payment request is made, or before its provider is called. Throws IDEM001 where another request took
   * over: nothing more may be done then.
   */
  readonly bindPayment: (paymentRequestId: number) => Promise<void>;
  /** The payment request that it is about, or is to make. Where an earlier run was to make it, it may be there. */
  readonly paymentRequestId?: number | undefined;
  /** True where an earlier run began it on its payment request: nothing is done again. */
  isApplied(): Promise<boolean>;
  /** What the call would answer as its payment request is now; that of a failed one is thrown. */
  currentAnswer(): Promise<PaymentAnswer>;
  /** One for each payment request that a batch makes, the same ones at every repetition. */
  forEntries(count: number): Promise<readonly Operation[]>;
}

/** One run of an operation. */
export interface OperationRun extends Pick<Operation, 'id' | 'bindPayment' | 'paymentRequestId'> {
  /** Keeps these ids for what a batch makes; gives those of an earlier run, where there was one. */
  readonly reservePayments: (ids: readonly number[]) => Promise<readonly number[]>;
}
