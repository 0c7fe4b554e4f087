/** The operators' console: pages that work without script, and actions that are recorded in the audit log. */
import { randomUUID } from 'node:crypto';
import { Router } from '@koa/router';
import { html, type SafeHtml } from '@remix-run/html-template';
import { errorKinds, GatewayError } from '../base/errors.ts';
import { oneTimeSecret, confirmForm } from '../html/components/parts.ts';
import { serveAssets } from '../html/assets.ts';
import { countKeyless, type KeylessBudgets } from '../http/keyless.ts';
import type { Ctx, RequestState } from '../http/state.ts';
import { foreignFormError, type ActionOptions, type ConsoleAction } from './kit/action.ts';
import { consoleActions } from './actions.ts';
import { folder, script, style } from './kit/assets.ts';
import type { ConsoleDeps } from './deps.ts';
import { createTables, csvRows, sendCsv, sendWholeCsv, showListing } from './kit/listing.ts';
import { createPageStreams, wantsStream } from './kit/live.ts';
import { merchantLogo } from './merchants/merchants.ts';
import { createSubmitOnce, isConfirmationId, type ActionOutcome } from '../http/submit-once.ts';
import { sections, sendConsolePage, sendPlainPage, type Section } from './kit/page.ts';
import { isAllowed } from './kit/action-form.ts';
import { queryOf, type Query } from '../html/components/query.ts';
import { isFormOf } from '../html/components/session-cookie.ts';
import { createSessions, type Session } from './sign-in/session.ts';
import { addSignIn } from './sign-in/sign-in.ts';
import { createSingleSignOn } from './sign-in/single-sign-on.ts';
import { readForm, type FormValues } from './kit/form-values.ts';
import { views, type View } from './views.ts';

export function consoleRoutes(deps: ConsoleDeps, keyless: Pick<KeylessBudgets, 'requests'>): Router<RequestState> {
  const router = new Router<RequestState>({ sensitive: true, strict: true });
  const sessions = createSessions(deps);
  const signOn = createSingleSignOn(deps.singleSignOn);
  const streams = createPageStreams();
  const submitOnce = createSubmitOnce({ ...deps, pages: 'console' });

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
  serveAssets(router, folder, [style, script]);
  addSignIn(router, { deps, sessions, sessionOf });

  for (const view of views) {
    router.get(view.path, async (ctx) => {
      const session = await sessionOf(ctx);
      if (!session) return;
      const { id = '' } = ctx.params as { id?: string };
      const request = { id, query: queryOf(ctx) };
      await renderRefusal(ctx, session, view.section, async () => {
        if (wantsStream(ctx)) {
          const isOpen = async (): Promise<boolean> => {
            const visitor = signOn.visitorOf(ctx.req);
            return (
              !(visitor && 'refused' in visitor) && (await sessions.read(ctx.get('Cookie'), visitor)) !== undefined
            );
          };
          return streams.send(ctx, { isOpen, render: async () => bodyOf(view, session, request, ctx.path) });
        }
        if (request.query['as'] === 'csv') return sendCsvOf(ctx, view, session, request);
        const body = await bodyOf(view, session, request, ctx.path);
        const title = (await view.title?.(id, deps)) ?? sections[view.section].title;
        sendConsolePage(ctx, { title, section: view.section, body, session });
      });
    });
  }

  router.get('/ops/merchants/:id/logo', async (ctx) => {
    if (!(await sessionOf(ctx))) return;
    const { bytes, type } = await merchantLogo(deps, (ctx.params as { id: string }).id);
    ctx.body = Buffer.from(bytes);
    ctx.type = type;
  });

  async function bodyOf(
    view: View,
    session: Session,
    request: { readonly id: string; readonly query: Query },
    path: string,
  ): Promise<SafeHtml> {
    if ('show' in view) return view.show(deps, session, { ...request, table: createTables(path, request.query).show });
    const listing = await view.list(deps, session, { query: request.query, rows: undefined });
    return showListing(listing, path, request.query);
  }

  async function sendCsvOf(
    ctx: Ctx,
    view: View,
    session: Session,
    request: { readonly id: string; readonly query: Query },
  ): Promise<void> {
    const { query } = request;
    if ('list' in view) {
      const list = async (part: Query) => view.list(deps, session, { query: part, rows: csvRows });
      return sendWholeCsv(ctx, view.section, list, query);
    }
    const { table: name = '' } = query;
    const tables = createTables(ctx.path, query);
    await view.show(deps, session, { ...request, table: tables.show });
    sendCsv(ctx, `${view.section}-${name}`, tables.named(name), query, name);
  }

  for (const action of consoleActions) {
    router.post(action.path, async (ctx) => {
      const session = await sessionOf(ctx);
      if (session) await renderRefusal(ctx, session, action.section, async () => performAction(ctx, session, action));
    });
  }

  async function performAction(ctx: Ctx, session: Session, action: ConsoleAction): Promise<void> {
    const { operator } = session;
    const { id = '' } = ctx.params as { id?: string };
    const { values, file } = await readForm(ctx, action.upload);
    if (!isFormOf(session, values['formToken'])) throw foreignFormError();
    if (!isAllowed(operator.role, action.role))
      throw new GatewayError('FORBIDDEN', `the role ${operator.role} may not do this`);
    const by = { type: 'console', name: `${operator.name} (${operator.keyId})`, from: signOn.addressOf(ctx) } as const;
    const run = async (more: ActionOptions): Promise<ActionOutcome> => {
      const result = await action.run(deps, by, id, values, more);
      if (result && 'leadsTo' in result) return result;
      const back = await action.back(deps, id, values);
      return result ? { shown: result, back } : { leadsTo: `${back}?done=yes` };
    };
    if (!action.effect) return showOutcome(ctx, session, action, await run({ ...(file && { file }) }));
    const { sure, once: confirmationId = '' } = values;
    if (sure !== 'yes' || !isConfirmationId(confirmationId)) {
      const effect = await action.effect(deps, id, values);
      return askToConfirm(ctx, session, action, { effect, back: await action.back(deps, id, values), values });
    }
    const confirmed = { by: by.name, confirmationId, fingerprint: fingerprintOf(ctx.path, values) };
    showOutcome(ctx, session, action, await submitOnce(confirmed, async (operationId) => run({ operationId })));
  }

  /** Identifies what the operator confirmed. It does not depend on the session of the form. */
  function fingerprintOf(path: string, values: FormValues): string {
    const wanted = Object.entries(values).filter(([name]) => name !== 'formToken');
    const members = wanted.toSorted(([one], [other]) => (one < other ? -1 : 1));
    return deps.encrypter.fingerprint(`console act ${JSON.stringify([path, members])}`);
  }

  return router;
}

/** Shows a refused request on a page of the console. */
async function renderRefusal(
  ctx: Ctx,
  session: Session,
  section: Section,
  work: () => Promise<unknown>,
): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    const { path, title: label } = sections[section];
    sendConsolePage(ctx, {
      status: errorKinds[error.kind].status,
      title: 'Request failed',
      section,
      body: html`<p class="note bad" role="alert">${error.message}</p>
        <p class="pages"><a href="${path}">${label}</a></p>`,
      session,
    });
  }
}

function askToConfirm(
  ctx: Ctx,
  session: Session,
  { section }: ConsoleAction,
  { effect, back, values }: { readonly effect: string; readonly back: string; readonly values: FormValues },
): void {
  sendConsolePage(ctx, {
    title: 'Confirm this action',
    section,
    body: confirmForm({ action: ctx.path, effect, back, values: { ...values, once: randomUUID() } }),
    session,
  });
}

function showOutcome(ctx: Ctx, session: Session, { section }: ConsoleAction, outcome: ActionOutcome): void {
  if ('shown' in outcome) {
    const { title, lines, seen } = outcome.shown;
    return sendConsolePage(ctx, { title, section, body: oneTimeSecret(lines, outcome.back, seen), session });
  }
  ctx.status = 303;
  ctx.redirect(outcome.leadsTo);
}
