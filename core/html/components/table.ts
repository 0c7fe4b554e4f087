/** Tables: shown as HTML, sorted by a column, and exported as CSV. All three use the same rows. */
import { html, isSafeHtml, type SafeHtml } from '@remix-run/html-template';
import { toCsvLine } from '../../base/text/csv.ts';
import { choice, hidden } from './form.ts';
import type { Query } from './query.ts';

export type Cell = SafeHtml | string | number | null;

/** A column that needs more than a name. */
export interface Column {
  readonly name: string;
  /**
   * `number` is aligned to the right; a column of numbers, durations and amounts (`money`) is recognised without it.
   * `short` never wraps, such as a time or a name. `long` gets the space that the others leave. In a compact table,
   * `clip` stays on one line: what does not fit is cut, and shown on hover. It gets half as much space as `long`.
   */
  readonly kind?: 'number' | 'short' | 'long' | 'clip';
  /** The compact cards of a narrow screen leave the column out. */
  readonly isMinor?: boolean;
}

export interface Table {
  /** Names the content, also for users of a screen reader. */
  readonly caption: string;
  /** The columns, by name if that is all. A column of buttons is called `actionsHeading`. */
  readonly head: readonly (string | Column)[];
  readonly rows: readonly (readonly Cell[])[];
  /**
   * For long lists. A row is one line, unless a `long` cell needs more. On a narrow screen it is a card of two columns
   * without labels.
   */
  readonly isCompact?: boolean;
  /** Shown instead of a table without rows: a sentence, or `emptyState`. */
  readonly empty: string | SafeHtml;
  /** Shown if the table does not contain all rows, also in an export. `path` leads to the complete list. */
  readonly rest?: { readonly text: string; readonly path?: string };
}

/** Where a table is shown: its headings sort it, and a long table has pages. */
export interface TablePlace {
  readonly path: string;
  readonly query: Query;
  /** Distinguishes several tables on one page, also in addresses. Absent: it is the only table. */
  readonly name?: string;
}

const rowsOfPage = 100;

/** The name of a column of buttons, which can neither be sorted nor exported. */
export const actionsHeading = 'Actions';
/** The name of a column of checkboxes that select rows for a form below the table. It is treated the same way. */
export const selectHeading = 'Select';

function isControl(name: string | undefined): boolean {
  return name === actionsHeading || name === selectHeading;
}

/** Without `place`, the table is shown completely, in the order of its rows. */
export function table(shown: Table, place?: TablePlace): SafeHtml {
  const { caption, empty } = shown;
  const head = shown.head.map(nameOf);
  const columns = [...head.keys()].filter((at) => head[at] !== actionsHeading || hasButtons(shown, at));
  if (shown.rows.length === 0) return isSafeHtml(empty) ? empty : html`<p class="empty">${empty}</p>`;
  const rows = place ? rowsAt(shown, place) : shown.rows;
  const kinds = shown.head.map((column, at) => kindOf(column, shown.rows, at));
  const { isCompact = false } = shown;
  const cellOf = (cells: readonly Cell[], at: number): SafeHtml =>
    dataCell(head[at]!, { kind: kinds[at], isMinor: isMinor(shown.head[at]!), isCompact }, cells[at] ?? null);
  return html`<div class="scroll" role="region" aria-label="${caption}" tabindex="0">
    ${place && shown.rows.length > 1 ? sortForm(head, place) : null}
    <table ${isCompact ? html`class="compact"` : null}>
      <caption>
        ${caption}
      </caption>
      <thead>
        <tr>
          ${columns.map((at) => heading(head[at]!, kinds[at], place && !isControl(head[at]) ? place : undefined))}
        </tr>
      </thead>
      <tbody>
        ${rows.map(
          (cells) =>
            html`<tr>
              ${columns.map((at) => cellOf(cells, at))}
            </tr>`,
        )}
      </tbody>
    </table>
  </div>`;
}

/** False for a user who may not act: the column of buttons is left out. */
function hasButtons({ rows }: Table, at: number): boolean {
  return rows.some((cells) => isSafeHtml(cells[at]) && String(cells[at]).includes('<form'));
}

function nameOf(column: string | Column): string {
  return typeof column === 'string' ? column : column.name;
}

function isMinor(column: string | Column): boolean {
  return typeof column !== 'string' && column.isMinor === true;
}

function kindOf(column: string | Column, rows: Table['rows'], at: number): Column['kind'] {
  if (typeof column !== 'string' && column.kind) return column.kind;
  const cells = rows.map((row) => row[at] ?? null).filter((cell) => !isNothing(cell));
  return cells.length > 0 && cells.every(isNumber) ? 'number' : undefined;
}

function isNothing(cell: Cell): boolean {
  return cell === null || cell === '' || cell === '–';
}

function isNumber(cell: Cell): boolean {
  return typeof cell === 'number' || (isSafeHtml(cell) && /^\s*<data [^<]*<\/data>\s*$/.test(String(cell)));
}

/** The cell carries the name of its column, because narrow screens show each row as a list. */
function dataCell(
  name: string,
  {
    kind,
    isMinor,
    isCompact,
  }: { readonly kind: Column['kind']; readonly isMinor: boolean; readonly isCompact: boolean },
  cell: Cell,
): SafeHtml {
  const marks = [kind, isNothing(cell) ? 'nothing' : undefined, isMinor ? 'minor' : undefined];
  const looks = marks.filter((look) => look !== undefined).join(' ');
  const isCut = isCompact && kind === 'clip' && !isNothing(cell);
  if (isCut) return html`<td data-label="${name}" class="${looks}" title="${textOf(cell)}">${cell}</td>`;
  return looks === ''
    ? html`<td data-label="${name}">${cell}</td>`
    : html`<td data-label="${name}" class="${looks}">${cell}</td>`;
}

/** Narrow screens have no headings: one field sorts the table there. A script submits it when it changes. */
function sortForm(head: readonly string[], place: TablePlace): SafeHtml {
  const { path, query, name } = place;
  const sort = nameIn(place, 'sort');
  const kept = { ...query, done: undefined, [nameIn(place, 'page')]: undefined, [sort]: undefined };
  const titles = new Map(head.filter((one) => !isControl(one)).map((one) => [keyOf(one), one] as const));
  const textOfSort = (value: string): string =>
    value.startsWith('-') ? `${titles.get(value.slice(1)) ?? ''} ↓` : `${titles.get(value) ?? ''} ↑`;
  const options = [...titles.keys()].flatMap((key) => [key, `-${key}`]);
  return html`<form method="get" action="${name === undefined ? path : `${path}#${tableId(name)}`}" class="sort">
    ${hidden(kept)} ${choice(sort, 'Sort by', options, query[sort], { any: 'As listed', textOf: textOfSort })}
    <button>Sort</button>
  </form>`;
}

/** Links to the other pages of the table, and to its export as CSV. */
export function linksOf(shown: Table, place: TablePlace): readonly SafeHtml[] {
  const { caption, rows, rest } = shown;
  if (rows.length === 0) return [];
  const restNote = rest
    ? [html`<span>${rest.text}${rest.path === undefined ? null : html` <a href="${rest.path}">Show all</a>`}</span>`]
    : [];
  const csv = { ...place.query, done: undefined, as: 'csv', table: place.name };
  const csvLink = html`<a href="${addressWith(place.path, csv)}" aria-label="CSV: ${caption}">CSV</a>`;
  if (rows.length <= rowsOfPage) return [csvLink, ...restNote];
  const page = pageOf(shown, place);
  const from = (page - 1) * rowsOfPage;
  const to = Math.min(from + rowsOfPage, rows.length);
  const link = (to: number, label: string): SafeHtml =>
    html`<a href="${addressOf(place, { page: String(to) })}" aria-label="${label}: ${caption}">${label}</a>`;
  return [
    html`<span>${from + 1} to ${to} of ${rows.length}</span>`,
    ...(page > 1 ? [link(page - 1, 'Previous')] : []),
    ...(to < rows.length ? [link(page + 1, 'Next')] : []),
    csvLink,
    ...restNote,
  ];
}

/** Sorts the rows and selects the page that the address names. */
function rowsAt(shown: Table, place: TablePlace): Table['rows'] {
  const from = (pageOf(shown, place) - 1) * rowsOfPage;
  return sortRows(shown, place.query[nameIn(place, 'sort')]).slice(from, from + rowsOfPage);
}

/** The page number, from 1. The last page if the number is too large. */
function pageOf({ rows }: Table, place: TablePlace): number {
  const asked = Number(/^\d{1,6}$/.exec(place.query[nameIn(place, 'page')] ?? '')?.[0] ?? 1);
  return Math.min(Math.max(asked, 1), Math.ceil(rows.length / rowsOfPage));
}

/** The name of this table's parameter in an address. */
export function nameIn({ name }: Pick<TablePlace, 'name'>, what: 'sort' | 'page'): string {
  return name === undefined ? what : `${name}.${what}`;
}

/** The address of the same page with this table sorted or paged differently; the fragment leads to the table. */
function addressOf(place: TablePlace, asked: { readonly sort?: string; readonly page?: string }): string {
  const { path, query, name } = place;
  const values = { ...query, done: undefined, [nameIn(place, 'page')]: asked.page };
  const address = addressWith(
    path,
    asked.sort === undefined ? values : { ...values, [nameIn(place, 'sort')]: asked.sort },
  );
  return name === undefined ? address : `${address}#${tableId(name)}`;
}

/** The id of the table's element, if a page has several tables. */
export function tableId(name: string): string {
  return `table-${name}`;
}

function heading(name: string, kind: Column['kind'], place: TablePlace | undefined): SafeHtml {
  const look = kind === undefined ? null : html`class="${kind}"`;
  if (!place) return html`<th scope="col" ${look}>${name}</th>`;
  const key = keyOf(name);
  const sort = place.query[nameIn(place, 'sort')];
  const isUp = sort === key;
  const isDown = sort === `-${key}`;
  const link = html`<a href="${addressOf(place, { sort: isUp ? `-${key}` : key })}"
    >${name}<span aria-hidden="true">${isUp ? ' ↑' : isDown ? ' ↓' : ''}</span></a
  >`;
  if (isUp) return html`<th scope="col" aria-sort="ascending" ${look}>${link}</th>`;
  if (isDown) return html`<th scope="col" aria-sort="descending" ${look}>${link}</th>`;
  return html`<th scope="col" ${look}>${link}</th>`;
}

/** The name of a column in an address. */
function keyOf(name: string): string {
  return name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '');
}

const collator = new Intl.Collator('en', { numeric: true, sensitivity: 'base' });

/** Keeps the order if there is no such column. */
function sortRows({ head, rows }: Table, sort: string | undefined): Table['rows'] {
  const isDown = sort?.startsWith('-') === true;
  const names = head.map(nameOf);
  const at = names.findIndex((name) => !isControl(name) && keyOf(name) === sort?.replace(/^-/, ''));
  if (at < 0) return rows;
  const compare = (one: readonly Cell[], other: readonly Cell[]): number => compareCells(one[at], other[at]);
  return isDown ? rows.toSorted((one, other) => compare(other, one)) : rows.toSorted(compare);
}

function compareCells(one: Cell | undefined, other: Cell | undefined): number {
  const [mine, theirs] = [numberOf(one), numberOf(other)];
  if (mine !== undefined && theirs !== undefined) return mine - theirs;
  return collator.compare(textOf(one), textOf(other));
}

/** The number in a cell, if the cell is a number or text that contains one. */
function numberOf(cell: Cell | undefined): number | undefined {
  if (typeof cell === 'number') return cell;
  const [, value] = (isSafeHtml(cell) && /<data (?:class="whole" )?value="(-?\d+(?:\.\d+)?)"/.exec(String(cell))) || [];
  return value === undefined ? undefined : Number(value);
}

/** Writes RFC 4180. Spreadsheet programs do not run any cell as a formula. */
export function csvOf(shown: Table, sort: string | undefined): string {
  const columns = csvColumns(shown);
  const end = shown.rest ? csvLines([[shown.rest.text]], [0]) : '';
  return `${csvHead(shown, columns)}${csvLines(sortRows(shown, sort), columns)}${end}`;
}

/** The indexes of the columns in an export, from 0. */
export function csvColumns({ head }: Pick<Table, 'head'>): readonly number[] {
  return [...head.keys()].filter((at) => !isControl(nameOf(head[at]!)));
}

export function csvHead({ head }: Pick<Table, 'head'>, columns: readonly number[]): string {
  return csvLines([head.map(nameOf)], columns);
}

export function csvLines(rows: Table['rows'], columns: readonly number[]): string {
  return rows
    .map((cells) =>
      toCsvLine(
        columns.map((at) => toCsvValue(cells[at])),
        { quotesText: true },
      ),
    )
    .join('');
}

function toCsvValue(cell: Cell | undefined): string | number {
  return typeof cell === 'number' ? cell : textOf(cell);
}

const entities: Readonly<Record<string, string>> = {
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#39;': "'",
  '&amp;': '&',
};

/** The text of a cell, without markup. A dash means no text. */
export function textOf(cell: Cell | undefined): string {
  if (cell === null || cell === undefined) return '';
  const text = isSafeHtml(cell)
    ? withoutButtons(String(cell))
        .replace(/<[^<>]*>/g, ' ')
        .replace(/&(lt|gt|quot|#39|amp);/g, (entity) => entities[entity]!)
    : String(cell);
  const plain = text.replace(/\s+/g, ' ').trim();
  return plain === '–' ? '' : plain;
}

function withoutButtons(markup: string): string {
  const [first = '', ...others] = markup.split('<button');
  return [first, ...others.map((other) => other.slice(other.indexOf('</button>')))].join(' ');
}

/** The address of the same page with other values. */
export function addressWith(path: string, values: Readonly<Record<string, string | undefined>>): string {
  const query = new URLSearchParams(
    Object.entries(values).flatMap(([name, value]) => (value ? [[name, value] as [string, string]] : [])),
  ).toString();
  return query === '' ? path : `${path}?${query}`;
}
