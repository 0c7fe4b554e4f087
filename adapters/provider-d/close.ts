/** Closes an unpaid order: D ends its page, and answers with the order as it is then. */
import { nothingCharged, unknown, type Ability } from '@paywright/contract';
import type { Options } from './options.ts';
import { kindOf } from './order.ts';
import { errors, post, readAnswer } from './wire.ts';

/** `D_Op:D_Code` of an order that can no longer be paid: cancelled, and expired. */
const closed: readonly string[] = ['0:9915', '0:9970'];

export const close: Ability<'close', Options> = async (payment, ctx) => {
  const reply = await post('/d/orders/close', { D_Order: payment.reference }, ctx);
  if (reply.status !== 200) return errors.toRefundOutcome(reply);
  const message = readAnswer(reply, payment, ctx.options);
  if (!message || kindOf(message) !== 'payment') return unknown('the answer is not a verified status of this order');
  const code = `${message.D_Op}:${message.D_Code}`;
  return closed.includes(code)
    ? { outcome: 'succeeded', providerReference: message.D_Id }
    : nothingCharged(`the order has the status ${code}`);
};
