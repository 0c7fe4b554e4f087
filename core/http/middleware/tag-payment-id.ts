import { GatewayError } from '../../errors.ts';
import type { Ctx } from '../state.ts';

/**
 * Waits for what a service says of the payment request in the path. Whatever it says but NF001, it exists, and the
 * answer names it: a failure too.
 */
export async function about<T>(ctx: Ctx, id: number, result: Promise<T>): Promise<T> {
  try {
    const value = await result;
    ctx.state.paymentRequestId = id;
    return value;
  } catch (error) {
    if (error instanceof GatewayError && error.kind !== 'NOT_FOUND') ctx.state.paymentRequestId = id;
    throw error;
  }
}
