/** The operators' console: pages that work without script, and acts that are audited. */
import { Router } from '@koa/router';
import { html, type SafeHtml } from '@remix-run/html-template';
import { createAddressBudget } from '../../access/index.ts';
import { errorKinds, GatewayError } from '../../errors.ts';
import { readMultipart } from '../../http/input/read-multipart.ts';
import { readPagePost } from '../../http/input/read-page-post.ts';
import type { Ctx, RequestState } from '../../http/state.ts';
import { onceFacts, sureForm } from '../../http/dashboard/parts.ts';
import { isFormOf } from '../../http/dashboard/session-cookie.ts';
import { sendStyle } from '../../http/dashboard/style.ts';
import { queryOf, type Query } from '../../http/dashboard/query.ts';
import { mayAct } from './act-form.ts';
import { consoleActs, paymentIdOf, type ConsoleAct, type ShownOnce, type Typed } from './acts.ts';
import { adaptersPage } from './adapters.ts';
import { alarmPage, alarmsPage } from './alarms.ts';
import { auditPage } from './audit.ts';
import { callbackPage, callbacksPage } from './callbacks.ts';
import type { ConsoleDeps } from './deps.ts';
import { jobsPage } from './jobs.ts';
import { merchantLogo, merchantName, merchantPage, merchantsPage } from './merchants.ts';
import { notificationsPage } from './notifications.ts';
import { nowPage } from './now.ts';
import { sections, sendConsolePage, sendPlainPage, style, type Section } from './page.ts';
import { paymentPage } from './payment.ts';
import { paymentsPage } from './payments.ts';
import { createSessions, type Session } from './session.ts';
import { settlementPage, settlementRunPage } from './settlement.ts';

const formLimitBytes = 16_384;
/** With a file: somewhat more than a logo may have, so that one that is too large is told so in words. */
const uploadLimitBytes = 1_048_576;
const signInsPerMinute = 10;

interface View {
  readonly path: string;
  readonly section: Section;
  /** Of a page about one thing; absent: the section's. */
  readonly title?: (id: string, deps: ConsoleDeps) => string | Promise<string>;
  readonly show: (deps: ConsoleDeps, session: Session, asked: { id: string; query: Query }) => Promise<SafeHtml>;
}

const views: readonly View[] = [
  { path: '/ops', section: 'now', show: async (deps) => nowPage(deps) },
  { path: '/ops/payments', section: 'payments', show: async (deps, _, { query }) => paymentsPage(deps, query) },
  {
    path: '/ops/payments/:id',
    section: 'payments',
    title: (id) => `Payment ${id}`,
    show: async (deps, session, { id }) => paymentPage(deps, paymentIdOf(id), session),
  },
  { path: '/ops/callbacks', section: 'callbacks', show: async (deps, _, { query }) => callbacksPage(deps, query) },
  {
    path: '/ops/callbacks/:id',
    section: 'callbacks',
    title: (id) => `Callback ${id}`,
    show: async (deps, session, { id }) => callbackPage(deps, id, session),
  },
  {
    path: '/ops/notifications',
    section: 'notifications',
    show: async (deps, session, { query }) => notificationsPage(deps, query, session),
  },
  { path: '/ops/alarms', section: 'alarms', show: async (deps) => alarmsPage(deps) },
  {
    path: '/ops/alarms/:id',
    section: 'alarms',
    title: () => 'Alarm',
    show: async (deps, session, { id }) => alarmPage(deps, id, session),
  },
  { path: '/ops/jobs', section: 'jobs', show: async (deps, session) => jobsPage(deps, session) },
  { path: '/ops/adapters', section: 'adapters', show: async (deps, session) => adaptersPage(deps, session) },
  { path: '/ops/merchants', section: 'merchants', show: async (deps) => merchantsPage(deps) },
  {
    path: '/ops/merchants/:id',
    section: 'merchants',
    title: async (id, deps) => merchantName(deps, id),
    show: async (deps, session, { id }) => merchantPage(deps, id, session),
  },
  { path: '/ops/settlement', section: 'settlement', show: async (deps) => settlementPage(deps) },
  {
    path: '/ops/settlement/:id',
    section: 'settlement',
    title: () => 'Settlement file',
    show: async (deps, _, { id }) => settlementRunPage(deps, id),
  },
  { path: '/ops/audit', section: 'audit', show: async (deps, _, { query }) => auditPage(deps, query) },
];

export function consoleRoutes(deps: ConsoleDeps): Router<RequestState> {
  const router = new Router<RequestState>({ sensitive: true, strict: true });
  const sessions = createSessions(deps);
  const signIns = createAddressBudget(signInsPerMinute, 'attempts of an address to sign in', deps);

  /** Undefined: the answer leads to where one signs in. */
  async function sessionOf(ctx: Ctx): Promise<Session | undefined> {
    const session = await sessions.read(ctx.get('Cookie'));
    if (session) ctx.set('Set-Cookie', session.cookie);
    else ctx.redirect(ctx.method === 'GET' ? `/ops/sign-in?to=${encodeURIComponent(ctx.url)}` : '/ops/sign-in');
    return session;
  }

  router.get(`/${style.path}`, (ctx) => sendStyle(ctx, style));

  router.get('/ops/sign-in', (ctx) => showSignIn(ctx, 200, queryOf(ctx)['to']));
  router.post('/ops/sign-in', async (ctx) => {
    const { key = '', to } = await typedIn(ctx);
    try {
      ctx.set('Set-Cookie', await sessions.begin(key));
    } catch (error) {
      if (!(error instanceof GatewayError) || error.kind !== 'UNAUTHORIZED') throw error;
      await signIns.demand(ctx.ip);
      return showSignIn(ctx, 401, to, `${error.message}.`);
    }
    ctx.status = 303;
    ctx.redirect(insideOf(to));
  });
  router.post('/ops/sign-out', async (ctx) => {
    const session = await sessionOf(ctx);
    if (!session || !isFormOf(session, (await typedIn(ctx))['formToken'])) return;
    ctx.set('Set-Cookie', sessions.ending);
    ctx.status = 303;
    ctx.redirect('/ops/sign-in');
  });

  for (const { path, section, title, show } of views) {
    router.get(path, async (ctx) => {
      const session = await sessionOf(ctx);
      if (!session) return;
      const { id = '' } = ctx.params as { id?: string };
      await orSaid(ctx, session, section, async () => {
        const body = await show(deps, session, { id, query: queryOf(ctx) });
        const named = (await title?.(id, deps)) ?? sections[section].title;
        sendConsolePage(ctx, { title: named, section, body, session });
      });
    });
  }

  router.get('/ops/merchants/:id/logo', async (ctx) => {
    if (!(await sessionOf(ctx))) return;
    const { bytes, type } = await merchantLogo(deps, (ctx.params as { id: string }).id);
    ctx.body = Buffer.from(bytes);
    ctx.type = type;
  });

  for (const act of consoleActs) {
    router.post(act.path, async (ctx) => {
      const session = await sessionOf(ctx);
      if (session) await orSaid(ctx, session, sectionOf(act), async () => carryOut(ctx, session, act));
    });
  }

  async function carryOut(ctx: Ctx, session: Session, act: ConsoleAct): Promise<void> {
    const { operator } = session;
    const { id = '' } = ctx.params as { id?: string };
    const { typed, file } = await postedTo(ctx, act);
    if (!isFormOf(session, typed['formToken'])) throw refused('this form is of another session: load its page again');
    if (!mayAct(operator.role, act.role)) throw refused(`the role ${operator.role} may not do this`);
    if (act.effect && typed['sure'] !== 'yes') {
      const effect = await act.effect(deps, id, typed);
      return askTwice(ctx, session, act, { effect, back: await act.back(deps, id), typed });
    }
    const shown = await act.run(
      deps,
      { type: 'console', name: `${operator.name} (${operator.keyId})`, from: ctx.ip },
      id,
      typed,
      file,
    );
    const back = await act.back(deps, id);
    if (shown) return showOnce(ctx, session, act, { ...shown, back });
    ctx.status = 303;
    ctx.redirect(`${back}?done=yes`);
  }

  return router;
}

/** What cannot be done is said on a page of the console. */
async function orSaid(ctx: Ctx, session: Session, section: Section, work: () => Promise<unknown>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    const { path, title: label } = sections[section];
    sendConsolePage(ctx, {
      status: errorKinds[error.kind].status,
      title: 'This cannot be done',
      section,
      body: html`<p class="note bad" role="alert">${error.message}</p>
        <p class="pages"><a href="${path}">${label}</a></p>`,
      session,
    });
  }
}

function askTwice(
  ctx: Ctx,
  session: Session,
  act: ConsoleAct,
  { effect, back, typed }: { readonly effect: string; readonly back: string; readonly typed: Typed },
): void {
  sendConsolePage(ctx, {
    title: 'Are you sure?',
    section: sectionOf(act),
    body: sureForm({ action: ctx.path, effect, back, typed }),
    session,
  });
}

function showOnce(
  ctx: Ctx,
  session: Session,
  act: ConsoleAct,
  { title, lines, back }: ShownOnce & { readonly back: string },
): void {
  sendConsolePage(ctx, {
    title,
    section: sectionOf(act),
    body: onceFacts(lines, back),
    session,
  });
}

function showSignIn(ctx: Ctx, status: number, to: string | undefined, problem?: string): void {
  sendPlainPage(
    ctx,
    status,
    'Sign in',
    html`${problem === undefined ? null : html`<p class="note bad" role="alert">${problem}</p>`}
      <form method="post" action="/ops/sign-in">
        <input type="hidden" name="to" value="${insideOf(to)}" />
        <label
          >Operator's key<input
            type="password"
            name="key"
            autocomplete="current-password"
            required
            autofocus
            spellcheck="false"
        /></label>
        <button class="main">Sign in</button>
      </form>
      <p><small>gateway operators create makes a key.</small></p>`,
  );
}

/** Only to a page of the console. */
function insideOf(to: string | undefined): string {
  return to !== undefined && /^\/ops(\/[\w/-]*)?(\?[^\\]*)?$/.test(to) ? to : '/ops';
}

function sectionOf({ path }: ConsoleAct): Section {
  if (/^\/ops\/(keys|portal-links)\//.test(path)) return 'merchants';
  const found = Object.entries(sections).find(([, one]) => one.path !== '/ops' && path.startsWith(one.path));
  return (found?.[0] ?? 'now') as Section;
}

async function postedTo(
  ctx: Ctx,
  { upload }: ConsoleAct,
): Promise<{ readonly typed: Typed; readonly file?: Uint8Array }> {
  if (upload === undefined) return { typed: await typedIn(ctx) };
  const { fields = {}, files = {} } = (await readMultipart(ctx.req, uploadLimitBytes)) ?? {};
  const file = files[upload];
  return { typed: fields, ...(file && { file }) };
}

async function typedIn(ctx: Ctx): Promise<Typed> {
  return (await readPagePost(ctx.req, formLimitBytes)) ?? {};
}

function refused(message: string): GatewayError {
  return new GatewayError('FORBIDDEN', message);
}
