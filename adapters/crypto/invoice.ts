/** An invoice: how the server shows a payment in its answers. Unknown members are ignored. */
import {
  eventDeclineOf,
  formatAmount,
  isDecimal,
  isWebAddress,
  jsonInteger,
  v,
  type Action,
  type Money,
  type PaymentMethod,
  type ReportedEvent,
} from '@gateway/contract';
import type { Options } from './options.ts';
import { declines, stateWords, type SettledFacts } from './words.ts';

/** Major units as decimal text. */
export const Amount = v.pipe(v.string(), v.check(isDecimal, 'a decimal amount'));

export const Invoice = v.object({
  invoice: v.pipe(v.string(), v.nonEmpty()),
  /** Our reference of the attempt. */
  ref: v.string(),
  storeId: v.string(),
  state: v.string(),
  /** How it was settled: `late`, `over`. */
  flags: v.array(v.string()),
  price: Amount,
  unit: v.string(),
  /** What has arrived, in `unit`. */
  paid: Amount,
  reason: v.nullish(v.string()),
  due: v.nullish(v.object({ coin: v.string(), network: v.string(), address: v.string(), amount: Amount })),
  page: v.nullish(v.string()),
  /** Unix seconds. */
  closesAt: v.nullish(jsonInteger()),
});
export type Invoice = v.InferOutput<typeof Invoice>;

/** True for an invoice of our store about this attempt, and under the server's own id where one is known. */
export function isAbout(
  { invoice, ref, storeId }: Invoice,
  { reference, providerReference = invoice }: { readonly reference: string; readonly providerReference?: string },
  options: Options,
): boolean {
  return storeId === options.storeId && ref === reference && invoice === providerReference;
}

/** Spelled with the decimals of its currency. */
export function moneyOf(amount: string, currency: string): Money {
  return { amount: formatAmount({ amount, currency }), currency };
}

/** How the payment stands. */
export function toEvent({ invoice, ref, state, flags, price, unit, paid, reason }: Invoice): ReportedEvent {
  const facts: SettledFacts = { from: 'state', late: flags.includes('late'), over: flags.includes('over') };
  return {
    kind: 'payment',
    word: `invoice.${state}`,
    reference: ref,
    providerReference: invoice,
    ...moneyOf(price, unit),
    dedupeKey: `${invoice}:${state}:${paid}`,
    ...(state === 'invalid' ? eventDeclineOf(declines, reason) : {}),
    facts,
  };
}

/** What the payer has to do; undefined where nothing more is awaited, or the answer does not say it whole. */
export function actionOf({ state, due, page, closesAt }: Invoice, method: PaymentMethod): Action | undefined {
  const word = `invoice.${state}` as keyof typeof stateWords.payment;
  const status = Object.hasOwn(stateWords.payment, word) ? stateWords.payment[word] : undefined;
  if (status !== 'pending' && status !== 'underpaid') return undefined;
  if (method === 'hosted_page') {
    return page && isWebAddress(page) ? { type: 'redirect', method: 'GET', url: page } : undefined;
  }
  const expiry = new Date((closesAt ?? NaN) * 1000);
  if (!due?.address || Number.isNaN(expiry.getTime())) return undefined;
  const { address, coin, amount, network } = due;
  return { type: 'crypto', address, coin, amount, network, expiry: expiry.toISOString().replace(/\.\d+/, '') };
}
