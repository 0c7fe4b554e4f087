/** The meaning of the server's statuses. */
import { statusTable, type DeclineCode } from '@paywright/contract';

/** Decline codes by `reason` of a refused or invalid invoice. */
export const declines: Readonly<Record<string, DeclineCode>> = {
  'too-low': '51',
  'buyer-blocked': '57',
  limit: '61',
  'double-spent': '05',
  reorganised: '05',
};

const both = {
  'invoice.seen': 'pending',
  'invoice.processing': 'pending',
  'invoice.partial': 'underpaid',
  'invoice.settled': 'succeeded',
  'invoice.expired': 'expired',
  'invoice.cancelled': 'cancelled',
  'invoice.invalid': 'failed',
} as const;

const refund = {
  'refund.created': 'pending',
  'refund.done': 'succeeded',
  'refund.failed': 'failed',
  'refund.reversed': 'reversed',
} as const;

/** The `type` of a callback. */
export const callbackStatuses = { payment: { 'invoice.created': 'pending', ...both }, refund } as const;
/** `invoice.` with the state of a fetched invoice, `refund.` with that of a refund. */
const fetchStatuses = { payment: { 'invoice.new': 'pending', ...both }, refund } as const;

/** A settled invoice may have been paid late or by too much: the facts of its event include `late` and `over`. */
export const mapStatus = statusTable(
  { callback: callbackStatuses, fetch: fetchStatuses },
  (status, { kind, facts }) => {
    if (kind !== 'payment' || status !== 'succeeded') return status;
    return facts?.['late'] === true ? 'late' : facts?.['over'] === true ? 'overpaid' : status;
  },
);
