import type { PaymentRecord } from '../../documents/payment-request.ts';
import { GatewayError } from '../../errors.ts';
import type { Caller } from '../service.ts';

const MAX_OPERATIONS = 100;

/**
 * The payment with the id of the caller's operation, so that a repetition of it knows what was begun. Throws IDEM001 where
 * it is there already: a repetition took over from this one while it stood still, and did all of it.
 */
export function withOperation(record: PaymentRecord, { operation }: Pick<Caller, 'operation'>): PaymentRecord {
  if (!operation) return record;
  if (record.operations.includes(operation.id)) {
    const message = 'another request with this Idempotency-Key took over: repeat this one to see its answer';
    throw new GatewayError('IDEMPOTENCY_CONFLICT', message, { paymentRequestId: record._id });
  }
  return { ...record, operations: [...record.operations, operation.id].slice(-MAX_OPERATIONS) };
}
