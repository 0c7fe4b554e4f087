/** The frame of every page for operators and merchants. It loads nothing from other sites. */
import { html, type SafeHtml } from '@remix-run/html-template';
import { sendText } from '../assets.ts';
import type { PageContext } from '../context.ts';

export interface Frame {
  readonly status: number;
  readonly title: string;
  readonly body: SafeHtml;
  /** The address of the style sheet. */
  readonly style: string;
  /** The address of the script. Absent: the page has no script. */
  readonly script?: string;
  /** The page immediately redirects to this address. */
  readonly goesTo?: string;
}

/** The navigation: each section has a title and a path; `section` is the one that is shown. */
export interface Bar {
  readonly brand: string;
  readonly sections: Readonly<Record<string, { readonly path: string; readonly title: string }>>;
  readonly section: string;
  /** The name of the signed-in user, and the button to sign out. */
  readonly who: SafeHtml;
}

/** Allows our own style and images, and forms that post to our own address. */
const policy =
  "default-src 'none'; base-uri 'none'; style-src 'self'; img-src 'self'; form-action 'self'; frame-ancestors 'none'";
/** Also allows our own script, which may connect only to our own address. */
const scriptPolicy = `${policy}; script-src 'self'; connect-src 'self'`;

export function sendFrame(ctx: PageContext, { status, title, body, style, script, goesTo }: Frame): void {
  const page = html`<html lang="en">
    <head>
      <meta charset="utf-8" />
      <meta name="viewport" content="width=device-width,initial-scale=1" />
      <meta name="color-scheme" content="light dark" />
      <meta name="robots" content="noindex" />
      ${goesTo === undefined ? null : html`<meta http-equiv="refresh" content="0;url=${goesTo}" />`}
      <title>${title} · Paywright</title>
      <link rel="stylesheet" href="${style}" />
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

/** Shows the current section, the signed-in user and the other sections. */
export function barOf({ brand, sections, section, who }: Bar): SafeHtml {
  const links = Object.entries(sections).map(([name, { path, title }]) =>
    name === section
      ? html`<li><a href="${path}" aria-current="page">${title}</a></li>`
      : html`<li><a href="${path}">${title}</a></li>`,
  );
  return html`<a class="skip" href="#content">Skip to content</a>
    <header class="bar">
      <p class="brand">${brand}</p>
      <nav aria-label="Sections">
        <ul>
          ${links}
        </ul>
      </nav>
      ${who}
    </header>`;
}

/** A card for pages without a session, and for pages with a single message. */
export function cardOf(title: string, body: SafeHtml): SafeHtml {
  return html`<main class="card">
    <h1>${title}</h1>
    ${body}
  </main>`;
}

/** The content of a page below its bar. `beside` is shown next to the title. */
export function contentOf(title: string, body: SafeHtml, beside: SafeHtml | null = null): SafeHtml {
  return html`<main id="content" tabindex="-1">
    <div class="title">
      <h1>${title}</h1>
      ${beside}
    </div>
    ${body}
  </main>`;
}
