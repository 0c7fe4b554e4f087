/** Any callback on demand, made only from the given facts. */
import { JsonNumber, toMinor, type CallbackReply, type Trigger, type TriggerCauses } from '@paywright/contract';
import { newId, sendOnDemand } from '@paywright/contract/sandbox';
import { callbackStatuses } from '../statuses.ts';
import type { Hooks } from './hooks.ts';
import { createCards } from './tokens.ts';

/** The vault's spelling. */
export const events: readonly string[] = [
  ...Object.values(callbackStatuses).flatMap((table) => Object.keys(table)),
  'vault.ping',
];

/** The event that causes each notification of the gateway, for `paywright trigger`. */
export const causes: TriggerCauses = {
  'payment.pending': 'charge.pending',
  'payment.authorised': 'charge.authorised',
  'payment.succeeded': 'charge.succeeded',
  'payment.failed': 'charge.failed',
  'payment.expired': 'charge.expired',
  'payment.refunded': 'refund.succeeded',
  'payment.refund_failed': 'refund.failed',
  'payment.refund_reversed': 'refund.reversed',
  'payment.charged_back': 'dispute.opened',
  'payment.chargeback_reversed': 'dispute.reversed',
};

/** Creates the sandbox's `trigger`. It rejects with a RangeError for an unlisted event. */
export function createTrigger(hooks: Hooks): (trigger: Trigger) => Promise<readonly CallbackReply[]> {
  return async (trigger) => {
    const { event } = trigger;
    if (!events.includes(event)) throw new RangeError(`unknown event ${event}: use one of ${events.join(', ')}`);
    const members = membersOf(trigger);
    const subject = trigger.providerReference ?? trigger.reference;
    return sendOnDemand(
      hooks.event(event, subject, () => members, { after: 0 }),
      trigger,
    );
  };
}

function membersOf({ event, reference, providerReference, money }: Trigger): Readonly<Record<string, unknown>> {
  const [family = '', change = ''] = event.split('.');
  const minor = new JsonNumber(toMinor(money));
  const charge = {
    id: providerReference ?? newId('ch_', 8),
    ref: reference,
    state: family === 'charge' ? change : 'succeeded',
    minor,
    cur: money.currency,
    why: event === 'charge.failed' ? 'do_not_honor' : null,
  };
  switch (family) {
    case 'charge':
      return { charge };
    // The id comes from the payment, so that later events on demand are about the same refund or dispute.
    case 'refund':
      return { charge, refund: { id: `rf_${reference}-${minor.text}`, state: change, minor } };
    case 'dispute':
      return { charge, dispute: { id: `dp_${reference}`, stage: change, minor } };
    case 'token': {
      const { handle, brand, last4, expires } = createCards()(reference);
      return { token: { handle, state: change === 'updated' ? 'active' : change, brand, last4, expires } };
    }
    default:
      return {};
  }
}
