/** Writes lines of CSV (RFC 4180) whose cells no spreadsheet runs as a formula. */
import { stringify } from 'csv-stringify/sync';

/**
 * The start of a formula, at the beginning of a cell or after a character at which a spreadsheet may split the line: in
 * many countries that is the semicolon, and then quotes inside the line do not protect the text.
 */
const formulaStart = /(^|[;,|\t\r\n])(?=\s?[=+\-@\t\r＝＋－＠])/g;

/** Text gets an apostrophe before the start of a formula. Numbers stay. `quotesText` quotes all text. */
export function toCsvLine(
  values: readonly (string | number)[],
  { quotesText = false }: { readonly quotesText?: boolean } = {},
): string {
  const harmless = values.map((value) => (typeof value === 'string' ? value.replaceAll(formulaStart, "$1'") : value));
  return stringify([harmless], { record_delimiter: '\r\n', quoted_string: quotesText, quoted_match: /[\r\n]/ });
}
