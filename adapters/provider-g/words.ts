/** G's words, in callbacks and status answers alike. */
import {
  declineOf,
  fromMinor,
  jsonDigits,
  readRfc3339,
  v,
  type DeclineCode,
  type EventKind,
  type ReportedEvent,
} from '@gateway/contract';

/** Digits of an amount in minor units. */
export const MAX_DIGITS = 18;

export const words = {
  payment: {
    PAID: 'succeeded',
    UNPAID: 'failed',
    AUTHED: 'authorised',
    WAITING: 'pending',
    CHALLENGE: 'pending',
    CLOSED: 'cancelled',
    LAPSED: 'expired',
  },
  refund: { REFUND_WAIT: 'pending', REFUND_OK: 'succeeded', REFUND_BAD: 'failed', REFUND_BACK: 'reversed' },
  chargeback: { DISPUTED: 'opened', DISPUTE_LOST: 'lost', DISPUTE_WON: 'won', DISPUTE_BACK: 'reversed' },
} as const;

/** Words of `why`. */
export const declines: Readonly<Record<string, DeclineCode>> = {
  DO_NOT_HONOR: '05',
  NO_FUNDS: '51',
  EXPIRED: '54',
  FORBIDDEN: '57',
  OVER_LIMIT: '61',
  SECURE_FAILED: '05',
};

const kinds = new Map<string, EventKind>([
  ...Object.keys(words.refund).map((word) => [word, 'refund'] as const),
  ...Object.keys(words.chargeback).map((word) => [word, 'chargeback'] as const),
]);

/** A text, where there is one. */
export const Text = v.fallback(v.nullish(v.string()), null);

/** One movement of money, or one state, as callbacks and status answers tell it. */
export const Movement = v.object({
  status: v.string(),
  minor: jsonDigits(MAX_DIGITS),
  cur: v.pipe(v.string(), v.regex(/^[A-Z]{3}$/, 'three capitals')),
  why: Text,
  at: Text,
});
export type Movement = v.InferOutput<typeof Movement>;

/** The event of a movement; `gid` is its identity, the same wherever it is told. */
export function toEvent(
  gid: string,
  { g_txn, gw_ref }: { readonly g_txn: string; readonly gw_ref: string },
  { status, minor, cur, why, at }: Movement,
): ReportedEvent {
  const occurredAt = at ? readRfc3339(at) : undefined;
  const { unknownWord: _, ...decline } = declineOf(declines, why);
  return {
    kind: kinds.get(status) ?? 'payment',
    word: status,
    reference: gw_ref,
    providerReference: g_txn,
    amount: fromMinor(minor, cur),
    currency: cur,
    dedupeKey: gid,
    ...(status === 'UNPAID' ? decline : {}),
    ...(occurredAt ? { occurredAt } : {}),
  };
}
