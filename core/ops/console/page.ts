/** The frame of every page of the console: where one is, who one is, and what there is besides. */
import { html, type SafeHtml } from '@remix-run/html-template';
import { sendText } from '../../http/pages/assets.ts';
import type { Ctx } from '../../http/state.ts';
import { style } from './style.ts';
import type { Session } from './session.ts';

export const sections = {
  now: { path: '/ops', title: 'Now' },
  payments: { path: '/ops/payments', title: 'Payments' },
  callbacks: { path: '/ops/callbacks', title: 'Callbacks' },
  notifications: { path: '/ops/notifications', title: 'Notifications' },
  alarms: { path: '/ops/alarms', title: 'Alarms' },
  jobs: { path: '/ops/jobs', title: 'Jobs' },
  adapters: { path: '/ops/adapters', title: 'Adapters' },
  merchants: { path: '/ops/merchants', title: 'Merchants' },
  audit: { path: '/ops/audit', title: 'Audit' },
} as const;
export type Section = keyof typeof sections;

export interface ConsolePage {
  readonly title: string;
  readonly section: Section;
  readonly body: SafeHtml;
  readonly session: Session;
  readonly status?: number;
}

/** Nothing but our own style, and forms to ourselves. */
const policy = "default-src 'none'; base-uri 'none'; style-src 'self'; form-action 'self'; frame-ancestors 'none'";

export function sendConsolePage(ctx: Ctx, { title, section, body, session, status = 200 }: ConsolePage): void {
  const links = Object.entries(sections).map(([name, { path, title: label }]) =>
    name === section
      ? html`<li><a href="${path}" aria-current="page">${label}</a></li>`
      : html`<li><a href="${path}">${label}</a></li>`,
  );
  const { operator, formToken } = session;
  send(
    ctx,
    status,
    title,
    html`<a class="skip" href="#content">To the content</a>
      <header class="bar">
        <p class="brand">Payment gateway</p>
        <nav aria-label="Sections">
          <ul>
            ${links}
          </ul>
        </nav>
        <form method="post" action="/ops/sign-out" class="who">
          <span>${operator.name} <small>${operator.role}</small></span>
          <input type="hidden" name="formToken" value="${formToken}" />
          <button>Sign out</button>
        </form>
      </header>
      <main id="content" tabindex="-1">
        <h1>${title}</h1>
        ${doneNote(ctx)} ${body}
      </main>`,
  );
}

/** Before somebody is signed in. */
export function sendPlainPage(ctx: Ctx, status: number, title: string, body: SafeHtml): void {
  send(
    ctx,
    status,
    title,
    html`<main class="card">
      <h1>${title}</h1>
      ${body}
    </main>`,
  );
}

/** An act leads back with this alone: a link says nothing on our page in words of its own. */
function doneNote(ctx: Ctx): SafeHtml | null {
  return ctx.query['done'] === 'yes'
    ? html`<p class="note good" role="status">It is done, and in the audit.</p>`
    : null;
}

function send(ctx: Ctx, status: number, title: string, body: SafeHtml): void {
  const page = html`<html lang="en">
    <head>
      <meta charset="utf-8" />
      <meta name="viewport" content="width=device-width,initial-scale=1" />
      <meta name="color-scheme" content="light dark" />
      <title>${title} · Payment gateway</title>
      <link rel="stylesheet" href="/${style.path}" />
    </head>
    <body>
      ${body}
    </body>
  </html>`;
  ctx.status = status;
  ctx.set('Content-Security-Policy', policy);
  ctx.set('X-Robots-Tag', 'noindex');
  sendText(ctx, Buffer.from(`<!doctype html>${String(page)}`));
  ctx.type = 'text/html; charset=utf-8';
}
