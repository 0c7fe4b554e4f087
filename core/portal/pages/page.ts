/** The frame of the portal's pages: merchant, mode, and the end of the session. */
import { html, type SafeHtml } from '@remix-run/html-template';
import { cardOf, contentOf, navigation, sendFrame, testLine, type Frame } from '../../html/components/frame.ts';
import { time, toast } from '../../html/components/parts.ts';
import { scriptIn } from '../../html/components/script.ts';
import { iconIn } from '../../html/icon.ts';
import { styleIn } from '../../html/components/style.ts';
import { addressFrom } from '../../html/assets.ts';
import type { Ctx } from '../../http/state.ts';
import type { PortalSession } from './session.ts';

export const assetFolder = 'portal/assets';
export const style = styleIn(assetFolder);
export const script = scriptIn(assetFolder);
export const icon = iconIn(assetFolder);

/** Paths relative to the portal's own address. */
const sections = {
  deliveries: { path: '', title: 'Deliveries' },
  payments: { path: '/payments', title: 'Payments' },
  endpoints: { path: '/endpoints', title: 'Endpoints' },
  calls: { path: '/calls', title: 'API calls' },
} as const;
export type PortalSection = keyof typeof sections;

/** The address of a section as browsers see it. */
export function sectionAddress({ root }: Pick<PortalSession, 'root'>, section: PortalSection): string {
  return `${root}${sections[section].path}`;
}

/** The address of a page of the documentation. The portal and the documentation have the same host. */
export function docsAddress({ root }: Pick<PortalSession, 'root'>, page: string): string {
  return `${root.replace(/\/portal$/, '')}/docs/${page}`;
}

/** The content of a page about one thing. */
export interface PortalBody {
  readonly title: string;
  readonly body: SafeHtml;
  /** Shown next to the title: the actions that visitors most often want. */
  readonly primary: SafeHtml;
}

export interface PortalPage extends Partial<Omit<PortalBody, 'body'>> {
  /** Null: the page is in no section. */
  readonly section: PortalSection | null;
  readonly body: SafeHtml;
  readonly status?: number;
  /** What the visitor has just done. */
  readonly done?: string | undefined;
  /** The address of the page that answers a form. */
  readonly address?: string | undefined;
}

export function sendPortalPage(ctx: Ctx, session: PortalSession, page: PortalPage): void {
  const { merchant, link, formToken, root } = session;
  const { section, body, status = 200, done, address, primary } = page;
  const of = section === null ? undefined : sections[section];
  const { title = of?.title ?? '' } = page;
  const who = html`<form method="post" action="${root}/leave" class="who">
    <span class="name">${link.environment} mode <small>expires ${time(link.expiresAt)}</small></span>
    <input type="hidden" name="formToken" value="${formToken}" />
    <button>Sign out</button>
  </form>`;
  const links = Object.entries(sections).map(([name, one]) => ({
    title: one.title,
    path: `${root}${one.path}`,
    isCurrent: name === section,
  }));
  const bar = navigation({ brand: { title: merchant, path: root }, groups: [{ links }], who });
  const parent = of && of.title !== title ? { title: of.title, path: `${root}${of.path}` } : undefined;
  const content = contentOf({
    title,
    parent,
    body: html`${done === undefined ? null : toast(done)} ${body}`,
    above: link.environment === 'test' ? testLine : null,
    ...(primary && { actions: html`<div class="title-actions">${primary}</div>` }),
  });
  send(ctx, { status, title, body: html`${bar} ${content}`, ...(address !== undefined && { address }) });
}

/** Sends a page to a visitor without a session. */
export function sendPortalCard(ctx: Ctx, status: number, title: string, body: SafeHtml, goesTo?: string): void {
  send(ctx, { status, title, body: cardOf(title, body), ...(goesTo !== undefined && { goesTo }) });
}

function send(ctx: Ctx, page: Omit<Frame, 'style' | 'icon' | 'script'>): void {
  sendFrame(ctx, {
    ...page,
    style: addressFrom(ctx, style),
    icon: addressFrom(ctx, icon),
    script: addressFrom(ctx, script),
  });
}
