/** A payment, as Mollie shows it in every answer. */
import {
  compareDecimals,
  defined,
  eventDeclineOf,
  filled,
  lenient,
  namesAttempt,
  readAs,
  readJsonBody,
  redirectTo,
  v,
  withDetails,
  type Action,
  type HttpReply,
  type ReportedEvent,
  type StoredPayment,
  type ThreeDsShown,
} from '@paywright/contract';
import {
  Capture,
  Chargeback,
  readParts,
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

function readEmbedded(embedded: unknown) {
  const { captures, refunds, chargebacks } = readAs(v.record(v.string(), v.unknown()), embedded) ?? {};
  return {
    captures: readParts(Capture, captures),
    refunds: readParts(Refund, refunds),
    chargebacks: readParts(Chargeback, chargebacks),
  };
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
  _links: lenient(v.object({ checkout: lenient(v.object({ href: v.string() })) })),
  _embedded: v.pipe(v.optional(v.unknown(), null), v.transform(readEmbedded)),
});
export type Payment = v.InferOutput<typeof Payment>;

/** The payment of this attempt with its embedded data; undefined for any other answer. */
export function readPayment(
  reply: HttpReply,
  attempt: Pick<StoredPayment, 'reference' | 'providerReference'>,
): Payment | undefined {
  const payment = readJsonBody(Payment, reply);
  if (!payment || !namesAttempt(attempt, payment.metadata.gateway_reference, payment.id)) return undefined;
  const { captures, refunds, chargebacks } = payment._embedded;
  const parts = [...captures.read, ...refunds.read, ...chargebacks.read];
  return parts.every(({ paymentId = payment.id }) => paymentId === payment.id) ? payment : undefined;
}

/** The address at which the payer pays; undefined if there is nothing left to pay. */
export function actionOf({ status, _links }: Payment): Action | undefined {
  return status === 'open' ? redirectTo(_links?.checkout?.href) : undefined;
}

export function toEvent(payment: Payment): ReportedEvent {
  const { id, status, method, details, amount } = payment;
  const { failureReason, failureMessage } = details ?? {};
  const captured = capturedOf(payment);
  return {
    kind: 'payment',
    providerStatus: status,
    ...aboutOf(payment),
    ...amount,
    ...defined({ capturedAmount: captured }),
    dedupeKey: captured === undefined || captured === amount.amount ? `${id}:${status}` : `${id}:${status}:${captured}`,
    ...(status === 'failed' ? eventDeclineOf(declines, failureReason, failureMessage) : {}),
    ...defined({ threeDs: threeDsOf(payment), action: actionOf(payment) }),
    ...withDetails({ method }),
  };
}

/** The events: the payment first, then a failed capture, refunds and chargebacks. */
export function toEvents(payment: Payment): readonly ReportedEvent[] {
  const { captures, refunds, chargebacks } = payment._embedded;
  const about = aboutOf(payment);
  const event = toEvent(payment);
  const isReserved = payment.status === 'authorized' && event.capturedAmount === undefined;
  return [
    event,
    ...(isReserved ? toFailedCapture(captures, event) : []),
    ...refunds.read.map((refund) => toRefundEvent(refund, about)),
    ...chargebacks.read.map((chargeback) => toChargebackEvent(chargeback, about)),
  ];
}

function aboutOf({ id, mode, metadata }: Payment): About {
  return { reference: metadata.gateway_reference, providerReference: id, mode };
}

/** The sum captured so far of money that was reserved. It may have been captured in part in Mollie's Web app. */
export function capturedOf({ status, captureMode, amount, amountCaptured }: Payment): string | undefined {
  if (amountCaptured?.currency !== amount.currency) return undefined;
  const isPaid = status === 'paid' && captureMode === 'manual';
  const isPartOfReserved = status === 'authorized' && compareDecimals(amountCaptured.amount, '0') > 0;
  return isPaid || isPartOfReserved ? amountCaptured.amount : undefined;
}

/** A card payment shows whether 3D Secure was used; other methods show nothing about it. */
function threeDsOf({ status, details }: Payment): ThreeDsShown | undefined {
  const isCharged = status === 'paid' || status === 'authorized';
  if (!isCharged || !details?.cardSecurity) return undefined;
  return details.cardSecurity === '3dsecure' ? 'authenticated' : 'none';
}
