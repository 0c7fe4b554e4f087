/**
 * The meaning of E's statuses: kinds of results in XML, operations with result codes (`op/rc`) in host-to-host tokens.
 */
import {
  statusTable,
  type DeclineCode,
  type EventKind,
  type EventStatus,
  type EventStatuses,
} from '@paywright/contract';

/** The meaning of a kind of result, and the direction of its money. */
export interface Meaning {
  readonly kind: EventKind;
  readonly status: EventStatus;
  readonly dir: 'in' | 'out';
}

/** Kinds of XML results. Any other kind counts as a payment's, with an unknown status. */
export const meanings: ReadonlyMap<string, Meaning> = new Map<string, Meaning>([
  ['SENT', { kind: 'payment', status: 'pending', dir: 'in' }],
  ['AUTHORISED', { kind: 'payment', status: 'authorised', dir: 'in' }],
  ['CAPTURED', { kind: 'payment', status: 'succeeded', dir: 'in' }],
  ['REFUSED', { kind: 'payment', status: 'failed', dir: 'in' }],
  ['CANCELLED', { kind: 'payment', status: 'cancelled', dir: 'in' }],
  ['EXPIRED', { kind: 'payment', status: 'expired', dir: 'in' }],
  ['REFUND_SENT', { kind: 'refund', status: 'pending', dir: 'out' }],
  ['REFUNDED', { kind: 'refund', status: 'succeeded', dir: 'out' }],
  ['PART_REFUNDED', { kind: 'refund', status: 'succeeded', dir: 'out' }],
  ['REFUND_FAILED', { kind: 'refund', status: 'failed', dir: 'out' }],
  ['REFUND_RETURNED', { kind: 'refund', status: 'reversed', dir: 'in' }],
  ['CHARGED_BACK', { kind: 'chargeback', status: 'opened', dir: 'out' }],
  ['CB_LOST', { kind: 'chargeback', status: 'lost', dir: 'out' }],
  ['CB_WON', { kind: 'chargeback', status: 'won', dir: 'in' }],
  ['CB_REVERSED', { kind: 'chargeback', status: 'reversed', dir: 'in' }],
]);

/** The subject of an XML result. */
export function kindOfResult(result: string): EventKind {
  return meanings.get(result)?.kind ?? 'payment';
}

/** The subject of a transaction, by its operation. */
export function kindOfOperation(op: string): EventKind {
  return op === 'refund' ? 'refund' : op === 'dispute' ? 'chargeback' : 'payment';
}

/** Values of `why` in an XML result `REFUSED`. */
export const resultDeclines: Readonly<Record<string, DeclineCode>> = {
  GENERAL: '05',
  FUNDS: '51',
  CARD_EXPIRED: '54',
  NOT_PERMITTED: '57',
  LIMIT: '61',
  WRONG_CODE: '05',
};

/** Values of `rc` in a failed sale. */
export const transactionDeclines: Readonly<Record<string, DeclineCode>> = {
  '4005': '05',
  '4051': '51',
  '4054': '54',
  '4057': '57',
  '4061': '61',
  '4055': '05',
};

/** The results of one kind, with their statuses. */
function resultsOf<K extends EventKind>(kind: K): Record<string, EventStatuses[K]> {
  const found = [...meanings].filter(([, meaning]) => meaning.kind === kind);
  return Object.fromEntries(found.map(([result, { status }]) => [result, status as EventStatuses[K]]));
}

const refusedSales = Object.keys(transactionDeclines).map((rc) => [`sale/${rc}`, 'failed'] as const);

/** The default for a family of codes, by its first digit. */
const families: Readonly<Record<string, 'pending' | 'failed'>> = { '2': 'pending', '4': 'failed' };

export const mapStatus = statusTable(
  {
    payment: {
      ...resultsOf('payment'),
      'sale/0000': 'succeeded',
      'sale/2000': 'pending',
      'sale/2001': 'pending',
      'sale/2002': 'authorised',
      ...Object.fromEntries(refusedSales),
      'sale/4090': 'cancelled',
      'sale/4091': 'expired',
    },
    refund: {
      ...resultsOf('refund'),
      'refund/0000': 'succeeded',
      'refund/2000': 'pending',
      'refund/4005': 'failed',
      'refund/4092': 'reversed',
    },
    chargeback: {
      ...resultsOf('chargeback'),
      'dispute/7000': 'opened',
      'dispute/7001': 'won',
      'dispute/7002': 'lost',
      'dispute/7003': 'reversed',
    },
  },
  (status, { kind, providerStatus, facts }) => {
    // A kind of XML result that E adds later never counts as a transaction's status.
    if (facts?.['from'] === 'xml' && !meanings.has(providerStatus)) return 'unknown';
    const [, op = '', family = ''] = /^(sale|refund)\/([24])\d{3}$/.exec(providerStatus) ?? [];
    return status === 'unknown' && kind === kindOfOperation(op) ? (families[family] ?? status) : status;
  },
);
