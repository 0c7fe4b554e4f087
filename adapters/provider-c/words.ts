/** What C's words mean. */
import type { DeclineCode, EventKind } from '@gateway/contract';

/** Values of `c_state` in a callback. */
export const callbackWords = {
  payment: {
    success: 'succeeded',
    failure: 'failed',
    pending: 'pending',
    usercancel: 'cancelled',
    lapsed: 'expired',
  },
  refund: { refunded: 'succeeded', refundwait: 'pending', refundfail: 'failed' },
  chargeback: { disputed: 'opened', disputewon: 'won', disputelost: 'lost', disputeback: 'reversed' },
} as const;

/** What a find answers: `c_state`, `c_refunded` over 0, values of `c_disputed`, and that C never saw the payment. */
export const findWords = {
  payment: { ...callbackWords.payment, challenge: 'pending', no_such_payment: 'expired' },
  refund: { c_refunded: 'succeeded' },
  chargeback: { open: 'opened', won: 'won', lost: 'lost', back: 'reversed' },
} as const;

/** Values of `c_why`. */
export const declines: Readonly<Record<string, DeclineCode>> = {
  do_not_honour: '05',
  no_funds: '51',
  card_expired: '54',
  not_allowed: '57',
  over_limit: '61',
  auth_failed: '05',
};

/** What a callback is about; a state that nobody knows is a payment's. */
export function kindOf(state: string): EventKind {
  if (Object.hasOwn(callbackWords.refund, state)) return 'refund';
  return Object.hasOwn(callbackWords.chargeback, state) ? 'chargeback' : 'payment';
}
