/** An invoice and its refunds: how the server shows a payment in its answers. Unknown members are ignored. */
import {
  decimalText,
  eventDeclineOf,
  filled,
  formatMoney,
  isAboveZero,
  jsonInteger,
  namesAttempt,
  readAs,
  redirectTo,
  v,
  withDetails,
  writeRfc3339,
  type Action,
  type PaymentMethod,
  type ReportedEvent,
  type StoredPayment,
} from '@paywright/contract';
import type { Options } from './options.ts';
import { declines } from './statuses.ts';

const Invoice = v.object({
  invoice: filled,
  /** Our reference of the attempt. */
  ref: v.string(),
  storeId: v.string(),
  state: v.string(),
  /** How it was settled: `late`, `over`. */
  flags: v.array(v.string()),
  price: decimalText,
  unit: v.string(),
  /** The sum received so far, in `unit`. */
  paid: decimalText,
  reason: v.nullish(v.string()),
  due: v.nullish(v.object({ coin: v.string(), network: v.string(), address: v.string(), amount: decimalText })),
  page: v.nullish(v.string()),
  /** Unix seconds. */
  closesAt: v.nullish(jsonInteger()),
});
type Invoice = v.InferOutput<typeof Invoice>;

/** Our invoice about this attempt, with the server's own id if that is known. Undefined for any other answer. */
export function readInvoice(
  message: unknown,
  asked: Pick<StoredPayment, 'reference' | 'providerReference'>,
  { storeId }: Options,
): Invoice | undefined {
  const invoice = readAs(Invoice, message);
  const isOurs = invoice?.storeId === storeId && namesAttempt(asked, invoice.ref, invoice.invoice);
  return isOurs ? invoice : undefined;
}

const knownFlags: readonly string[] = ['late', 'over'];

/** The outcome of an invoice. The state decides; a flag that is new to us is counted. */
export function toEvent({ invoice, ref, state, flags, price, unit, paid, reason }: Invoice): ReportedEvent {
  const unlisted = flags.filter((flag) => !knownFlags.includes(flag)).join(' ');
  return {
    kind: 'payment',
    providerStatus: `invoice.${state}`,
    reference: ref,
    providerReference: invoice,
    ...formatMoney(price, unit),
    dedupeKey: `${invoice}:${state}:${paid}`,
    // A settled invoice may have received less than its price, or nothing: only what arrived can be refunded.
    ...(isAboveZero(paid) || state === 'settled' ? { received: paid } : {}),
    ...(state === 'invalid' ? eventDeclineOf(declines, reason) : {}),
    ...withDetails({ flags: unlisted }),
    ...(unlisted ? { unlistedStatus: `invoice.${state} ${unlisted}` } : {}),
    facts: { late: flags.includes('late'), over: flags.includes('over') },
  };
}

/** States in which the server awaits money. */
const open: readonly string[] = ['new', 'seen', 'processing', 'partial'];

/** The payer's next step. Undefined if no money is awaited, or the answer does not name the step completely. */
export function actionOf({ state, due, page, closesAt }: Invoice, method: PaymentMethod): Action | undefined {
  if (!open.includes(state)) return undefined;
  if (method === 'hosted_page') return redirectTo(page);
  const expiry = new Date((closesAt ?? NaN) * 1000);
  if (!due?.address || Number.isNaN(expiry.getTime())) return undefined;
  const { address, coin, amount, network } = due;
  return { type: 'crypto', address, coin, amount, network, expiry: writeRfc3339(expiry) };
}
