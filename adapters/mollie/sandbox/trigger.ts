/** Pings on demand. The payment changes first; an unknown payment is created from the given facts. */
import { payPage, type CallbackReply, type SandboxSetup, type Trigger, type TriggerCauses } from '@paywright/contract';
import { sendOnDemand } from '@paywright/contract/sandbox';
import type { Options } from '../options.ts';
import { statuses } from '../statuses.ts';
import { failureReasonOf, newChargeback, newPayment, newRefund, type Payment, type Refund } from './books.ts';
import { ping } from './pings.ts';

const paymentStatuses = Object.keys(statuses.payment) as Payment['status'][];
const refundStatuses = Object.keys(statuses.refund) as Refund['status'][];

/** A bare ping, and every change that a ping may report. */
export const events: readonly string[] = [
  'ping',
  ...paymentStatuses,
  ...refundStatuses.map((status) => `refund ${status}`),
  'chargeback',
  'chargeback reversed',
];

/** The event that causes each notification of the gateway, for `paywright trigger`. */
export const causes: TriggerCauses = {
  'payment.pending': 'pending',
  'payment.authorised': 'authorized',
  'payment.succeeded': 'paid',
  'payment.failed': 'failed',
  'payment.expired': 'expired',
  'payment.refunded': 'refund refunded',
  'payment.refund_failed': 'refund failed',
  'payment.charged_back': 'chargeback',
  'payment.chargeback_reversed': 'chargeback reversed',
};

export function createTrigger(
  { publicUrl }: SandboxSetup<Options>,
  payments: Map<string, Payment>,
): (trigger: Trigger) => Promise<readonly CallbackReply[]> {
  const webhookUrl = `${publicUrl}/callbacks/mollie`;

  function find({ reference, providerReference }: Trigger): Payment | undefined {
    if (providerReference !== null) return payments.get(providerReference);
    return [...payments.values()].find(({ metadata }) => metadata['gateway_reference'] === reference);
  }

  function make({ reference, providerReference, money }: Trigger): Payment {
    const payment = newPayment(
      {
        amount: money,
        description: reference,
        redirectUrl: payPage(publicUrl, reference) ?? publicUrl,
        webhookUrl,
        metadata: { gateway_reference: reference },
        method: undefined,
        captureMode: undefined,
      },
      ...(providerReference === null ? [] : [providerReference]),
    );
    // A refunded or disputed payment was paid before.
    payment.status = 'paid';
    payments.set(payment.id, payment);
    return payment;
  }

  return async (trigger) => {
    const { event, forge } = trigger;
    if (!events.includes(event)) throw new RangeError(`unknown event ${event}: use one of ${events.join(', ')}`);
    const payment = find(trigger) ?? make(trigger);
    if (!forge) change(payment, trigger);
    return sendOnDemand(ping({ id: payment.id, webhookUrl }, event, 0), trigger);
  };
}

/**
 * Ids are derived from the payment and the amount, so that later events on demand are about the same refund or
 * chargeback.
 */
function change(payment: Payment, { event, reference, money }: Trigger): void {
  const name = `${reference}${money.amount}`.replaceAll(/\W/g, '');
  const refundStatus = refundStatuses.find((status) => event === `refund ${status}`);
  if (refundStatus) {
    const known = payment.refunds.find(({ id }) => id === `re_${name}`);
    const refund = known ?? newRefund({ amount: money, description: reference, metadata: {} }, `re_${name}`);
    if (!known) payment.refunds.push(refund);
    refund.status = refundStatus;
    return;
  }
  if (event.startsWith('chargeback')) {
    const known = payment.chargebacks.find(({ id }) => id === `chb_${name}`);
    const chargeback = known ?? newChargeback(money, `chb_${name}`);
    if (!known) payment.chargebacks.push(chargeback);
    if (event === 'chargeback reversed') chargeback.reversedAt = new Date();
    return;
  }
  const status = paymentStatuses.find((one) => one === event);
  if (!status) return;
  payment.status = status;
  if (status === 'failed') payment.failureReason = failureReasonOf(payment.amount);
}
