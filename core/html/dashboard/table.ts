/** Tables: shown, sorted by a column, and exported as CSV; all three are made of the same rows. */
import { html, isSafeHtml, type SafeHtml } from '@remix-run/html-template';
import type { Query } from './query.ts';

export type Cell = SafeHtml | string | number | null;

export interface Table {
  /** Says what it shows, also to who does not see it. */
  readonly caption: string;
  /** Of each column; `actHead` of one that has buttons. */
  readonly head: readonly string[];
  readonly rows: readonly (readonly Cell[])[];
  /** Instead of a table without rows. */
  readonly empty: string;
  /** Said where it does not show all there is, in an export too; `path`: where the rest is. */
  readonly rest?: { readonly text: string; readonly path?: string };
}

/** Where a table is: its headings sort it, and what is long has pages. */
export interface TablePlace {
  readonly path: string;
  readonly query: Query;
  /** Tells it from the other tables of its page, in addresses too; absent: it is the only one. */
  readonly name?: string;
}

const rowsOfPage = 100;

/** The name of a column of buttons: it is nothing to sort by or to export, whoever looks and whatever the rows hold. */
export const actHead = 'Act';

/** Without a place it is shown whole, in the order of its rows. */
export function table(shown: Table, place?: TablePlace): SafeHtml {
  const { caption, head, empty } = shown;
  const columns = [...head.keys()].filter((at) => head[at] !== actHead || hasButtons(shown, at));
  if (shown.rows.length === 0) return html`<p class="empty">${empty}</p>`;
  const rows = place ? rowsAt(shown, place) : shown.rows;
  return html`<div class="scroll" role="region" aria-label="${caption}" tabindex="0">
    <table>
      <caption>
        ${caption}
      </caption>
      <thead>
        <tr>
          ${columns.map((at) => heading(head[at]!, place && head[at] !== actHead ? place : undefined))}
        </tr>
      </thead>
      <tbody>
        ${rows.map(
          (cells) =>
            html`<tr>
              ${columns.map((at) => dataCell(head[at]!, cells[at] ?? null))}
            </tr>`,
        )}
      </tbody>
    </table>
  </div>`;
}

/** Who may not act sees no column for it. */
function hasButtons({ rows }: Table, at: number): boolean {
  return rows.some((cells) => isSafeHtml(cells[at]) && String(cells[at]).includes('<form'));
}

/** Its column's name goes with it: where a page is narrow, each row is shown as a list of facts. */
function dataCell(name: string, cell: Cell): SafeHtml {
  const isNothing = cell === null || cell === '' || cell === '–';
  return isNothing
    ? html`<td data-label="${name}" class="nothing">${cell}</td>`
    : html`<td data-label="${name}">${cell}</td>`;
}

/** Links to what is beside the rows that are shown: pages, and the whole as CSV. */
export function linksOf(shown: Table, place: TablePlace): readonly SafeHtml[] {
  const { caption, rows, rest } = shown;
  if (rows.length === 0) return [];
  const restNote = rest
    ? [html`<span>${rest.text}${rest.path === undefined ? null : html` <a href="${rest.path}">All of them</a>`}</span>`]
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

/** Sorted and cut as the address asks. */
function rowsAt(shown: Table, place: TablePlace): Table['rows'] {
  const from = (pageOf(shown, place) - 1) * rowsOfPage;
  return sortRows(shown, place.query[nameIn(place, 'sort')]).slice(from, from + rowsOfPage);
}

/** From 1 on; the last where there are not so many. */
function pageOf({ rows }: Table, place: TablePlace): number {
  const asked = Number(/^\d{1,6}$/.exec(place.query[nameIn(place, 'page')] ?? '')?.[0] ?? 1);
  return Math.min(Math.max(asked, 1), Math.ceil(rows.length / rowsOfPage));
}

/** How an address says it of this table. */
export function nameIn({ name }: Pick<TablePlace, 'name'>, what: 'sort' | 'page'): string {
  return name === undefined ? what : `${name}.${what}`;
}

/** The same page with this table shown otherwise, where the table is. */
function addressOf(place: TablePlace, asked: { readonly sort?: string; readonly page?: string }): string {
  const { path, query, name } = place;
  const values = { ...query, done: undefined, [nameIn(place, 'page')]: asked.page };
  const address = addressWith(
    path,
    asked.sort === undefined ? values : { ...values, [nameIn(place, 'sort')]: asked.sort },
  );
  return name === undefined ? address : `${address}#${tableId(name)}`;
}

/** Of what holds it, where its page has several. */
export function tableId(name: string): string {
  return `table-${name}`;
}

function heading(name: string, place: TablePlace | undefined): SafeHtml {
  if (!place) return html`<th scope="col">${name}</th>`;
  const key = keyOf(name);
  const sort = place.query[nameIn(place, 'sort')];
  const isUp = sort === key;
  const isDown = sort === `-${key}`;
  const link = html`<a href="${addressOf(place, { sort: isUp ? `-${key}` : key })}"
    >${name}<span aria-hidden="true">${isUp ? ' ↑' : isDown ? ' ↓' : ''}</span></a
  >`;
  if (isUp) return html`<th scope="col" aria-sort="ascending">${link}</th>`;
  if (isDown) return html`<th scope="col" aria-sort="descending">${link}</th>`;
  return html`<th scope="col">${link}</th>`;
}

/** As an address names a column. */
function keyOf(name: string): string {
  return name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '');
}

const collator = new Intl.Collator('en', { numeric: true, sensitivity: 'base' });

/** As they came where no such column is. */
function sortRows({ head, rows }: Table, sort: string | undefined): Table['rows'] {
  const isDown = sort?.startsWith('-') === true;
  const at = head.findIndex((name) => name !== actHead && keyOf(name) === sort?.replace(/^-/, ''));
  if (at < 0) return rows;
  const compare = (one: readonly Cell[], other: readonly Cell[]): number => compareCells(one[at], other[at]);
  return isDown ? rows.toSorted((one, other) => compare(other, one)) : rows.toSorted(compare);
}

function compareCells(one: Cell | undefined, other: Cell | undefined): number {
  const [mine, theirs] = [numberOf(one), numberOf(other)];
  if (mine !== undefined && theirs !== undefined) return mine - theirs;
  return collator.compare(textOf(one), textOf(other));
}

/** Of a cell that is one, or that says one in other words. */
function numberOf(cell: Cell | undefined): number | undefined {
  if (typeof cell === 'number') return cell;
  const [, value] = (isSafeHtml(cell) && /<data value="(-?\d+(?:\.\d+)?)"/.exec(String(cell))) || [];
  return value === undefined ? undefined : Number(value);
}

/** RFC 4180. A program that opens it takes no cell for a formula. */
export function csvOf(shown: Table, sort: string | undefined): string {
  const columns = csvColumns(shown);
  const end = shown.rest ? csvLines([[shown.rest.text]], [0]) : '';
  return `${csvHead(shown, columns)}${csvLines(sortRows(shown, sort), columns)}${end}`;
}

/** Which columns an export has, from 0 on. */
export function csvColumns({ head }: Pick<Table, 'head'>): readonly number[] {
  return [...head.keys()].filter((at) => head[at] !== actHead);
}

export function csvHead({ head }: Pick<Table, 'head'>, columns: readonly number[]): string {
  return csvLines([head], columns);
}

export function csvLines(rows: Table['rows'], columns: readonly number[]): string {
  return rows.map((cells) => `${columns.map((at) => csvCell(cells[at])).join(',')}\r\n`).join('');
}

function csvCell(cell: Cell | undefined): string {
  if (typeof cell === 'number') return String(cell);
  const text = textOf(cell);
  const harmless = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return `"${harmless.replaceAll('"', '""')}"`;
}

const entities: Readonly<Record<string, string>> = {
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#39;': "'",
  '&amp;': '&',
};

/** What a cell says, without its markup; a dash says nothing. */
export function textOf(cell: Cell | undefined): string {
  if (cell === null || cell === undefined) return '';
  const text = isSafeHtml(cell)
    ? String(cell)
        .replace(/<[^>]*>/g, ' ')
        .replace(/&(lt|gt|quot|#39|amp);/g, (entity) => entities[entity]!)
    : String(cell);
  const plain = text.replace(/\s+/g, ' ').trim();
  return plain === '–' ? '' : plain;
}

/** The address of the same page with other values. */
export function addressWith(path: string, values: Readonly<Record<string, string | undefined>>): string {
  const query = new URLSearchParams(
    Object.entries(values).flatMap(([name, value]) => (value ? [[name, value] as [string, string]] : [])),
  ).toString();
  return query === '' ? path : `${path}?${query}`;
}
