/** The PaymentIntent: how Stripe shows a payment in answers and events, and how we read it. */
import {
  defined,
  filled,
  isSameMoney,
  lenient,
  namesAttempt,
  readJsonBody,
  redirectTo,
  toEventDecline,
  toPaymentOutcome,
  unknown,
  v,
  type AttemptFacts,
  type HttpReply,
  type Money,
  type Outcome,
  type ReportedEvent,
  type StoredPayment,
  type ThreeDsShown,
} from '@paywright/contract';
import { mapStatus, refusalOf } from './statuses.ts';
import { Digits, Failure, fromStripeAmount } from './wire.ts';

const Text = v.string();

/** Metadata that we write at Stripe: our reference, the refund's reference, and whether the payer pays at Checkout. */
export const Metadata = v.fallback(
  v.object({
    gateway_reference: lenient(filled),
    gateway_refund: lenient(filled),
    gateway_flow: lenient(v.literal('page')),
  }),
  {},
);

/** The charge; present if it was requested with `expand`. */
const Charge = v.object({
  disputed: v.boolean(),
  payment_method_details: lenient(
    v.object({ card: v.object({ three_d_secure: v.nullish(v.object({ result: v.nullish(Text) })) }) }),
  ),
});

export const Intent = v.object({
  id: filled,
  object: v.literal('payment_intent'),
  status: filled,
  amount: Digits,
  amount_received: Digits,
  currency: Text,
  livemode: v.boolean(),
  metadata: Metadata,
  cancellation_reason: lenient(v.nullable(Text)),
  last_payment_error: lenient(v.nullable(Failure)),
  latest_charge: lenient(Charge),
  next_action: lenient(v.nullable(v.object({ redirect_to_url: v.object({ url: Text }) }))),
  payment_method_options: lenient(
    v.nullable(v.object({ card: v.object({ request_three_d_secure: v.nullish(Text) }) })),
  ),
});
export type Intent = v.InferOutput<typeof Intent>;

/** Members that an answer must expand in addition to the PaymentIntent. */
export const expanded = { expand: ['latest_charge'] } as const;

const endings: ReadonlySet<string> = new Set(['abandoned', 'automatic', 'expired']);

/** Statuses of a reservation that may have been captured in part. */
const afterPart: ReadonlySet<string> = new Set(['requires_capture', 'canceled']);

/** Money was captured, even if a part of the reservation is still open or was released. */
export function isCaptured({ status, amount_received }: Intent): boolean {
  return status === 'succeeded' || (afterPart.has(status) && amount_received !== '0');
}

/**
 * Stripe's status. A suffix distinguishes the meanings of one status. `hasPaid`: the payer completed the session, so a
 * failure is final. Debits of a bank account fail days after that.
 */
export function statusOf(intent: Intent, hasPaid = false): string {
  const { status, metadata, last_payment_error, cancellation_reason } = intent;
  // A part was captured in Stripe's Dashboard, and more may follow.
  if (isCaptured(intent) && status !== 'succeeded') return `${status}:captured`;
  // At Checkout, the payer may try another card until the session ends.
  const mayTryAgain = metadata.gateway_flow === 'page' && !hasPaid;
  if (status === 'requires_payment_method' && last_payment_error && !mayTryAgain) return `${status}:declined`;
  const isEnded = status === 'canceled' && cancellation_reason && endings.has(cancellation_reason);
  return isEnded ? `${status}:${cancellation_reason}` : status;
}

/** The amount that the payment was made for. */
function moneyOf({ amount, currency }: Intent): Money {
  return fromStripeAmount(amount, currency);
}

/** The amount that was charged or will be charged. */
export function chargedOf(intent: Intent): Money {
  return isCaptured(intent) ? fromStripeAmount(intent.amount_received, intent.currency) : moneyOf(intent);
}

/** Asks Stripe for 3D Secure only if it is demanded; otherwise Stripe decides. No parameter skips it. */
export function threeDsDemand(is3ds: boolean | undefined) {
  return is3ds === true ? ({ card: { request_three_d_secure: 'any' } } as const) : undefined;
}

/** Whether the merchant demanded 3D Secure for this payment. */
export function demandsThreeDs({ payment_method_options }: Intent): boolean {
  const asked = payment_method_options?.card.request_three_d_secure;
  return asked === 'any' || asked === 'challenge';
}

/** Undefined if the charge is not shown, or is not a card charge. */
export function threeDsOf({ latest_charge }: Intent): ThreeDsShown | undefined {
  const card = latest_charge?.payment_method_details?.card;
  if (!card) return undefined;
  const result = card.three_d_secure?.result;
  if (result === 'authenticated') return 'authenticated';
  return result === 'attempt_acknowledged' ? 'attempted' : 'none';
}

function stepOf({ id, status, next_action }: Intent) {
  return status === 'requires_action' ? redirectTo(next_action?.redirect_to_url.url, id) : undefined;
}

/** The payment in its current state. Every message that shows this state has the same identity. */
export function toEvent(intent: Intent, hasPaid = false): ReportedEvent {
  const { id, metadata, livemode, amount, amount_received: received, last_payment_error: failure } = intent;
  const providerStatus = statusOf(intent, hasPaid);
  const isPart = isCaptured(intent) && received !== amount;
  const isDeclined = providerStatus.endsWith(':declined');
  return {
    kind: 'payment',
    providerStatus,
    reference: metadata.gateway_reference ?? null,
    providerReference: id,
    ...moneyOf(intent),
    ...(isPart ? { capturedAmount: chargedOf(intent).amount } : {}),
    dedupeKey: isPart ? `${id}:${providerStatus}:${received}` : `${id}:${providerStatus}`,
    mode: livemode ? 'live' : 'test',
    ...(isDeclined && failure ? toEventDecline(refusalOf(failure)) : {}),
    ...defined({ action: stepOf(intent), threeDs: threeDsOf(intent) }),
  };
}

type Asked = Pick<StoredPayment, 'reference' | 'providerReference'>;

/** A complete answer about this attempt; undefined for any other answer. */
export function readIntent(reply: HttpReply, asked: Asked): Intent | undefined {
  const intent = reply.status === 200 ? readJsonBody(Intent, reply) : undefined;
  return intent && isAbout(intent, asked) ? intent : undefined;
}

export function isAbout({ id, metadata }: Intent, asked: Asked): boolean {
  return namesAttempt(asked, metadata.gateway_reference ?? '', id);
}

/** The outcome of a submission or its completion. Unknown if the answer is about different money. */
export function intentOutcome(reply: HttpReply, asked: Asked & Pick<AttemptFacts, 'money'>): Outcome {
  const intent = readIntent(reply, asked);
  if (!intent || !isSameMoney(chargedOf(intent), asked.money)) {
    return unknown('the answer is not a PaymentIntent of this payment');
  }
  const { id: providerReference, status, last_payment_error: failure } = intent;
  const noAction = status === 'requires_action' ? "the payer's step has no address" : undefined;
  const outcome = toPaymentOutcome(mapStatus(toEvent(intent), 'fetch'), {
    providerReference,
    providerStatus: status,
    action: stepOf(intent),
    noAction,
    decline: failure ? refusalOf(failure) : { decline: '05' },
  });
  const isCharged = outcome.outcome === 'succeeded' || (outcome.outcome === 'pending' && outcome.authorised);
  return isCharged ? { ...outcome, ...defined({ threeDs: threeDsOf(intent) }) } : outcome;
}
