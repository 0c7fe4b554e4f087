/** The frame of every page for operators and merchants. It loads nothing from other sites. */
import { html, type SafeHtml } from '@remix-run/html-template';
import { sendText } from '../assets.ts';
import type { PageContext } from '../context.ts';

export interface Frame {
  readonly status: number;
  readonly title: string;
  readonly body: SafeHtml;
  /** The addresses of the style sheet and of the icon. */
  readonly style: string;
  readonly icon: string;
  /** The address of the script. Absent: the page has no script. */
  readonly script?: string;
  /** The page immediately redirects to this address. */
  readonly goesTo?: string;
  /** The address of the page, if the page is the answer to a form and was therefore not requested by that address. */
  readonly address?: string | undefined;
}

export interface NavigationLink {
  readonly title: string;
  readonly path: string;
  readonly isCurrent: boolean;
  /** A number that needs attention, such as open alarms. 0 is not shown. */
  readonly count?: number | undefined;
  /** True: its count is also next to the menu of a narrow screen. */
  readonly isUrgent?: boolean;
}

export interface Navigation {
  /** The product or the merchant, and where its name leads. */
  readonly brand: { readonly title: string; readonly path: string };
  /** Groups with a title are a sidebar on wide screens; one group without a title is a bar. */
  readonly groups: readonly { readonly title?: string; readonly links: readonly NavigationLink[] }[];
  /** The signed-in user, and the button to sign out. */
  readonly who: SafeHtml;
}

/** Allows our own style and images, and forms that post to our own address. */
const policy =
  "default-src 'none'; base-uri 'none'; style-src 'self'; img-src 'self'; form-action 'self'; frame-ancestors 'none'";
/** Also allows our own script, which may connect only to our own address. */
const scriptPolicy = `${policy}; script-src 'self'; connect-src 'self'`;

export function sendFrame(ctx: PageContext, frame: Frame): void {
  const { status, title, body, style, icon, script, goesTo, address } = frame;
  const page = html`<html lang="en">
    <head>
      <meta charset="utf-8" />
      <meta name="viewport" content="width=device-width,initial-scale=1" />
      <meta name="color-scheme" content="light dark" />
      <meta name="robots" content="noindex" />
      ${goesTo === undefined ? null : html`<meta http-equiv="refresh" content="0;url=${goesTo}" />`}
      ${address === undefined ? null : html`<link rel="canonical" href="${address}" />`}
      <title>${title} · Paywright</title>
      <link rel="stylesheet" href="${style}" />
      <link rel="icon" href="${icon}" />
      ${script === undefined ? null : html`<script src="${script}" defer></script>`}
    </head>
    <body>
      ${body}
    </body>
  </html>`;
  ctx.status = status;
  ctx.set('Content-Security-Policy', script === undefined ? policy : scriptPolicy);
  ctx.set('X-Robots-Tag', 'noindex');
  sendText(ctx, Buffer.from(`<!doctype html>${String(page)}`));
  ctx.type = 'text/html; charset=utf-8';
}

/**
 * The navigation of a page. On a narrow screen it is one line with a menu, and with the urgent links that have a count.
 * The menu is a popover, which browsers open and close without script; a browser that does not know popovers shows the
 * links below the line.
 */
export function navigation({ brand, groups, who }: Navigation): SafeHtml {
  const isSide = groups.some(({ title }) => title !== undefined);
  const counted = groups.flatMap(({ links }) => links.filter(({ count = 0, isUrgent }) => isUrgent && count > 0));
  return html`<a class="skip" href="#content">Skip to content</a>
    <header class="bar ${isSide ? 'side' : 'top'}">
      <p class="brand"><a href="${brand.path}">${mark} ${brand.title}</a></p>
      ${isSide ? counted.map((link) => html`<a class="alert" href="${link.path}">${link.title} ${countOf(link)}</a>`) : null}
      <button type="button" class="menu" popovertarget="menu">${menuIcon} Menu</button>
      <nav id="menu" popover aria-label="Sections">${groups.map(groupOf)} ${isSide ? who : null}</nav>
      ${isSide ? null : who}
    </header>`;
}

function groupOf({ title, links }: Navigation['groups'][number]): SafeHtml {
  return html`${title === undefined ? null : html`<p class="group">${title}</p>`}
    <ul>
      ${links.map(
        (link) => html`<li><a href="${link.path}" ${currentMark(link)}>${link.title} ${countOf(link)}</a></li>`,
      )}
    </ul>`;
}

function currentMark({ isCurrent }: NavigationLink): SafeHtml | null {
  return isCurrent ? html`aria-current="page"` : null;
}

function countOf({ count = 0 }: NavigationLink): SafeHtml | null {
  return count === 0 ? null : html`<span class="count">${count}</span>`;
}

const mark = html.raw`<svg class="mark" viewBox="0 0 24 24" aria-hidden="true"><rect width="24" height="24" rx="6"/><path d="M5 8h14v9H5zM5 11h14"/></svg>`;
const menuIcon = html.raw`<svg class="lines" viewBox="0 0 16 16" aria-hidden="true"><path d="M2 4h12M2 8h12M2 12h12"/></svg>`;

/** A card for pages without a session, and for pages with a single message. */
export function cardOf(title: string, body: SafeHtml): SafeHtml {
  return html`<main class="card">
    <p class="brand">${mark} Paywright</p>
    <h1>${title}</h1>
    ${body}
  </main>`;
}

export interface Content {
  readonly title: string;
  readonly body: SafeHtml;
  /** The list that the thing of this page belongs to. */
  readonly parent?: { readonly title: string; readonly path: string } | undefined;
  /** Next to the title: the one action that readers most often want, and whether the page is up to date. */
  readonly actions?: SafeHtml | null;
  /** A line above everything else, such as that this is test mode. */
  readonly above?: SafeHtml | null;
}

/** The line above a page that shows test payments. */
export const testLine = html`<p class="test-line">Test mode: no real money moves.</p>`;

/** The content of a page, next to or below its navigation. */
export function contentOf({ title, body, parent, actions = null, above = null }: Content): SafeHtml {
  return html`<main id="content" tabindex="-1">
    ${above}
    ${parent && html`<nav class="crumb" aria-label="Breadcrumb"><a href="${parent.path}">${parent.title}</a></nav>`}
    <div class="title">
      <h1>${title}</h1>
      ${actions}
    </div>
    ${body}
    <footer class="zone"><p data-zone>Times are in UTC.</p></footer>
  </main>`;
}
