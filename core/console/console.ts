/** The operators' console: pages that work without script, and actions that are recorded in the audit log. */
import { Router } from '@koa/router';
import { html } from '@remix-run/html-template';
import { errorKinds, GatewayError } from '../base/errors.ts';
import { addressWith, toSentence } from '../html/components/parts.ts';
import { serveAssets } from '../html/assets.ts';
import { countKeyless, type KeylessBudgets } from '../http/keyless.ts';
import type { Ctx, RequestState } from '../http/state.ts';
import { consoleActions } from './actions.ts';
import { folder, icon, script, style } from './kit/assets.ts';
import type { ConsoleDeps } from './deps.ts';
import { createPageStreams, wantsStream } from './kit/live.ts';
import { merchantLogo } from './merchants/merchants.ts';
import { sections, sendConsolePage, sendPlainPage, type Section } from './kit/page.ts';
import { createPages } from './pages.ts';
import { createActionRunner } from './perform-action.ts';
import { queryOf, type Query } from '../html/components/query.ts';
import { createSessions, type Session } from './sign-in/session.ts';
import { addSignIn } from './sign-in/sign-in.ts';
import { createSingleSignOn } from './sign-in/single-sign-on.ts';
import { views } from './views.ts';

export function consoleRoutes(deps: ConsoleDeps, keyless: Pick<KeylessBudgets, 'requests'>): Router<RequestState> {
  const router = new Router<RequestState>({ sensitive: true, strict: true });
  const sessions = createSessions(deps);
  const signOn = createSingleSignOn(deps.singleSignOn);
  const streams = createPageStreams();
  const pages = createPages(deps);
  const actions = createActionRunner({ deps, signOn, pages });

  /** Undefined: the response says why access is denied, or redirects to the sign-in page. */
  async function sessionOf(ctx: Ctx): Promise<Session | undefined> {
    const visitor = signOn.visitorOf(ctx.req);
    if (visitor && 'refused' in visitor) {
      sendPlainPage(ctx, 403, 'Access denied', html`<p class="note bad" role="alert">${visitor.refused}</p>`);
      return undefined;
    }
    const session = await sessions.read(ctx.get('Cookie'), visitor);
    if (session) {
      ctx.set('Set-Cookie', session.cookie);
      return session;
    }
    await keyless.requests.demand(ctx.ip);
    ctx.redirect(ctx.method === 'GET' ? `/ops/sign-in?to=${encodeURIComponent(ctx.url)}` : '/ops/sign-in');
    return undefined;
  }

  for (const path of [`/${folder}/:name`, '/ops/sign-in']) router.get(path, countKeyless(keyless));
  serveAssets(router, folder, [style, icon, script]);
  addSignIn(router, { deps, sessions, sessionOf });

  for (const view of views) {
    router.get(view.path, async (ctx) => {
      const session = await sessionOf(ctx);
      if (!session) return;
      const { id = '' } = ctx.params as { id?: string };
      const shown = { id, query: queryOf(ctx) };
      const shownTo = { ...session, page: addressWith(ctx.path, searchOfPage(shown.query)) };
      await renderRefusal(ctx, session, view, async () => {
        if (wantsStream(ctx)) {
          const isOpen = async (): Promise<boolean> => {
            const visitor = signOn.visitorOf(ctx.req);
            return (
              !(visitor && 'refused' in visitor) && (await sessions.read(ctx.get('Cookie'), visitor)) !== undefined
            );
          };
          return streams.send(ctx, { isOpen, render: async () => pages.render(view, shownTo, shown, ctx.path) });
        }
        if (shown.query['as'] === 'csv') return pages.sendCsv(ctx, view, session, shown);
        await pages.show(ctx, view, shownTo, shown, { done: actions.takeDone(ctx) });
      });
    });
  }

  router.get('/ops/merchants/:id/logo', async (ctx) => {
    if (!(await sessionOf(ctx))) return;
    const { bytes, type } = await merchantLogo(deps, (ctx.params as { id: string }).id);
    ctx.body = Buffer.from(bytes);
    ctx.type = type;
  });

  for (const action of consoleActions) {
    router.post(action.path, async (ctx) => {
      const session = await sessionOf(ctx);
      if (session) await renderRefusal(ctx, session, action, async () => actions.run(ctx, session, action));
    });
  }

  return router;
}

/** Shows a refused request on a page of the console. */
async function renderRefusal(
  ctx: Ctx,
  session: Session,
  { section, label: name = 'Request' }: { readonly section: Section; readonly label?: string },
  work: () => Promise<unknown>,
): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    const { path, title } = sections[section];
    sendConsolePage(ctx, {
      status: errorKinds[error.kind].status,
      title: `${name} failed`,
      section,
      body: html`<p class="note bad" role="alert">${toSentence(error.message)}</p>
        <p class="pages"><a class="button" href="${path}">Back to ${title}</a></p>`,
      session,
    });
  }
}

/** What addresses the page itself, without what belongs to one request of it. */
function searchOfPage(query: Query): Query {
  return { ...query, list: undefined, done: undefined, as: undefined, table: undefined };
}
