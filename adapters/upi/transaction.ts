/** A transaction as answers and callbacks show it: what it says, and what its words mean. */
import {
  declineOf,
  fromMinor,
  jsonDigits,
  v,
  type Action,
  type DeclineCode,
  type ReportedEvent,
} from '@gateway/contract';

/** Words of `why`, and codes of a 422. */
export const declines: Readonly<Record<string, DeclineCode>> = {
  PIN_WRONG: 'U30',
  RISK: 'U16',
  DEVICE_UNBOUND: 'U66',
  PAYER_DECLINED: 'U69',
  NO_BALANCE: '51',
  NOT_ALLOWED: '57',
  LIMIT: '61',
  VPA_UNKNOWN: '05',
  BANK_DOWN: '05',
  RETURNED: '05',
};

export const words = {
  payment: {
    PENDING: 'pending',
    // The payer's bank has paid, the payee's has not answered: it ends within a day, either way.
    DEEMED: 'pending',
    COMPLETED: 'succeeded',
    FAILED: 'failed',
    EXPIRED: 'expired',
    CANCELLED: 'cancelled',
  },
  refund: {
    REFUND_PENDING: 'pending',
    REFUND_DONE: 'succeeded',
    REFUND_FAILED: 'failed',
    REFUND_REVERSED: 'reversed',
  },
  chargeback: {
    DISPUTED: 'opened',
    DISPUTE_WON: 'won',
    DISPUTE_LOST: 'lost',
    DISPUTE_REVERSED: 'reversed',
  },
} as const;

/** Minor units of INR: any whole number that is not negative. */
export const Paise = jsonDigits(40);

const Text = v.string();
const MaybeText = v.nullish(Text);

/** What answers and callbacks have in common. `rrn` is the banks' number: text, its zeros count. */
export const transactionEntries = {
  mid: Text,
  u_txn: Text,
  gw_ref: Text,
  paise: Paise,
  state: Text,
  mode: MaybeText,
  vpa: MaybeText,
  rrn: MaybeText,
  why: MaybeText,
  late: v.optional(v.boolean()),
} as const;
const Transaction = v.object(transactionEntries);
export type Transaction = v.InferOutput<typeof Transaction>;

/** What the transaction's state is about: the payment, or a refund or dispute by its number. */
export type Subject =
  { readonly kind: 'payment' } | { readonly kind: 'refund' | 'chargeback'; readonly subReference: string };

export function toEvent(transaction: Transaction, subject: Subject): ReportedEvent {
  const { u_txn, gw_ref, paise, state, rrn, why, late } = transaction;
  const { unknownWord: _, ...refusal } = state === 'FAILED' ? declineOf(declines, why) : { unknownWord: undefined };
  const number = subject.kind === 'payment' ? (rrn ?? '') : subject.subReference;
  return {
    ...subject,
    word: state,
    reference: gw_ref,
    providerReference: u_txn,
    amount: fromMinor(paise, 'INR'),
    currency: 'INR',
    dedupeKey: `${u_txn}|${state}|${number}`,
    ...refusal,
    ...(late ? { facts: { late } } : {}),
  };
}

/** Members of an answer that say what the payer must do. */
export const actionEntries = {
  link: v.fallback(MaybeText, null),
  qr: v.fallback(MaybeText, null),
  lapses: v.fallback(v.nullish(jsonDigits(13)), null),
} as const;
const Offer = v.object(actionEntries);
type Offer = v.InferOutput<typeof Offer>;

/** What the payer must do now; undefined where nothing is to be done, or the answer does not say what. */
export function actionOf({
  state,
  mode,
  link,
  qr,
  lapses,
}: Pick<Transaction, 'state' | 'mode'> & Offer): Action | undefined {
  if (state !== 'PENDING' || !lapses) return undefined;
  const expiry = `${new Date(Number(lapses)).toISOString().slice(0, 19)}Z`;
  switch (mode ?? '') {
    case 'COLLECT':
      return { type: 'upi', mode: 'collect', expiry };
    case 'INTENT':
      return isUpiLink(link) ? { type: 'upi', mode: 'intent', link, expiry } : undefined;
    case 'QR':
      return isUpiLink(qr) ? { type: 'upi', mode: 'qr', text: qr, expiry } : undefined;
    default:
      return undefined;
  }
}

/** Payers' apps open it: nothing but a UPI link may come through here. */
function isUpiLink(text: string | null | undefined): text is string {
  return text?.toLowerCase().startsWith('upi://') ?? false;
}
