/** Creates a payment, and the page at which the payer chooses how to pay. */
import {
  isSameMoney,
  misconfigured,
  nothingCharged,
  toPaymentOutcome,
  unknown,
  type Ability,
  type HttpReply,
  type Outcome,
  type Submission,
} from '@paywright/contract';
import { modeOf, type Context, type Options } from './options.ts';
import { actionOf, readPayment, toEvent } from './payment.ts';
import { mapStatus } from './statuses.ts';
import { errors, post, toAmount } from './wire.ts';

type Asked = Submission<'billing', never>;

/** No payer data: Mollie asks the payer for the data that a method needs. */
export function paymentMessage(
  { money, reference, paymentRequestId }: Asked,
  { options, returnUrl, cancelUrl, callbackUrl }: Context,
) {
  const { methods, captureMode } = options;
  return {
    amount: toAmount(money),
    description: reference,
    redirectUrl: returnUrl(paymentRequestId),
    cancelUrl: cancelUrl(paymentRequestId),
    webhookUrl: callbackUrl('mollie'),
    metadata: { gateway_reference: reference },
    ...(methods ? { method: methods } : {}),
    ...(captureMode === 'manual' ? { captureMode } : {}),
  };
}

export const submit: Ability<'submit', Options, 'billing', never> = async (payment, ctx) => {
  const { options, sandbox, http } = ctx;
  const [have, need] = [modeOf(options), sandbox ? 'test' : 'live'];
  if (have !== need) return misconfigured(`apiKey is a ${have} key, but the payment is a ${need} one`);
  const request = post(options, '/v2/payments', paymentMessage(payment, ctx), payment.reference);
  // No payer can pay before having the page's address, and only this answer has the address.
  const reply = await http.send({ ...request, chargesNothing: true });
  if (reply.status !== 201) return refusal(reply);
  const made = readPayment(reply, payment);
  if (!made || made.mode !== need || !isSameMoney(made.amount, payment.money)) {
    return unknown('the answer is not a payment of this attempt');
  }
  const event = toEvent(made);
  return toPaymentOutcome(mapStatus(event, 'fetch'), {
    providerReference: made.id,
    providerStatus: made.status,
    action: actionOf(made),
    noAction: 'an open payment without an address to pay at',
    decline: { decline: event.decline ?? '05' },
  });
};

function refusal(reply: HttpReply): Outcome {
  const outcome = errors.toOutcome(reply);
  return outcome.outcome === 'unknown' ? nothingCharged(errors.read(reply).named) : outcome;
}
