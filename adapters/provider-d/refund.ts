/** Refund at D. */
import { nothingCharged, toMinor, unknown, type Ability } from '@paywright/contract';
import type { Options } from './options.ts';
import { kindOf, numericByCurrency, providerStatusOf } from './order.ts';
import { refundStatuses } from './statuses.ts';
import { errors, post, readAnswer } from './wire.ts';

/** A refusal is certain only if D names it. */
export const refund: Ability<'refund', Options> = async ({ reference }, { reference: D_Refund, money }, ctx) => {
  const D_Cur = numericByCurrency.get(money.currency);
  if (D_Cur === undefined) return nothingCharged(`D does not accept ${money.currency}`);
  const reply = await post('/d/refunds', { D_Order: reference, D_Refund, D_Sum: toMinor(money), D_Cur }, ctx);
  if (reply.status !== 200) return errors.toRefundOutcome(reply);
  const message = readAnswer(reply, { reference, money }, ctx.options);
  if (!message || kindOf(message) !== 'refund') return unknown('the answer is not a verified answer about this refund');
  const providerReference = message.D_Id;
  const providerStatus = providerStatusOf(message);
  const status = refundStatuses[providerStatus];
  if (status === undefined) return { outcome: 'unknown', providerReference, unknownStatus: providerStatus };
  switch (status) {
    case 'succeeded':
    case 'pending':
      return { outcome: status, providerReference };
    case 'failed':
      return { ...nothingCharged(`D refused the refund: ${message.D_Code}`), providerReference };
    case 'reversed':
      return { ...nothingCharged('D reversed the refund'), providerReference };
  }
};
