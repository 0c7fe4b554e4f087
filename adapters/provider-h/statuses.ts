/** The meaning of H's statuses. */
import { statusTable, type DeclineCode, type EventStatus } from '@paywright/contract';

/** `why` of a pay that went bad. */
export const declines: Readonly<Record<string, DeclineCode>> = {
  double_spend: '05',
  too_little: '51',
  sanctioned: '57',
  limit: '61',
};

/** `phase` of a pay, and `returned:` with the state of a return. */
export const statuses = {
  payment: {
    awaiting: 'pending',
    seen: 'pending',
    confirming: 'pending',
    settling: 'pending',
    part: 'underpaid',
    done: 'succeeded',
    over: 'overpaid',
    late: 'late',
    lapsed: 'expired',
    void: 'cancelled',
    bad: 'failed',
  },
  refund: {
    'returned:queued': 'pending',
    'returned:done': 'succeeded',
    'returned:failed': 'failed',
    'returned:reversed': 'reversed',
  },
} as const;

/** The coins received, compared with the coins to pay. */
export type Received = 'less' | 'equal' | 'more' | 'another coin';
type ByCoins = Readonly<Partial<Record<Received, EventStatus>>>;

const inTime: ByCoins = { less: 'underpaid', equal: 'succeeded', more: 'overpaid' };
const late: ByCoins = { less: 'underpaid', equal: 'late', more: 'late' };
const paid: Readonly<Record<string, ByCoins>> = { done: inTime, over: inTime, late };

/** A status that means *paid* needs the coins: without them, or with another coin, it is unknown. */
export const mapStatus = statusTable(statuses, (status, { kind, providerStatus, facts }) => {
  if (kind !== 'payment' || !Object.hasOwn(paid, providerStatus)) return status;
  return paid[providerStatus]![facts?.['received'] as Received] ?? 'unknown';
});
