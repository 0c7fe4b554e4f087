/**
 * A merchant's request under an `Idempotency-Key`: one operation that is carried out once, however often it is sent.
 */
import type { IdBlocks } from '../../../database/collections/counter.ts';
import { status, type PaymentRecord } from '../../../database/collections/payment-request.ts';
import { throwIfFailed, type Answers } from '../present/answer.ts';
import type { FindForCaller } from '../read/get.ts';
import type { PaymentAnswer } from '../types/answer.ts';
import type { Caller, Operation, OperationRun } from '../types/caller.ts';

export interface OperationDeps {
  readonly ids: Pick<IdBlocks, 'next'>;
  readonly find: FindForCaller;
  readonly answers: Pick<Answers, 'current'>;
}

export type OperationCommand = (caller: Caller, run: OperationRun) => Operation;

export function createOperationCommand({ ids, find, answers }: OperationDeps): OperationCommand {
  return function operation(caller, run): Operation {
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
        return currentAnswer(record, answers);
      },
      async forEntries(count) {
        const fresh: number[] = [];
        while (fresh.length < count) fresh.push(await ids.next());
        const reserved = await reservePayments(fresh);
        // The entries are bound already, and no entry is a batch.
        const bound = { bindPayment: async () => undefined, reservePayments: async (same: readonly number[]) => same };
        return reserved.map((entryId, index) =>
          operation(caller, { ...bound, id: `${id}-${index}`, paymentRequestId: entryId }),
        );
      },
    };
  };
}

/** The same answer as the call that pays, except that an expired or cancelled payment did not fail. */
function currentAnswer(record: PaymentRecord, answers: Pick<Answers, 'current'>): PaymentAnswer {
  if (record.statusId === status.failed) throwIfFailed(record);
  return answers.current(record);
}
