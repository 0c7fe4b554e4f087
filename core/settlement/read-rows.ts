/** Reads the rows of a settlement file one after another. Only the current row is in memory. */
import { CsvError, parse, type Info } from 'csv-parse';
import { parse as parseAtOnce } from 'csv-parse/sync';
import { maskText } from '../base/log/log-masks.ts';
import { didYouMean } from '../base/text/nearest.ts';
import type { Mapping, RowKind } from './mapping.ts';
import { SettlementProblem } from './problem.ts';
import { readAmount } from './read-amount.ts';
import { createReadTime } from './read-time.ts';
import type { SettlementFile } from './settlement-file.ts';
import { addSigned, negated, nothing, type Signed } from './signed.ts';

export interface SettlementRow {
  /** The line in the file, from 1; for a row with several lines, its last line. */
  readonly line: number;
  readonly kind: RowKind;
  /** Null: the cell is empty or the file has no such column. The same applies to the other members. */
  readonly reference: string | null;
  readonly providerReference: string | null;
  readonly subReference: string | null;
  /** Negative: the amount was debited. */
  readonly amount: Signed;
  readonly currency: string;
  readonly fee: Signed | null;
  readonly feeCurrency: string;
  /** The start of the day, minute or second that the file names. */
  readonly at: Date | null;
  /** The end of it, exclusive. */
  readonly until: Date | null;
}

/** Rows that the mapping ignores are null, so that they can be counted. */
export type ReadRow = SettlementRow | null;

export const csvOptions = {
  bom: true,
  trim: true,
  skip_empty_lines: true,
  relax_column_count: true,
  max_record_size: 65_536,
} as const;
const headBytes = 65_536;
/** The separators that are tried, in this order. */
export const separators = [',', ';', '\t', '|'] as const;
/** Maximum number of reported bad rows before the reader stops. */
const maxProblems = 10;
/** Maximum length of a reference or value. */
const longestShown = 60;

/**
 * Rejects with a SettlementProblem if a row cannot be read, after checking for further bad rows. `onBytes` receives how
 * much of the file was read.
 */
export async function* readRows(
  file: SettlementFile,
  mapping: Mapping,
  onBytes: (bytes: number) => void = () => undefined,
): AsyncGenerator<ReadRow> {
  const { name } = file;
  const { separator, header } = await readHeader(file, mapping);
  const toRow = createToRow(header, mapping);
  const { skipLines } = mapping;
  const source = file.read();
  const parser = parse({ ...csvOptions, delimiter: separator, from_line: skipLines + 1, info: true });
  source.on('error', (error) => parser.destroy(error));
  const records = source.pipe(parser) as AsyncIterable<{
    readonly record: string[];
    readonly info: Info;
  }>;
  const problems: string[] = [];
  let isHeader = true;
  try {
    for await (const { record, info } of records) {
      if (isHeader) {
        isHeader = false;
        continue;
      }
      onBytes(info.bytes);
      const row = toRow(record, info.lines);
      if (Array.isArray(row)) problems.push(...row.map((problem) => `${name}: line ${info.lines}, ${problem}`));
      else if (problems.length === 0) yield row;
      if (problems.length >= maxProblems) break;
    }
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    problems.push(`${name}: ${describeCsv(error)}`);
  } finally {
    source.destroy();
  }
  if (problems.length > 0) throw new SettlementProblem(problems.slice(0, maxProblems));
}

interface Header {
  readonly separator: string;
  readonly header: readonly string[];
}

/** Finds the header, with the separator that yields most of the columns of the mapping. */
async function readHeader(file: SettlementFile, mapping: Mapping): Promise<Header> {
  const { name } = file;
  const head = await readHead(file);
  const wanted = namesOf(mapping);
  const { separator: given, skipLines } = mapping;
  const tried = given === undefined ? separators : [given === 'tab' ? '\t' : given];
  const read = (separator: string): Header => {
    try {
      const options = { ...csvOptions, delimiter: separator, from_line: skipLines + 1, to: 1 };
      return { separator, header: parseAtOnce(head, options)[0] ?? [] };
    } catch (error) {
      if (!(error instanceof CsvError)) throw error;
      return { separator, header: [] };
    }
  };
  const found = tried
    .map(read)
    .toSorted((one, other) => countOf(other.header, wanted) - countOf(one.header, wanted))[0]!;
  const { header } = found;
  if (header.length === 0) throw new SettlementProblem([`${name}: has no header line`]);
  const missing = wanted.filter(({ column }) => !header.includes(column));
  if (missing.length > 0) {
    throw new SettlementProblem(
      missing.map(({ column, member }) => {
        const guess = didYouMean(column, header);
        return `${name}: has no column "${column}" (columns.${member} of the mapping)${guess || `: its columns are ${shown(header.join(', '), 600)}`}`;
      }),
    );
  }
  const twice = wanted.find(({ column }) => header.indexOf(column) !== header.lastIndexOf(column));
  if (twice) throw new SettlementProblem([`${name}: has two columns "${twice.column}": rename one of them`]);
  return found;
}

/** The start of the file. Throws a SettlementProblem if it is not text. */
export async function readHead(file: SettlementFile): Promise<Buffer> {
  const head = await file.head(headBytes);
  if (head.includes(0) && !/^(\xff\xfe|\xfe\xff)/.test(head.toString('latin1', 0, 2)))
    throw new SettlementProblem([
      `${file.name}: is not a text file: export it as CSV, not as a workbook or an archive`,
    ]);
  return head;
}

interface Wanted {
  readonly member: string;
  readonly column: string;
}

function namesOf({ columns }: Mapping): Wanted[] {
  return Object.entries(columns).flatMap(([member, value]) => {
    if (value === undefined) return [];
    if (Array.isArray(value)) return value.map((column: string) => ({ member, column }));
    if (typeof value === 'string') return [{ member, column: value }];
    return Object.entries(value).map(([side, column]) => ({ member: `${member}.${side}`, column }));
  });
}

function countOf(header: readonly string[], wanted: readonly Wanted[]): number {
  return wanted.filter(({ column }) => header.includes(column)).length;
}

/** Reads a record; returns its problems if it is invalid. */
function createToRow(
  header: readonly string[],
  mapping: Mapping,
): (record: readonly string[], line: number) => ReadRow | string[] {
  const { columns, kinds, dateFormat, timeZone } = mapping;
  const readTime = createReadTime(dateFormat, timeZone);
  const kindOf = new Map(
    Object.entries(kinds ?? {}).flatMap(([kind, said]) =>
      said.map((word) => [word, kind as RowKind | 'ignored'] as const),
    ),
  );
  const last = Math.max(...namesOf(mapping).map(({ column }) => header.indexOf(column)));

  return (record, line) => {
    if (record.length <= last && record.length < header.length)
      return [
        `has ${record.length} cells, but the header has ${header.length} columns: the file is truncated or has another separator`,
      ];
    const cell = (column: string | undefined): string =>
      column === undefined ? '' : (record[header.indexOf(column)] ?? '');
    const problems: string[] = [];
    const wrong = (column: string, problem: string): undefined => {
      problems.push(`column "${column}": "${shown(cell(column))}" ${problem}`);
    };
    const amountIn = (column: string, currency: string): Signed => {
      const amount = readAmount(cell(column), currency, mapping);
      return typeof amount === 'string' ? (wrong(column, amount), nothing) : amount;
    };

    const word = cell(columns.kind);
    const named = columns.kind === undefined ? undefined : kindOf.get(word);
    if (named === 'ignored') return null;
    if (columns.kind !== undefined && named === undefined)
      return [`column "${columns.kind}": "${shown(word)}" has no kind: add it to one of kinds, or to kinds.ignored`];

    const currency = cell(columns.currency).toUpperCase();
    const isFee = named === 'fee';
    if (!isFee && !/^[A-Z][A-Z0-9]{2,11}$/.test(currency)) wrong(columns.currency, 'is not a currency');
    if (problems.length > 0) return problems;

    const { amount: source } = columns;
    const isEmpty = typeof source === 'string' ? cell(source) === '' : cell(source.credit) + cell(source.debit) === '';
    if (isEmpty && !isFee)
      wrong(typeof source === 'string' ? source : source.credit, 'is not an amount: the cell is empty');
    const amount =
      typeof source === 'string'
        ? amountIn(source, currency)
        : addSigned(amountIn(source.credit, currency), negated(amountIn(source.debit, currency)));
    const feeCurrency = cell(columns.feeCurrency).toUpperCase() || currency;
    const fees = columns.fee?.filter((column) => cell(column) !== '') ?? [];
    const fee = fees.map((column) => amountIn(column, feeCurrency)).reduce(addSigned, nothing);
    const time =
      columns.date === undefined || (isFee && cell(columns.date) === '') ? null : readTime(cell(columns.date));
    if (time === undefined)
      wrong(columns.date!, `is not a time: set dateFormat to its format, such as DD/MM/YYYY HH:mm:ss`);
    if (problems.length > 0 || time === undefined) return problems;
    const textIn = (column: string | undefined): string | null => cell(column) || null;
    return {
      line,
      kind: named ?? (amount.isNegative ? 'refund' : 'payment'),
      reference: textIn(columns.reference),
      providerReference: textIn(columns.providerReference),
      subReference: textIn(columns.subReference),
      amount,
      currency,
      fee: fees.length > 0 ? fee : null,
      feeCurrency,
      at: time?.from ?? null,
      until: time?.to ?? null,
    };
  };
}

function shown(text: string, length = longestShown): string {
  const masked = maskText(text);
  return masked.length > length ? `${masked.slice(0, length)}…` : masked;
}

/** The messages of the CSV parser quote the record, so they are replaced. */
function describeCsv({ code, ...more }: CsvError): string {
  const line = 'lines' in more ? `line ${String(more.lines)}: ` : '';
  if (code.includes('QUOTE')) return `${line}a quoted cell does not end, or an unquoted cell contains a quote`;
  if (code === 'CSV_MAX_RECORD_SIZE')
    return `${line}a row is longer than 64 kB: a quote is not closed, or the file is not CSV`;
  return `${line}is not valid CSV (${code.toLowerCase()})`;
}
