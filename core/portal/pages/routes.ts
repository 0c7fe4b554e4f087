/**
 * The routes below `/portal`: a merchant's pages and actions. They work without script. The link is in the address
 * once, and then in a cookie.
 */
import { randomUUID } from 'node:crypto';
import { Router } from '@koa/router';
import { html, type SafeHtml } from '@remix-run/html-template';
import * as v from 'valibot';
import { createAddressBudget, createMinuteBudget } from '../../engine/access/index.ts';
import { errorKinds, GatewayError } from '../../base/errors.ts';
import type { PortalLink } from '../../engine/access/index.ts';
import type { Portal, Visitor } from '../index.ts';
import { confirmForm, oneTimeSecret, toSentence, type Confirmation } from '../../html/components/parts.ts';
import { queryOf, type Query } from '../../html/components/query.ts';
import { createSessionCookie, isFormOf } from '../../html/components/session-cookie.ts';
import { serveAssets } from '../../html/assets.ts';
import type { HttpDeps } from '../../http/deps.ts';
import { countKeyless, type KeylessBudgets } from '../../http/keyless.ts';
import type { BodyBudget } from '../../http/input/body-budget.ts';
import { readPagePost } from '../../http/input/read-page-post.ts';
import { createSubmitOnce, isConfirmationId, type ActionOutcome, type OneTimeResult } from '../../http/submit-once.ts';
import { toGatewayError } from '../../http/middleware/errors.ts';
import { seeOther } from '../../html/page.ts';
import type { Ctx, RequestState } from '../../http/state.ts';
import { callsPage } from './calls.ts';
import { deliveriesPage, deliveryPage, pathOf } from './deliveries.ts';
import { endpointsPage } from './endpoints.ts';
import {
  assetFolder,
  icon,
  sendPortalCard,
  sendPortalPage,
  script,
  sectionAddress,
  style,
  type PortalSection,
} from './page.ts';
import { createPortalSessions, type PortalSession } from './session.ts';

export const portalPath = '/portal';

const formLimitBytes = 4096;
/** Per address, with links that are not valid. */
const invalidLinksPerMinute = 10;
/** Per link. */
const actionsPerMinute = 30;

interface View {
  readonly path: string;
  readonly section: PortalSection;
  /** The title of a page about one thing. Absent: the title of the section. */
  readonly title?: (id: string) => string;
  readonly show: (portal: Portal, session: PortalSession, asked: { id: string; query: Query }) => Promise<SafeHtml>;
}

const views: readonly View[] = [
  {
    path: portalPath,
    section: 'deliveries',
    show: async (portal, session, { query }) => deliveriesPage(portal, session, query),
  },
  {
    path: `${portalPath}/deliveries/:id`,
    section: 'deliveries',
    title: (id) => `Notification ${id}`,
    show: async (portal, session, { id }) => deliveryPage(portal, session, id),
  },
  {
    path: `${portalPath}/endpoints`,
    section: 'endpoints',
    show: async (portal, session) => endpointsPage(portal, session),
  },
  {
    path: `${portalPath}/calls`,
    section: 'calls',
    show: async (portal, session, { query }) => callsPage(portal, session, query),
  },
];

/** The typed and hidden values of the form; `id` is that of the path. */
type Given = Readonly<Record<string, string>>;

interface PortalAction {
  readonly path: string;
  readonly section: PortalSection;
  /**
   * What to confirm first; then the action runs once, however often its form is sent. Throws if the link does not allow
   * the action. Absent: the action is harmless.
   */
  readonly effect?: (portal: Portal, link: PortalLink) => Confirmation;
  /** What the page says afterwards. Absent: the action shows a page of its own. */
  readonly done?: string;
  /** The name of the action if it fails. */
  readonly label: string;
  /** Returns the path to continue at, relative to the portal's address, or a page that is shown once. */
  readonly run: (portal: Portal, visitor: Visitor, given: Given) => Promise<string | OneTimeResult>;
}

const actions: readonly PortalAction[] = [
  {
    path: `${portalPath}/deliveries/:id/resend`,
    section: 'deliveries',
    label: 'Sending',
    done: 'Notification queued: it is sent again now.',
    run: async (portal, visitor, { id = '' }) => {
      await portal.resend(visitor, id);
      return pathOf('', id);
    },
  },
  {
    path: `${portalPath}/endpoints/test`,
    section: 'endpoints',
    label: 'Test event',
    done: 'Test event created. Its delivery is shown here in a moment.',
    run: async (portal, visitor, { origin = '' }) => pathOf('', await portal.test(visitor, origin)),
  },
  {
    path: `${portalPath}/endpoints/enable`,
    section: 'endpoints',
    label: 'Enabling',
    done: 'Endpoint enabled.',
    run: async (portal, visitor, { origin = '' }) => {
      await portal.enable(visitor, origin);
      return '/endpoints';
    },
  },
  {
    path: `${portalPath}/secret`,
    section: 'endpoints',
    label: 'Rotating',
    effect(portal, link) {
      portal.demandChanges(link);
      return {
        title: 'Rotate the webhook secret?',
        text:
          'This creates a new webhook secret, which is shown once. For 24 hours notifications are signed with both ' +
          'secrets, then only with the new one.',
        label: 'Rotate secret',
      };
    },
    run: async (portal, visitor) => {
      const { webhookSecret, previousValidUntil } = await portal.rotateSecret(visitor);
      return {
        title: 'New webhook secret',
        lines: [
          ['Secret (shown only once)', webhookSecret],
          ['The old secret also signs until', previousValidUntil.toISOString()],
        ],
      };
    },
  },
];

interface PortalRoutesDeps extends Pick<HttpDeps, 'encrypter' | 'config' | 'idempotency' | 'countOne' | 'now' | 'log'> {
  readonly keyless: KeylessBudgets;
}

export function portalRoutes(portal: Portal, deps: PortalRoutesDeps, budget: BodyBudget): Router<RequestState> {
  const { protocol, pathname } = new URL(deps.config.publicUrl);
  const root = `${pathname.replace(/\/$/, '')}${portalPath}`;
  const sessions = createPortalSessions({ portal, ...deps, root, isSecure: protocol === 'https:' });
  const invalidLinks = createAddressBudget(invalidLinksPerMinute, 'visits of an address with an invalid link', deps);
  const actionsOfLink = createMinuteBudget(actionsPerMinute, 'actions with a link', deps);
  const submitOnce = createSubmitOnce({ ...deps, pages: 'portal' });
  const lastAction = createSessionCookie({
    name: 'gateway_portal_done',
    path: root,
    isSecure: protocol === 'https:',
    schema: v.object({ text: v.string() }),
    context: { collection: 'portalLinks', id: 'portal', member: 'lastAction' },
    encrypter: deps.encrypter,
  });
  const router = new Router<RequestState>({ sensitive: true, strict: true });

  // Visitors are people: errors are pages, never problem bodies.
  router.use(async (ctx, next) => {
    try {
      await next();
    } catch (thrown) {
      const { kind, message } = toGatewayError(thrown, ctx.state, deps.log);
      sendPortalCard(ctx, errorKinds[kind].status, 'Request failed', html`<p>${message}.</p>`);
    }
  });

  router.use(countKeyless(deps.keyless));
  serveAssets(router, assetFolder, [style, icon, script]);

  router.get(`${portalPath}/open`, async (ctx) => {
    const link = await portal.open(queryOf(ctx)['link'] ?? '');
    if (!link) {
      await invalidLinks.demand(ctx.ip);
      return showClosed(ctx);
    }
    ctx.set('Set-Cookie', sessions.begin(link));
    // Not a redirect: if another site links here, browsers send no cookie with the redirected request.
    sendPortalCard(ctx, 200, 'Opening the portal', html`<p><a href="${root}">Continue</a></p>`, root);
  });

  router.post(`${portalPath}/leave`, async (ctx) => {
    const session = await sessions.read(ctx.get('Cookie'));
    if (!session) return showClosed(ctx);
    if (!isFormOf(session, (await typedIn(ctx))['formToken'])) throw otherSession();
    ctx.set('Set-Cookie', sessions.ending);
    sendPortalCard(ctx, 200, 'You are signed out', html`<p>Until it expires, the link opens the portal again.</p>`);
  });

  for (const { path, section, title, show } of views) {
    router.get(path, async (ctx) => {
      const session = await sessions.read(ctx.get('Cookie'));
      if (!session) return showClosed(ctx);
      const { id = '' } = ctx.params as { id?: string };
      await renderRefusal(ctx, session, { section }, async () => {
        const query = queryOf(ctx);
        const body = await show(portal, session, { id, query });
        const said = query['done'] === 'yes' ? lastAction.read(ctx.get('Cookie')) : undefined;
        if (said) ctx.append('Set-Cookie', lastAction.ending);
        sendPortalPage(ctx, session, { section, body, done: said?.text, ...(title && { title: title(id) }) });
      });
    });
  }

  for (const action of actions) {
    router.post(action.path, async (ctx) => {
      const session = await sessions.read(ctx.get('Cookie'));
      if (!session) return showClosed(ctx);
      await renderRefusal(ctx, session, action, async () => runAction(ctx, session, action));
    });
  }

  async function runAction(
    ctx: Ctx,
    session: PortalSession,
    { effect, section, run, done }: PortalAction,
  ): Promise<void> {
    const typed = await typedIn(ctx);
    if (!isFormOf(session, typed['formToken'])) throw otherSession();
    const back = sectionAddress(session, section);
    const { sure, once: confirmationId = '' } = typed;
    const isConfirmed = sure === 'yes' && isConfirmationId(confirmationId);
    const toConfirm = effect?.(portal, session.link);
    if (toConfirm !== undefined && !isConfirmed) {
      const values = { ...typed, once: randomUUID() };
      const body = confirmForm({ action: `${root}/secret`, asked: toConfirm, back, values });
      return sendPortalPage(ctx, session, { title: toConfirm.title, section, body });
    }
    const perform = async (): Promise<ActionOutcome> => {
      await actionsOfLink.demand(session.link.id);
      const visitor = { link: session.link, from: ctx.ip };
      const result = await run(portal, visitor, { ...typed, ...(ctx.params as Given) });
      return typeof result === 'string' ? { leadsTo: `${root}${result}?done=yes`, done } : { shown: result, back };
    };
    const confirmed = { by: session.link.id, confirmationId, fingerprint: deps.encrypter.fingerprint(ctx.path) };
    const outcome = toConfirm === undefined ? await perform() : await submitOnce(confirmed, perform);
    if ('leadsTo' in outcome) {
      if (outcome.done !== undefined) ctx.append('Set-Cookie', lastAction.set({ text: outcome.done }, 60));
      return seeOther(ctx, outcome.leadsTo);
    }
    const { title, lines } = outcome.shown;
    sendPortalPage(ctx, session, { title, section, body: oneTimeSecret(lines, outcome.back) });
  }

  async function typedIn(ctx: Ctx): Promise<Given> {
    await budget.reserve(ctx.req, ctx.res, formLimitBytes, ctx.ip);
    return (await readPagePost(ctx.req, formLimitBytes)) ?? {};
  }

  return router;
}

/** The same page for a forged, an expired and a revoked link. */
function showClosed(ctx: Ctx): void {
  const body = html`<p>
    Ask your payment provider for a new link. A link is valid for an hour, and can be revoked earlier.
  </p>`;
  sendPortalCard(ctx, 403, 'This link is not valid', body);
}

/** Shows a refusal as a page of the portal. */
async function renderRefusal(
  ctx: Ctx,
  session: PortalSession,
  { section, label }: { readonly section: PortalSection; readonly label?: string },
  work: () => Promise<unknown>,
): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    sendPortalPage(ctx, session, {
      status: errorKinds[error.kind].status,
      title: label === undefined ? 'Request failed' : `${label} failed`,
      section,
      body: html`<p class="note bad" role="alert">${toSentence(error.message)}</p>
        <p class="pages"><a class="button" href="${sectionAddress(session, section)}">Back</a></p>`,
    });
  }
}

function otherSession(): GatewayError {
  return new GatewayError('FORBIDDEN', 'this form belongs to another session: reload the page');
}
