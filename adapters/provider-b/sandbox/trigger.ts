/** Callbacks on demand. What they report is so from then on: the status of the order says the same. */
import { toMinor, type CallbackReply, type SandboxSetup, type Trigger } from '@paywright/contract';
import { sendOnDemand } from '@paywright/contract/sandbox';
import type { Options } from '../options.ts';
import type { ToMessage } from './callbacks.ts';
import { openOrder, type Order } from './orders.ts';

const operations = ['sale', 'reversal', 'dispute'] as const;
const outcomes = ['approved', 'declined', 'filtered', 'error', 'processing', 'unknown'] as const;

/** Every `<op>/<outcome>`. */
export const events: readonly string[] = operations.flatMap((op) => outcomes.map((outcome) => `${op}/${outcome}`));

const codes: Readonly<Record<string, string>> = { declined: '201', filtered: '301' };

export function createTrigger(
  { publicUrl }: SandboxSetup<Options>,
  orders: Map<string, Order>,
  toMessage: ToMessage,
): (trigger: Trigger) => Promise<readonly CallbackReply[]> {
  /** The order that the facts name, or a new one made of them alone. */
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
    // What comes back, or is disputed, was paid.
    if (!event.startsWith('sale/')) order.outcome = 'approved';
    if (!known && !forge) orders.set(ref, order);
    return order;
  }

  return async (trigger) => {
    const { event, money, forge, times } = trigger;
    const [op = '', outcome = ''] = event.split('/');
    if (!events.includes(event)) throw new RangeError(`no event ${event}: use one of ${events.join(', ')}`);
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

/** What is reported becomes so, except what cannot be: another amount of the sale, or another end of one that has ended. */
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
