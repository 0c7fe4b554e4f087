/** A payment, as Mollie shows it in every answer. */
import {
  defined,
  eventDeclineOf,
  filled,
  lenient,
  namesAttempt,
  readJsonBody,
  redirectTo,
  v,
  withDetails,
  type Action,
  type HttpReply,
  type Money,
  type ReportedEvent,
  type StoredPayment,
  type ThreeDsShown,
} from '@paywright/contract';
import {
  Capture,
  Chargeback,
  Refund,
  toChargebackEvent,
  toFailedCapture,
  toRefundEvent,
  type About,
} from './embedded.ts';
import { declines } from './statuses.ts';
import { Amount } from './wire.ts';

/** The form of a payment id. Only an id of this form is fetched. */
export function isPaymentId(text: string): boolean {
  return /^tr_[A-Za-z0-9]{1,60}$/.test(text);
}

const Payment = v.object({
  resource: v.literal('payment'),
  id: v.pipe(v.string(), v.check(isPaymentId)),
  mode: v.picklist(['live', 'test']),
  amount: Amount,
  amountCaptured: lenient(Amount),
  captureMode: lenient(v.string()),
  status: filled,
  /** Our reference of the attempt. */
  metadata: v.object({ gateway_reference: v.string() }),
  /** The method that the payer chose at the page. */
  method: lenient(filled),
  details: lenient(
    v.object({
      failureReason: lenient(filled),
      failureMessage: lenient(filled),
      cardSecurity: lenient(v.picklist(['normal', '3dsecure'])),
    }),
  ),
  _links: v.object({ checkout: lenient(v.object({ href: v.string() })) }),
  _embedded: v.optional(
    v.object({
      captures: v.optional(v.array(Capture)),
      refunds: v.optional(v.array(Refund)),
      chargebacks: v.optional(v.array(Chargeback)),
    }),
  ),
});
export type Payment = v.InferOutput<typeof Payment>;

/** The payment of this attempt with its embedded data; undefined for any other answer. */
export function readPayment(
  reply: HttpReply,
  attempt: Pick<StoredPayment, 'reference' | 'providerReference'>,
): Payment | undefined {
  const payment = readJsonBody(Payment, reply);
  if (!payment || !namesAttempt(attempt, payment.metadata.gateway_reference, payment.id)) return undefined;
  const { captures = [], refunds = [], chargebacks = [] } = payment._embedded ?? {};
  return [...captures, ...refunds, ...chargebacks].every(({ paymentId }) => paymentId === payment.id)
    ? payment
    : undefined;
}

/** The address at which the payer pays; undefined if there is nothing left to pay. */
export function actionOf({ status, _links }: Payment): Action | undefined {
  return status === 'open' ? redirectTo(_links.checkout?.href) : undefined;
}

export function toEvent(payment: Payment): ReportedEvent {
  const { id, status, method, details } = payment;
  const { failureReason, failureMessage } = details ?? {};
  return {
    kind: 'payment',
    providerStatus: status,
    ...aboutOf(payment),
    ...moneyOf(payment),
    dedupeKey: `${id}:${status}`,
    ...(status === 'failed' ? eventDeclineOf(declines, failureReason, failureMessage) : {}),
    ...defined({ threeDs: threeDsOf(payment), action: actionOf(payment) }),
    ...withDetails({ method }),
  };
}

/** The events: the payment first, then a failed capture, refunds and chargebacks. */
export function toEvents(payment: Payment): readonly ReportedEvent[] {
  const { captures = [], refunds = [], chargebacks = [] } = payment._embedded ?? {};
  const about = aboutOf(payment);
  const event = toEvent(payment);
  return [
    event,
    ...(payment.status === 'authorized' ? toFailedCapture(captures, event) : []),
    ...refunds.map((refund) => toRefundEvent(refund, about)),
    ...chargebacks.map((chargeback) => toChargebackEvent(chargeback, about)),
  ];
}

function aboutOf({ id, mode, metadata }: Payment): About {
  return { reference: metadata.gateway_reference, providerReference: id, mode };
}

/** Reserved money may have been captured in part outside the gateway. */
function moneyOf({ status, captureMode, amount, amountCaptured }: Payment): Money {
  return status === 'paid' && captureMode === 'manual' ? (amountCaptured ?? amount) : amount;
}

/** A card payment shows whether 3D Secure was used; other methods show nothing about it. */
function threeDsOf({ status, details }: Payment): ThreeDsShown | undefined {
  const isCharged = status === 'paid' || status === 'authorized';
  if (!isCharged || !details?.cardSecurity) return undefined;
  return details.cardSecurity === '3dsecure' ? 'authenticated' : 'none';
}
