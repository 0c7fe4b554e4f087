/** Money that the bank has reserved. */
import { latestAttempt, type Attempt } from '../../../database/collections/attempt.ts';
import { status, type PaymentRecord } from '../../../database/collections/payment-request.ts';

/** The attempt of an unpaid payment whose money the bank has reserved and that is neither captured nor released yet. */
export function authorisedAttempt(record: Pick<PaymentRecord, 'attempts' | 'statusId'>): Attempt | undefined {
  const attempt = latestAttempt(record);
  if (record.statusId !== status.pending) return undefined;
  const isFree = attempt?.outcome === 'open' && attempt.authorisedAt && !attempt.capture && !attempt.voidRequestedAt;
  return isFree ? attempt : undefined;
}
