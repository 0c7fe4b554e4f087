/** The frame of the portal's pages: merchant, mode, and the end of the session. */
import { html, type SafeHtml } from '@remix-run/html-template';
import { barOf, cardOf, contentOf, sendFrame } from '../../html/components/frame.ts';
import { doneNote, time } from '../../html/components/parts.ts';
import { styleIn } from '../../html/components/style.ts';
import { addressFrom } from '../../html/assets.ts';
import type { Ctx } from '../../http/state.ts';
import type { PortalSession } from './session.ts';

export const assetFolder = 'portal/assets';
export const style = styleIn(assetFolder);

/** Paths relative to the portal's own address. */
const sections = {
  deliveries: { path: '', title: 'Deliveries' },
  endpoints: { path: '/endpoints', title: 'Endpoints' },
  calls: { path: '/calls', title: 'API calls' },
} as const;
export type PortalSection = keyof typeof sections;

export interface PortalPage {
  readonly title?: string;
  readonly section: PortalSection;
  readonly body: SafeHtml;
  readonly status?: number;
}

export function sendPortalPage(ctx: Ctx, session: PortalSession, page: PortalPage): void {
  const { merchant, link, formToken, root } = session;
  const { section, body, status = 200, title = sections[section].title } = page;
  const who = html`<form method="post" action="${root}/leave" class="who">
    <span>${link.environment} mode <small>until ${time(link.expiresAt)}</small></span>
    <input type="hidden" name="formToken" value="${formToken}" />
    <button>Sign out</button>
  </form>`;
  const paths = Object.entries(sections).map(([name, one]) => [name, { ...one, path: `${root}${one.path}` }] as const);
  const bar = barOf({ brand: merchant, sections: Object.fromEntries(paths), section, who });
  send(ctx, status, title, html`${bar} ${contentOf(title, html`${doneNote(ctx.query)} ${body}`)}`);
}

/** Sends a page to a visitor without a session. */
export function sendPortalCard(ctx: Ctx, status: number, title: string, body: SafeHtml, goesTo?: string): void {
  send(ctx, status, title, cardOf(title, body), goesTo);
}

function send(ctx: Ctx, status: number, title: string, body: SafeHtml, goesTo?: string): void {
  const address = addressFrom(ctx, style);
  sendFrame(ctx, { status, title, body, style: address, ...(goesTo !== undefined && { goesTo }) });
}
