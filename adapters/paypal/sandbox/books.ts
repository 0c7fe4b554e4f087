/** The sandbox's memory: orders with their authorisation, captures, refunds and disputes. */
import { addDecimals, compareDecimals, subtractDecimals, type Money } from '@paywright/contract';
import { amountRule, BoundedMap, newId, type AmountRule } from '@paywright/contract/sandbox';

/** The payer's choice at the page. */
export type Choice = 'pay' | 'decline' | 'review';

export interface Entry {
  readonly id: string;
  readonly amount: Money;
  readonly at: Date;
  readonly custom_id?: string | undefined;
  readonly invoice_id?: string | undefined;
  status: string;
}
export interface Refund extends Entry {
  readonly captureId: string;
}
export interface Dispute extends Entry {
  readonly captureId: string;
  outcome?: string;
}

export interface Order {
  readonly id: string;
  readonly intent: 'CAPTURE' | 'AUTHORIZE';
  readonly amount: Money;
  readonly custom_id: string;
  readonly invoice_id: string | undefined;
  readonly returnUrl: string;
  readonly cancelUrl: string;
  readonly at: Date;
  status: string;
  choice?: Choice;
  authorization?: Entry;
  readonly captures: Entry[];
  readonly refunds: Refund[];
  /** Refunds that are really reversals by PayPal. The order does not show them. */
  readonly reversals: Refund[];
  dispute?: Dispute;
}

/** Orders by their own id, and by the ids of their authorisation, captures, refunds and disputes. */
export interface Books {
  readonly orders: BoundedMap<string, Order>;
  readonly byPart: BoundedMap<string, Order>;
}

export function createBooks(): Books {
  return { orders: new BoundedMap(), byPart: new BoundedMap() };
}

/** An id in PayPal's form. */
export function newPayPalId(): string {
  return newId('', 17);
}

export function newOrder(facts: Omit<Order, 'id' | 'at' | 'status' | 'captures' | 'refunds' | 'reversals'>): Order {
  return {
    ...facts,
    id: newPayPalId(),
    at: new Date(),
    status: 'PAYER_ACTION_REQUIRED',
    captures: [],
    refunds: [],
    reversals: [],
  };
}

export function newEntry(
  amount: Money,
  status: string,
  { custom_id, invoice_id }: Pick<Entry, 'custom_id' | 'invoice_id'> = {},
): Entry {
  return { id: newPayPalId(), amount, at: new Date(), status, custom_id, invoice_id };
}

/** The rule that the order's amount selects. `.58` and `.59` are about refunds. */
export function ruleOf({ amount }: { readonly amount: Money }): AmountRule | undefined {
  return amountRule(amount);
}

/** The first capture that was not declined. */
export function captureOf({ captures }: Order): Entry | undefined {
  return captures.find(({ status }) => status !== 'DECLINED');
}

/** The part of a capture that was not refunded. */
export function leftOf({ refunds }: Order, capture: Entry): string {
  const given = refunds.filter(({ status, captureId }) => status !== 'FAILED' && captureId === capture.id);
  return subtractDecimals(capture.amount.amount, addDecimals('0', ...given.map(({ amount }) => amount.amount)));
}

/** The part of reserved money that was not captured. */
export function reservedOf({ amount, captures }: Order): string {
  return subtractDecimals(amount.amount, addDecimals('0', ...captures.map((one) => one.amount.amount)));
}

/** Updates the status of a capture, which shows how much of it was refunded. */
export function noteRefunds(order: Order, capture: Entry): void {
  const left = leftOf(order, capture);
  if (compareDecimals(left, capture.amount.amount) === 0) capture.status = 'COMPLETED';
  else capture.status = compareDecimals(left, '0') === 0 ? 'REFUNDED' : 'PARTIALLY_REFUNDED';
}
