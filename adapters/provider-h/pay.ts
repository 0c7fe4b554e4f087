/** A pay: how H shows a payment in answers and callbacks. Unknown members are ignored. */
import {
  compareDecimals,
  eventDeclineOf,
  formatAmount,
  isDecimal,
  jsonDecimal,
  jsonDigits,
  jsonInteger,
  JsonNumber,
  readAs,
  readDecimal,
  readRfc3339,
  v,
  type Action,
  type HttpReply,
  type Money,
  type ReportedEvent,
} from '@gateway/contract';
import { readMessage } from './signing.ts';
import type { Options } from './options.ts';
import { declines, words, type Received } from './words.ts';

/** Whole numbers that a double may not hold. */
const MAX_DIGITS = 40;

/** A sum of money, as a price or a return names it. */
export const Sum = v.object({ n: jsonDecimal(), cur: v.string() });

/** A sum of coins: as it was spelled, and as plain decimal text. */
const Coins = v.object({
  n: v.pipe(
    v.instance(JsonNumber),
    v.transform(({ text }) => ({ spelled: text, plain: readDecimal(text) })),
    v.object({ spelled: v.string(), plain: v.string('a decimal amount') }),
  ),
  coin: v.string(),
});

/** What every message about a pay has. */
export const aboutEntries = {
  pay_no: jsonDigits(MAX_DIGITS),
  /** Our reference of the attempt. */
  gw_ref: v.string(),
  shop: v.string(),
  phase: v.string(),
  /** When, in Unix milliseconds; it orders messages and nothing else. */
  at: v.optional(jsonInteger()),
};

export const Pay = v.object({
  ...aboutEntries,
  /** The price, as we sent it. */
  want: Sum,
  /** To pay. */
  asked: Coins,
  /** Received so far. */
  got: Coins,
  confs: jsonDigits(MAX_DIGITS),
  /** Why it went bad. */
  why: v.nullish(v.string()),
});
export type Pay = v.InferOutput<typeof Pay>;

/** An answer also says how to pay. */
const ShownPay = v.object({
  ...Pay.entries,
  chain: v.nullish(v.string()),
  address: v.nullish(v.string()),
  memo: v.nullish(v.string()),
  lapses_at: v.nullish(v.string()),
});
export type ShownPay = v.InferOutput<typeof ShownPay>;

/** The pay of an answer; undefined where it cannot be read, or is not ours and about this attempt. */
export function readPay(
  { body }: HttpReply,
  { reference, providerReference }: { readonly reference: string; readonly providerReference?: string },
  { merchantNo }: Options,
): ShownPay | undefined {
  const pay = readAs(ShownPay, readMessage(body)?.message);
  const isAsked = pay?.shop === merchantNo && pay.gw_ref === reference;
  return isAsked && (providerReference ?? pay.pay_no) === pay.pay_no ? pay : undefined;
}

/** Spelled with the decimals of its currency. */
export function moneyOf({ n, cur }: v.InferOutput<typeof Sum>): Money {
  return { amount: formatAmount({ amount: n, currency: cur }), currency: cur };
}

function receivedOf({ asked, got }: Pay): Received {
  if (got.coin !== asked.coin) return 'another coin';
  const order = compareDecimals(got.n.plain, asked.n.plain);
  return order < 0 ? 'less' : order > 0 ? 'more' : 'equal';
}

/** How the payment stands, told alike by callback and by fetch. */
export function toEvent(pay: Pay): ReportedEvent {
  const { pay_no, gw_ref, phase, want, got, confs, why, at } = pay;
  return {
    kind: 'payment',
    word: phase,
    reference: gw_ref,
    providerReference: pay_no,
    ...moneyOf(want),
    dedupeKey: `${pay_no}|${phase}|${got.n.spelled}|${confs}`,
    ...(at === undefined ? {} : { orderHint: at }),
    ...(phase === 'bad' ? eventDeclineOf(declines, why) : {}),
    facts: { received: receivedOf(pay) },
  };
}

/** The coins to send and where to; undefined where nothing more is awaited, or the answer does not say it whole. */
export function actionOf({ phase, asked, chain, address, memo, lapses_at }: ShownPay): Action | undefined {
  const status = Object.hasOwn(words.payment, phase) ? words.payment[phase as keyof typeof words.payment] : undefined;
  const isOpen = status === 'pending' || status === 'underpaid';
  const expiry = readRfc3339(lapses_at ?? '');
  if (!isOpen || !address || !chain || !expiry) return undefined;
  const { spelled, plain } = asked.n;
  return {
    type: 'crypto',
    address,
    coin: asked.coin,
    amount: isDecimal(spelled) ? spelled : plain,
    network: chain,
    expiry: expiry.toISOString().replace(/\.\d+/, ''),
    ...(typeof memo === 'string' ? { memo } : {}),
  };
}
