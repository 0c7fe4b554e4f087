/**
 * Looks at the start of a settlement file before it is compared: its columns, what they probably mean, and how its
 * first rows are read with a mapping. What is guessed is shown to the operator, who confirms or corrects it.
 */
import { isCurrency, readReference } from '@paywright/contract';
import { CsvError, parse, type Info } from 'csv-parse';
import { parse as parseAtOnce } from 'csv-parse/sync';
import { maskText } from '../base/log/log-masks.ts';
import { attemptReferenceOf } from './compare.ts';
import type { Mapping, RowKind } from './mapping.ts';
import { SettlementProblem } from './problem.ts';
import { csvOptions, readHead, readRows, separators, type SettlementRow } from './read-rows.ts';
import type { SettlementFile } from './settlement-file.ts';

export interface InspectedFile {
  readonly separator: string;
  readonly columns: readonly InspectedColumn[];
}

export interface InspectedColumn {
  readonly name: string;
  /** The different values of the first rows, in their order. Many: the column has more than are kept. */
  readonly values: readonly string[];
  readonly hasMany: boolean;
}

/** A mapping that may lack required members, such as the column of the amount. */
export interface GuessedMapping {
  readonly columns: Readonly<Partial<Record<ColumnName, string>>>;
  readonly kinds: Readonly<Record<string, RowKind | 'ignored' | ''>>;
  readonly decimalMark: '.' | ',';
  readonly dateFormat: string;
}

/** The meanings that a column of a simple mapping has. */
export const columnNames = [
  'reference',
  'providerReference',
  'subReference',
  'kind',
  'amount',
  'currency',
  'fee',
  'date',
] as const;
export type ColumnName = (typeof columnNames)[number];

const inspectedRows = 2000;
const keptValues = 20;
const longestValue = 60;

/** Rejects with a SettlementProblem if the file has no columns. */
export async function inspectFile(file: SettlementFile): Promise<InspectedFile> {
  const head = await readHead(file);
  const headerWith = (separator: string): readonly string[] => {
    try {
      return parseAtOnce(head, { ...csvOptions, delimiter: separator, to: 1 })[0] ?? [];
    } catch (error) {
      if (!(error instanceof CsvError)) throw error;
      return [];
    }
  };
  const [found] = separators
    .map((separator) => ({ separator, header: headerWith(separator) }))
    .toSorted((one, other) => other.header.length - one.header.length);
  const { separator, header } = found!;
  if (header.length < 2)
    throw new SettlementProblem([`${file.name}: has no line with the names of at least two columns`]);
  const values = header.map(() => new Set<string>());
  const stream = file.read();
  const options = { ...csvOptions, delimiter: separator, from_line: 2, to: inspectedRows, info: true };
  const parser = parse(options);
  stream.on('error', (error) => parser.destroy(error));
  const records = stream.pipe(parser) as AsyncIterable<{ readonly record: string[]; readonly info: Info }>;
  try {
    for await (const { record } of records)
      for (const [at, cells] of values.entries()) {
        // A chosen value is stored with the mapping, and a column may contain card numbers.
        const value = maskText(record[at] ?? '').slice(0, longestValue);
        if (cells.size <= keptValues) cells.add(value);
      }
  } catch (error) {
    // The comparison reports the row. The rows before it say enough about the columns.
    if (!(error instanceof CsvError)) throw error;
  } finally {
    stream.destroy();
  }
  return {
    separator,
    columns: header.map((name, at) => {
      const all = [...values[at]!];
      return { name, values: all.slice(0, keptValues), hasMany: all.length > keptValues };
    }),
  };
}

/** Names of columns as providers write them; case, spaces and marks do not matter. The first match wins. */
const usualNames: Readonly<Record<ColumnName, readonly string[]>> = {
  reference: ['merchant reference', 'merchant transaction id', 'order id', 'order number', 'reference'],
  providerReference: ['psp reference', 'payment id', 'payment intent id', 'transaction id', 'charge id', 'id'],
  subReference: ['modification reference', 'refund id', 'refund reference', 'refund', 'source id'],
  kind: ['type', 'kind', 'record type', 'transaction type', 'reporting category', 'category', 'description'],
  amount: ['gross amount', 'gross', 'amount', 'gross value', 'value'],
  currency: ['currency', 'gross currency', 'currency code'],
  fee: ['fee', 'fees', 'commission', 'processing fee'],
  date: ['date', 'created utc', 'creation date', 'created', 'created at', 'booking date', 'transaction date', 'time'],
};

/** Guesses from the names of the columns and from their values. */
export function guessMapping({ columns }: InspectedFile): GuessedMapping {
  const plain = (name: string): string => name.toLowerCase().replaceAll(/[^a-z]/g, '');
  const taken = new Set<string>();
  const guessed: Partial<Record<ColumnName, string>> = {};
  const take = (meaning: ColumnName, column: InspectedColumn | undefined): void => {
    if (!column) return;
    guessed[meaning] = column.name;
    taken.add(column.name);
  };
  const isMost = ({ values }: InspectedColumn, isSuch: (value: string) => boolean): boolean => {
    const given = values.filter((value) => value !== '');
    return given.length > 0 && given.filter(isSuch).length > given.length / 2;
  };
  take(
    'reference',
    columns.find((one) => isMost(one, isOurReference)),
  );
  take(
    'currency',
    columns.find((one) => isMost(one, (value) => isCurrency(value.toUpperCase()))),
  );
  for (const meaning of columnNames) {
    if (guessed[meaning] !== undefined) continue;
    const free = columns.filter(({ name }) => !taken.has(name));
    const usual = usualNames[meaning].flatMap((name) => free.find((one) => plain(one.name) === plain(name)) ?? []);
    take(
      meaning,
      usual.find((one) => meaning !== 'kind' || !one.hasMany),
    );
  }
  const valuesOf = (meaning: ColumnName): readonly string[] =>
    columns.find(({ name }) => name === guessed[meaning])?.values ?? [];
  return {
    columns: guessed,
    kinds: Object.fromEntries(valuesOf('kind').map((word) => [word, guessKind(word)])),
    decimalMark: valuesOf('amount').some((value) => /,\d{1,2}$/.test(value)) ? ',' : '.',
    dateFormat: guessDateFormat(valuesOf('date')),
  };
}

function isOurReference(value: string): boolean {
  const reference = attemptReferenceOf(value);
  return reference !== undefined && readReference(reference) !== undefined;
}

/** The first that fits, for a row that is no reversal. A word that fits none must be chosen by the operator. */
const kindWords: readonly (readonly [RegExp, RowKind | 'ignored'])[] = [
  [/chargeback|dispute/i, 'chargeback'],
  [/refund|credit/i, 'refund'],
  [/payout|transfer|balance|withdraw|deposit|reserve/i, 'ignored'],
  [/fee|cost|commission/i, 'fee'],
  [/sale|pay|charge|capture|settle|purchase|debit/i, 'payment'],
];

function guessKind(word: string): RowKind | 'ignored' | '' {
  const kind = kindWords.find(([words]) => words.test(word))?.[1] ?? '';
  const isReversal = /revers|fail|won/i.test(word);
  return isReversal && (kind === 'refund' || kind === 'chargeback') ? `${kind}_reversed` : kind;
}

function guessDateFormat(values: readonly string[]): string {
  const given = values.filter((value) => value !== '');
  const parts = given.flatMap((value) => {
    const [, first = '', mark = '', second = '', time = ''] =
      /^(\d{1,2})([./-])(\d{1,2})\2\d{4}(.*)$/.exec(value) ?? [];
    return mark === '' ? [] : [{ first: Number(first), mark, second: Number(second), time: time.trim() }];
  });
  const [one] = parts;
  if (!one || parts.length < given.length) return '';
  // Only a day above 12 says which of the two is the day. Without one, the day comes first, as in most of the world.
  const isMonthFirst = parts.every(({ first }) => first <= 12) && parts.some(({ second }) => second > 12);
  const day = (isMonthFirst ? ['MM', 'DD', 'YYYY'] : ['DD', 'MM', 'YYYY']).join(one.mark);
  if (/^\d\d?:\d\d:\d\d$/.test(one.time)) return `${day} HH:mm:ss`;
  return /^\d\d?:\d\d$/.test(one.time) ? `${day} HH:mm` : day;
}

export interface PreviewedRows {
  /** The first rows that are not ignored. */
  readonly rows: readonly SettlementRow[];
  /** Why rows cannot be read. Empty: the rows that were looked at can be read. */
  readonly problems: readonly string[];
}

/** Reads the first rows as the comparison does. */
export async function previewRows(file: SettlementFile, mapping: Mapping, count: number): Promise<PreviewedRows> {
  const rows: SettlementRow[] = [];
  let read = 0;
  try {
    for await (const row of readRows(file, mapping)) {
      read += 1;
      if (row !== null && rows.length < count) rows.push(row);
      if (read >= inspectedRows) break;
    }
  } catch (error) {
    if (!(error instanceof SettlementProblem)) throw error;
    return { rows, problems: error.problems };
  }
  return { rows, problems: [] };
}
