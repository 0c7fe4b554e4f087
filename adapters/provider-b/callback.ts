/** GET providerB: an operation's outcome. `check` proves outcome, id and reference; all else is said by whoever sends it. */
import {
  acknowledgeBy,
  defineRoute,
  forged,
  genuine,
  malformed,
  provenByAny,
  readHex,
  readPairs,
  text,
  uniquePairs,
  type EventKind,
  type Parsed,
  type Provider,
  type RawCallback,
  type Verdict,
} from '@gateway/contract';
import { controlOf, isTxn, isWord, readOperation, readTotal } from './messages.ts';
import type { Options } from './options.ts';

interface Notice {
  readonly outcome: string;
  readonly txn: string;
  readonly reference: string;
  /** The whole query, for what `check` does not cover. */
  readonly query: ReadonlyMap<string, string>;
}

const MAX_REFERENCE = 24;

function isReference(value: string | undefined): value is string {
  return value !== undefined && value.length <= MAX_REFERENCE && /^GW-[0-9]+-[0-9]+$/.test(value);
}

function prove(raw: RawCallback, { options: { endpoint, controlKeys } }: Provider<Options>): Verdict<Notice> {
  const pairs = readPairs(raw.query);
  const query = pairs && uniquePairs(pairs);
  if (!query) return malformed('the query does not decode, or names something twice');
  const check = query.get('check') ?? '';
  if (check === '') return forged('check is missing');

  // Letters, then digits, then `GW-`: only because of these forms no value can flow into its neighbour.
  const [outcome, txn, reference] = [query.get('outcome'), query.get('b_txn'), query.get('gw_ref')];
  if (!isWord(outcome)) return malformed('outcome');
  if (!isTxn(txn)) return malformed('b_txn');
  if (!isReference(reference)) return malformed('gw_ref');
  const proves = (key: string): Buffer => controlOf(key, outcome, txn, reference);
  if (!provenByAny(controlKeys, readHex(check, 20), proves)) return forged('check');
  if (query.get('endpoint') !== endpoint) return forged('another endpoint');
  return genuine({ outcome, txn, reference, query });
}

const kinds = new Map<string, EventKind>([
  ['sale', 'payment'],
  ['reversal', 'refund'],
  ['dispute', 'chargeback'],
]);

function read({ outcome, txn, reference, query }: Notice): Parsed {
  const op = query.get('op');
  const operation = readOperation(query.get('op_no'));
  const total = readTotal(query.get('total'), query.get('cur'));
  if (!isWord(op)) return { malformed: 'op' };
  if (operation === undefined) return { malformed: 'op_no' };
  if (!total) return { malformed: 'total or cur' };
  return {
    events: [
      {
        kind: kinds.get(op) ?? 'payment',
        word: `${op}/${outcome}`,
        reference,
        providerReference: txn,
        ...total,
        dedupeKey: `${txn}:${op}:${operation}:${outcome}`,
        // The check of sale/approved is also that of reversal/approved. Of a sale core compares what is not proven.
        ...(op === 'sale' ? {} : { subReference: `${txn}/${operation}`, mustFetch: true }),
      },
    ],
  };
}

export const callback = defineRoute<Options, Notice>({
  path: 'providerB',
  method: 'GET',
  caller: 'server',
  reports: 'payments, refunds, chargebacks',
  verifySignature: prove,
  parseCallback: ({ value }) => read(value),
  acknowledge: acknowledgeBy({
    accepted: text('OK'),
    bad_signature: text('ERROR check', 401),
    malformed: text('ERROR fields', 400),
    try_later: text('ERROR later', 503),
  }),
});
