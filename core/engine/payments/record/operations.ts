import type { PaymentRecord } from '../../../database/collections/payment-request.ts';
import { takenOver } from '../../../base/errors.ts';
import type { Caller } from '../types/caller.ts';

const MAX_OPERATIONS = 100;

/** Throws IDEM001 where a repetition took over from the caller while it stood still, and did all of it. */
export function throwIfTakenOver(record: PaymentRecord, { operation }: Pick<Caller, 'operation'>): void {
  if (!operation || !record.operations.includes(operation.id)) return;
  throw takenOver({ paymentRequestId: record._id });
}

/**
 * The payment with the id of the caller's operation, so that a repetition of it knows what was begun. Throws as
 * `throwIfTakenOver` does.
 */
export function withOperation(record: PaymentRecord, caller: Pick<Caller, 'operation'>): PaymentRecord {
  throwIfTakenOver(record, caller);
  const { operation } = caller;
  return operation ? { ...record, operations: [...record.operations, operation.id].slice(-MAX_OPERATIONS) } : record;
}
