/** The server's invoices and refunds: their states, and their form in answers. */
import { decimalsOf, formatAmount, multiplyDecimals, subtractDecimals, type Money } from '@paywright/contract';
import {
  amountRule,
  BoundedMap,
  newCoinAddress,
  newId,
  shareOfCoins,
  toCoins,
  type AmountRule,
} from '@paywright/contract/sandbox';
import type { Flag, State, Step } from './scenarios.ts';

export interface Invoice {
  readonly id: string;
  readonly ref: string;
  readonly coin: string;
  readonly hook: string;
  readonly back: string;
  readonly address: string;
  /** Unix seconds. */
  readonly closesAt: number;
  readonly rule: AmountRule | undefined;
  /** By their keys. */
  readonly refunds: Map<string, Refund>;
  price: Money;
  state: State;
  flags: readonly Flag[];
  /** The received share of the price. */
  share: string;
  reason: string | null;
  /** The time of the latest change, in Unix milliseconds. */
  at: number;
  /** Counts its scenarios: a new scenario silences what the previous one has not reported yet. */
  scenario: number;
}

export interface Refund {
  readonly id: string;
  readonly invoice: string;
  readonly sum: Money;
  state: 'created' | 'done' | 'failed' | 'reversed';
}

export interface Opening {
  /** A new number by default. */
  readonly id?: string;
  readonly ref: string;
  readonly price: Money;
  readonly coin: string;
  readonly minutes: number;
  readonly hook: string;
  readonly back: string;
}

export function openInvoice({ id, ref, price, coin, minutes, hook, back }: Opening): Invoice {
  const now = Date.now();
  return {
    id: id ?? newId('inv_', 12),
    ref,
    coin,
    hook,
    back,
    address: newCoinAddress(),
    closesAt: Math.floor(now / 1000) + minutes * 60,
    rule: amountRule(price),
    refunds: new Map(),
    price,
    state: 'new',
    flags: [],
    share: '0',
    reason: null,
    at: now,
    scenario: 0,
  };
}

/** The invoice after a step at the given time. */
export function after(invoice: Invoice, { state, share, flags = [], reason }: Step, at: number): Invoice {
  return { ...invoice, state, share: share ?? invoice.share, flags, reason: reason ?? null, at };
}

/** The sum that can still be refunded, in the invoice's unit. */
export function leftOf({ state, price, refunds }: Invoice): string {
  const given = [...refunds.values()].filter((refund) => refund.state === 'created' || refund.state === 'done');
  return state === 'settled' ? given.reduce((left, { sum }) => subtractDecimals(left, sum.amount), price.amount) : '0';
}

/** The invoice in the form of answers. */
export function present(invoice: Invoice, storeId: string, baseUrl: string): Readonly<Record<string, unknown>> {
  const { id, ref, coin, address, closesAt, price, state, flags, share, reason } = invoice;
  const { amount, currency: unit } = price;
  const due = toCoins(amount);
  const paid = multiplyDecimals(amount, share, decimalsOf(unit));
  return {
    invoice: id,
    ref,
    storeId,
    state,
    flags,
    price: formatAmount(price),
    unit,
    paid: formatAmount({ amount: paid, currency: unit }),
    reason,
    due: { coin, network: coin === 'BTC' ? 'bitcoin' : coin.toLowerCase(), address, amount: due },
    got: shareOfCoins(due, share),
    page: `${baseUrl}/i/${id}`,
    closesAt,
  };
}

export function presentRefund({ id, invoice, sum, state }: Refund, storeId: string): Readonly<Record<string, unknown>> {
  return { refund: id, invoice, storeId, state, sum: formatAmount(sum), unit: sum.currency };
}

export interface Invoices {
  keep(invoice: Invoice): void;
  byId(id: string): Invoice | undefined;
  byRef(ref: string): Invoice | undefined;
  keepRefund(invoice: Invoice, key: string, refund: Refund): void;
  refund(id: string): Refund | undefined;
}

export function createInvoices(): Invoices {
  const ids = new BoundedMap<string, Invoice>();
  const refs = new BoundedMap<string, Invoice>();
  const refunds = new BoundedMap<string, Refund>();
  return {
    keep(invoice) {
      ids.set(invoice.id, invoice);
      refs.set(invoice.ref, invoice);
    },
    byId: (id) => ids.get(id),
    byRef: (ref) => refs.get(ref),
    keepRefund(invoice, key, refund) {
      invoice.refunds.set(key, refund);
      refunds.set(refund.id, refund);
    },
    refund: (id) => refunds.get(id),
  };
}
