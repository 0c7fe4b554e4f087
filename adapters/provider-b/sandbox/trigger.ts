/** Callbacks on demand. A reported outcome stays: the status of the order reports the same afterwards. */
import { toMinor, type CallbackReply, type SandboxSetup, type Trigger, type TriggerCauses } from '@paywright/contract';
import { sendOnDemand } from '@paywright/contract/sandbox';
import type { Options } from '../options.ts';
import type { ToMessage } from './callbacks.ts';
import { openOrder, type Order } from './orders.ts';

const operations = ['sale', 'reversal', 'dispute'] as const;
const outcomes = ['approved', 'declined', 'filtered', 'error', 'processing', 'unknown'] as const;

/** Every `<op>/<outcome>`. */
export const events: readonly string[] = operations.flatMap((op) => outcomes.map((outcome) => `${op}/${outcome}`));

/** The event that causes each notification of the gateway, for `paywright trigger`. */
export const causes: TriggerCauses = {
  'payment.pending': 'sale/processing',
  'payment.succeeded': 'sale/approved',
  'payment.failed': 'sale/declined',
  'payment.refunded': 'reversal/approved',
  'payment.refund_failed': 'reversal/declined',
  'payment.charged_back': 'dispute/processing',
  'payment.chargeback_reversed': 'dispute/declined',
};

const codes: Readonly<Record<string, string>> = { declined: '201', filtered: '301' };

export function createTrigger(
  { publicUrl }: SandboxSetup<Options>,
  orders: Map<string, Order>,
  toMessage: ToMessage,
): (trigger: Trigger) => Promise<readonly CallbackReply[]> {
  /** The order that the facts name, or a new order made from the facts. */
  function orderOf({ event, reference: ref, providerReference, money, forge }: Trigger): Order {
    const known = orders.get(ref);
    if (known && (providerReference === null || providerReference === known.txn)) return known;
    const hook = `${publicUrl}/callbacks/providerB`;
    const opened = openOrder({
      ref,
      cur: money.currency,
      minor: toMinor(money),
      hook,
      pan: '4111111111111111',
      holder: '',
    });
    const order = { ...opened, txn: providerReference ?? opened.txn };
    // A reversed or disputed sale was paid.
    if (!event.startsWith('sale/')) order.outcome = 'approved';
    if (!known && !forge) orders.set(ref, order);
    return order;
  }

  return async (trigger) => {
    const { event, money, forge, times } = trigger;
    const [op = '', outcome = ''] = event.split('/');
    if (!events.includes(event)) throw new RangeError(`unknown event ${event}: use one of ${events.join(', ')}`);
    const order = orderOf(trigger);
    const minor = toMinor(money);
    const code = codes[outcome] ?? '';
    const number = op === 'sale' ? 0 : order.operations + 1;
    const happens = (): void => {
      if (!forge && order.cur === money.currency) apply(order, op, outcome, number, minor, code);
    };
    const message = toMessage(
      { ...order, cur: money.currency },
      { op, number, outcome, minor, code },
      { after: 0, happens },
    );
    return sendOnDemand(message, { times, forge });
  };
}

const disputes = { processing: 'open', approved: 'lost', declined: 'won' } as const;

/**
 * Applies the reported event to the order, except for an impossible one: a different amount, or a second end of an
 * ended order.
 */
function apply(order: Order, op: string, outcome: string, number: number, minor: string, code: string): void {
  order.operations = Math.max(order.operations, number);
  if (op === 'sale') {
    const isOpen = order.outcome === 'processing' || order.outcome === 'unknown';
    if (isOpen && minor === order.minor) Object.assign(order, { outcome, code });
  } else if (op === 'reversal' && outcome === 'approved') {
    const left = BigInt(order.minor) - order.returned;
    const given = BigInt(minor) < left ? BigInt(minor) : left;
    order.returned += given;
    order.asked += given;
  } else if (op === 'dispute' && Object.hasOwn(disputes, outcome)) {
    order.dispute = disputes[outcome as keyof typeof disputes];
  }
}
