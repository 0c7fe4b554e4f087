/** A page of one table: what narrows it, its rows sorted as the address asks, the pages beside it, and the same as CSV. */
import { html, type SafeHtml } from '@remix-run/html-template';
import { sendText } from '../../http/pages/assets.ts';
import type { Ctx } from '../../http/state.ts';
import type { Query } from '../../http/dashboard/query.ts';
import { addressWith, csvOf, table, type Table } from '../../http/dashboard/table.ts';

export interface Listing {
  /** Of the whole page, such as the form that narrows it. */
  readonly before?: SafeHtml | null;
  readonly table: Table;
  /** The query of the page that follows; absent: this is the last. */
  readonly older?: Query;
  readonly after?: SafeHtml;
}

/** Of an export. */
export const csvRows = 1000;

export function showListing(
  { before = null, table: shown, older, after }: Listing,
  path: string,
  query: Query,
): SafeHtml {
  const { cursor, before: earlier, done: _, ...kept } = query;
  const isFirst = cursor === undefined && earlier === undefined;
  const isPart = !isFirst || older !== undefined;
  return html`${before} ${table(shown, { path, query })}
  ${
    shown.rows.length === 0
      ? null
      : html`<p class="pages">
          ${isFirst ? null : html`<a href="${addressWith(path, kept)}">To the newest</a>`}
          ${older ? html`<a href="${addressWith(path, older)}">Older</a>` : null}
          <a href="${addressWith(path, { ...query, done: undefined, as: 'csv' })}">CSV</a>
          ${isPart && query['sort'] !== undefined ? html`<small>Sorted within this page.</small>` : null}
        </p>`
  }
  ${after ?? null}`;
}

export function sendCsv(ctx: Ctx, name: string, { table: shown }: Listing, { sort }: Query): void {
  ctx.set('Content-Disposition', `attachment; filename="${name}-${new Date().toISOString().slice(0, 10)}.csv"`);
  sendText(ctx, Buffer.from(csvOf(shown, sort)));
  ctx.type = 'text/csv; charset=utf-8; header=present';
}
