import { randomUUID } from 'node:crypto';
import type { PaymentRecord } from '../../../database/collections/payment-request.ts';

/**
 * True from when the hold of the payment ends: somebody else may repeat the call then, and what is late must not be sent.
 * Undefined where nobody holds it.
 */
export function leaseExpired({ lease, nextCheckAt }: PaymentRecord, now: () => Date): (() => boolean) | undefined {
  if (lease.token === null || nextCheckAt === null) return undefined;
  return () => now() >= nextCheckAt;
}

/** Holds the payment's lease for a call that runs in this process, so that a worker takes over should it die. */
export function leaseUntil(record: PaymentRecord, until: Date, now: Date): PaymentRecord {
  const { expiries } = record.lease;
  const lease = { token: `call-${randomUUID()}`, worker: null, claimedAt: now, expiries };
  return { ...record, lease, nextCheckAt: until };
}
