/** The meanings of New Provider's statuses and refusal reasons. */
import { declineOf, statusTable, type DeclineCode } from '@paywright/contract';
import { decide, undecided } from './undecided.ts';

export const callbackStatuses = decide(undecided.statuses, {
  payment: { paid: 'succeeded', waiting: 'pending', refused: 'failed', expired: 'expired' },
  refund: { done: 'succeeded', queued: 'pending', declined: 'failed' },
  chargeback: { opened: 'opened', won: 'won', lost: 'lost' },
} as const);

/** An answer shows only the sum of refunds, and has statuses that messages do not have. */
const fetchStatuses = {
  // for: card token
  payment: { ...callbackStatuses.payment, challenge: 'pending' },
  // end
  // for: billing upi
  //: payment: callbackStatuses.payment,
  // end
  refund: { refunded: 'succeeded' },
} as const;

export const mapStatus = statusTable({ callback: callbackStatuses, fetch: fetchStatuses });

/** Values of `reason`. */
export const declines: Readonly<Record<string, DeclineCode>> = decide(undecided.declines, {
  // for: card billing token
  refused: '05',
  no_money: '51',
  expired_card: '54',
  not_permitted: '57',
  over_limit: '61',
  // end
  // for: card token
  not_authenticated: '05',
  // end
  // for: upi
  //: wrong_pin: 'U30',
  //: risk: 'U16',
  //: unknown_device: 'U66',
  //: payer_refused: 'U69',
  // end
});
// for: card token

/** The refusal of a payment: its reason, and a failed 3D Secure step. */
export function refusalOf(reason: string | null | undefined) {
  return { ...declineOf(declines, reason), ...(reason === 'not_authenticated' ? { threeDsResult: 'N' } : {}) };
}
// end
// for: billing upi
//:
//: /** The refusal of a payment. */
//: export function refusalOf(reason: string | null | undefined) {
//:   return declineOf(declines, reason);
//: }
// end
