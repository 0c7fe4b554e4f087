/** A merchant's request under an `Idempotency-Key`, as the domain sees it: one thing to do, done once. */
import type { IdBlocks } from '../../database/collections/counter.ts';
import type { PaymentRecord } from '../../database/collections/payment-request.ts';
import type { Caller, Operation, OperationRun } from './types/caller.ts';
import type { PaymentAnswer } from './types/answer.ts';

export interface OperationDeps {
  readonly ids: IdBlocks;
  /** Undefined: there is none that the caller may see. */
  readonly find: (caller: Caller, id: number) => Promise<PaymentRecord | undefined>;
  readonly answer: (record: PaymentRecord) => PaymentAnswer;
}

export function createOperations(deps: OperationDeps): (caller: Caller, run: OperationRun) => Operation {
  const { ids, find, answer } = deps;

  return function createOperation(caller, run): Operation {
    const { id, bindPayment, paymentRequestId, reservePayments } = run;
    return {
      id,
      bindPayment,
      paymentRequestId,
      isApplied: async () =>
        paymentRequestId !== undefined && (await find(caller, paymentRequestId))?.operations.includes(id) === true,
      async currentAnswer() {
        const record = paymentRequestId !== undefined && (await find(caller, paymentRequestId));
        if (!record) throw new Error('an operation without a payment request has no answer');
        return answer(record);
      },
      async forEntries(count) {
        const fresh: number[] = [];
        while (fresh.length < count) fresh.push(await ids.next());
        const reserved = await reservePayments(fresh);
        // They are bound already, and no entry is a batch.
        const bound = { bindPayment: async () => undefined, reservePayments: async (same: readonly number[]) => same };
        return reserved.map((entryId, index) =>
          createOperation(caller, { ...bound, id: `${id}-${index}`, paymentRequestId: entryId }),
        );
      },
    };
  };
}
