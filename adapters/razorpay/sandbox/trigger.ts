/** Any webhook on demand, built only from the given facts. */
import {
  toMinor,
  type CallbackReply,
  type Money,
  type SandboxSetup,
  type Trigger,
  type TriggerCauses,
} from '@paywright/contract';
import { sendOnDemand } from '@paywright/contract/sandbox';
import type { Options } from '../options.ts';
import { webhookEvents } from '../statuses.ts';
import { newOrder, newPayment, seconds, type Link, type Payment, type Refund } from './books.ts';
import type { Hooks } from './hooks.ts';
import { dispute } from './scenarios.ts';

/** The currency and amounts in Razorpay's spelling. */
export const events: readonly string[] = webhookEvents;

/** The event that causes each notification of the gateway, for `paywright trigger`. */
export const causes: TriggerCauses = {
  'payment.authorised': 'payment.authorized',
  'payment.succeeded': 'payment.captured',
  'payment.expired': 'payment_link.expired',
  'payment.refunded': 'refund.processed',
  'payment.refund_failed': 'refund.failed',
  'payment.charged_back': 'payment.dispute.created',
  'payment.chargeback_reversed': 'payment.dispute.won',
};

/** Implements `trigger` of the sandbox. Rejects with a RangeError for an event that is not listed. */
export function createTrigger(
  hooks: Hooks,
  { publicUrl }: SandboxSetup<Options>,
): (trigger: Trigger) => Promise<readonly CallbackReply[]> {
  return async (trigger) => {
    const { event } = trigger;
    if (!events.includes(event)) throw new RangeError(`unknown event ${event}: use one of ${events.join(', ')}`);
    return sendOnDemand(
      hooks.notify(event, 0, () => payloadOf(trigger, hooks, publicUrl)),
      trigger,
    );
  };
}

/** Ids are derived from the payment, so that later events on demand are about the same refund or dispute. */
function payloadOf(trigger: Trigger, hooks: Hooks, publicUrl: string): Readonly<Record<string, unknown>> {
  const { event, reference, money } = trigger;
  const name = event.split('.').at(-1)!;
  if (event.startsWith('payment_link.')) return hooks.ofLink(linkOf(trigger, name as Link['status'], publicUrl));
  const payment = paymentOf(trigger);
  if (event.startsWith('payment.dispute.'))
    return hooks.ofDispute(payment, dispute(payment, `disp_${reference}`, name));
  if (event.startsWith('refund.')) return hooks.ofRefund(refundOf(payment, reference, money, name));
  payment.status = name as Payment['status'];
  payment.errorReason = name === 'failed' ? 'payment_cancelled' : null;
  return hooks.ofPayment(payment);
}

/** For a payment at a page, core knows the id of the link; the payment has its own id. */
function paymentOf({ reference, providerReference, money }: Trigger): Payment {
  const isAtPage = providerReference?.startsWith('plink_') === true;
  const notes = isAtPage ? { gateway_page: reference } : { gateway_payment: reference };
  const order = newOrder({ amount: toMinor(money), currency: money.currency, receipt: reference, notes });
  const named = providerReference === null || isAtPage ? {} : { id: providerReference };
  return Object.assign(newPayment(order, named), { status: 'captured' as const });
}

function refundOf(payment: Payment, reference: string, money: Money, name: string): Refund {
  const status = name === 'created' ? 'pending' : (name as Refund['status']);
  const amount = toMinor(money);
  return { id: `rfnd_${reference}-${amount}`, payment, amount, receipt: null, notes: {}, createdAt: seconds(), status };
}

function linkOf({ reference, providerReference, money }: Trigger, status: Link['status'], publicUrl: string): Link {
  const amount = toMinor(money);
  return {
    id: providerReference ?? `plink_${reference}`,
    amount,
    currency: money.currency,
    referenceId: reference,
    notes: { gateway_page: reference },
    callbackUrl: publicUrl,
    expireBy: seconds() + 3600,
    createdAt: seconds(),
    status,
    amountPaid: status === 'paid' ? amount : '0',
  };
}
