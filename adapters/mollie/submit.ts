/** What we ask: a payment, and the page where the payer chooses how to pay it. */
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

/** Mollie asks the payer itself for what a method needs to know of them. */
export function paymentMessage(
  { money, reference, paymentRequestId }: Asked,
  { options, returnUrl, callbackUrl }: Context,
) {
  const { methods, captureMode } = options;
  return {
    amount: toAmount(money),
    description: reference,
    redirectUrl: returnUrl(paymentRequestId),
    webhookUrl: callbackUrl('mollie'),
    metadata: { gateway_reference: reference },
    ...(methods ? { method: methods } : {}),
    ...(captureMode === 'manual' ? { captureMode } : {}),
  };
}

export const submit: Ability<'submit', Options, 'billing', never> = async (payment, ctx) => {
  const { options, sandbox, http } = ctx;
  const [have, need] = [modeOf(options), sandbox ? 'test' : 'live'];
  if (have !== need) return misconfigured(`apiKey is a ${have} key, and the payment is a ${need} one`);
  const request = post(options, '/v2/payments', paymentMessage(payment, ctx), payment.reference);
  // Nobody can pay before the payer has the page's address, which this answer alone has.
  const reply = await http.send({ ...request, chargesNothing: true });
  if (reply.status !== 201) return refusal(reply);
  const made = readPayment(reply, payment);
  if (!made || made.mode !== need || !isSameMoney(made.amount, payment.money)) {
    return unknown('the answer is no payment of this attempt');
  }
  const event = toEvent(made);
  return toPaymentOutcome(mapStatus(event, 'fetch'), {
    providerReference: made.id,
    providerStatus: made.status,
    action: actionOf(made),
    noAction: 'an open payment that does not say where to pay',
    decline: { decline: event.decline ?? '05' },
  });
};

function refusal(reply: HttpReply): Outcome {
  const outcome = errors.toOutcome(reply);
  return outcome.outcome === 'unknown' ? nothingCharged(errors.read(reply).named) : outcome;
}
