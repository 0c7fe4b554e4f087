/** placeholder */
import type { InputKind } from '@paywright/contract';
import type { Warning } from '../../base/warnings.ts';
import type { PaymentAnswer, PaymentRequestView } from './types/answer.ts';
import type { Caller, Operation, OperationRun } from './types/caller.ts';
import type { NewPaymentRequest, OrderInput, PayerChoice, PayerInput } from './types/input.ts';
import type { ListPage, ListQuery, TimelineItem } from './types/listing.ts';
import type { PayPage, PayVisit } from './types/pay-page.ts';

export type { NotificationType } from '../../database/collections/payment-request.ts';

/** Everything that can be done with payment requests. Amounts are decimal text throughout. */
export interface Payments {
  create(caller: Caller, input: NewPaymentRequest): Promise<PaymentRequestView>;
  /** NF001 where it does not exist, is another owner's, or belongs to the other environment. */
  get(caller: Caller, id: number): Promise<PaymentRequestView>;
  /** Whether `get` would find it. */
  exists(caller: Caller, id: number): Promise<boolean>;
  /** As it is now, whatever became of it. NF001 as `get`. */
  answer(caller: Caller, id: number): Promise<PaymentAnswer>;
  /** An id that nothing has yet, for a payment request that `Operation.paymentRequestId` is to make. */
  reserveId(): Promise<number>;
  /** What a request under an `Idempotency-Key` sets out to do; `Caller.operation` of the calls that do it. */
  operation(caller: Caller, run: OperationRun): Operation;
  list(caller: Caller, query: ListQuery): Promise<ListPage>;
  timeline(caller: Caller, id: number): Promise<readonly TimelineItem[]>;
  /** Endpoints 2, 3, 5, 6: makes the payment request and submits it to the provider with this code. */
  payH2h(caller: Caller, code: number, order: OrderInput, input: PayerInput): Promise<PaymentAnswer>;
  /**
   * Endpoints 1 and 7: submits an existing payment request; the route rules choose the provider. `payer`: it comes from
   * the payer's page, which knew of so many attempts. With more of them it is PAY004, with ten in an hour RATE001; and it
   * goes along the way that they chose, or along none.
   */
  pay(caller: Caller, id: number, input: PayerInput, payer?: PayerChoice): Promise<PaymentAnswer>;
  /** Endpoint 1 with `transaction3dsId`: goes on after a 3D Secure step. */
  resume(caller: Caller, id: number, transaction3dsId: string): Promise<PaymentAnswer>;
  /** Endpoint 4. */
  confirm(caller: Caller, id: number, paymentId: string, code: string): Promise<PaymentAnswer>;
  /** `amount` absent: what is left. `attempt`: whose charge it is taken from; absent: of several, the first that holds it. */
  refund(caller: Caller, id: number, amount: string | undefined, attempt?: number): Promise<PaymentAnswer>;
  /** Collects an authorised payment; `amount` absent: all of it. */
  capture(caller: Caller, id: number, amount: string | undefined): Promise<PaymentAnswer>;
  /** One that is created or failed, or authorised where the provider can release the money. */
  cancel(caller: Caller, id: number): Promise<PaymentAnswer>;
  /**
   * The payer's page; undefined where the visit proves nothing about a payment. Else it requests `complete` or
   * `fetchStatus` where something waits, after `admit`, which may throw.
   */
  payPage(id: number, visit: PayVisit, admit: () => Promise<unknown>): Promise<PayPage | undefined>;
  /** The holder of the link pays and confirms for the owner, this payment alone. Undefined: no such payment, or another link's part. */
  payerOf(id: number, linkKey: string, requestId: string): Promise<Caller | undefined>;
  /** What the merchant surely did not mean by this order. `isToBePaid`: a route is still to be found for it. */
  warningsOf(
    caller: Caller,
    order: OrderInput,
    more?: { readonly isToBePaid?: true; readonly isSandbox?: boolean | undefined },
  ): readonly Warning[];
  /** The inputs that the adapter takes which carries the code; undefined: NF001. */
  inputKindsOf(code: number): readonly InputKind[] | undefined;
}
