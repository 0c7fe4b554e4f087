/** PayPal's page: the payer approves an order, and later a tester refunds it, disputes it, or captures a part. */
import {
  choicePage,
  messagePage,
  redirectReply,
  type createDeliveries,
  type Message,
  type Reply,
  type SandboxRequest,
} from '@paywright/contract/sandbox';
import type { Options } from '../options.ts';
import {
  captureOf,
  leftOf,
  newEntry,
  reservedOf,
  ruleOf,
  type Books,
  type Choice,
  type Order,
  type Refund,
} from './books.ts';
import type { Reports } from './reports.ts';

export interface PageDeps {
  readonly options: Options;
  readonly baseUrl: string;
  readonly books: Books;
  readonly reports: Reports;
  readonly deliveries: ReturnType<typeof createDeliveries>;
}

export function createPage({ options, baseUrl, books, reports, deliveries }: PageDeps) {
  /** The payer's choice, or later a tester's. */
  async function act(order: Order, choice: string): Promise<Reply> {
    const back = (address: string, added: string): Reply =>
      redirectReply(`${address}${address.includes('?') ? '&' : '?'}token=${order.id}${added}`);
    if (choice === 'cancel') return back(order.cancelUrl, '');
    if (order.status === 'PAYER_ACTION_REQUIRED') {
      order.status = 'APPROVED';
      order.choice = choice as Choice;
      // For `.56`, the capture is reported first: see `complete` of payments.ts.
      const rule = ruleOf(order);
      if (rule !== '.56') await deliveries.play([reports.approved(order)], rule);
      return back(order.returnUrl, '&PayerID=PAYER1');
    }
    await deliveries.play(later(order, choice));
    return messagePage(200, `Done: ${choice}`);
  }

  function later(order: Order, choice: string): Message[] {
    if (choice === 'capture 1') {
      const scenario = reports.capture(order, { ...order.amount, amount: '1' });
      order.authorization!.status = reservedOf(order) === '0' ? 'CAPTURED' : 'PARTIALLY_CAPTURED';
      return scenario;
    }
    const taken = captureOf(order)!;
    const left = { ...taken.amount, amount: leftOf(order, taken) };
    const made: Refund = { ...newEntry(left, 'COMPLETED'), captureId: taken.id };
    if (choice === 'refund') return [reports.refunded(order, taken, made, 'COMPLETED')];
    if (choice === 'reverse') return [reports.reversed(order, made)];
    if (choice === 'dispute') {
      order.dispute = { ...newEntry(left, 'OPEN'), id: `PP-D-${taken.id}`, captureId: taken.id };
      return [reports.disputed(order, 'CREATED')];
    }
    order.dispute!.status = 'RESOLVED';
    order.dispute!.outcome = choice === 'dispute won' ? 'RESOLVED_SELLER_FAVOUR' : 'RESOLVED_BUYER_FAVOUR';
    return [reports.disputed(order, 'RESOLVED')];
  }

  return async function page(request: SandboxRequest): Promise<Reply> {
    const order = books.orders.get(request.queryForm()?.get('token') ?? '');
    if (!order) return messagePage(404, 'No such order');
    const values = choicesOf(order);
    const choice = request.method === 'POST' ? request.form()?.get('choice') : undefined;
    if (choice !== undefined && values.includes(choice)) return act(order, choice);
    if (values.length === 0) return messagePage(200, `The order is ${order.status}`);
    return choicePage({
      title: 'PayPal',
      action: `${new URL(`${baseUrl}/checkoutnow`).pathname}?token=${order.id}`,
      name: 'choice',
      values,
      summary: { money: order.amount, shop: options.clientId, reference: order.custom_id },
    });
  };
}

/** The buttons of the page. */
function choicesOf(order: Order): readonly string[] {
  if (order.status === 'PAYER_ACTION_REQUIRED') return ['pay', 'review', 'decline', 'cancel'];
  const reserved = order.authorization?.status;
  const capture = reserved === 'CREATED' || reserved === 'PARTIALLY_CAPTURED' ? ['capture 1'] : [];
  const taken = captureOf(order);
  if (!taken || taken.status === 'PENDING') return capture;
  const isDisputed = order.dispute?.status === 'OPEN';
  const left = leftOf(order, taken) === '0' ? [] : ['refund', 'reverse', ...(order.dispute ? [] : ['dispute'])];
  return [...capture, ...left, ...(isDisputed ? ['dispute won', 'dispute lost'] : [])];
}
