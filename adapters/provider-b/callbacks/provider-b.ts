/**
 * Callback `GET providerB`: the outcome of an operation. `check` covers outcome, id and reference; nothing covers the
 * rest.
 */
import {
  acknowledgeBy,
  defineRoute,
  genuine,
  invalidSignature,
  malformed,
  readHex,
  readUniquePairs,
  text,
  verifyWithAny,
  type EventKind,
  readMoney,
} from '@paywright/contract';
import type { Options } from '../options.ts';
import { controlOf, isName, isTxn, readOperation } from '../wire.ts';

interface Notice {
  readonly outcome: string;
  readonly txn: string;
  readonly reference: string;
  /** The whole query, for the fields that `check` does not cover. */
  readonly query: ReadonlyMap<string, string>;
}

const MAX_REFERENCE = 24;

function isReference(value: string | undefined): value is string {
  return value !== undefined && value.length <= MAX_REFERENCE && /^GW-[0-9]+-[0-9]+$/.test(value);
}

const kinds = new Map<string, EventKind>([
  ['sale', 'payment'],
  ['reversal', 'refund'],
  ['dispute', 'chargeback'],
]);

export const callback = defineRoute<Options, Notice>({
  path: 'providerB',
  method: 'GET',
  caller: 'server',
  reports: 'payments, refunds, chargebacks',
  queryParameters: [
    'outcome',
    'b_txn',
    'gw_ref',
    'endpoint',
    'op',
    'op_no',
    'total',
    'cur',
    'last4',
    'code',
    'note',
    'check',
  ],

  accountHint: ({ query }) => readUniquePairs(query)?.get('endpoint'),

  verifySignature(raw, { options: { endpoint, controlKeys } }) {
    const query = readUniquePairs(raw.query);
    if (!query) return malformed('the query cannot be decoded, or repeats a name');
    const check = query.get('check') ?? '';
    if (check === '') return invalidSignature('check is missing');

    // These forms (letters, then digits, then `GW-`) prevent a value from flowing into its neighbour.
    const [outcome, txn, reference] = [query.get('outcome'), query.get('b_txn'), query.get('gw_ref')];
    if (!isName(outcome)) return malformed('outcome');
    if (!isTxn(txn)) return malformed('b_txn');
    if (!isReference(reference)) return malformed('gw_ref');
    const key = verifyWithAny(controlKeys, readHex(check, 20), (one) => controlOf(one, outcome, txn, reference));
    if (key === undefined) return invalidSignature('check');
    if (query.get('endpoint') !== endpoint) return invalidSignature('another endpoint');
    return genuine({ outcome, txn, reference, query });
  },

  // `check` does not cover `code`, so a failed sale carries no decline. The status answer carries it.
  parseCallback({ value: { outcome, txn, reference, query } }) {
    const op = query.get('op');
    const operation = readOperation(query.get('op_no'));
    const total = readMoney(query.get('total'), query.get('cur'));
    if (!isName(op)) return { malformed: 'op' };
    if (operation === undefined) return { malformed: 'op_no' };
    if (!total) return { malformed: 'total or cur' };
    const about = { reference, providerReference: txn, ...total };
    const dedupeKey = `${txn}:${op}:${operation}:${outcome}`;
    // The check of sale/approved equals that of reversal/approved. For a sale, core compares the uncovered facts.
    const uncovered = op === 'sale' ? {} : ({ subReference: `${txn}/${operation}`, mustFetch: true } as const);
    const kind = kinds.get(op) ?? 'payment';
    return { events: [{ kind, providerStatus: `${op}/${outcome}`, ...about, dedupeKey, ...uncovered }] };
  },

  acknowledge: acknowledgeBy({
    accepted: text('OK'),
    invalid_signature: text('ERROR check', 401),
    malformed: text('ERROR fields', 400),
    try_later: text('ERROR later', 503),
  }),
});
