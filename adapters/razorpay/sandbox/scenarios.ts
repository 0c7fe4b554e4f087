/** The results of payments, links, refunds and disputes, and their reports. */
import { JsonNumber } from '@paywright/contract';
import { refundEnds, type Message } from '@paywright/contract/sandbox';
import { newId, payLink, ruleOf, seconds, type Link, type Payment, type Refund, type ShownDispute } from './books.ts';
import type { Hooks } from './hooks.ts';

/** The statuses of a UPI payment, in order. */
export type Step = readonly [status: Payment['status'], errorReason?: string];

const paid: readonly Step[] = [['authorized'], ['captured']];
const failed = (reason: string): readonly Step[] => [['failed', reason]];

/** Keyed by the payer's UPI id, in any letter case. The first two are Razorpay's own test ids. */
const behaviours: Readonly<Record<string, readonly Step[]>> = {
  'success@razorpay': paid,
  'failure@razorpay': failed('payment_failed'),
  'poor@razorpay': failed('insufficient_funds'),
  'cancel@razorpay': failed('payment_cancelled'),
  'expire@razorpay': failed('payment_collect_request_expired'),
  'retry@razorpay': [...failed('incorrect_pin'), ...paid],
  'stuck@razorpay': [],
  'dispute@razorpay': paid,
};

/** Any other id pays, and so does an id that is not known yet. */
function stepsOf(vpa: string | undefined): readonly Step[] {
  const name = vpa?.toLowerCase() ?? '';
  return Object.hasOwn(behaviours, name) ? behaviours[name]! : paid;
}

export function paymentScenario(
  payment: Payment,
  vpa: string | undefined,
  hooks: Hooks,
  keep: (dispute: ShownDispute) => void,
): readonly Message[] {
  const messages = stepsOf(vpa).map(([status, errorReason = null], at) =>
    hooks.notify(
      `payment.${status}`,
      at + 1,
      () => hooks.ofPayment({ ...payment, status, errorReason }),
      () => {
        // A late report does not undo a later status.
        if (payment.status !== 'captured' && payment.status !== 'refunded')
          Object.assign(payment, { status, errorReason });
      },
    ),
  );
  const isDisputed = vpa?.toLowerCase() === 'dispute@razorpay';
  return isDisputed ? [...messages, ...disputeScenario(payment, hooks, messages.length + 1, keep)] : messages;
}

function disputeScenario(
  payment: Payment,
  hooks: Hooks,
  after: number,
  keep: (dispute: ShownDispute) => void,
): readonly Message[] {
  const id = newId('disp_');
  return ['created', 'under_review', 'lost'].map((name, at) => {
    const shown = dispute(payment, id, name);
    const happens = (): void => keep(shown);
    return hooks.notify(`payment.dispute.${name}`, after + at, () => hooks.ofDispute(payment, shown), happens);
  });
}

const entityStatus: Readonly<Record<string, string>> = { created: 'open', action_required: 'open' };

/** The entity of a dispute about the complete payment. */
export function dispute(payment: Payment, id: string, name: string): ShownDispute {
  const amount = new JsonNumber(payment.amount);
  return {
    id,
    entity: 'dispute',
    payment_id: payment.id,
    amount,
    currency: payment.currency,
    amount_deducted: name === 'lost' ? amount : 0,
    reason_code: 'goods_or_services_not_received_or_partially_received',
    respond_by: seconds() + 604_800,
    status: entityStatus[name] ?? name,
    phase: 'chargeback',
    created_at: seconds(),
  };
}

/** The payer, or the merchant, pays, cancels or expires an open link. */
export const acts = ['pay', 'expire', 'cancel'] as const;
export type Act = (typeof acts)[number];

export function linkScenario(link: Link, act: Act, hooks: Hooks, keep: (payment: Payment) => void): readonly Message[] {
  if (link.status !== 'created') return [];
  if (act === 'pay') keep(payLink(link));
  else link.status = act === 'expire' ? 'expired' : 'cancelled';
  return [hooks.notify(`payment_link.${link.status}`, 1, () => hooks.ofLink(link))];
}

/** The refund's own amount decides: `.58` fails, `.59` is done and fails afterwards, any other is done. */
export function refundScenario(refund: Refund, hooks: Hooks): readonly Message[] {
  const rule = ruleOf({ amount: refund.amount, currency: refund.payment.currency });
  return refundEnds(rule).map((end, at) => {
    const status = end === 'done' ? 'processed' : 'failed';
    const happens = (): void => {
      refund.status = status;
    };
    return hooks.notify(`refund.${status}`, at + 1, () => hooks.ofRefund({ ...refund, status }), happens);
  });
}
