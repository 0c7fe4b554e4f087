/**
 * A page of one table: its filter, its rows in the requested order, links to the other pages, and the export as CSV.
 */
import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { html, type SafeHtml } from '@remix-run/html-template';
import type { Environment } from '../../base/environment.ts';
import { notFound } from '../../base/errors.ts';
import { sendText } from '../../html/assets.ts';
import type { Ctx } from '../../http/state.ts';
import { announced, live } from '../../html/components/parts.ts';
import type { Query } from '../../html/components/query.ts';
import {
  addressWith,
  csvColumns,
  csvHead,
  csvLines,
  csvOf,
  linksOf,
  nameIn,
  table,
  tableId,
  type Table,
} from '../../html/components/table.ts';

export interface Listing {
  /** Shown above the table, for example the filter form. */
  readonly before?: SafeHtml | null;
  /** The one action of the page that operators most often want, next to the title. */
  readonly primary?: SafeHtml | null | undefined;
  /** The mode of the payments in the list. Absent: both. */
  readonly mode?: Environment | undefined;
  readonly table: Table;
  /** The order of the rows. Absent: the newest first. */
  readonly order?: 'newest' | 'soonest';
  /** The query of the next page. Absent: this is the last page. */
  readonly older?: Query;
  readonly after?: SafeHtml;
  /** The ids of the rows. The page announces when the list has other ids, but does not change the rows itself. */
  readonly ids?: readonly string[];
  /** The lines of the export, if it has other columns than the table. Absent: the rows of the table. */
  readonly exported?: { readonly head: string; readonly lines: readonly string[] };
  /** True for a short list whose rows are updated in place. */
  readonly isLive?: boolean;
}

/** The number of rows per read of an export. */
export const csvRows = 500;

const labels = {
  newest: { first: 'Newest', next: 'Older' },
  soonest: { first: 'Soonest', next: 'Later' },
} as const;

export function showListing(
  { before = null, table: shown, order = 'newest', older, after, ids, isLive = false }: Listing,
  path: string,
  asked: Query,
): SafeHtml {
  const { list, ...query } = asked;
  const { cursor, before: earlier, done: _, ...kept } = query;
  const isFirst = cursor === undefined && earlier === undefined;
  const isPart = !isFirst || older !== undefined;
  const place = { path, query };
  const rows = html`${table(shown, place)}
  ${renderLinks([
    ...(isFirst || shown.rows.length === 0
      ? []
      : [html`<a href="${addressWith(path, kept)}">${labels[order].first}</a>`]),
    ...(older ? [html`<a href="${addressWith(path, older)}">${labels[order].next}</a>`] : []),
    ...linksOf(shown, place),
    ...(isPart && query['sort'] !== undefined ? [html`<small>Sorted within this page.</small>`] : []),
  ])}`;
  return html`${before} ${isLive ? live('rows', rows) : rows} ${after ?? null}
  ${ids && isFirst ? renderListChange(ids, list, addressWith(path, kept)) : null}`;
}

/** `known` is the state of the list on the page that listens. Absent: the page is being shown for the first time. */
function renderListChange(ids: readonly string[], known: string | undefined, path: string): SafeHtml {
  const holds = createHash('sha256').update(ids.toSorted().join('\n')).digest('hex').slice(0, 16);
  const note = html`<p class="note changed">The list has changed. <a href="${path}">Reload the list</a></p>`;
  return html`<div id="live-list" data-live data-list="${holds}">
    ${announced(known === undefined || known === holds ? html`` : note)}
  </div>`;
}

/** Shows one of the tables of a page. `name` distinguishes it from the other tables. */
export type ShowTable = (name: string, shown: Table) => SafeHtml;

/** The tables of a page that has several. Each table is sorted, paged and exported separately. */
export function createTables(path: string, query: Query): { readonly show: ShowTable; named(name: string): Table } {
  const tables = new Map<string, Table>();
  return {
    show(name, shown) {
      tables.set(name, shown);
      const place = { path, query, name };
      return html`<div class="table" id="${tableId(name)}">
        ${table(shown, place)} ${renderLinks(linksOf(shown, place))}
      </div>`;
    },
    /** Throws NF001 if the page has shown no table of this name. */
    named(name) {
      const found = tables.get(name);
      if (!found) throw notFound('a table of this name');
      return found;
    },
  };
}

function renderLinks(links: readonly SafeHtml[]): SafeHtml | null {
  return links.length === 0 ? null : html`<p class="pages">${[...links]}</p>`;
}

/** `of` is the name of the table, if its page has several. */
export function sendCsv(ctx: Ctx, file: string, shown: Table, query: Query, of?: string): void {
  nameCsv(ctx, file);
  sendText(ctx, Buffer.from(csvOf(shown, query[nameIn(of === undefined ? {} : { name: of }, 'sort')])));
  ctx.type = csvType;
}

/**
 * Exports every row of a list, also if only one of its pages is shown. If one read returns all rows, they are sorted as
 * requested. Otherwise they are streamed in the order of the list.
 */
export async function sendWholeCsv(
  ctx: Ctx,
  file: string,
  list: (query: Query) => Promise<Listing>,
  asked: Query,
): Promise<void> {
  const { cursor: _, before: __, page: ___, ...query } = asked;
  const first = await list(query);
  if (!first.older && !first.exported) return sendCsv(ctx, file, first.table, query);
  nameCsv(ctx, file);
  ctx.body = Readable.from(csvParts(first, list));
  ctx.type = csvType;
}

async function* csvParts(first: Listing, list: (query: Query) => Promise<Listing>): AsyncGenerator<string> {
  const columns = csvColumns(first.table);
  yield first.exported?.head ?? csvHead(first.table, columns);
  for (let part = first; ; part = await list(part.older)) {
    yield part.exported?.lines.join('') ?? csvLines(part.table.rows, columns);
    if (!part.older) return;
  }
}

const csvType = 'text/csv; charset=utf-8; header=present';

function nameCsv(ctx: Ctx, file: string): void {
  ctx.set('Content-Disposition', `attachment; filename="${file}-${new Date().toISOString().slice(0, 10)}.csv"`);
}
