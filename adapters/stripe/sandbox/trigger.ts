/** Sends any event on demand, built only from the given facts. */
import type { CallbackReply, Trigger, TriggerCauses } from '@paywright/contract';
import { newId, sendOnDemand, type Message } from '@paywright/contract/sandbox';
import { toStripeAmount } from '../wire.ts';
import { failureOf, openIntent, type Intent, type IntentStatus } from './payments.ts';
import { presentDispute, presentRefund } from './present.ts';
import { intentMessage, sessionMessage, type Shown } from './reports.ts';

/** A reservation that was not captured in time. */
const LAPSED = 'payment_intent.canceled.automatic';
const intentStatuses: Readonly<Record<string, IntentStatus>> = {
  'payment_intent.succeeded': 'succeeded',
  'payment_intent.payment_failed': 'requires_payment_method',
  'payment_intent.processing': 'processing',
  'payment_intent.requires_action': 'requires_action',
  'payment_intent.amount_capturable_updated': 'requires_capture',
  'payment_intent.canceled': 'canceled',
  [LAPSED]: 'canceled',
};
const refundStatuses = {
  'refund.created': 'pending',
  'refund.updated': 'succeeded',
  'refund.failed': 'failed',
} as const;
/** The part after the point is the dispute's status. */
const disputeStatuses: Readonly<Record<string, readonly [type: string, status: string]>> = {
  'charge.dispute.created': ['charge.dispute.created', 'needs_response'],
  'charge.dispute.updated': ['charge.dispute.updated', 'under_review'],
  'charge.dispute.closed.won': ['charge.dispute.closed', 'won'],
  'charge.dispute.closed.lost': ['charge.dispute.closed', 'lost'],
  'charge.dispute.created.inquiry': ['charge.dispute.created', 'warning_needs_response'],
};

export const triggered: readonly string[] = [
  ...Object.keys(intentStatuses),
  'checkout.session.expired',
  ...Object.keys(refundStatuses),
  ...Object.keys(disputeStatuses),
];

/** The event that causes each notification of the gateway, for `paywright trigger`. */
export const causes: TriggerCauses = {
  'payment.pending': 'payment_intent.processing',
  'payment.authorised': 'payment_intent.amount_capturable_updated',
  'payment.succeeded': 'payment_intent.succeeded',
  'payment.failed': 'payment_intent.payment_failed',
  'payment.refunded': 'refund.updated',
  'payment.refund_failed': 'refund.failed',
  'payment.charged_back': 'charge.dispute.created',
  'payment.chargeback_reversed': 'charge.dispute.closed.won',
};

/** Implements `trigger` of the sandbox. Rejects with a RangeError for an event that is not listed. */
export function createTrigger(shown: Shown): (trigger: Trigger) => Promise<readonly CallbackReply[]> {
  return async (trigger) => {
    const message = messageOf(shown, trigger);
    if (!message) throw new RangeError(`unknown event ${trigger.event}: use one of ${triggered.join(', ')}`);
    return sendOnDemand(message, trigger);
  };
}

function messageOf(shown: Shown, { event, reference, providerReference, money }: Trigger): Message | undefined {
  const amount = toStripeAmount(money);
  if (amount === undefined) throw new RangeError(`Stripe cannot represent this amount in ${money.currency}`);
  const currency = money.currency.toLowerCase();
  const metadata = { gateway_reference: reference };
  const created = Math.floor(Date.now() / 1000);
  const paymentIntent = providerReference ?? newId('pi_', 24);
  const status = intentStatuses[event];
  if (status) return intentMessage(shown, intentOf(status), status, { after: 0 });
  // Named after the payment, so that later events on demand are about the same refund or dispute.
  if (Object.hasOwn(refundStatuses, event)) {
    const state = refundStatuses[event as keyof typeof refundStatuses];
    const refund = {
      id: `re_${reference}-${amount}`,
      amount,
      currency,
      paymentIntent,
      metadata,
      created,
      status: state,
    };
    return shown.events.event(event, () => presentRefund(refund), { after: 0 });
  }
  if (event === 'checkout.session.expired') {
    const page = {
      successUrl: 'https://shop.example/',
      cancelUrl: 'https://shop.example/',
      created,
      status: 'expired',
    } as const;
    return sessionMessage(shown, { id: `cs_test_${reference}`, amount, currency, reference, ...page }, undefined, 0);
  }
  const [type, state] = disputeStatuses[event] ?? [];
  if (type === undefined || state === undefined) return undefined;
  const dispute = {
    id: `du_${reference}`,
    amount,
    currency,
    charge: 'ch_sandbox',
    paymentIntent,
    created,
    status: state,
  };
  return shown.events.event(type, () => presentDispute(dispute, shown.livemode), { after: 0 });

  function intentOf(reached: IntentStatus): Intent {
    const asked = { amount: amount!, currency, metadata, description: reference, demand: undefined, isManual: false };
    const opened = openIntent({ ...asked, returnUrl: 'https://shop.example/' }, '4242424242424242');
    const ended = reached === 'succeeded' ? { received: amount! } : {};
    const failure = reached === 'requires_payment_method' ? failureOf('05') : undefined;
    const cancellation = event === LAPSED ? 'automatic' : undefined;
    return { ...opened, ...ended, failure, cancellation, id: paymentIntent };
  }
}
