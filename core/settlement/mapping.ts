/**
 * The mapping of a settlement file: which column has which meaning. It is a small YAML file that the operator writes.
 */
import { v } from '@paywright/contract';
import { didYouMean } from '../base/text/nearest.ts';
import { SettlementProblem } from './problem.ts';
import { isTimeFormat, isTimeZone } from './read-time.ts';

/** The kinds of rows. A `fee` belongs to no payment, for example a monthly fee: it is counted but not compared. */
export const rowKinds = ['payment', 'refund', 'refund_reversed', 'chargeback', 'chargeback_reversed', 'fee'] as const;
export type RowKind = (typeof rowKinds)[number];

const column = v.pipe(v.string('must be the name of a column'), v.nonEmpty('must be the name of a column'));
const columns = v.pipe(
  v.unknown(),
  v.transform((value) => (Array.isArray(value) ? (value as unknown[]) : [value])),
  v.array(column),
  v.nonEmpty('must name a column'),
);
const words = v.pipe(
  v.unknown(),
  v.transform((value) => (Array.isArray(value) ? (value as unknown[]) : [value])),
  v.array(v.string('must be a value of the column, in quotes if it is a number')),
);
const either = <const T extends readonly string[]>(values: T) =>
  v.picklist(values, `must be one of ${values.join(' ')}`);
/** For each kind, the values of the column `kind` that mean it. */
const kinds = {
  payment: v.optional(words, []),
  refund: v.optional(words, []),
  refund_reversed: v.optional(words, []),
  chargeback: v.optional(words, []),
  chargeback_reversed: v.optional(words, []),
  fee: v.optional(words, []),
  /** Rows without payer money, such as payouts and totals. */
  ignored: v.optional(words, []),
};
const Columns = v.strictObject({
  /** Our reference of the attempt (`GW-10042-1`) or of the refund. */
  reference: v.optional(column),
  /** The provider's reference of the payment. */
  providerReference: v.optional(column),
  /** The provider's or our reference of a refund; for a chargeback, the id of the case. */
  subReference: v.optional(column),
  /** Absent: negative amounts are refunds, the others payments. */
  kind: v.optional(column),
  /** One column, or one column for credits and one for debits. */
  amount: v.union(
    [column, v.strictObject({ credit: column, debit: column })],
    'must be a column, or { credit, debit }',
  ),
  /** Upper or lower case. */
  currency: column,
  /** Several columns are summed. */
  fee: v.optional(columns),
  /** Absent: fees are in the currency of the row. */
  feeCurrency: v.optional(column),
  date: v.optional(column),
});
const Mapping = v.pipe(
  v.strictObject({
    /** Absent: the command names it. */
    adapter: v.optional(v.string('must be the name of an adapter')),
    separator: v.optional(either([',', ';', '|', 'tab'])),
    /** Lines before the header line. */
    skipLines: v.optional(
      v.pipe(v.number('must be a number'), v.integer('must be whole'), v.minValue(0, 'must be 0 or more')),
      0,
    ),
    decimalMark: v.optional(either(['.', ',']), '.'),
    amountUnit: v.optional(either(['major', 'minor']), 'major'),
    /** Absent: ISO 8601. */
    dateFormat: v.optional(
      v.pipe(v.string('must be text'), v.check(isTimeFormat, 'must be such as DD/MM/YYYY HH:mm:ss')),
    ),
    timeZone: v.optional(
      v.pipe(v.string('must be text'), v.check(isTimeZone, 'must be a time zone such as UTC or Europe/Amsterdam')),
      'UTC',
    ),
    /**
     * `dates`: the file contains all movements from its first date to the end of its last one. Otherwise `--from` and
     * `--to` say what it contains.
     */
    span: v.optional(either(['dates'])),
    columns: Columns,
    kinds: v.optional(v.strictObject(kinds)),
  }),
  v.check(
    ({ columns: { kind }, kinds: given }) => (kind === undefined) === (given === undefined),
    'columns.kind and kinds must be used together: the column and the meaning of its values',
  ),
  v.check(
    ({ columns: { reference, providerReference } }) => (reference ?? providerReference) !== undefined,
    'columns.reference or columns.providerReference is required: without one no payment can be found',
  ),
  v.check(({ span, columns: { date } }) => span === undefined || date !== undefined, 'span: dates needs columns.date'),
);
export type Mapping = v.InferOutput<typeof Mapping>;

const knownAt: Readonly<Record<string, readonly string[]>> = {
  '': Object.keys(Mapping.entries),
  columns: Object.keys(Columns.entries),
  kinds: Object.keys(kinds),
  'columns.amount': ['credit', 'debit'],
};

/** Reads a mapping from parsed settings; problems name the file. Throws a SettlementProblem. */
export function readMapping(value: unknown, name: string): Mapping {
  const result = v.safeParse(Mapping, value);
  if (!result.success) throw new SettlementProblem(result.issues.map((issue) => `${name}: ${describeIssue(issue)}`));
  const mapping = result.output;
  const said = Object.values(mapping.kinds ?? {}).flat();
  const twice = said.find((word, at) => said.indexOf(word) < at);
  if (twice !== undefined) throw new SettlementProblem([`${name}: kinds: "${twice}" has two kinds; keep one`]);
  return mapping;
}

function describeIssue({ path, type, message, input, expected }: v.BaseIssue<unknown>): string {
  const keys = (path ?? []).map(({ key }) => String(key));
  const at = keys.join('.');
  if (type === 'strict_object' && expected === 'never') {
    const around = knownAt[keys.slice(0, -1).join('.')] ?? [];
    const name = keys.at(-1) ?? '';
    return `${at}: is unknown${didYouMean(name, around) || `: the settings are ${around.join(', ')}`}`;
  }
  if (input === undefined) return `${at}: is missing`;
  return at === '' ? message : `${at}: ${message.startsWith('Invalid') ? 'has an invalid format' : message}`;
}
