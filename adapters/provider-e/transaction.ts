/** A transaction as E's tokens claim it: a sale, a refund or a dispute. */
import {
  eventDeclineOf,
  formatAmount,
  formatMoney,
  isSameMoney,
  JsonNumber,
  jsonDecimal,
  jsonDigits,
  jsonInteger,
  v,
  type Money,
  type ReportedEvent,
} from '@paywright/contract';
import { kindOfOperation, mapStatus, transactionDeclines } from './statuses.ts';

/** E's number of a transaction. It can be larger than 2^53, so it is kept as text. */
export const TranRef = jsonDigits(18);

/** Claims of every token: account, payment, and time of writing. */
export const envelope = { acct: v.string(), inv: v.string(), iat: jsonInteger() } as const;

const said = {
  op: v.string(),
  sum: jsonDecimal(),
  cur: v.string(),
  rc: v.string(),
  why: v.nullable(v.string()),
} as const;

const Transaction = v.object({ tranRef: TranRef, orig: v.nullable(TranRef), ...said });
export type Transaction = v.InferOutput<typeof Transaction>;

/** The answer to a sale or its confirmation. */
export const SaleClaims = v.object({ ...envelope, tranRef: TranRef, ...said });

/** A callback, and the answer to a refund. */
export const TransactionClaims = v.object({ ...envelope, ...Transaction.entries });
export type TransactionClaims = v.InferOutput<typeof TransactionClaims>;

export const StatusClaims = v.object({ ...envelope, trans: v.array(Transaction) });

/** True for numbers that `jsonDigits(18)` reads. */
export function isTranRef(text: string | undefined): text is string {
  return text !== undefined && /^(0|[1-9]\d{0,17})$/.test(text);
}

/** A number of E, as a claim. */
export function toTranRef(text: string): JsonNumber {
  return new JsonNumber(text);
}

/** An amount as claims write it: a number in major units with the decimals of its currency. */
export function toSum(money: Money): JsonNumber {
  return new JsonNumber(formatAmount(money));
}

export function isSum({ sum, cur }: Pick<Transaction, 'sum' | 'cur'>, money: Money): boolean {
  return isSameMoney({ amount: sum, currency: cur }, money);
}

/** The event of a transaction of the payment `inv`. */
export function eventOf(inv: string, { tranRef, orig, op, sum, cur, rc, why }: Transaction): ReportedEvent {
  const event: ReportedEvent = {
    kind: kindOfOperation(op),
    providerStatus: `${op}/${rc}`,
    reference: inv,
    providerReference: orig ?? tranRef,
    ...(orig === null ? {} : { subReference: tranRef }),
    ...formatMoney(sum, cur),
    dedupeKey: `${tranRef}/${rc}`,
  };
  const isDeclined = event.kind === 'payment' && mapStatus(event, 'callback') === 'failed';
  return isDeclined ? { ...event, ...eventDeclineOf(transactionDeclines, rc, why) } : event;
}
