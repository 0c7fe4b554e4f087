/** Pages that a payer sees: one frame, one style, one small script, and a policy that allows nothing else. */
import { html, type SafeHtml } from '@remix-run/html-template';
import { attributes } from './attributes.ts';
import { speechOf, type Speech, type StatusWord } from './words/index.ts';
import type { Ctx } from '../http/state.ts';
import type { PayBrand } from '../engine/payments/service.ts';
import { addressFrom, assets, sendText } from './assets.ts';
import { logoPath } from './logo.ts';
import { styleOf, type PageStyle } from './style.ts';

export interface Page {
  readonly title: string;
  readonly body: SafeHtml;
  /** In what language; left out: the payer's. */
  readonly speech?: Speech;
  /** `checkout` has two columns where there is room, `note` is a card with a few words, `text` is to be read. */
  readonly layout?: 'checkout' | 'note' | 'text';
  /**
   * The page changes by itself: without script it loads itself again after so many seconds, or goes to `goesTo`; with
   * script it watches, or counts down. 0 leads on at once.
   */
  readonly refreshSeconds?: number;
  /** An absolute address. */
  readonly goesTo?: string;
  readonly watch?: Watch;
  /** How the merchant looks. */
  readonly brand?: Pick<PayBrand, 'logo' | 'colour'>;
  /** A payer types into it: it posts to ourselves alone, and nobody frames it. */
  readonly isOwn?: boolean;
  /** Where a form of the page may post to. */
  readonly formTarget?: string;
  /** Moves to the top window when it finds itself in a frame, and there sends the form with the id `go`, if it has one. */
  readonly movesOn?: boolean;
}

/** What the script asks for while the page is open. */
export interface Watch {
  /** Relative to the page. */
  readonly address: string;
  /** Of what the page shows: where the answer has another one, the page is loaded anew. */
  readonly stamp: string;
}

const policy = "default-src 'none'; base-uri 'none'; img-src 'self'";
const scriptPolicy = "; script-src 'self'; connect-src 'self'";

export function sendPage(ctx: Ctx, status: number, page: Page): void {
  const { isOwn = false, formTarget } = page;
  const own = isOwn ? "'self'" : "'none'";
  // A challenge may lead on to other hosts, and browsers check each of them.
  const forms = formTarget === undefined ? own : `${new URL(formTarget).origin} https:`;
  const scripts = hasScript(page) ? scriptPolicy : '';
  const frames = isOwn ? "; frame-ancestors 'none'" : '';
  const style = styleOf(page.brand?.colour);
  ctx.status = status;
  ctx.set('Content-Security-Policy', `${policy}; style-src ${style.source}; form-action ${forms}${scripts}${frames}`);
  ctx.set('X-Robots-Tag', 'noindex');
  if (!isOwn) ctx.remove('X-Frame-Options'); // A bank's challenge may end in a frame of the shop.
  sendText(ctx, Buffer.from(`<!doctype html>${String(frameOf(ctx, page, style))}`));
  ctx.type = 'text/html; charset=utf-8';
}

function hasScript({ isOwn, movesOn }: Page): boolean {
  return isOwn === true || movesOn === true;
}

function frameOf(ctx: Ctx, page: Page, style: PageStyle): SafeHtml {
  const { title, body, speech = speechOf(ctx), layout = 'note', refreshSeconds, goesTo, watch, movesOn } = page;
  const { language, locale, words } = speech;
  const { logo } = page.brand ?? {};
  const onward = goesTo === undefined ? undefined : new URL(goesTo).href;
  const script = hasScript(page)
    ? html`<script ${attributes({ src: addressFrom(ctx, assets.script), defer: true })}></script>`
    : null;
  const data = attributes({
    class: layout,
    'data-moves': movesOn,
    'data-go': onward,
    'data-seconds': refreshSeconds,
    'data-watch': watch?.address,
    'data-stamp': watch?.stamp,
    'data-no-connection': hasScript(page) && words.noConnection,
    'data-sending': hasScript(page) && words.sending,
  });
  return html`<html lang="${language}" dir="${words.direction}" data-locale="${locale}">
    <head>
      <meta charset="utf-8" />
      <meta name="viewport" content="width=device-width,initial-scale=1" />
      <meta name="color-scheme" content="light dark" />
      <meta name="robots" content="noindex" />
      ${refreshOf(refreshSeconds, onward)}
      <title>${title}</title>
      ${html.raw`<style>${style.css}</style>`}
      <link rel="icon" href="${addressFrom(ctx, logo ? { path: logoPath(logo) } : assets.icon)}" />
      ${script}
    </head>
    <body ${data}>
      ${body}
    </body>
  </html>`;
}

/**
 * What leads on at once does so in every browser; to wait and to load again is the script's part where there is one. Where
 * the script does not come, a page that waits loads itself again somewhat later: the script takes that away.
 */
function refreshOf(seconds: number | undefined, onward: string | undefined): SafeHtml | null {
  if (seconds === undefined) return null;
  const target = onward === undefined ? '' : `;url=${onward}`;
  const meta = html`<meta http-equiv="refresh" content="${seconds}${target}" />`;
  if (seconds === 0) return meta;
  const late = onward === undefined ? html`<meta http-equiv="refresh" content="${lateSeconds}" />` : null;
  return html`<noscript>${meta}</noscript>${late}`;
}

/** Browsers count from the end of loading, when a script that comes has run. */
const lateSeconds = 10;

/** A page about a status, that repeats nothing of the request. */
export function sendStatusPage(ctx: Ctx, status: number): void {
  const { statuses } = speechOf(ctx).words;
  const { title, text } = statuses[wordOf(status)];
  sendPage(ctx, status, {
    title,
    body: html`<main class="panel state">
      <h1>${title}</h1>
      <p>${text}</p>
    </main>`,
  });
}

const withWords: readonly StatusWord[] = [200, 400, 403, 404, 410, 413, 429, 500, 503];

function wordOf(status: number): StatusWord {
  return withWords.find((one) => one === status) ?? (status < 400 ? 200 : 400);
}
