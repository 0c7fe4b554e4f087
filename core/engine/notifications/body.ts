import { stringifyExact } from '@paywright/contract';
import type { Environment } from '../../base/environment.ts';

/** The version that notifications and answers are written in. */
export const apiVersion = '2.1';

/**
 * The bytes of a notification about a payment request, the same on every attempt. `data`: members next to the payment
 * request that only some types have.
 */
export function renderBody(
  paymentRequest: Readonly<Record<string, unknown>> & { readonly id: number },
  type: string,
  sequence: number,
  at: Date,
  mode: Environment,
  data: Readonly<Record<string, unknown>> = {},
): string {
  return stringifyExact({
    id: `${paymentRequest.id}-${sequence}`,
    type,
    mode,
    apiVersion,
    createdAt: at.toISOString(),
    sequence,
    data: { paymentRequest, ...data },
  });
}
