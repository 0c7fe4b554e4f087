/** The frame of every page of operators and merchants: nothing of another site. */
import { html, type SafeHtml } from '@remix-run/html-template';
import { sendText } from '../assets.ts';
import type { PageContext } from '../context.ts';

export interface Frame {
  readonly status: number;
  readonly title: string;
  readonly body: SafeHtml;
  /** The address of the style sheet. */
  readonly style: string;
  /** The address of its script; absent: it has none. */
  readonly script?: string;
  /** Leads on at once to this address. */
  readonly goesTo?: string;
}

/** Who is meant by `title` and `path` of a section, and which one is shown. */
export interface Bar {
  readonly brand: string;
  readonly sections: Readonly<Record<string, { readonly path: string; readonly title: string }>>;
  readonly section: string;
  /** Who is signed in, and how one leaves. */
  readonly who: SafeHtml;
}

/** Nothing but our own style and images, and forms to ourselves. */
const policy =
  "default-src 'none'; base-uri 'none'; style-src 'self'; img-src 'self'; form-action 'self'; frame-ancestors 'none'";
/** And our own script, which asks us alone. */
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

/** Where one is, who one is, and what there is besides. */
export function barOf({ brand, sections, section, who }: Bar): SafeHtml {
  const links = Object.entries(sections).map(([name, { path, title }]) =>
    name === section
      ? html`<li><a href="${path}" aria-current="page">${title}</a></li>`
      : html`<li><a href="${path}">${title}</a></li>`,
  );
  return html`<a class="skip" href="#content">To the content</a>
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

/** Before somebody is signed in, or where there is one thing to say. */
export function cardOf(title: string, body: SafeHtml): SafeHtml {
  return html`<main class="card">
    <h1>${title}</h1>
    ${body}
  </main>`;
}

/** What a page says, below its bar; `beside` is beside its title. */
export function contentOf(title: string, body: SafeHtml, beside: SafeHtml | null = null): SafeHtml {
  return html`<main id="content" tabindex="-1">
    <div class="title">
      <h1>${title}</h1>
      ${beside}
    </div>
    ${body}
  </main>`;
}
