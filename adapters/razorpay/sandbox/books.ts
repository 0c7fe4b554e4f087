/** Razorpay's data, simulated: orders with their payments, payment links, refunds. */
import { randomBytes } from 'node:crypto';
import { fromMinor } from '@paywright/contract';
import { amountRule, BoundedMap, type AmountRule } from '@paywright/contract/sandbox';

type Notes = Readonly<Record<string, unknown>>;

export interface Order {
  readonly id: string;
  readonly amount: string;
  readonly currency: string;
  readonly receipt: string;
  readonly notes: Notes;
  readonly payments: Payment[];
  readonly createdAt: number;
}

export interface Payment {
  readonly id: string;
  readonly order: string;
  readonly amount: string;
  readonly currency: string;
  readonly method: string;
  readonly notes: Notes;
  readonly createdAt: number;
  readonly refunds: Refund[];
  status: 'created' | 'authorized' | 'captured' | 'refunded' | 'failed';
  errorReason: string | null;
}

export interface Link {
  readonly id: string;
  readonly amount: string;
  readonly currency: string;
  readonly referenceId: string;
  readonly notes: Notes;
  readonly callbackUrl: string;
  readonly expireBy: number;
  readonly createdAt: number;
  status: 'created' | 'partially_paid' | 'paid' | 'expired' | 'cancelled';
  amountPaid: string;
  /** Created when the payer pays. */
  order?: Order;
}

export interface Refund {
  readonly id: string;
  readonly payment: Payment;
  readonly amount: string;
  readonly receipt: string | null;
  readonly notes: Notes;
  readonly createdAt: number;
  status: 'pending' | 'processed' | 'failed';
}

const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

/** An id in Razorpay's form: the prefix, then 14 letters and digits. */
export function newId(prefix: string): string {
  return prefix + [...randomBytes(14)].map((byte) => letters[byte % letters.length]!).join('');
}

export const seconds = (): number => Math.floor(Date.now() / 1000);

export function ruleOf({
  amount,
  currency,
}: {
  readonly amount: string;
  readonly currency: string;
}): AmountRule | undefined {
  return amountRule({ amount: fromMinor(amount, currency), currency });
}

export function newPayment(order: Order, { method = 'upi', notes = order.notes, id = newId('pay_') } = {}): Payment {
  const { amount, currency } = order;
  const made: Payment = {
    id,
    order: order.id,
    amount,
    currency,
    method,
    notes,
    createdAt: seconds(),
    refunds: [],
    status: 'created',
    errorReason: null,
  };
  order.payments.push(made);
  return made;
}

export function newOrder(asked: Pick<Order, 'amount' | 'currency' | 'receipt' | 'notes'>): Order {
  return { ...asked, id: newId('order_'), payments: [], createdAt: seconds() };
}

/** The payer pays a link with a card. */
export function payLink(link: Link): Payment {
  const { amount, currency, referenceId: receipt, notes } = link;
  link.order ??= newOrder({ amount, currency, receipt, notes });
  const payment = newPayment(link.order, { method: 'card' });
  payment.status = 'captured';
  link.status = 'paid';
  link.amountPaid = amount;
  return payment;
}

/** The amount that can still be refunded, in the currency's smallest unit. */
export function leftOf({ amount, status, refunds }: Payment): bigint {
  const given = refunds.filter((refund) => refund.status !== 'failed');
  const captured = status === 'captured' || status === 'refunded' ? BigInt(amount) : 0n;
  return given.reduce((left, refund) => left - BigInt(refund.amount), captured);
}

/** A dispute as it is shown, with its latest status. */
export type ShownDispute = Readonly<Record<string, unknown>> & { readonly id: string };

export interface Books {
  readonly disputes: BoundedMap<string, ShownDispute>;
  readonly orders: BoundedMap<string, Order>;
  readonly payments: BoundedMap<string, Payment>;
  readonly links: BoundedMap<string, Link>;
  orderOf(receipt: string): readonly Order[];
  linkOf(referenceId: string): Link | undefined;
}

export function createBooks(): Books {
  const orders = new BoundedMap<string, Order>();
  const links = new BoundedMap<string, Link>();
  return {
    orders,
    links,
    disputes: new BoundedMap<string, ShownDispute>(),
    payments: new BoundedMap<string, Payment>(),
    orderOf: (receipt) => [...orders.values()].filter((order) => order.receipt.includes(receipt)),
    linkOf: (referenceId) => [...links.values()].find((link) => link.referenceId === referenceId),
  };
}
