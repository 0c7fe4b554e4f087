/** A Checkout session: Stripe's page, at which the payer may try several cards until the session ends. */
import {
  defined,
  filled,
  knownFields,
  lenient,
  narrowEmail,
  nothingCharged,
  readAs,
  readJsonBody,
  redirectTo,
  unknown,
  v,
  type HttpReply,
  type Outcome,
  type ReportedEvent,
  type StoredPayment,
  type Submission,
} from '@paywright/contract';
import { threeDsDemand } from './intent.ts';
import type { Context } from './options.ts';
import { Digits, errors, fromStripeAmount, MAX_EMAIL, post, type Params } from './wire.ts';

type Asked = Submission<'card' | 'token' | 'billing', never>;

/** The parameters of a Checkout session. */
export function sessionParams(payment: Asked, amount: string, { options, returnUrl, cancelUrl }: Context) {
  const { reference, money, paymentRequestId, is3ds, payer } = payment;
  return {
    mode: 'payment',
    client_reference_id: reference,
    customer_email: narrowEmail(knownFields(payer).email, MAX_EMAIL),
    // Without this parameter, the account's settings decide. Other methods than cards cannot prove 3D Secure.
    payment_method_types: options.pageMethods === 'card' || is3ds === true ? (['card'] as const) : undefined,
    payment_method_options: threeDsDemand(is3ds),
    line_items: [
      {
        quantity: '1',
        price_data: {
          currency: money.currency.toLowerCase(),
          unit_amount: amount,
          product_data: { name: reference },
        },
      },
    ],
    payment_intent_data: {
      capture_method: options.captureMethod,
      description: reference,
      metadata: { gateway_reference: reference, gateway_flow: 'page' },
    },
    success_url: returnUrl(paymentRequestId),
    cancel_url: cancelUrl(paymentRequestId),
  } as const satisfies Params;
}

export const Session = v.object({
  id: filled,
  object: v.literal('checkout.session'),
  status: v.nullable(v.string()),
  url: v.nullish(v.string()),
  client_reference_id: v.nullable(v.string()),
  amount_total: v.nullable(Digits),
  currency: v.nullable(v.string()),
  livemode: v.boolean(),
  // An id, or the complete object if the answer expands it: see fetch-status.ts.
  payment_intent: lenient(v.union([v.string(), v.looseObject({ id: v.string() })])),
});
export type Session = v.InferOutput<typeof Session>;

const State = v.object({ session: v.string() });

/** The id of the session at which the payer pays; undefined if the payment has none. */
export function sessionOf({ adapterState }: StoredPayment): string | undefined {
  // The stored value was plain JSON, so its objects have a prototype.
  return v.is(State, adapterState) ? adapterState.session : undefined;
}

/** Shows the PaymentIntent of a session in full. */
export const expandedSession = { expand: ['payment_intent.latest_charge'] } as const;

/** The session of this payment; undefined for any other answer. */
export function readSession(
  reply: HttpReply,
  id: string,
  { reference }: Pick<StoredPayment, 'reference'>,
): Session | undefined {
  const session = reply.status === 200 ? readJsonBody(Session, reply) : undefined;
  return session?.id === id && session.client_reference_id === reference ? session : undefined;
}

/** The payer can no longer pay at the page, and nothing was paid or reserved. */
export function hasEnded({ status, payment_intent }: Session): boolean {
  const intent = readAs(v.object({ status: v.string() }), payment_intent);
  return status === 'expired' && intent?.status !== 'succeeded' && intent?.status !== 'requires_capture';
}

/** The payer did not pay in time and cannot pay any more. */
export function toExpiredEvent({
  id,
  client_reference_id,
  amount_total,
  currency,
  livemode,
  payment_intent,
}: Session): ReportedEvent {
  return {
    kind: 'payment',
    providerStatus: 'session:expired',
    reference: client_reference_id,
    providerReference: (typeof payment_intent === 'string' ? payment_intent : payment_intent?.id) ?? null,
    ...(amount_total && currency ? fromStripeAmount(amount_total, currency) : { amount: null, currency: null }),
    dedupeKey: `${id}:expired`,
    mode: livemode ? 'live' : 'test',
  };
}

/** A session charges nothing until the payer has its address, and only this answer has the address. */
export async function openPage(payment: Asked, amount: string, ctx: Context): Promise<Outcome> {
  const { reference, money } = payment;
  const request = post(ctx.options, '/v1/checkout/sessions', sessionParams(payment, amount, ctx), reference);
  const reply = await ctx.http.send({ ...request, chargesNothing: true });
  if (reply.status !== 200) {
    const outcome = errors.toOutcome(reply);
    return outcome.outcome === 'unknown' ? nothingCharged(errors.read(reply).named) : outcome;
  }
  const session = readJsonBody(Session, reply);
  const isOurs = session?.client_reference_id === reference && session.amount_total === amount;
  const action = isOurs && session.currency?.toUpperCase() === money.currency ? redirectTo(session.url) : undefined;
  if (!session || !action) return unknown('the answer is not a session of this payment');
  return { outcome: 'pending', adapterState: { session: session.id }, ...defined({ action }) };
}
