/** An invoice: how the server shows a payment, how it can be paid, and what was paid to it. Unknown members are ignored. */
import {
  compareDecimals,
  decimalText,
  eventDeclineOf,
  filled,
  formatMoney,
  isAboveZero,
  jsonInteger,
  lenient,
  namesAttempt,
  noInformation,
  readAs,
  redirectTo,
  trimDecimal,
  urlPath,
  v,
  writeRfc3339,
  type Action,
  type PaymentMethod,
  type ReportedEvent,
  type StatusReport,
  type StoredPayment,
} from '@paywright/contract';
import type { Context, Options } from './options.ts';
import { declines } from './statuses.ts';
import { errors, get, readItems } from './wire.ts';

const Invoice = v.object({
  id: filled,
  storeId: v.string(),
  status: filled,
  additionalStatus: filled,
  amount: decimalText,
  currency: v.string(),
  /** What has come in, confirmed or not, in `currency`. */
  paidAmount: lenient(decimalText),
  checkoutLink: lenient(v.string()),
  /** Unix seconds. */
  expirationTime: lenient(jsonInteger()),
  metadata: v.object({
    /** Our reference of the attempt. */
    orderId: v.string(),
  }),
});
export type Invoice = v.InferOutput<typeof Invoice>;

const Methods = v.array(
  v.object({
    paymentMethodId: v.string(),
    currency: lenient(filled),
    /** An address, or a Lightning invoice. */
    destination: lenient(filled),
    /** Left to pay, in coins; below zero where too much was paid. */
    due: lenient(v.pipe(v.string(), v.regex(/^-?\d+(\.\d{1,18})?$/))),
    payments: v.array(v.object({ status: v.string() })),
  }),
);
export type Methods = v.InferOutput<typeof Methods>;

/** An invoice of our store about this attempt, under the server's id where one is known; undefined for anything else. */
export function readInvoice(
  message: unknown,
  asked: Pick<StoredPayment, 'reference' | 'providerReference'>,
  { storeId }: Options,
): Invoice | undefined {
  const invoice = readAs(Invoice, message);
  const isOurs = invoice?.storeId === storeId && namesAttempt(asked, invoice.metadata.orderId, invoice.id);
  return isOurs ? invoice : undefined;
}

/** What an invoice says of the payment; `isConfirmed`: all that was paid to it is. */
export function toEvent(invoice: Invoice, isConfirmed = false): ReportedEvent {
  const { id, status, additionalStatus, amount, currency, paidAmount = '0', metadata } = invoice;
  const providerStatus = additionalStatus === 'None' ? status : `${status} ${additionalStatus}`;
  const isShort = invoice.paidAmount !== undefined && compareDecimals(paidAmount, amount) < 0;
  const received = trimDecimal(paidAmount);
  return {
    kind: 'payment',
    providerStatus,
    reference: metadata.orderId,
    providerReference: id,
    ...formatMoney(amount, currency),
    dedupeKey: [id, providerStatus, received, ...(isConfirmed ? ['confirmed'] : [])].join(':'),
    ...(isAboveZero(received) ? { received } : {}),
    ...(status === 'Invalid' ? eventDeclineOf(declines, providerStatus, providerStatus) : {}),
    ...(additionalStatus === 'Marked' ? { details: { marked: 'by hand' } } : {}),
    facts: { isConfirmed, isEnough: !isShort },
  };
}

/** One that expired with a part of the money reports both: that it ended, and what came in. */
export function toEvents(invoice: Invoice, isConfirmed: boolean): readonly [ReportedEvent, ...ReportedEvent[]] {
  const event = toEvent(invoice, isConfirmed);
  if (event.providerStatus !== 'Expired PaidPartial') return [event];
  return [toEvent({ ...invoice, additionalStatus: 'None', paidAmount: '0' }), event];
}

/** Of an invoice; why there is no information where they cannot be had. */
export async function fetchMethods({ id }: Invoice, { http, options }: Context): Promise<Methods | StatusReport> {
  const reply = await http.send(get(options, urlPath`/stores/${options.storeId}/invoices/${id}/payment-methods`));
  if (reply.status !== 200) return noInformation(errors.read(reply).named);
  return readAs(Methods, readItems(reply)) ?? noInformation('the answer is no list of payment methods');
}

/** All that counts of what was paid has as many confirmations as the store wants. */
export function areConfirmed(methods: Methods): boolean {
  return methods.every(({ payments }) => payments.every(({ status }) => status === 'Settled'));
}

/** Only while this is so is there something to pay. */
export function isOpen({ status }: Invoice): boolean {
  return status === 'New';
}

/** The payer was quicker than we are: nothing is left to pay. */
export function isPaid(methods: Methods, options: Options): boolean {
  const due = chosen(methods, options)?.due;
  return due !== undefined && !isLeft(due);
}

/** What the payer has to do; undefined where nothing is awaited, or the answers do not say it whole. */
export function actionOf(
  invoice: Invoice,
  methods: Methods,
  method: PaymentMethod,
  options: Options,
): Action | undefined {
  if (!isOpen(invoice)) return undefined;
  if (method === 'hosted_page') return redirectTo(invoice.checkoutLink);
  const { destination: address, currency: coin, due: amount } = chosen(methods, options) ?? {};
  const expiry = new Date((invoice.expirationTime ?? NaN) * 1000);
  if (!address || !coin || !amount || !isLeft(amount) || Number.isNaN(expiry.getTime())) return undefined;
  return { type: 'crypto', address, coin, amount, network: options.network, expiry: writeRfc3339(expiry) };
}

function chosen(methods: Methods, { paymentMethod }: Options) {
  return methods.find(({ paymentMethodId }) => paymentMethodId === paymentMethod);
}

function isLeft(due: string): boolean {
  return !due.startsWith('-') && isAboveZero(due);
}
