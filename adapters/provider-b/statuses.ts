/** The meaning of B's statuses and decline codes. */
import { statusTable, type DeclineCode, type EventStatuses } from '@paywright/contract';

/** Decline codes by the `code` of a declined sale. */
export const declines: Readonly<Record<string, DeclineCode>> = {
  '201': '05',
  '205': '51',
  '208': '54',
  '214': '57',
  '221': '61',
  '230': '05',
  '231': '05',
  '301': '05',
};

/** The `<op>/<outcome>` of a sale. */
export const saleStatuses: Readonly<Record<string, EventStatuses['payment']>> = {
  'sale/approved': 'succeeded',
  'sale/declined': 'failed',
  'sale/filtered': 'failed',
  'sale/error': 'failed',
  'sale/processing': 'pending',
  'sale/unknown': 'pending',
};

/** A status answer adds `returned` and the states of a dispute. */
export const mapStatus = statusTable({
  payment: saleStatuses,
  refund: {
    'reversal/approved': 'succeeded',
    'reversal/declined': 'failed',
    'reversal/filtered': 'failed',
    'reversal/error': 'failed',
    'reversal/processing': 'pending',
    'reversal/unknown': 'pending',
    returned: 'succeeded',
  },
  chargeback: {
    'dispute/approved': 'lost',
    'dispute/declined': 'won',
    'dispute/processing': 'opened',
    open: 'opened',
    lost: 'lost',
    won: 'won',
  },
});
