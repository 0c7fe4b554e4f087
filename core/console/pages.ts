/** Renders the pages of the console: as HTML, as a stream of updates, and as CSV. */
import { html, isSafeHtml, type SafeHtml } from '@remix-run/html-template';
import { showsRefusal } from '../html/components/form.ts';
import type { Query } from '../html/components/query.ts';
import type { Ctx } from '../http/state.ts';
import type { ConsoleDeps } from './deps.ts';
import { createTables, csvRows, sendCsv, sendWholeCsv, showListing } from './kit/listing.ts';
import { sections, sendConsolePage, type ConsolePage, type PageBody } from './kit/page.ts';
import type { Session } from './sign-in/session.ts';
import type { View } from './views.ts';

/** Which thing and which part of a list a page shows. */
export interface Shown {
  readonly id: string;
  readonly query: Query;
}

export interface ShowOptions extends Pick<ConsolePage, 'done' | 'status' | 'address'> {
  /** Shown above the page if it does not have the refused form any more. */
  readonly refusal?: SafeHtml;
}

export interface Pages {
  /** Sends the page. If it answers a form, `address` is its own address. */
  show(ctx: Ctx, view: View, session: Session, shown: Shown, options?: ShowOptions): Promise<void>;
  /** The content of the page, without its frame. */
  render(view: View, session: Session, shown: Shown, path: string): Promise<SafeHtml>;
  sendCsv(ctx: Ctx, view: View, session: Session, shown: Shown): Promise<void>;
}

export function createPages(deps: ConsoleDeps): Pages {
  async function bodyOf(view: View, session: Session, shown: Shown, path: string): Promise<PageBody> {
    const { query } = shown;
    await deps.adapters.readTitles();
    if ('show' in view) {
      const content = await view.show(deps, session, { ...shown, table: createTables(path, query).show });
      return isSafeHtml(content) ? { body: content } : content;
    }
    const listing = await view.list(deps, session, { query, rows: undefined });
    return { body: showListing(listing, path, query), primary: listing.primary, mode: listing.mode };
  }

  return {
    async show(ctx, view, session, shown, { refusal, ...more } = {}) {
      const path = more.address?.split('?')[0] ?? ctx.path;
      const { body, primary, mode, leadsTo } = await bodyOf(view, session, shown, path);
      if (leadsTo !== undefined) {
        ctx.status = 303;
        return ctx.redirect(leadsTo);
      }
      const { section } = view;
      const isMissing = refusal !== undefined && !showsRefusal(html`${primary}${body}`);
      sendConsolePage(ctx, {
        title: (await view.title?.(shown.id, deps)) ?? sections[section].title,
        section,
        body: isMissing ? html`${refusal} ${body}` : body,
        primary,
        session,
        mode,
        ...(view.path !== sections[section].path && { parent: sections[section] }),
        ...more,
      });
    },

    render: async (...page) => (await bodyOf(...page)).body,

    async sendCsv(ctx, view, session, shown) {
      const { query } = shown;
      if ('list' in view) {
        const list = async (part: Query) => view.list(deps, session, { query: part, rows: csvRows });
        return sendWholeCsv(ctx, view.section, list, query);
      }
      const { table: name = '' } = query;
      const tables = createTables(ctx.path, query);
      await view.show(deps, session, { ...shown, table: tables.show });
      sendCsv(ctx, `${view.section}-${name}`, tables.named(name), query, name);
    },
  };
}
