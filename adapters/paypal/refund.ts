/** Refunds a capture. The refund carries our reference. */
import {
  isSameMoney,
  nothingCharged,
  readJsonBody,
  toRefundOutcome,
  unknown,
  urlPath,
  type Ability,
  type StoredPayment,
} from '@paywright/contract';
import { toRefundEvent } from './events.ts';
import { lookAt } from './fetch-status.ts';
import type { Context, Options } from './options.ts';
import { partsOf, readState, Refund } from './order.ts';
import { mapStatus } from './statuses.ts';
import { errors, post, refuseAmount, send, toPayPalMoney } from './wire.ts';

export const refund: Ability<'refund', Options> = async (payment, { reference, money }, ctx) => {
  const amount = toPayPalMoney(money);
  if (!amount) return nothingCharged(refuseAmount(money)!);
  const capture = await captureOf(payment, ctx);
  // An earlier try may have refunded it.
  if ('unseen' in capture) return unknown(capture.unseen);
  // Webhooks about the refund find the payment by its reference.
  const message = { amount, custom_id: payment.reference, invoice_id: reference };
  const reply = await send(ctx, post(urlPath`/v2/payments/captures/${capture.id}/refund`, message, reference));
  if (reply.status !== 200 && reply.status !== 201) return errors.toRefundOutcome(reply);
  const made = readJsonBody(Refund, reply);
  if (made?.invoice_id !== reference || !isSameMoney(made.amount, money)) {
    return unknown('the answer is not about this refund');
  }
  const { id: providerReference, status: providerStatus, status_details } = made;
  const reason = `the refund is ${[providerStatus, status_details?.reason].join(' ').trim()}`;
  return toRefundOutcome(mapStatus(toRefundEvent(made), 'fetch'), { providerReference, providerStatus, reason });
};

/** The capture of the payment. If only a webhook or a fetch brought it, the order names it. */
async function captureOf(
  payment: StoredPayment,
  ctx: Context,
): Promise<{ readonly id: string } | { readonly unseen: string }> {
  const { order: id, capture } = readState(payment);
  const known = payment.providerReference ?? capture;
  if (known !== undefined) return { id: known };
  const order = id === undefined ? 'the order is not known' : await lookAt(id, payment, ctx);
  if (typeof order === 'string') return { unseen: order };
  const found = partsOf(order).capture?.id;
  return found === undefined ? { unseen: 'the order has no capture' } : { id: found };
}
