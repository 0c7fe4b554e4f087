/** Writes lines of CSV (RFC 4180) whose cells no spreadsheet runs as a formula. */
import { stringify } from 'csv-stringify/sync';

/**
 * The start of a formula, at the beginning of a cell or after a character at which a spreadsheet may split the line: in
 * many countries that is the semicolon, and then quotes inside the line do not protect the text.
 */
const formulaStart = /(^|[;,|\t\r\n])(?=\s?[=+\-@\t\r＝＋－＠])/g;

/** An exact number as decimal text, such as `-0.30`. It stays as it is, also below zero. */
export interface CsvDecimal {
  readonly decimal: string;
}

export type CsvValue = string | number | CsvDecimal;

/** Text gets an apostrophe before the start of a formula. Numbers stay. `quotesText` quotes all text. */
export function toCsvLine(
  values: readonly CsvValue[],
  { quotesText = false }: { readonly quotesText?: boolean } = {},
): string {
  const harmless = values.map((value) => {
    if (typeof value === 'number') return value;
    if (typeof value === 'object' && /^-?\d+(\.\d+)?$/.test(value.decimal)) return value.decimal;
    const text = typeof value === 'object' ? value.decimal : value;
    return text.replaceAll(formulaStart, "$1'");
  });
  return stringify([harmless], { record_delimiter: '\r\n', quoted_string: quotesText, quoted_match: /[\r\n]/ });
}
