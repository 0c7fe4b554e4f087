/** A transaction: how the switch shows a payment, a refund or a dispute in answers and callbacks. */
import {
  eventDeclineOf,
  filled,
  jsonDigits,
  lenient,
  moneyFromMinor,
  readJsonBody,
  v,
  writeRfc3339,
  type Action,
  type AttemptFacts,
  type HttpReply,
  type ReportedEvent,
} from '@paywright/contract';
import type { Options } from './options.ts';
import { declines } from './statuses.ts';

/** Minor units of INR: any non-negative whole number. */
export const Paise = jsonDigits(40);

const MaybeText = v.nullish(v.string());
/** Payers' apps open this link, so only a UPI link is accepted. */
const Link = lenient(v.pipe(v.string(), v.regex(/^upi:\/\//i)));

/** The members that answers and callbacks share. */
export const Transaction = v.object({
  mid: v.string(),
  u_txn: v.string(),
  /** Our reference of the attempt. */
  gw_ref: v.string(),
  paise: Paise,
  state: v.string(),
  mode: MaybeText,
  vpa: MaybeText,
  /** The banks' number. It is text, because its zeros count. */
  rrn: MaybeText,
  why: MaybeText,
  late: v.optional(v.boolean()),
});
type Transaction = v.InferOutput<typeof Transaction>;

/** A good answer also has the payer's next step. `ok` means that the switch worked, and nothing about the payment. */
const Answer = v.object({
  ok: v.literal(true),
  data: v.object({
    ...Transaction.entries,
    u_txn: filled,
    link: Link,
    qr: Link,
    /** The time until which the payer may pay, in Unix milliseconds. */
    lapses: lenient(jsonDigits(13)),
  }),
});
type Shown = v.InferOutput<typeof Answer>['data'];

/** The transaction of an answer. Undefined if it is unreadable, not ours, or not about this attempt. */
export function readShown(reply: HttpReply, { reference }: AttemptFacts, { merchantId }: Options): Shown | undefined {
  const shown = readJsonBody(Answer, reply)?.data;
  return shown?.mid === merchantId && shown.gw_ref === reference ? shown : undefined;
}

/** The subject of a transaction's state: the payment, or a refund or dispute by its number. */
export type Subject = Pick<ReportedEvent, 'kind' | 'subReference'>;

export function toEvent(transaction: Transaction, subject: Subject = { kind: 'payment' }): ReportedEvent {
  const { u_txn, gw_ref, paise, state, rrn, why, late } = transaction;
  return {
    ...subject,
    providerStatus: state,
    reference: gw_ref,
    providerReference: u_txn,
    ...moneyFromMinor(paise, 'INR'),
    dedupeKey: `${u_txn}|${state}|${subject.subReference ?? rrn ?? ''}`,
    ...(state === 'FAILED' ? eventDeclineOf(declines, why) : {}),
    ...(late ? { facts: { late } } : {}),
  };
}

/** The payer's next step. Undefined if there is none, or the answer does not name it. */
export function actionOf({ state, mode, link, qr, lapses }: Shown): Action | undefined {
  if (state !== 'PENDING' || !lapses) return undefined;
  const expiry = writeRfc3339(new Date(Number(lapses)));
  switch (mode ?? '') {
    case 'COLLECT':
      return { type: 'upi', mode: 'collect', expiry };
    case 'INTENT':
      return link ? { type: 'upi', mode: 'intent', link, expiry } : undefined;
    case 'QR':
      return qr ? { type: 'upi', mode: 'qr', text: qr, expiry } : undefined;
    default:
      return undefined;
  }
}
