/** The meaning of the vault's statuses: names of events in callbacks, states of the charge in status answers. */
import { declineOf, statusTable, type DeclineCode } from '@paywright/contract';

export const callbackStatuses = {
  payment: {
    'charge.succeeded': 'succeeded',
    'charge.failed': 'failed',
    'charge.pending': 'pending',
    'charge.authorised': 'authorised',
    'charge.cancelled': 'cancelled',
    'charge.expired': 'expired',
  },
  refund: {
    'refund.pending': 'pending',
    'refund.succeeded': 'succeeded',
    'refund.failed': 'failed',
    'refund.reversed': 'reversed',
  },
  chargeback: {
    'dispute.opened': 'opened',
    'dispute.won': 'won',
    'dispute.lost': 'lost',
    'dispute.reversed': 'reversed',
  },
  token: {
    'token.active': 'active',
    'token.suspended': 'suspended',
    'token.deleted': 'deleted',
    'token.updated': 'updated',
  },
} as const;

const fetchStatuses = { payment: { ...callbackStatuses.payment, 'charge.challenge': 'pending' } } as const;

/** A "succeeded" event about a failed charge is not a success. */
export const mapStatus = statusTable({ callback: callbackStatuses, fetch: fetchStatuses }, (status, { facts }) =>
  facts?.['agrees'] === false ? 'unknown' : status,
);

/** Decline codes by `why` of a failed charge, and by the code of a 422. */
export const declines: Readonly<Record<string, DeclineCode>> = {
  do_not_honor: '05',
  no_funds: '51',
  card_expired: '54',
  token_deleted: '54',
  not_allowed: '57',
  token_suspended: '57',
  limit: '61',
  auth_failed: '05',
  token_unknown: '05',
};

/** The decline of a refused charge: the reason, and a failed 3D Secure step. */
export function refusalOf(why: string | null | undefined) {
  return { ...declineOf(declines, why), ...(why === 'auth_failed' ? { threeDsResult: 'N' } : {}) };
}
