/** Submits the payment: as a PaymentIntent that is confirmed immediately, or as a Checkout session. */
import {
  filled,
  knownFields,
  misconfigured,
  narrowCountry,
  narrowEmail,
  nothingCharged,
  readJsonBody,
  refusedField,
  unknown,
  v,
  type Ability,
  type HttpReply,
  type Outcome,
  type Submission,
} from '@paywright/contract';
import { expanded, Intent, intentOutcome, isAbout, threeDsDemand } from './intent.ts';
import { isTestKey, type Context, type Options } from './options.ts';
import { openPage } from './session.ts';
import { refusalOf } from './statuses.ts';
import { errors, failureOf, invalidCard, MAX_EMAIL, post, toStripeAmount, type Params } from './wire.ts';

/** The fields of the payer that banks check. The provider needs no other, so the payer's page asks for no other. */
export const payerFields = ['name', 'email', 'postalCode', 'country'] as const;
type Known = (typeof payerFields)[number];

type Input = 'card' | 'token' | 'billing';
type Asked = Submission<Input, Known>;

/** At Checkout, the card in the merchant's body is not used. */
export const methodOf: Ability<'methodOf', Options, Input, Known> = ({ input }, { cardEntry }) => {
  if (input === 'token') return 'card_token';
  return input === 'card' && cardEntry === 'server' ? 'card' : 'hosted_page';
};

export const submit: Ability<'submit', Options, Input, Known> = async (payment, ctx) => {
  const { options, sandbox } = ctx;
  if (isTestKey(options) !== sandbox) {
    const [have, need] = sandbox ? ['live', 'test'] : ['test', 'live'];
    return misconfigured(`secretKey is a ${have} key, but the payment is a ${need} one`);
  }
  const amount = toStripeAmount(payment.money);
  if (amount === undefined) return refusedField('amount', `Stripe cannot represent it in ${payment.money.currency}`);
  if (payment.input === 'token') return confirm(payment, amount, payment.token, ctx);
  return payment.input === 'card' && options.cardEntry === 'server'
    ? payByNumber(payment, amount, ctx)
    : openPage(payment, amount, ctx);
};

/** The parameters of a PaymentMethod. Stripe refuses an empty one, so payer fields that are not known are left out. */
export function methodParams({ card, payer }: Submission<'card', Known>) {
  const { name, email, phoneNumber: phone, address, city, state, postalCode, country } = knownFields(payer);
  return {
    type: 'card',
    card: { number: card.number, exp_month: card.expiryMonth, exp_year: card.expiryYear, cvc: card.cvv },
    billing_details: {
      name,
      email: narrowEmail(email, MAX_EMAIL),
      phone,
      address: { line1: address, city, state, postal_code: postalCode, country: narrowCountry(country) },
    },
  } as const satisfies Params;
}

const Method = v.object({ id: filled, object: v.literal('payment_method') });

async function payByNumber(payment: Submission<'card', Known>, amount: string, ctx: Context): Promise<Outcome> {
  const request = post(ctx.options, '/v1/payment_methods', methodParams(payment));
  const reply = await ctx.http.send({ ...request, chargesNothing: true });
  const method = reply.status === 200 ? readJsonBody(Method, reply) : undefined;
  return method ? confirm(payment, amount, method.id, ctx) : methodRefused(reply);
}

/** Creating a PaymentMethod charges nothing, whatever the answer is. */
function methodRefused(reply: HttpReply): Outcome {
  const failure = failureOf(reply);
  const invalid = failure?.type === 'card_error' && failure.code ? invalidCard[failure.code] : undefined;
  if (invalid) return refusedField(invalid, errors.read(reply).named);
  if (failure?.type === 'card_error') return { outcome: 'failed', ...refusalOf(failure) };
  // If an account may not send card numbers, Stripe names neither a code nor a parameter.
  const takesNoNumbers = failure?.type === 'invalid_request_error' && !failure.code && !failure.param;
  if (takesNoNumbers && reply.status !== 401 && reply.status !== 403) {
    return misconfigured(
      'Stripe accepts no card numbers from this account: ask Stripe’s support, or set cardEntry to page',
    );
  }
  const outcome = errors.toOutcome(reply);
  return outcome.outcome === 'unknown' ? nothingCharged(errors.read(reply).named) : outcome;
}

/** The parameters of a PaymentIntent. */
export function intentParams(payment: Asked, amount: string, method: string, { options, returnUrl }: Context) {
  const { reference, money, paymentRequestId, is3ds } = payment;
  return {
    amount,
    currency: money.currency.toLowerCase(),
    payment_method: method,
    payment_method_types: ['card'],
    confirm: 'true',
    capture_method: options.captureMethod,
    payment_method_options: threeDsDemand(is3ds),
    return_url: returnUrl(paymentRequestId),
    description: reference,
    metadata: { gateway_reference: reference },
    ...expanded,
  } as const satisfies Params;
}

async function confirm(payment: Asked, amount: string, method: string, ctx: Context): Promise<Outcome> {
  const params = intentParams(payment, amount, method, ctx);
  const reply = await ctx.http.send(post(ctx.options, '/v1/payment_intents', params, payment.reference));
  return reply.status === 402 ? declinedOutcome(reply, payment) : intentOrError(reply, payment);
}

function intentOrError(reply: HttpReply, payment: Asked): Outcome {
  return reply.status === 200 ? intentOutcome(reply, payment) : errors.toOutcome(reply);
}

const Declined = v.object({ error: v.object({ payment_intent: Intent }) });

/** Status 402: the card was declined. The PaymentIntent in the answer proves it. */
function declinedOutcome(reply: HttpReply, payment: Asked): Outcome {
  const failure = failureOf(reply);
  if (failure?.type !== 'card_error') return errors.toOutcome(reply);
  const intent = readJsonBody(Declined, reply)?.error.payment_intent;
  if (!intent || !isAbout(intent, payment) || intent.status !== 'requires_payment_method') {
    return unknown("402 without this payment's PaymentIntent in a declined state");
  }
  return { outcome: 'failed', providerReference: intent.id, ...refusalOf(failure) };
}
