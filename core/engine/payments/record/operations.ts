import type { PaymentRecord } from '../../../database/collections/payment-request.ts';
import { takenOver } from '../../../base/errors.ts';
import type { Operation } from '../types/caller.ts';

const MAX_OPERATIONS = 100;

/** A request of the merchant; without an operation if it has no idempotency key. */
interface Request {
  readonly operation?: Pick<Operation, 'id'> | undefined;
}

/** Throws IDEM001 if a repetition took over while the caller stood still, and carried out the operation. */
export function throwIfTakenOver(record: PaymentRecord, { operation }: Request): void {
  if (!operation || !record.operations.includes(operation.id)) return;
  throw takenOver({ paymentRequestId: record._id });
}

/**
 * The payment with the id of the caller's operation, so that a repetition knows what was started. Throws as
 * `throwIfTakenOver` does.
 */
export function withOperation(record: PaymentRecord, caller: Request): PaymentRecord {
  throwIfTakenOver(record, caller);
  const { operation } = caller;
  return operation ? { ...record, operations: [...record.operations, operation.id].slice(-MAX_OPERATIONS) } : record;
}
