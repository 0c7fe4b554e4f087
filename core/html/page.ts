/** Pages for payers: one frame, one style, at most one script, and a policy that allows nothing else. */
import { html, type SafeHtml } from '@remix-run/html-template';
import { attributes } from './attributes.ts';
import { speechOf, type Speech, type StatusWord } from './words/index.ts';
import { addressFrom, sendText, type Asset } from './assets.ts';
import type { PageContext } from './context.ts';
import { icon } from './icon.ts';
import { styleOf, type PageStyle } from './style.ts';

export interface Page {
  readonly title: string;
  readonly body: SafeHtml;
  /** The language of the page. Default: the payer's language. */
  readonly speech?: Speech;
  /** `checkout` has two columns on a wide screen, `note` is a card with a short message, `text` is a page to read. */
  readonly layout?: 'checkout' | 'note' | 'text';
  /**
   * The page updates automatically. Without script it reloads after this many seconds, or goes to `goesTo`; with script
   * it polls, or counts down. 0 redirects immediately.
   */
  readonly refreshSeconds?: number;
  /** The page shows something else after this many seconds, and loads then. */
  readonly expiresInSeconds?: number;
  /** An absolute address. */
  readonly goesTo?: string;
  readonly watch?: Watch;
  /** The merchant's logo and colour. */
  readonly brand?: PageBrand;
  /** Runs after the page is parsed. Absent: the page has no script. */
  readonly script?: Asset;
  /** The payer types into the page: it posts only to our own address, and no site may frame it. */
  readonly isOwn?: boolean;
  /** The address that a form of the page may post to. */
  readonly formTarget?: string;
  /** Where the page leads or its form posts, the browser names our origin in `Referer`. Default: no `Referer`. */
  readonly referrer?: 'origin' | undefined;
  /**
   * The page moves to the top window if it is in a frame, and there submits the form with the id `go`, if there is one.
   */
  readonly movesOn?: boolean;
}

export interface PageBrand {
  /** The path of the merchant's logo from the root of the service. */
  readonly logo: string | null;
  /** `#rrggbb`, with enough contrast to white. */
  readonly colour: string | null;
}

/** The address and state that the script polls while the page is open. */
export interface Watch {
  /** The address, relative to the page. */
  readonly address: string;
  /** The version of what the page shows. If the answer has another version, the script reloads the page. */
  readonly stamp: string;
}

const policy = "default-src 'none'; base-uri 'none'; img-src 'self'";
const scriptPolicy = "; script-src 'self'; connect-src 'self'";

export function sendPage(ctx: PageContext, status: number, page: Page): void {
  ctx.status = status;
  setPageHeaders(ctx, page);
  sendText(ctx, Buffer.from(renderPage(ctx, page)));
  ctx.type = pageType;
}

/** Sends the origin alone, and nothing from a page with TLS to one without. */
export const referrerPolicy = 'strict-origin';

export const pageType = 'text/html; charset=utf-8';

export function setPageHeaders(ctx: PageContext, page: Page): void {
  const { isOwn = false, formTarget, referrer } = page;
  const own = isOwn ? "'self'" : "'none'";
  // A challenge may redirect to other hosts, and browsers check each of them against the policy.
  const forms = formTarget === undefined ? own : `${new URL(formTarget).origin} https:`;
  const scripts = page.script ? scriptPolicy : '';
  const frames = isOwn ? "; frame-ancestors 'none'" : '';
  const style = styleOf(page.brand?.colour);
  ctx.set('Content-Security-Policy', `${policy}; style-src ${style.source}; form-action ${forms}${scripts}${frames}`);
  ctx.set('X-Robots-Tag', 'noindex');
  if (referrer) ctx.set('Referrer-Policy', referrerPolicy);
  if (!isOwn) ctx.remove('X-Frame-Options'); // A bank's challenge may end in a frame of the shop.
}

export function renderPage(ctx: PageContext, page: Page): string {
  return `<!doctype html>${String(frameOf(ctx, page, styleOf(page.brand?.colour)))}`;
}

function frameOf(ctx: PageContext, page: Page, style: PageStyle): SafeHtml {
  const { title, body, speech = speechOf(ctx), layout = 'note', refreshSeconds, expiresInSeconds } = page;
  const { goesTo, watch, movesOn, script } = page;
  const { language, locale, words } = speech;
  const { logo } = page.brand ?? {};
  const onward = goesTo === undefined ? undefined : new URL(goesTo).href;
  const scriptTag = script
    ? html`<script ${attributes({ src: addressFrom(ctx, script), defer: true })}></script>`
    : null;
  const data = attributes({
    class: layout,
    'data-moves': movesOn,
    'data-go': onward,
    'data-seconds': refreshSeconds,
    'data-expires': expiresInSeconds,
    'data-watch': watch?.address,
    'data-stamp': watch?.stamp,
    'data-no-connection': script && words.noConnection,
    'data-sending': script && words.sending,
  });
  return html`<html lang="${language}" dir="${words.direction}" data-locale="${locale}">
    <head>
      <meta charset="utf-8" />
      <meta name="viewport" content="width=device-width,initial-scale=1" />
      <meta name="color-scheme" content="light dark" />
      <meta name="robots" content="noindex" />
      ${refreshOf(refreshSeconds, onward)} ${reloadAfter(expiresInSeconds)}
      <title>${title}</title>
      ${html.raw`<style>${style.css}</style>`}
      <link rel="icon" href="${addressFrom(ctx, logo ? { path: logo } : icon)}" />
      ${scriptTag}
    </head>
    <body ${data}>
      ${body}
    </body>
  </html>`;
}

/**
 * An immediate redirect works in every browser. Waiting and reloading is done by the script, if the page has one. If
 * the script does not load, a waiting page reloads somewhat later; the script removes that fallback.
 */
function refreshOf(seconds: number | undefined, onward: string | undefined): SafeHtml | null {
  if (seconds === undefined) return null;
  const target = onward === undefined ? '' : `;url=${onward}`;
  const meta = html`<meta http-equiv="refresh" content="${seconds}${target}" />`;
  if (seconds === 0) return meta;
  const late = onward === undefined ? html`<meta http-equiv="refresh" content="${lateSeconds}" />` : null;
  return html`<noscript>${meta}</noscript>${late}`;
}

/** Without script the page loads again when it has expired. */
function reloadAfter(seconds: number | undefined): SafeHtml | null {
  return seconds === undefined ? null : html`<noscript><meta http-equiv="refresh" content="${seconds}" /></noscript>`;
}

/** Browsers count from the end of loading. By then a script that loads has run. */
const lateSeconds = 10;

/** A page about a status. It repeats nothing of the request. `docs`: the path of the documentation, to link it. */
export function sendStatusPage(ctx: PageContext, status: number, { docs }: { readonly docs?: string } = {}): void {
  const { statuses, documentation } = speechOf(ctx).words;
  const { title, text } = statuses[statusKeyOf(status)];
  sendPage(ctx, status, {
    title,
    body: html`<main class="panel state">
      <h1>${title}</h1>
      <p>${text}</p>
      ${docs === undefined ? null : html`<p><a href="${addressFrom(ctx, { path: docs })}">${documentation}</a></p>`}
    </main>`,
  });
}

const withWords: readonly StatusWord[] = [200, 400, 403, 404, 410, 413, 429, 500, 503];

function statusKeyOf(status: number): StatusWord {
  return withWords.find((one) => one === status) ?? (status < 400 ? 200 : 400);
}

/** Redirects with 303, so that reloading the target sends no form again. */
export function seeOther(ctx: PageContext, location: string): void {
  ctx.status = 303;
  ctx.set('Location', location);
  ctx.body = '';
  ctx.remove('Content-Type');
}
