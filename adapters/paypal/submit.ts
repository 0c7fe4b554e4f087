/** Creates an order, and the page at which the payer approves it. */
import {
  nothingCharged,
  unknown,
  type Ability,
  type HttpReply,
  type Outcome,
  type Submission,
} from '@paywright/contract';
import type { Context, Options } from './options.ts';
import { actionOf, idsOf, readOrder } from './order.ts';
import { errors, post, refuseAmount, send, toPayPalMoney } from './wire.ts';

type Asked = Submission<'billing', never>;
type PayPalMoney = NonNullable<ReturnType<typeof toPayPalMoney>>;

/** No payer data: PayPal asks the payer for everything that it needs. */
export function orderMessage(
  { reference, paymentRequestId }: Asked,
  amount: PayPalMoney,
  { options, returnUrl, cancelUrl }: Context,
) {
  return {
    intent: options.intent.toUpperCase(),
    purchase_units: [{ custom_id: reference, invoice_id: reference, amount }],
    payment_source: {
      paypal: {
        experience_context: {
          user_action: 'PAY_NOW',
          shipping_preference: 'NO_SHIPPING',
          return_url: returnUrl(paymentRequestId),
          cancel_url: cancelUrl(paymentRequestId),
        },
      },
    },
  };
}

export const submit: Ability<'submit', Options, 'billing', never> = async (payment, ctx) => {
  const amount = toPayPalMoney(payment.money);
  if (!amount) return nothingCharged(refuseAmount(payment.money)!);
  const request = post('/v2/checkout/orders', orderMessage(payment, amount, ctx), payment.reference);
  // No payer can pay before having the page's address, and only this answer has the address.
  const reply = await send(ctx, { ...request, chargesNothing: true });
  if (reply.status !== 200 && reply.status !== 201) return refusal(reply);
  const order = readOrder(reply, payment);
  const action = order && actionOf(order);
  if (!order || !action) return unknown('the answer is not an order of this attempt that waits for the payer');
  return { outcome: 'pending', action, ...idsOf(order), adapterState: { intent: ctx.options.intent } };
};

function refusal(reply: HttpReply): Outcome {
  const outcome = errors.toOutcome(reply);
  return outcome.outcome === 'unknown' ? nothingCharged(errors.read(reply).named) : outcome;
}
