/** Webhooks on demand, built only from the given facts. */
import type { CallbackReply, Trigger, TriggerCauses } from '@paywright/contract';
import { sendOnDemand } from '@paywright/contract/sandbox';
import { kindOf, mapStatus } from '../statuses.ts';
import { toAmount } from '../wire.ts';
import type { Payment } from './payments.ts';
import { newPspReference, type ToMessage } from './webhooks.ts';

/** Every event code that means something to the gateway, and four that mean nothing. */
export const events: readonly string[] = [
  ...Object.values(mapStatus.bySource.callback).flat(),
  'CANCEL_OR_REFUND:false',
  'MANUAL_REVIEW_REJECT:true',
  'REQUEST_FOR_INFORMATION:true',
  'REPORT_AVAILABLE:true',
];

/** The event that causes each notification of the gateway, for `paywright trigger`. */
export const causes: TriggerCauses = {
  'payment.succeeded': 'AUTHORISATION:true',
  'payment.failed': 'AUTHORISATION:false',
  'payment.refunded': 'REFUND:true',
  'payment.refund_failed': 'REFUND_FAILED:true',
  'payment.refund_reversed': 'REFUNDED_REVERSED:true',
  'payment.charged_back': 'CHARGEBACK:true',
  'payment.chargeback_reversed': 'CHARGEBACK_REVERSED:true',
};

/** Implements `trigger` of the sandbox. Rejects with a RangeError for an event that is not listed. */
export function createTrigger(
  say: ToMessage,
  payments: ReadonlyMap<string, Payment>,
): (trigger: Trigger) => Promise<readonly CallbackReply[]> {
  return async (trigger) => {
    const { event, reference, providerReference, money } = trigger;
    if (!events.includes(event)) throw new RangeError(`unknown event ${event}: use one of ${events.join(', ')}`);
    const amount = toAmount(money);
    if (!amount) throw new RangeError(`Adyen cannot express the amount in ${money.currency}`);
    const [eventCode = '', success] = event.split(':');
    const known = payments.get(reference);
    // Adyen does not capture an expired authorisation.
    if (event === 'EXPIRE:true' && known && !trigger.forge) Object.assign(known, { state: 'ended', isAsked: true });
    const payment = providerReference ?? known?.pspReference ?? newPspReference();
    const isOfPayment = eventCode === 'AUTHORISATION';
    const said = {
      eventCode,
      success: success === 'true',
      merchantReference: known?.merchantReference ?? reference,
      amount: { value: String(amount.value), currency: amount.currency },
      ...(isOfPayment
        ? { pspReference: payment }
        : { pspReference: nameOf(event, payment), originalReference: payment }),
    };
    return sendOnDemand(say(said, { after: 0 }), trigger);
  };
}

/** One refund and one dispute for each payment: all their events use the same reference. */
function nameOf(event: string, payment: string): string {
  const kind = kindOf(event);
  return kind === 'payment' ? newPspReference() : `${kind === 'refund' ? 'RF' : 'CB'}${payment}`.slice(0, 16);
}
