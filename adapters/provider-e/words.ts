/** What E's words mean: kinds of results in XML, operations with result codes in host-to-host tokens. */
import {
  declineOf,
  statusTable,
  type DeclineCode,
  type EventKind,
  type EventStatus,
  type ReportedEvent,
} from '@gateway/contract';

/** What a kind of result says, and which way its money goes. */
export interface Meaning {
  readonly kind: EventKind;
  readonly status: EventStatus;
  readonly dir: 'in' | 'out';
}

/** Kinds of XML results; any other is a payment's, with a status that nobody knows. */
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

/** Words of a transaction, `op/rc`, that stand alone. */
const transactions = {
  payment: {
    'sale/0000': 'succeeded',
    'sale/2002': 'authorised',
    'sale/4090': 'cancelled',
    'sale/4091': 'expired',
  },
  refund: { 'refund/0000': 'succeeded', 'refund/4092': 'reversed' },
  chargeback: {
    'dispute/7000': 'opened',
    'dispute/7001': 'won',
    'dispute/7002': 'lost',
    'dispute/7003': 'reversed',
  },
} as const;

/** The rest of a family of codes. */
const families: readonly { readonly kind: EventKind; readonly words: RegExp; readonly status: EventStatus }[] = [
  { kind: 'payment', words: /^sale\/2\d{3}$/, status: 'pending' },
  { kind: 'payment', words: /^sale\/4\d{3}$/, status: 'failed' },
  { kind: 'refund', words: /^refund\/2\d{3}$/, status: 'pending' },
  { kind: 'refund', words: /^refund\/4\d{3}$/, status: 'failed' },
];

const statusOfSingle = statusTable(transactions);

function statusOfTransaction(event: ReportedEvent): EventStatus {
  const single = statusOfSingle(event);
  if (single !== 'unknown') return single;
  return families.find(({ kind, words }) => kind === event.kind && words.test(event.word))?.status ?? 'unknown';
}

function statusOfResult({ kind, word }: ReportedEvent): EventStatus {
  const meaning = meanings.get(word);
  return meaning?.kind === kind ? meaning.status : 'unknown';
}

/** A kind of XML result that E adds is never taken for a transaction's word: the event's fact `from` tells whence it is. */
export function mapStatus(event: ReportedEvent): EventStatus {
  const asResult = statusOfResult(event);
  return asResult === 'unknown' && event.facts?.['from'] !== 'xml' ? statusOfTransaction(event) : asResult;
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

/** Values of `rc` in a sale that failed. */
export const transactionDeclines: Readonly<Record<string, DeclineCode>> = {
  '4005': '05',
  '4051': '51',
  '4054': '54',
  '4057': '57',
  '4061': '61',
  '4055': '05',
};

/** A decline as an event tells it. */
export function toldDecline(...given: Parameters<typeof declineOf>): Pick<ReportedEvent, 'decline' | 'declineText'> {
  const { decline, declineText } = declineOf(...given);
  return { decline, ...(declineText === undefined ? {} : { declineText }) };
}

function wordsOf(kind: EventKind): string[] {
  return [...meanings].filter(([, meaning]) => meaning.kind === kind).map(([word]) => word);
}

/** Every word that the book names, by kind. */
export const words = {
  payment: [
    ...wordsOf('payment'),
    ...Object.keys(transactions.payment),
    ...['2000', '2001', ...Object.keys(transactionDeclines)].map((rc) => `sale/${rc}`),
  ],
  refund: [...wordsOf('refund'), ...Object.keys(transactions.refund), ...['2000', '4005'].map((rc) => `refund/${rc}`)],
  chargeback: [...wordsOf('chargeback'), ...Object.keys(transactions.chargeback)],
};
