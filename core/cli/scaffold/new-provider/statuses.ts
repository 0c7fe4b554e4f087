/** What New Provider's statuses mean. */
import { statusTable, type DeclineCode } from '@gateway/contract';
import { decide, undecided } from './undecided.ts';

export const statuses = decide(undecided.statuses, {
  payment: { paid: 'succeeded', waiting: 'pending', refused: 'failed', expired: 'expired' },
  refund: { done: 'succeeded', queued: 'pending', declined: 'failed', refunded: 'succeeded' },
  chargeback: { opened: 'opened', won: 'won', lost: 'lost' },
} as const);

export const mapStatus = statusTable(statuses);

/** Words of `reason`. */
export const declines: Readonly<Record<string, DeclineCode>> = decide(undecided.declines, {
  // for: card billing token
  refused: '05',
  no_money: '51',
  expired_card: '54',
  not_permitted: '57',
  over_limit: '61',
  // end
  // for: upi
  //: wrong_pin: 'U30',
  //: risk: 'U16',
  //: unknown_device: 'U66',
  //: payer_refused: 'U69',
  // end
});
