/**
 * The routes below `/portal`: a merchant's pages and actions. They work without script. The link is in the address
 * once, and then in a cookie.
 */
import { Router } from '@koa/router';
import { html } from '@remix-run/html-template';
import { notificationTypes } from '../../database/collections/payment-request.ts';
import { createAddressBudget } from '../../engine/access/index.ts';
import { errorKinds, GatewayError } from '../../base/errors.ts';
import type { Portal } from '../index.ts';
import { linkButton, toSentence } from '../../html/components/parts.ts';
import { queryOf } from '../../html/components/query.ts';
import { isFormOf } from '../../html/components/session-cookie.ts';
import { serveAssets } from '../../html/assets.ts';
import type { HttpDeps } from '../../http/deps.ts';
import { countKeyless, type KeylessBudgets } from '../../http/keyless.ts';
import type { BodyBudget } from '../../http/input/body-budget.ts';
import { readPagePost } from '../../http/input/read-page-post.ts';
import { toGatewayError } from '../../http/middleware/errors.ts';
import type { Ctx, RequestState } from '../../http/state.ts';
import { callsPage } from './calls.ts';
import { deliveriesPage, deliveryPage, pathOf } from './deliveries.ts';
import { endpointsPage, typeField } from './endpoints.ts';
import { paymentPage } from './payment.ts';
import { paymentsPage } from './payments.ts';
import { assetFolder, icon, script, sectionAddress, sendPortalCard, sendPortalPage, style } from './page.ts';
import type { PortalSection } from './page.ts';
import { createPortalSessions, type PortalSession } from './session.ts';
import { createPortalPages, portalPath, type Given, type PortalAction, type View } from './show-pages.ts';

export { portalPath };

/** An address of an endpoint may have 2048 characters, each of which a form may encode with three. */
const formLimitBytes = 8192;
/** Per address, with links that are not valid. */
const invalidLinksPerMinute = 10;
const views: readonly View[] = [
  {
    path: portalPath,
    section: 'deliveries',
    show: async (portal, session, { query, now }) => deliveriesPage(portal, session, query, now),
  },
  {
    path: `${portalPath}/payments`,
    section: 'payments',
    show: async (portal, session, { query, now }) => paymentsPage(portal, session, query, now),
  },
  {
    path: `${portalPath}/payments/:id`,
    section: 'payments',
    title: (id) => `Payment ${id}`,
    show: async (portal, session, { id }) => paymentPage(portal, session, id),
  },
  {
    path: `${portalPath}/deliveries/:id`,
    section: 'deliveries',
    show: async (portal, session, { id }) => deliveryPage(portal, session, id),
  },
  {
    path: `${portalPath}/endpoints`,
    section: 'endpoints',
    show: async (portal, session, { now }) => endpointsPage(portal, session, now),
  },
  {
    path: `${portalPath}/calls`,
    section: 'calls',
    show: async (portal, session, { query }) => callsPage(portal, session, query),
  },
];

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
    path: `${portalPath}/endpoints/disable`,
    section: 'endpoints',
    label: 'Disabling',
    done: 'Endpoint disabled. Its notifications are kept until you enable it.',
    effect(portal, link, { origin = '' }) {
      portal.demandChanges(link);
      return {
        title: `Disable ${origin}?`,
        text: 'Only test events are sent to it. Other notifications are kept, and sent once you enable it.',
        label: 'Disable',
      };
    },
    run: async (portal, visitor, { origin = '' }) => {
      await portal.disable(visitor, origin);
      return '/endpoints';
    },
  },
  {
    path: `${portalPath}/endpoints/address`,
    section: 'endpoints',
    label: 'Saving',
    done: 'Default endpoint saved.',
    effect(portal, link, { url = '' }) {
      portal.demandChanges(link);
      const mode = `${link.environment} mode`;
      if (url === '')
        return {
          title: 'Remove the default endpoint?',
          text: `In ${mode}, nothing is sent about payments without a notifyUrl of their own.`,
          label: 'Remove',
        };
      return {
        title: 'Change the default endpoint?',
        text: `From now on, notifications of ${mode} about payments without a notifyUrl are sent to ${url}.`,
        label: 'Save address',
        isDangerous: false,
      };
    },
    run: async (portal, visitor, { url = '' }) => {
      await portal.setAddress(visitor, url.trim() === '' ? null : url.trim());
      return '/endpoints';
    },
  },
  {
    path: `${portalPath}/endpoints/types`,
    section: 'endpoints',
    label: 'Saving',
    done: 'Events saved.',
    run: async (portal, visitor, given) => {
      const chosen = notificationTypes.filter((type) => given[typeField(type)] === 'yes');
      await portal.setTypes(visitor, chosen.length === notificationTypes.length ? null : chosen);
      return '/endpoints';
    },
  },
  {
    path: `${portalPath}/secret/show`,
    section: 'endpoints',
    label: 'Showing the secret',
    run: async (portal, visitor) => ({
      title: 'Webhook secret',
      lines: [['Secret', await portal.showSecret(visitor)]],
    }),
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
  const isSecure = protocol === 'https:';
  const sessions = createPortalSessions({ portal, ...deps, root, isSecure });
  const pages = createPortalPages({ portal, views, root, isSecure, ...deps });
  const invalidLinks = createAddressBudget(invalidLinksPerMinute, 'visits of an address with an invalid link', deps);
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
      return showExpiredLink(ctx);
    }
    ctx.set('Set-Cookie', sessions.begin(link));
    // Not a redirect: if another site links here, browsers send no cookie with the redirected request.
    sendPortalCard(ctx, 200, 'Opening the portal', html`<p><a href="${root}">Continue</a></p>`, root);
  });

  router.post(`${portalPath}/leave`, async (ctx) => {
    const session = await sessions.read(ctx.get('Cookie'));
    if (!session) return showEnded(ctx);
    if (!isFormOf(session, (await typedIn(ctx))['formToken'])) throw otherSession();
    ctx.set('Set-Cookie', sessions.ending);
    sendPortalCard(ctx, 200, 'You are signed out', html`<p>Until it expires, the link opens the portal again.</p>`);
  });

  for (const view of views) {
    router.get(view.path, async (ctx) => {
      const session = await sessions.read(ctx.get('Cookie'));
      if (!session) return showEnded(ctx);
      await renderRefusal(ctx, session, view, async () => pages.show(ctx, view, session));
    });
  }

  for (const action of actions) {
    router.post(action.path, async (ctx) => {
      const session = await sessions.read(ctx.get('Cookie'));
      if (!session) return showEnded(ctx);
      await renderRefusal(ctx, session, action, async () => {
        const typed = await typedIn(ctx);
        if (!isFormOf(session, typed['formToken'])) throw otherSession();
        await pages.run(ctx, session, action, typed);
      });
    });
  }

  // After all others: a mistyped address of a merchant.
  router.get([`${portalPath}/`, `${portalPath}/*rest`], async (ctx) => {
    const session = await sessions.read(ctx.get('Cookie'));
    const body = html`<p>There is no page at this address. Check that it is complete.</p>
      <p class="pages">${linkButton('Deliveries', root)}</p>`;
    const title = 'This page does not exist';
    if (!session) return sendPortalCard(ctx, 404, title, body);
    sendPortalPage(ctx, session, { status: 404, title, section: null, body });
  });

  async function typedIn(ctx: Ctx): Promise<Given> {
    await budget.reserve(ctx.req, ctx.res, formLimitBytes, ctx.ip);
    return (await readPagePost(ctx.req, formLimitBytes)) ?? {};
  }

  return router;
}

/** The same page for a forged, an expired and a revoked link: almost always, the link has expired. */
function showExpiredLink(ctx: Ctx): void {
  const body = html`<p>Ask your payment provider for a new link.</p>
    <p class="hint">A link is valid for an hour, and can be revoked earlier.</p>`;
  sendPortalCard(ctx, 403, 'This link has expired', body);
}

/** A visitor without a session opened no link: the session has ended, or it never began in this browser. */
function showEnded(ctx: Ctx): void {
  const body = html`${ctx.method === 'POST' ? html`<p><strong>Nothing was changed.</strong></p>` : null}
    <p>Your session has ended, or you have not opened your link in this browser yet.</p>
    <p>Open your link again. It works for an hour: after that, ask your payment provider for a new one.</p>`;
  sendPortalCard(ctx, 403, 'You are not signed in', body);
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
        <p class="pages">${linkButton('Back', sectionAddress(session, section))}</p>`,
    });
  }
}

function otherSession(): GatewayError {
  return new GatewayError('FORBIDDEN', 'this form belongs to another session: reload the page');
}
