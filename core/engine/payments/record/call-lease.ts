import { randomUUID } from 'node:crypto';
import type { PaymentRecord } from '../../../database/collections/payment-request.ts';

/**
 * Returns a function that is true once the lease of the payment has expired: then another process may repeat the call,
 * and a late request must not be sent. Undefined if the payment has no lease.
 */
export function leaseExpired({ lease, nextCheckAt }: PaymentRecord, now: () => Date): (() => boolean) | undefined {
  if (lease.token === null || nextCheckAt === null) return undefined;
  return () => now() >= nextCheckAt;
}

/** Takes the payment's lease for a call in this process. If the process dies, a worker takes over after `limitMs`. */
export function leaseFor(record: PaymentRecord, limitMs: number, now: Date): PaymentRecord {
  const { expiries } = record.lease;
  const lease = { token: `call-${randomUUID()}`, worker: null, claimedAt: now, expiries };
  return { ...record, lease, nextCheckAt: new Date(now.getTime() + limitMs) };
}
