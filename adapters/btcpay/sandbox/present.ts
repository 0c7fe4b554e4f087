/** How the server's answers show invoices, ways to pay, refunds and claims. */
import {
  compareDecimals,
  decimalsOf,
  formatAmount,
  multiplyDecimals,
  subtractDecimals,
  type CallbackReply,
  type Money,
} from '@paywright/contract';
import { shareOfCoins, toCoins } from '@paywright/contract/sandbox';
import type { Options } from '../options.ts';
import type { Invoice, Refund } from './books.ts';

type Shown = Readonly<Record<string, unknown>>;

const seconds = (ms: number): number => Math.floor(ms / 1000);

function paidOf({ price, share }: Invoice): string {
  const amount = multiplyDecimals(price.amount, share, decimalsOf(price.currency));
  return formatAmount({ amount, currency: price.currency });
}

export function showInvoice(invoice: Invoice, storeId: string, baseUrl: string): Shown {
  const { id, metadata, checkout, price, status, additional, createdAt, minutes } = invoice;
  const expiry = createdAt + minutes * 60_000;
  return {
    id,
    storeId,
    amount: formatAmount(price),
    paidAmount: paidOf(invoice),
    checkoutLink: `${baseUrl}/i/${id}`,
    status,
    additionalStatus: additional,
    createdTime: seconds(createdAt),
    expirationTime: seconds(expiry),
    monitoringExpiration: seconds(expiry) + 86_400,
    availableStatusesForManualMarking: ['Settled', 'Invalid'].filter((other) => other !== status),
    archived: false,
    type: 'Standard',
    currency: price.currency,
    metadata,
    checkout,
    receipt: { enabled: null, showQR: null, showPayments: null },
  };
}

/** Converts an amount to the store's coin. A price in that coin is not converted. */
export function inCoins(sum: Money, { paymentMethod }: Options): string {
  return sum.currency === coinOf(paymentMethod) ? formatAmount(sum) : toCoins(sum.amount);
}

/** A payment to an invoice. */
export function showPayment(invoice: Invoice, sum: string): Shown {
  const { id, address, payments, at } = invoice;
  return { id: `${id}-0`, receivedDate: seconds(at), value: sum, fee: '0', status: payments, destination: address };
}

/** The only way to pay in this store. */
export function showMethods(invoice: Invoice, options: Options): readonly Shown[] {
  const { paymentMethod } = options;
  const { address, price, share } = invoice;
  const amount = inCoins(price, options);
  const paid = shareOfCoins(amount, share);
  const isOver = compareDecimals(paid, amount) > 0;
  const due = isOver ? `-${subtractDecimals(paid, amount)}` : subtractDecimals(amount, paid);
  const currency = coinOf(paymentMethod);
  return [
    {
      activated: true,
      destination: address,
      paymentLink: `bitcoin:${address}?amount=${due}`,
      rate: price.currency === currency ? '1' : '62500',
      paymentMethodPaid: paid,
      totalPaid: paid,
      due,
      amount,
      paymentMethodFee: '0',
      payments: share === '0' ? [] : [showPayment(invoice, paid)],
      paymentMethodId: paymentMethod,
      additionalData: {},
      currency,
    },
  ];
}

export function coinOf(paymentMethod: string): string {
  return paymentMethod.split('-')[0] ?? '';
}

export function showRefund({ id, name, description, sum, createdAt, archived }: Refund, baseUrl: string): Shown {
  return {
    startsAt: seconds(createdAt),
    expiresAt: null,
    id,
    name,
    description,
    currency: sum.currency,
    amount: formatAmount(sum),
    BOLT11Expiration: '30',
    archived,
    viewLink: `${baseUrl}/pull-payments/${id}`,
    autoApproveClaims: false,
  };
}

/** The claim on a refund; absent if there is none or if it was cancelled. */
export function showPayouts({ id, payoutId, sum, createdAt, state }: Refund, options: Options): readonly Shown[] {
  const { paymentMethod } = options;
  if (state === null || state === 'Cancelled') return [];
  return [
    {
      date: seconds(createdAt),
      id: payoutId,
      pullPaymentId: id,
      destination: 'bc1qpayer',
      payoutMethodId: paymentMethod,
      originalAmount: formatAmount(sum),
      originalCurrency: sum.currency,
      payoutCurrency: coinOf(paymentMethod),
      payoutAmount: state === 'AwaitingApproval' ? null : inCoins(sum, options),
      state,
      revision: 0,
      paymentProof: null,
      metadata: {},
    },
  ];
}

/** Any 2xx counts as accepted. */
export function isTaken({ status }: CallbackReply): boolean {
  return status >= 200 && status < 300;
}
