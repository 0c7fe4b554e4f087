/** The requests that capture or release the reserved money of an attempt. */
import type { CaptureRequest, Money, VoidRequest } from '@paywright/contract';
import type { Attempt } from '../../../database/collections/attempt.ts';

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
