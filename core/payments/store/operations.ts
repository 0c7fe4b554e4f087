import type { PaymentRecord } from '../../documents/payment-request.ts';
import type { Caller } from '../service.ts';

const MAX_OPERATIONS = 100;

/** The payment with the id of the caller's operation, so that a repetition of it knows what was begun. */
export function withOperation(record: PaymentRecord, { operation }: Pick<Caller, 'operation'>): PaymentRecord {
  if (!operation) return record;
  return { ...record, operations: [...record.operations, operation.id].slice(-MAX_OPERATIONS) };
}
