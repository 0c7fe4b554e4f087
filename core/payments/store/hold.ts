import { randomUUID } from 'node:crypto';
import type { PaymentRecord } from '../../documents/payment-request.ts';

/** Holds the payment's lease for a call that runs in this process, so that a worker takes over should it die. */
export function holdUntil(record: PaymentRecord, until: Date, now: Date): PaymentRecord {
  const { expiries } = record.lease;
  const lease = { token: `call-${randomUUID()}`, worker: null, claimedAt: now, expiries };
  return { ...record, lease, nextCheckAt: until };
}
