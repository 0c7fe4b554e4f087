/** Records how a refund ended that the provider could not send. No provider is called. */
import type { Logger } from 'pino';
import { notFound } from '../../../base/errors.ts';
import type { PaymentRecord } from '../../../database/collections/payment-request.ts';
import { notPayable, type Answers } from '../present/answer.ts';
import type { LoadForCaller } from '../read/get.ts';
import { withOperation } from '../record/operations.ts';
import { applyFacts } from '../state/apply-facts.ts';
import { waitingRefund, type RefundSettledFact } from '../state/apply-refund-settled.ts';
import type { FeeOf } from '../state/fee.ts';
import { refundEntries } from '../state/refund-entries.ts';
import type { PaymentStore } from '../store/payment-store.ts';
import type { PaymentAnswer } from '../types/answer.ts';
import type { Caller } from '../types/caller.ts';

export interface SettleRefundDeps {
  readonly store: Pick<PaymentStore, 'change'>;
  readonly answers: Pick<Answers, 'withoutAction'>;
  readonly load: LoadForCaller;
  readonly feeOf: FeeOf;
  readonly now: () => Date;
  readonly log: Logger;
}

/** NF001 if the payment has no refund with this id of ours, PAY004 if the refund does not wait for the merchant. */
export type SettleRefundCommand = (
  caller: Caller,
  id: number,
  refund: string,
  status: RefundSettledFact['status'],
) => Promise<PaymentAnswer>;

export function createSettleRefundCommand(deps: SettleRefundDeps): SettleRefundCommand {
  const { store, answers, load, feeOf, now, log } = deps;
  return async function settleRefund(caller, id, refund, status) {
    const { requestId } = caller;
    throwIfNotWaiting(await load(caller, id), refund);
    await caller.operation?.bindPayment(id);
    const { record } = await store.change(id, requestId, (current) => {
      throwIfNotWaiting(current, refund);
      return applyFacts(withOperation(current, caller), [{ type: 'refund_settled', refund, status, at: now() }], feeOf);
    });
    log.info({ requestId, paymentRequestId: id, refund, outcome: status }, 'refund settled by an operator');
    return answers.withoutAction(record);
  };
}

function throwIfNotWaiting(record: PaymentRecord, id: string): void {
  if (waitingRefund(record, id)) return;
  const known = refundEntries(record).find((entry) => entry.id === id);
  if (!known) throw notFound(`refund ${id}`);
  throw notPayable(record, `refund ${id} is ${known.status}: only a refund that needs the merchant can be settled`);
}
