/** The operators' console: pages that work without script, and actions that are recorded in the audit log. */
import { Router } from '@koa/router';
import { html } from '@remix-run/html-template';
import { SECOND } from '../base/async/time.ts';
import { withTimeLimit } from '../base/async/time-limit.ts';
import { errorKinds, GatewayError } from '../base/errors.ts';
import { addressWith, linkButton, toSentence } from '../html/components/parts.ts';
import { serveAssets } from '../html/assets.ts';
import { countKeyless, type KeylessBudgets } from '../http/keyless.ts';
import type { Ctx, RequestState } from '../http/state.ts';
import { consoleActions } from './actions.ts';
import { folder, icon, script, style } from './kit/assets.ts';
import type { ConsoleDeps } from './deps.ts';
import { createCachedRead } from './kit/cached-read.ts';
import { createPageStreams, wantsStream } from './kit/live.ts';
import { createModes } from './kit/mode.ts';
import { merchantLogo } from './merchants/merchants.ts';
import { readAttention } from './overview/attention.ts';
import { sections, sendConsolePage, sendPlainPage, type Section } from './kit/page.ts';
import { createPages } from './pages.ts';
import { createActionRunner } from './perform-action.ts';
import { queryOf, type Query } from '../html/components/query.ts';
import { createSessions, type Session } from './sign-in/session.ts';
import { addSignIn } from './sign-in/sign-in.ts';
import { createSingleSignOn } from './sign-in/single-sign-on.ts';
import { views, type View } from './views.ts';

const countsAgeMs = 3 * SECOND;
const countsLimitMs = 2 * SECOND;

export function consoleRoutes(deps: ConsoleDeps, keyless: Pick<KeylessBudgets, 'requests'>): Router<RequestState> {
  const router = new Router<RequestState>({ sensitive: true, strict: true });
  const sessions = createSessions(deps);
  const signOn = createSingleSignOn(deps.singleSignOn);
  const streams = createPageStreams();
  const modes = createModes(deps);
  const counts = createCachedRead(async () => countAttention(deps), countsAgeMs);
  const pages = createPages(deps);
  const actions = createActionRunner({ deps, signOn, pages });

  /** Undefined: no operator has signed in. */
  async function readSession(ctx: Ctx): Promise<Session | undefined> {
    const visitor = signOn.visitorOf(ctx.req);
    if (visitor && 'refused' in visitor) return undefined;
    const session = await sessions.read(ctx.get('Cookie'), visitor);
    if (!session) return undefined;
    ctx.set('Set-Cookie', session.cookie);
    const mode = modes.read(ctx.get('Cookie'), session.operator.name);
    return { ...session, mode, counts: await counts() };
  }

  /** Undefined: the response says why access is denied, or redirects to the sign-in page. */
  async function sessionOf(ctx: Ctx): Promise<Session | undefined> {
    const visitor = signOn.visitorOf(ctx.req);
    if (visitor && 'refused' in visitor) {
      sendPlainPage(ctx, 403, 'Access denied', html`<p class="note bad" role="alert">${visitor.refused}</p>`);
      return undefined;
    }
    const session = await readSession(ctx);
    if (session) return session;
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
      const { mode } = shown.query;
      if (view.hasModes && (mode === 'live' || mode === 'test'))
        ctx.append('Set-Cookie', modes.keep(session.operator.name, mode));
      await renderRefusal(ctx, session, { ...view, id }, async () => {
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

  /** A wrong address keeps the frame of the console for an operator who has signed in. */
  router.get(/^\/ops\/.+/, async (ctx, next) => {
    const session = ctx.get('Accept').includes('text/html') ? await readSession(ctx) : undefined;
    if (!session) return next();
    sendConsolePage(ctx, { status: 404, title: 'Page not found', section: null, body: missingAddress, session });
  });

  return router;
}

/**
 * The numbers of the navigation: everything that the Overview lists, and its alarms and disputes. No numbers if they
 * cannot be read: the Overview says so itself.
 */
async function countAttention(deps: ConsoleDeps): Promise<NonNullable<Session['counts']>> {
  const found = await withTimeLimit(countsLimitMs, async () => readAttention(deps)).catch(() => undefined);
  return found ? { now: found.items.length, alarms: found.openAlarms, disputes: found.openDisputes } : {};
}

interface Asked extends Pick<View, 'missing'> {
  readonly section: Section;
  /** The name of the action. Absent: the request asks for a page. */
  readonly label?: string;
  /** The id in the address of the page. */
  readonly id?: string;
}

/** Shows a refused request on a page of the console. */
async function renderRefusal(
  ctx: Ctx,
  session: Session,
  { section, label, missing, id = '' }: Asked,
  work: () => Promise<unknown>,
): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    const { path, title } = sections[section];
    const { status } = errorKinds[error.kind];
    const isMissing = status === 404 && label === undefined;
    const reason = html`<p class="note bad" role="alert">${toSentence(error.message)}</p>
      <p class="pages"><a class="button" href="${path}">Back to ${title}</a></p>`;
    sendConsolePage(ctx, {
      status,
      title: isMissing ? (missing?.title ?? 'Not found') : `${label ?? 'Request'} failed`,
      section,
      parent: sections[section],
      body: isMissing && missing ? missing.body(id) : reason,
      session,
    });
  }
}

const missingAddress = html`<p>This address does not exist. Check that it is complete.</p>
  <p class="acts">
    ${linkButton('Overview', sections.now.path)} ${linkButton('Payments', sections.payments.path, { isMain: false })}
  </p>`;

/** What addresses the page itself, without what belongs to one request of it. */
function searchOfPage(query: Query): Query {
  return { ...query, list: undefined, done: undefined, as: undefined, table: undefined };
}
