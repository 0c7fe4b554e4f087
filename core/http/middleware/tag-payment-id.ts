import { GatewayError } from '../../errors.ts';
import type { Ctx } from '../state.ts';

/**
 * Waits for a service's result about the payment request in the path, and tags the answer with its id. Every result
 * but NF001 shows that the payment request exists, a failure too.
 */
export async function tagPaymentId<T>(ctx: Ctx, id: number, result: Promise<T>): Promise<T> {
  try {
    const value = await result;
    ctx.state.paymentRequestId = id;
    return value;
  } catch (error) {
    if (error instanceof GatewayError && error.kind !== 'NOT_FOUND') ctx.state.paymentRequestId = id;
    throw error;
  }
}
