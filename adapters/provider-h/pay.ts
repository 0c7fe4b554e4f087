/** A pay: how H shows a payment in answers and callbacks. Unknown members are ignored. */
import {
  compareDecimals,
  decimalsOf,
  defined,
  divideDecimals,
  eventDeclineOf,
  formatAmount,
  formatMoney,
  isAboveZero,
  isDecimal,
  jsonDecimal,
  jsonDigits,
  jsonInteger,
  MAX_DECIMALS,
  multiplyDecimals,
  namesAttempt,
  JsonNumber,
  readAs,
  readDecimal,
  readRfc3339,
  v,
  writeRfc3339,
  type Action,
  type HttpReply,
  type Money,
  type ReportedEvent,
  type StoredPayment,
} from '@paywright/contract';
import type { Options } from './options.ts';
import { readMessage } from './signing.ts';
import { declines, type Received } from './statuses.ts';

const MaybeText = v.nullish(v.string());

/** An amount of money, in a price or a return. */
export const Sum = v.object({ n: jsonDecimal(), cur: v.string() });

/** An amount of coins: in its original spelling, and as plain decimal text. */
const Coins = v.object({
  n: v.pipe(
    v.instance(JsonNumber),
    v.transform(({ text }) => ({ spelled: text, plain: readDecimal(text) })),
    v.object({ spelled: v.string(), plain: v.string('a decimal amount') }),
  ),
  coin: v.string(),
});

/** The members of every callback. Numbers of pays are integers, and may exceed what a double can hold. */
export const About = v.object({
  pay_no: jsonDigits(40),
  /** Our reference of the attempt. */
  gw_ref: v.string(),
  shop: v.string(),
  phase: v.string(),
  /** Unix milliseconds. Orders messages and has no other use. */
  at: v.optional(jsonInteger()),
});

export const Pay = v.object({
  ...About.entries,
  /** The price, as we sent it. */
  want: Sum,
  /** Coins to pay. */
  asked: Coins,
  /** Coins received so far. */
  got: Coins,
  confs: jsonDigits(40),
  /** The reason why the pay went bad. */
  why: MaybeText,
});
export type Pay = v.InferOutput<typeof Pay>;

/** An answer also shows how to pay. */
const ShownPay = v.object({
  ...Pay.entries,
  ...v.entriesFromList(['chain', 'address', 'memo', 'lapses_at'], MaybeText),
});
type ShownPay = v.InferOutput<typeof ShownPay>;

/** The pay in an answer. Undefined if it is unreadable, not ours, or not about this attempt. */
export function readPay(
  { body }: HttpReply,
  asked: Pick<StoredPayment, 'reference' | 'providerReference'>,
  { merchantNo }: Options,
): ShownPay | undefined {
  const pay = readAs(ShownPay, readMessage(body)?.message);
  return pay?.shop === merchantNo && namesAttempt(asked, pay.gw_ref, pay.pay_no) ? pay : undefined;
}

/** An amount in H's format: a number with exactly the currency's decimals. */
export function toSum(money: Money): { readonly n: JsonNumber; readonly cur: string } {
  return { n: new JsonNumber(formatAmount(money)), cur: money.currency };
}

/** The payment event of a pay, the same for callbacks and answers. */
export function toEvent(pay: Pay): ReportedEvent {
  const { pay_no, gw_ref, phase, want, got, confs, why, at } = pay;
  return {
    kind: 'payment',
    providerStatus: phase,
    reference: gw_ref,
    providerReference: pay_no,
    ...formatMoney(want.n, want.cur),
    dedupeKey: `${pay_no}|${phase}|${got.n.spelled}|${confs}`,
    ...defined({ orderHint: at, received: receivedAmount(pay) }),
    ...(phase === 'bad' ? eventDeclineOf(declines, why) : {}),
    facts: { received: receivedOf(pay) },
  };
}

function receivedOf({ asked, got }: Pay): Received {
  if (got.coin !== asked.coin) return 'another coin';
  const order = compareDecimals(got.n.plain, asked.n.plain);
  return order < 0 ? 'less' : order > 0 ? 'more' : 'equal';
}

/**
 * The part of the price that the coins are worth, rounded down. Undefined if none arrived, or if another coin arrived.
 */
function receivedAmount({ want, asked, got }: Pay): string | undefined {
  const [due, paid] = [asked.n.plain, got.n.plain];
  if (got.coin !== asked.coin || !isAboveZero(paid) || !isAboveZero(due)) return undefined;
  return divideDecimals(multiplyDecimals(want.n, paid, MAX_DECIMALS), due, decimalsOf(want.cur), 'down');
}

const open: readonly string[] = ['awaiting', 'seen', 'confirming', 'settling', 'part'];

/** The coins to send, and the address. Undefined if nothing more is expected, or if the answer is incomplete. */
export function actionOf({ phase, asked, chain, address, memo, lapses_at }: ShownPay): Action | undefined {
  const expiry = readRfc3339(lapses_at ?? '');
  if (!open.includes(phase) || !address || !chain || !expiry) return undefined;
  const { spelled, plain } = asked.n;
  return {
    type: 'crypto',
    address,
    coin: asked.coin,
    amount: isDecimal(spelled) ? spelled : plain,
    network: chain,
    expiry: writeRfc3339(expiry),
    ...defined({ memo: memo ?? undefined }),
  };
}
