/** The requests that capture or release the reserved money of an attempt. */
import type { CaptureRequest, Money, VoidRequest } from '@paywright/contract';
import { latestAttempt, type Attempt } from '../../../database/collections/attempt.ts';
import { status, type PaymentRecord } from '../../../database/collections/payment-request.ts';

/** The attempt of an unpaid payment whose money the bank has reserved and that is neither captured nor released yet. */
export function authorisedAttempt(record: PaymentRecord): Attempt | undefined {
  const attempt = latestAttempt(record);
  if (record.statusId !== status.pending) return undefined;
  const isFree = attempt?.outcome === 'open' && attempt.authorisedAt && !attempt.capture && !attempt.voidRequestedAt;
  return isFree ? attempt : undefined;
}

export function toCaptureRequest(attempt: Attempt, money: Money): CaptureRequest {
  return { reference: `${attempt.reference}-C${numberOf(attempt)}`, money };
}

export function toVoidRequest(attempt: Attempt): VoidRequest {
  return { reference: `${attempt.reference}-V${numberOf(attempt)}` };
}

/** Each refused request gets a new number: a provider would repeat its first answer under the same reference. */
function numberOf({ refusedRequests = 0 }: Attempt): string {
  return refusedRequests > 0 ? String(refusedRequests + 1) : '';
}
