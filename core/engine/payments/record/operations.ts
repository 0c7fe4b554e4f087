import type { PaymentRecord } from '../../../database/collections/payment-request.ts';
import { takenOver } from '../../../base/errors.ts';
import type { Caller } from '../types/caller.ts';

const MAX_OPERATIONS = 100;

/** Throws IDEM001 if a repetition took over while the caller stood still, and carried out the operation. */
export function throwIfTakenOver(record: PaymentRecord, { operation }: Pick<Caller, 'operation'>): void {
  if (!operation || !record.operations.includes(operation.id)) return;
  throw takenOver({ paymentRequestId: record._id });
}

/**
 * The payment with the id of the caller's operation, so that a repetition knows what was started. Throws as
 * `throwIfTakenOver` does.
 */
export function withOperation(record: PaymentRecord, caller: Pick<Caller, 'operation'>): PaymentRecord {
  throwIfTakenOver(record, caller);
  const { operation } = caller;
  return operation ? { ...record, operations: [...record.operations, operation.id].slice(-MAX_OPERATIONS) } : record;
}

/** The payment without that id: the operation was not carried out, so a repetition may carry it out. */
export function withoutOperation(record: PaymentRecord, { operation }: Pick<Caller, 'operation'>): PaymentRecord {
  return operation ? { ...record, operations: record.operations.filter((id) => id !== operation.id) } : record;
}
