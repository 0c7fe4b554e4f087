/** What B's words mean: `<op>/<outcome>` of a callback, and those that a status adds. */

export const words = {
  payment: {
    'sale/approved': 'succeeded',
    'sale/declined': 'failed',
    'sale/filtered': 'failed',
    'sale/error': 'failed',
    'sale/processing': 'pending',
    'sale/unknown': 'pending',
  },
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
} as const;
