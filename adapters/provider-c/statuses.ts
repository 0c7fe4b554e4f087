/** What C's states, its reasons to refuse a card, and its errors mean. */
import {
  declineOf,
  misconfigured,
  nothingCharged,
  statusTable,
  unknown,
  type Decline,
  type DeclineCode,
  type EventKind,
  type FailedOutcome,
  type HttpReply,
  type Outcome,
} from '@gateway/contract';
import { hasAll, readMessage, type Form } from './wire.ts';

/** Values of `c_state` in a callback. */
export const callbackStatuses = {
  payment: { success: 'succeeded', failure: 'failed', pending: 'pending', usercancel: 'cancelled', lapsed: 'expired' },
  refund: { refunded: 'succeeded', refundwait: 'pending', refundfail: 'failed' },
  chargeback: { disputed: 'opened', disputewon: 'won', disputelost: 'lost', disputeback: 'reversed' },
} as const;

/** What a find answers: `c_state`, `c_refunded` over 0, values of `c_disputed`, and that C never saw the payment. */
export const findStatuses = {
  payment: { ...callbackStatuses.payment, challenge: 'pending', no_such_payment: 'expired' },
  refund: { c_refunded: 'succeeded' },
  chargeback: { open: 'opened', won: 'won', lost: 'lost', back: 'reversed' },
} as const;

export const mapStatus = statusTable({ callback: callbackStatuses, fetch: findStatuses });

/** What a callback is about; a state that nobody knows is a payment's. */
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

/** How the card was refused: C's reason, and a failed 3D Secure step. Believe it only where those fields are signed. */
export function readRefusal(form: Form): Decline & Pick<FailedOutcome, 'threeDsResult' | 'acsResponse'> {
  const [why, said, auth = ''] = ['c_why', 'c_msg', 'c_auth'].map((name) => form.get(name));
  const decline = declineOf(declines, why, said);
  if (why !== 'auth_failed') return decline;
  return { ...decline, threeDsResult: /^[NRU]$/.test(auth) ? auth : 'N', ...(said ? { acsResponse: said } : {}) };
}

/** Status and C's own word of an error answer, such as `503 closed`; the status alone where C says nothing. */
export function errorOf(reply: HttpReply): string {
  const form = readMessage(reply);
  return form && hasAll(form, ['c_error']) ? `${reply.status} ${form.get('c_error')}` : String(reply.status);
}

/** Only C's own answer says that nothing was charged: a page that a proxy shows says nothing. */
export function errorOutcome(reply: HttpReply): Outcome {
  const error = errorOf(reply);
  switch (error) {
    case '400 bad_field':
    case '429 slow_down':
    case '500 not_started':
    case '503 closed':
      return nothingCharged(`C answered ${error}`);
    case '401 bad_hash':
    case '401 bad_key':
      return misconfigured(`C answered ${error}: check key and salts of the account`);
    case '422 not_payable': {
      const declineText = readMessage(reply)?.get('c_text');
      return { outcome: 'failed', decline: '57', ...(declineText ? { declineText } : {}) };
    }
    default:
      return unknown(`C answered ${reply.status}`);
  }
}
