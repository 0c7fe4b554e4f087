/** Refunds a capture. The refund carries our reference. */
import {
  isSameMoney,
  nothingCharged,
  readJsonBody,
  toRefundOutcome,
  unknown,
  urlPath,
  type Ability,
} from '@paywright/contract';
import { toRefundEvent } from './events.ts';
import type { Options } from './options.ts';
import { knownIds, Refund } from './order.ts';
import { mapStatus } from './statuses.ts';
import { errors, post, refuseAmount, send, toPayPalMoney } from './wire.ts';

export const refund: Ability<'refund', Options> = async (payment, { reference, money }, ctx) => {
  const amount = toPayPalMoney(money);
  if (!amount) return nothingCharged(refuseAmount(money)!);
  const { capture } = knownIds(payment);
  // An earlier request may have refunded the payment.
  if (capture === undefined) return unknown('the capture is not known');
  // Webhooks about the refund find the payment by its reference.
  const message = { amount, custom_id: payment.reference, invoice_id: reference };
  const reply = await send(ctx, post(urlPath`/v2/payments/captures/${capture}/refund`, message, reference));
  if (reply.status !== 200 && reply.status !== 201) return errors.toRefundOutcome(reply);
  const made = readJsonBody(Refund, reply);
  if (made?.invoice_id !== reference || !isSameMoney(made.amount, money)) {
    return unknown('the answer is not about this refund');
  }
  const { id: providerReference, status: providerStatus, status_details } = made;
  const reason = `the refund is ${[providerStatus, status_details?.reason].join(' ').trim()}`;
  return toRefundOutcome(mapStatus(toRefundEvent(made), 'fetch'), { providerReference, providerStatus, reason });
};
