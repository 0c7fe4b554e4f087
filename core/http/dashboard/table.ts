/** Tables: shown, sorted by a column, and exported as CSV; all three are made of the same rows. */
import { html, isSafeHtml, type SafeHtml } from '@remix-run/html-template';
import type { Query } from './query.ts';

export type Cell = SafeHtml | string | number | null;

export interface Table {
  /** Says what it shows, also to who does not see it. */
  readonly caption: string;
  readonly head: readonly string[];
  readonly rows: readonly (readonly Cell[])[];
  /** Instead of a table without rows. */
  readonly empty: string;
}

/** Where a sorted table is: its headings lead there. */
interface Sorting {
  readonly path: string;
  readonly query: Query;
}

export function table(shown: Table, sorting?: Sorting): SafeHtml {
  const { caption, head, empty } = shown;
  if (shown.rows.length === 0) return html`<p class="empty">${empty}</p>`;
  const rows = sorting ? sortRows(shown, sorting.query['sort']) : shown.rows;
  return html`<div class="scroll" role="region" aria-label="${caption}" tabindex="0">
    <table>
      <caption>
        ${caption}
      </caption>
      <thead>
        <tr>
          ${head.map((name, at) => heading(name, sorting && isSortable(shown, at) ? sorting : undefined))}
        </tr>
      </thead>
      <tbody>
        ${rows.map(
          (cells) =>
            html`<tr>
              ${cells.map((cell) => html`<td>${cell}</td>`)}
            </tr>`,
        )}
      </tbody>
    </table>
  </div>`;
}

function heading(name: string, sorting: Sorting | undefined): SafeHtml {
  if (!sorting) return html`<th scope="col">${name}</th>`;
  const { path, query } = sorting;
  const key = keyOf(name);
  const isUp = query['sort'] === key;
  const isDown = query['sort'] === `-${key}`;
  const link = html`<a href="${addressWith(path, { ...query, done: undefined, sort: isUp ? `-${key}` : key })}"
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

/** What has buttons is nothing to sort by or to export. */
function isSortable({ rows }: Pick<Table, 'rows'>, at: number): boolean {
  return rows.every((cells) => !String(cells[at] ?? '').includes('<form'));
}

const collator = new Intl.Collator('en', { numeric: true, sensitivity: 'base' });

/** As they came where no such column is. */
function sortRows({ head, rows }: Table, sort: string | undefined): Table['rows'] {
  const isDown = sort?.startsWith('-') === true;
  const at = head.findIndex((name) => keyOf(name) === sort?.replace(/^-/, ''));
  if (at < 0) return rows;
  const compare = (one: readonly Cell[], other: readonly Cell[]): number => compareCells(one[at], other[at]);
  return isDown ? rows.toSorted((one, other) => compare(other, one)) : rows.toSorted(compare);
}

function compareCells(one: Cell | undefined, other: Cell | undefined): number {
  if (typeof one === 'number' && typeof other === 'number') return one - other;
  return collator.compare(textOf(one), textOf(other));
}

/** RFC 4180. A program that opens it takes no cell for a formula. */
export function csvOf(shown: Table, sort: string | undefined): string {
  const columns = [...shown.head.keys()].filter((at) => isSortable(shown, at));
  const rows = sortRows(shown, sort).map((cells) => columns.map((at) => csvCell(cells[at])));
  return [columns.map((at) => csvCell(shown.head[at])), ...rows].map((cells) => `${cells.join(',')}\r\n`).join('');
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
