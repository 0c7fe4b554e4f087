/**
 * An invoice: how the server shows a payment, the ways to pay, and the amounts received. Unknown members are ignored.
 */
import {
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
  withDetails,
  writeRfc3339,
  type Action,
  type PaymentMethod,
  type ReportedEvent,
  type StatusReport,
  type StoredPayment,
} from '@paywright/contract';
import type { Context, Options } from './options.ts';
import { declines, isListed, pairOf } from './statuses.ts';
import { errors, get, readItems } from './wire.ts';

const Invoice = v.object({
  id: filled,
  storeId: v.string(),
  status: filled,
  additionalStatus: v.optional(filled, 'None'),
  amount: decimalText,
  currency: v.string(),
  /** The amount received in `currency`, confirmed or not. */
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
    /** The rest to pay, in coins; negative if too much was paid. */
    due: lenient(v.pipe(v.string(), v.regex(/^-?\d+(\.\d{1,18})?$/))),
    payments: v.array(v.object({ status: v.string() })),
  }),
);
export type Methods = v.InferOutput<typeof Methods>;

/** An invoice of our store about this attempt, with the server's id if it is known. Undefined for any other answer. */
export function readInvoice(
  message: unknown,
  asked: Pick<StoredPayment, 'reference' | 'providerReference'>,
  { storeId }: Options,
): Invoice | undefined {
  const invoice = readAs(Invoice, message);
  const isOurs = invoice?.storeId === storeId && namesAttempt(asked, invoice.metadata.orderId, invoice.id);
  return isOurs ? invoice : undefined;
}

/** The events of an invoice. `isConfirmed`: all received money is confirmed. */
export function toEvent(invoice: Invoice, isConfirmed = false): ReportedEvent {
  const { id, status, additionalStatus, amount, currency, paidAmount = '0', metadata } = invoice;
  const pair = pairOf(status, additionalStatus);
  // A reason that is new to us does not hide a status that we know.
  const isReasonUnlisted = isListed(status) && !isListed(pair);
  const providerStatus = isReasonUnlisted ? status : pair;
  const received = trimDecimal(paidAmount);
  // A settled invoice may have received nothing: it was marked by hand. Then nothing can be refunded.
  const namesReceived = isAboveZero(received) || (status === 'Settled' && invoice.paidAmount !== undefined);
  return {
    kind: 'payment',
    providerStatus,
    reference: metadata.orderId,
    providerReference: id,
    ...formatMoney(amount, currency),
    dedupeKey: [id, providerStatus, received, ...(isConfirmed ? ['confirmed'] : [])].join(':'),
    ...(namesReceived ? { received } : {}),
    ...(status === 'Invalid' ? eventDeclineOf(declines, providerStatus, providerStatus) : {}),
    ...withDetails({
      marked: additionalStatus === 'Marked' ? 'by hand' : undefined,
      additionalStatus: isReasonUnlisted ? additionalStatus : undefined,
    }),
    ...(isReasonUnlisted ? { unlistedStatus: pair } : {}),
    facts: { isConfirmed },
  };
}

/** An invoice that expired after a part was paid reports two events: its end, and the received amount. */
export function toEvents(invoice: Invoice, isConfirmed: boolean): readonly [ReportedEvent, ...ReportedEvent[]] {
  const event = toEvent(invoice, isConfirmed);
  if (event.providerStatus !== 'Expired PaidPartial') return [event];
  return [toEvent({ ...invoice, additionalStatus: 'None', paidAmount: '0' }), event];
}

/** The ways to pay an invoice, or the reason why they are not available. */
export async function fetchMethods({ id }: Invoice, { http, options }: Context): Promise<Methods | StatusReport> {
  const reply = await http.send(get(options, urlPath`/stores/${options.storeId}/invoices/${id}/payment-methods`));
  if (reply.status !== 200) return noInformation(errors.read(reply).named);
  return readAs(Methods, readItems(reply)) ?? noInformation('the answer is not a list of payment methods');
}

/** Money arrived, and all of it that counts has the number of confirmations that the store requires. */
export function areConfirmed(methods: Methods): boolean {
  const payments = methods.flatMap((method) => method.payments);
  return payments.length > 0 && payments.every(({ status }) => status === 'Settled');
}

/** The payer can pay only in this status. */
export function isOpen({ status }: Invoice): boolean {
  return status === 'New';
}

/** The payer paid before we fetched: nothing is left to pay. */
export function isPaid(methods: Methods, options: Options): boolean {
  const due = chosen(methods, options)?.due;
  return due !== undefined && !isLeft(due);
}

/** The payer's next step. Undefined if nothing is left to pay, or if the answers are incomplete. */
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
