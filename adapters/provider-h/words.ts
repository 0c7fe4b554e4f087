/** What H's words mean. */
import {
  statusTable,
  type DeclineCode,
  type EventStatus,
  type EventStatuses,
  type ReportedEvent,
} from '@gateway/contract';

/** `why` of a pay that went bad. */
export const declines: Readonly<Record<string, DeclineCode>> = {
  double_spend: '05',
  too_little: '51',
  sanctioned: '57',
  limit: '61',
};

/** `phase` of a pay, and `returned:` with the state of a return. */
export const words = {
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

/** The coins received, against the coins to pay. */
export type Received = 'less' | 'equal' | 'more' | 'another coin';

type CoinsTable = { readonly [R in Received]?: EventStatuses['payment'] };

const paid: CoinsTable = { less: 'underpaid', equal: 'succeeded', more: 'overpaid' };
/** A word that says *paid* is only as good as the coins: without them, or with another coin, it is unknown. */
const byCoins: ReadonlyMap<string, CoinsTable> = new Map([
  ['done', paid],
  ['over', paid],
  ['late', { less: 'underpaid', equal: 'late', more: 'late' }],
]);

const byWord = statusTable(words);

export function statusOf(event: ReportedEvent): EventStatus {
  const table = event.kind === 'payment' ? byCoins.get(event.word) : undefined;
  return table ? (table[event.facts?.['received'] as Received] ?? 'unknown') : byWord(event);
}
