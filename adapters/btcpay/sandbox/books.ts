/** The server's data, simulated: invoices with their payments, and refunds with the claims on them. */
import { randomBytes } from 'node:crypto';
import { subtractDecimals, type Money } from '@paywright/contract';
import { amountRule, BoundedMap, newCoinAddress, type AmountRule } from '@paywright/contract/sandbox';
import type { AdditionalStatus, Claim, Status, Step } from './scenarios.ts';

export interface Invoice {
  readonly id: string;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly orderId: string;
  readonly checkout: Readonly<Record<string, unknown>>;
  /** The address to which the payer returns. */
  readonly back: string;
  readonly address: string;
  /** Unix milliseconds. */
  readonly createdAt: number;
  readonly minutes: number;
  readonly rule: AmountRule | undefined;
  price: Money;
  status: Status;
  additional: AdditionalStatus;
  /** The share of the price that was received so far. */
  share: string;
  payments: 'Processing' | 'Settled' | 'Invalid';
  /** Start of this status, in Unix milliseconds. */
  at: number;
  /** Counts the invoice's scenarios. A new scenario cancels the pending reports of the previous one. */
  scenario: number;
}

export interface Refund {
  readonly id: string;
  readonly payoutId: string;
  readonly invoice: Invoice;
  readonly name: string;
  readonly description: string;
  readonly sum: Money;
  readonly createdAt: number;
  /** Null: the refund has not been claimed. */
  state: Claim['state'] | null;
  archived: boolean;
}

const letters = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';

/** An id in the server's form, from letters and digits that cannot be confused with one another. */
export function newId(length = 22): string {
  return [...randomBytes(length)].map((byte) => letters[byte % letters.length]!).join('');
}

export interface Opening {
  readonly id?: string;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly orderId: string;
  readonly price: Money;
  readonly minutes: number;
  readonly back: string;
  readonly checkout: Readonly<Record<string, unknown>>;
}

export function openInvoice({ id = newId(), price, ...asked }: Opening): Invoice {
  const now = Date.now();
  return {
    ...asked,
    id,
    address: newCoinAddress(),
    createdAt: now,
    rule: amountRule(price),
    price,
    status: 'New',
    additional: 'None',
    share: '0',
    payments: 'Processing',
    at: now,
    scenario: 0,
  };
}

/** The client that requested the invoice shows the address itself, and nothing happened to the invoice yet. */
export function waitsUnseen({ checkout, scenario }: Invoice): boolean {
  return checkout['paymentMethods'] !== undefined && scenario === 0;
}

/** The invoice after a step at the given time. */
export function after(invoice: Invoice, { status, additional = 'None', share, payments }: Step, at: number): Invoice {
  return { ...invoice, status, additional, share: share ?? invoice.share, payments: payments ?? invoice.payments, at };
}

export function update(invoice: Invoice, { status, additional, share, payments, at }: Invoice): void {
  Object.assign(invoice, { status, additional, share, payments, at });
}

export function openRefund(asked: Pick<Refund, 'invoice' | 'name' | 'description' | 'sum'> & { id?: string }): Refund {
  return { id: newId(28), payoutId: newId(28), createdAt: Date.now(), state: null, archived: false, ...asked };
}

export interface Books {
  readonly invoices: BoundedMap<string, Invoice>;
  readonly refunds: BoundedMap<string, Refund>;
  byOrder(orderId: string): readonly Invoice[];
  /** The amount that can still be refunded, in the invoice's currency. */
  leftOf(invoice: Invoice): string;
}

export function createBooks(): Books {
  const invoices = new BoundedMap<string, Invoice>();
  const refunds = new BoundedMap<string, Refund>();
  return {
    invoices,
    refunds,
    byOrder: (orderId) => [...invoices.values()].filter((invoice) => invoice.orderId === orderId),
    leftOf(invoice) {
      const given = [...refunds.values()].filter((refund) => refund.invoice === invoice && !refund.archived);
      return given.reduce((left, { sum }) => subtractDecimals(left, sum.amount), invoice.price.amount);
    },
  };
}
