/** Shows the pages of the portal and runs its actions: confirmation, what was done, and refused forms again. */
import { randomUUID } from 'node:crypto';
import { html, isSafeHtml, type SafeHtml } from '@remix-run/html-template';
import * as v from 'valibot';
import { createMinuteBudget, type PortalLink } from '../../engine/access/index.ts';
import { errorKinds, GatewayError, type FieldError } from '../../base/errors.ts';
import type { Portal, Visitor } from '../index.ts';
import {
  addressWith,
  confirmForm,
  oneTimeSecret,
  pageField,
  refusalNote,
  showsRefusal,
  type Confirmation,
} from '../../html/components/parts.ts';
import { idIn, queryOf, type Query } from '../../html/components/query.ts';
import { createSessionCookie } from '../../html/components/session-cookie.ts';
import type { HttpDeps } from '../../http/deps.ts';
import { createSubmitOnce, isConfirmationId, type ActionOutcome, type OneTimeResult } from '../../http/submit-once.ts';
import { seeOther } from '../../html/page.ts';
import type { Ctx } from '../../http/state.ts';
import { sectionAddress, sendPortalPage, type PortalBody, type PortalPage, type PortalSection } from './page.ts';
import type { PortalSession } from './session.ts';

export const portalPath = '/portal';

/** Per link. */
const actionsPerMinute = 30;

export interface View {
  readonly path: string;
  readonly section: PortalSection;
  /** The title of a page about one thing. Absent: the title of the section. */
  readonly title?: (id: string) => string;
  readonly show: (portal: Portal, session: PortalSession, asked: Asked) => Promise<SafeHtml | PortalBody>;
}

interface Asked {
  readonly id: string;
  readonly query: Query;
  readonly now: Date;
}

/** The typed and hidden values of the form; `id` is that of the path. */
export type Given = Readonly<Record<string, string>>;

export interface PortalAction {
  readonly path: string;
  readonly section: PortalSection;
  /**
   * What to confirm first; then the action runs once, however often its form is sent. Throws if the link does not allow
   * the action. Absent: the action is harmless.
   */
  readonly effect?: (portal: Portal, link: PortalLink, given: Given) => Confirmation;
  /** What the page says afterwards. Absent: the action shows a page of its own. */
  readonly done?: string;
  /** The name of the action if it fails. */
  readonly label: string;
  /** Returns the path to continue at, relative to the portal's address, or a page that is shown once. */
  readonly run: (portal: Portal, visitor: Visitor, given: Given) => Promise<string | OneTimeResult>;
}

interface PortalPagesDeps extends Pick<HttpDeps, 'encrypter' | 'idempotency' | 'now'> {
  readonly portal: Portal;
  readonly views: readonly View[];
  /** The address of the portal as browsers see it. */
  readonly root: string;
  readonly isSecure: boolean;
}

export interface PortalPages {
  show(ctx: Ctx, view: View, session: PortalSession): Promise<void>;
  /** `typed` are the values of a form of this session. */
  run(ctx: Ctx, session: PortalSession, action: PortalAction, typed: Given): Promise<void>;
}

export function createPortalPages({ portal, views, root, isSecure, ...deps }: PortalPagesDeps): PortalPages {
  const actionsOfLink = createMinuteBudget(actionsPerMinute, 'actions with a link', deps);
  const submitOnce = createSubmitOnce({ ...deps, pages: 'portal' });
  const lastAction = createSessionCookie({
    name: 'gateway_portal_done',
    path: root,
    isSecure,
    schema: v.object({ text: v.string() }),
    context: { collection: 'portalLinks', id: 'portal', member: 'lastAction' },
    encrypter: deps.encrypter,
  });

  /** The address of a path as browsers see it. */
  function addressOf(path: string): string {
    return `${root}${path.slice(portalPath.length)}`;
  }

  /** Identifies what the visitor confirmed. It does not depend on the session of the form. */
  function fingerprintOf(path: string, { formToken: _token, once: _once, sure: _sure, ...wanted }: Given): string {
    return deps.encrypter.fingerprint(JSON.stringify([path, wanted]));
  }

  async function showPage(
    ctx: Ctx,
    { section, title, show }: View,
    session: PortalSession,
    { id, query }: { readonly id: string; readonly query: Query },
    { refusal, ...more }: Pick<PortalPage, 'done' | 'status' | 'address'> & { readonly refusal?: SafeHtml },
  ): Promise<void> {
    const content = await show(portal, session, { id, query, now: deps.now() });
    const { body, ...head } = isSafeHtml(content) ? { body: content, ...(title && { title: title(id) }) } : content;
    const isMissing = refusal !== undefined && !showsRefusal(body);
    const shown = isMissing ? html`${refusal} ${body}` : body;
    sendPortalPage(ctx, session, { section, body: shown, ...head, ...more });
  }

  async function runAction(
    ctx: Ctx,
    session: PortalSession,
    { effect, section, run, done }: PortalAction,
    typed: Given,
  ): Promise<void> {
    const back = sectionAddress(session, section);
    const { sure, once: confirmationId = '' } = typed;
    const isConfirmed = sure === 'yes' && isConfirmationId(confirmationId);
    const toConfirm = effect?.(portal, session.link, typed);
    if (toConfirm !== undefined && !isConfirmed) {
      const values = { ...typed, once: randomUUID() };
      const body = confirmForm({ action: addressOf(ctx.path), asked: toConfirm, back, values });
      return sendPortalPage(ctx, session, { title: toConfirm.title, section, body });
    }
    const perform = async (): Promise<ActionOutcome> => {
      await actionsOfLink.demand(session.link.id);
      const visitor = { link: session.link, from: ctx.ip };
      const result = await run(portal, visitor, { ...typed, ...(ctx.params as Given) });
      return typeof result === 'string' ? { leadsTo: `${root}${result}?done=yes`, done } : { shown: result, back };
    };
    const confirmed = { by: session.link.id, confirmationId, fingerprint: fingerprintOf(ctx.path, typed) };
    const outcome = toConfirm === undefined ? await perform() : await submitOnce(confirmed, perform);
    if ('leadsTo' in outcome) {
      if (outcome.done !== undefined) ctx.append('Set-Cookie', lastAction.set({ text: outcome.done }, 60));
      return seeOther(ctx, outcome.leadsTo);
    }
    const { title, lines } = outcome.shown;
    sendPortalPage(ctx, session, { title, section, body: oneTimeSecret(lines, outcome.back) });
  }

  /** Shows the page of a refused form again, with what was typed. False: the form named no page of the portal. */
  async function showAgain(
    ctx: Ctx,
    session: PortalSession,
    { label }: PortalAction,
    values: Given,
    { kind, message, details }: GatewayError,
  ): Promise<boolean> {
    const { [pageField]: page = '' } = values;
    if (!page.startsWith(root)) return false;
    const { pathname: path, searchParams } = new URL(`${portalPath}${page.slice(root.length)}`, 'http://portal');
    const errors = (details['errors'] ?? []) as readonly FieldError[];
    const refused = { action: addressOf(ctx.path), values, message, errors };
    for (const view of views) {
      const id = idIn(view.path, path);
      if (id === undefined) continue;
      const request = { id, query: queryOf({ query: Object.fromEntries(searchParams) }) };
      const more = { status: errorKinds[kind].status, refusal: refusalNote(label, message), address: page };
      await showPage(ctx, view, { ...session, page, refused }, request, more);
      return true;
    }
    return false;
  }

  return {
    async show(ctx, view, session) {
      const { id = '' } = ctx.params as { id?: string };
      const query = queryOf(ctx);
      const said = query['done'] === 'yes' ? lastAction.read(ctx.get('Cookie')) : undefined;
      if (said) ctx.append('Set-Cookie', lastAction.ending);
      const page = addressWith(addressOf(ctx.path), { ...query, done: undefined });
      await showPage(ctx, view, { ...session, page }, { id, query }, { done: said?.text });
    },

    async run(ctx, session, action, typed) {
      try {
        await runAction(ctx, session, action, typed);
      } catch (error) {
        if (!(error instanceof GatewayError) || !(await showAgain(ctx, session, action, typed, error))) throw error;
      }
    },
  };
}
