/** Notifications on demand. If the order is known here, a payment pays it. */
import { toMinor, type CallbackReply, type SandboxSetup, type Trigger, type TriggerCauses } from '@paywright/contract';
import { sendOnDemand, type Message } from '@paywright/contract/sandbox';
import type { Options } from '../options.ts';
import type { Messages } from './messages.ts';
import { newRefundId, newTransaction, payOrder, presentOrder, presentRefundNews, type Order } from './orders.ts';

const PROBE = 'probe';
export const events: readonly string[] = [
  'payment SUCCESS',
  'refund SUCCESS',
  'refund ABNORMAL',
  'refund CLOSED',
  PROBE,
];

/** The event that causes each notification of the gateway, for `paywright trigger`. */
export const causes: TriggerCauses = {
  'payment.succeeded': 'payment SUCCESS',
  'payment.refunded': 'refund SUCCESS',
  'payment.refund_failed': 'refund CLOSED',
  'payment.refund_needs_merchant': 'refund ABNORMAL',
};

/** `trigger` of the sandbox. Rejects with a RangeError for an unknown event. */
export function createTrigger(
  { options, publicUrl }: SandboxSetup<Options>,
  orders: ReadonlyMap<string, Order>,
  messages: Messages,
): (trigger: Trigger) => Promise<readonly CallbackReply[]> {
  const url = `${publicUrl}/callbacks/wechat-pay`;

  function messageOf({ event, reference, providerReference, money, forge }: Trigger): Message {
    if (event === PROBE) return messages.probe(url);
    const [kind, status] = event.split(' ') as ['payment' | 'refund', string];
    const known = orders.get(reference);
    if (known && kind === 'payment' && !forge) payOrder(known);
    const total = known?.total ?? toMinor(money);
    const transaction = providerReference ?? known?.transaction ?? newTransaction();
    if (kind === 'payment') {
      const facts = { product: 'native', reference, total: toMinor(money), transaction, paidAt: Date.now() };
      return messages.notification('TRANSACTION.SUCCESS', url, 0, () =>
        presentOrder(options, { ...facts, state: 'SUCCESS' }),
      );
    }
    const refund = { id: newRefundId(), name: `${reference}-R-on-demand`, amount: toMinor(money), status };
    return messages.notification(`REFUND.${status}`, url, 0, () =>
      presentRefundNews(options, { reference, transaction, total }, refund),
    );
  }

  return async (trigger) => {
    const { event, times, forge } = trigger;
    if (!events.includes(event)) throw new RangeError(`no event ${event}: use one of ${events.join(', ')}`);
    return sendOnDemand(messageOf(trigger), { times, forge });
  };
}
