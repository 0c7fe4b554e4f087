/** The meaning of C's states, of its reasons to refuse a card, and of its errors. */
import { declineOf, errorAnswers, statusTable, type DeclineCode, type EventKind } from '@paywright/contract';
import { readMessage, type Form } from './wire.ts';

/** Values of `c_state` in a callback. */
export const callbackStatuses = {
  payment: { success: 'succeeded', failure: 'failed', pending: 'pending', usercancel: 'cancelled', lapsed: 'expired' },
  refund: { refunded: 'succeeded', refundwait: 'pending', refundfail: 'failed' },
  chargeback: { disputed: 'opened', disputewon: 'won', disputelost: 'lost', disputeback: 'reversed' },
} as const;

/**
 * What a find answers: `c_state`, `c_refunded` over 0, values of `c_disputed`, and that C never received the payment.
 */
export const findStatuses = {
  payment: { ...callbackStatuses.payment, challenge: 'pending', no_such_payment: 'expired' },
  refund: { c_refunded: 'succeeded' },
  chargeback: { open: 'opened', won: 'won', lost: 'lost', back: 'reversed' },
} as const;

export const mapStatus = statusTable({ callback: callbackStatuses, fetch: findStatuses });

/** The kind of a callback. An unknown state counts as a payment's. */
export function kindOf(state: string): EventKind {
  if (Object.hasOwn(callbackStatuses.refund, state)) return 'refund';
  return Object.hasOwn(callbackStatuses.chargeback, state) ? 'chargeback' : 'payment';
}

/** Values of `c_why`. */
export const declines: Readonly<Record<string, DeclineCode>> = {
  do_not_honour: '05',
  no_funds: '51',
  card_expired: '54',
  not_allowed: '57',
  over_limit: '61',
  auth_failed: '05',
};

/** The decline of a refused card: C's reason, and a failed 3D Secure step. Trust it only if those fields are signed. */
export function readRefusal(form: Form) {
  const [why, said, auth = ''] = ['c_why', 'c_msg', 'c_auth'].map((name) => form.get(name));
  const decline = declineOf(declines, why, said);
  if (why !== 'auth_failed') return decline;
  return { ...decline, threeDsResult: /^[NRU]$/.test(auth) ? auth : 'N', ...(said ? { acsResponse: said } : {}) };
}

/** Only C's own answer proves that nothing was charged. A proxy's page proves nothing. */
export const errors = errorAnswers({
  provider: 'C',
  codeOf: (reply) => readMessage(reply)?.get('c_error'),
  nothingCharged: ['429 slow_down', '500 not_started', '503 closed'],
  // The answer names no field.
  refusedField: ({ status }, code) => (status === 400 && code === 'bad_field' ? 'body' : undefined),
  misconfigured: { '401 bad_hash': 'key and salts of the account', '401 bad_key': 'key and salts of the account' },
  declined(reply, code) {
    if (reply.status !== 422 || code !== 'not_payable') return undefined;
    const declineText = readMessage(reply)?.get('c_text');
    return { decline: '57', ...(declineText ? { declineText } : {}) };
  },
  refundRefused: ['400 bad_field', '422 too_much'],
});
