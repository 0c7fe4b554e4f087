/** A payment link: the page at which a payer chooses a method, as answers and webhooks show it. */
import {
  defined,
  filled,
  lenient,
  moneyFromMinor,
  namesAttempt,
  readAs,
  redirectTo,
  v,
  type Action,
  type ReportedEvent,
  type StoredPayment,
} from '@paywright/contract';
import { Minor, Notes } from './payment.ts';

const Paid = v.object({ payment_id: filled, status: v.string() });

export const PaymentLink = v.object({
  id: filled,
  amount: Minor,
  /** The amount received so far. */
  amount_paid: Minor,
  currency: v.string(),
  /** Our reference of the attempt. */
  reference_id: v.string(),
  status: v.string(),
  short_url: lenient(v.string()),
  notes: Notes,
  /** Only captured payments are listed; webhooks list none. */
  payments: lenient(v.array(Paid)),
});
export type PaymentLink = v.InferOutput<typeof PaymentLink>;

/** The link of this attempt; undefined for any other answer. */
export function readLink(
  message: unknown,
  attempt: Pick<StoredPayment, 'reference' | 'providerReference'>,
): PaymentLink | undefined {
  const link = readAs(PaymentLink, message);
  return link && namesAttempt(attempt, link.reference_id, link.id) ? link : undefined;
}

export function toLinkEvent({ id, amount, amount_paid, currency, reference_id, status }: PaymentLink): ReportedEvent {
  return {
    kind: 'payment',
    providerStatus: `payment_link.${status}`,
    reference: reference_id,
    providerReference: id,
    ...moneyFromMinor(status === 'paid' ? amount_paid : amount, currency),
    dedupeKey: `${id}:${status}:${amount_paid}`,
  };
}

/** The address at which the payer pays. Undefined if there is nothing left to pay, or if the answer has no address. */
export function actionOf({ status, short_url }: PaymentLink): Action | undefined {
  return ['created', 'partially_paid'].includes(status) ? redirectTo(short_url) : undefined;
}

/** The payer can no longer pay, and nothing was paid. */
export function hasEnded({ status, amount_paid }: PaymentLink): boolean {
  return ['cancelled', 'expired'].includes(status) && amount_paid === '0';
}

/** The payment that paid the link. */
export function paymentOf({ payments = [] }: PaymentLink): string | undefined {
  return payments.find(({ status }) => status !== 'failed')?.payment_id;
}

/** The link in the form of an event. */
export function withAction(link: PaymentLink): ReportedEvent {
  return { ...toLinkEvent(link), ...defined({ action: actionOf(link) }) };
}
