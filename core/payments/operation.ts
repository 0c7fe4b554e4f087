/** A merchant's request under an `Idempotency-Key`, as the domain sees it: one thing to do, done once. */
import type { PaymentRecord } from '../documents/payment-request.ts';
import type { Caller, Operation, OperationRun, PaymentAnswer } from './service.ts';

export interface OperationDeps {
  readonly load: (caller: Caller, id: number) => Promise<PaymentRecord>;
  readonly answer: (record: PaymentRecord) => Promise<PaymentAnswer>;
}

export function createOperations({ load, answer }: OperationDeps): (caller: Caller, run: OperationRun) => Operation {
  return (caller, { id, bindPayment, paymentRequestId }) => ({
    id,
    bindPayment,
    isApplied: async () =>
      paymentRequestId !== undefined && (await load(caller, paymentRequestId)).operations.includes(id),
    async currentAnswer() {
      if (paymentRequestId === undefined) throw new Error('an operation without a payment request has no answer');
      return answer(await load(caller, paymentRequestId));
    },
  });
}
