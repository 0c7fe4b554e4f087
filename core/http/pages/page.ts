/** Pages that a payer sees: one frame, one style sheet, one small script, and a policy that allows nothing else. */
import { hash } from '@gateway/contract';
import { html, type SafeHtml } from '@remix-run/html-template';
import { speechOf, type Speech, type StatusWord } from '../pay/words/index.ts';
import type { Ctx } from '../state.ts';
import { addressFrom, assets, sendText } from './assets.ts';

export interface Page {
  readonly title: string;
  readonly body: SafeHtml;
  /** In what language; left out: the payer's. */
  readonly speech?: Speech;
  /** `checkout` has two columns where there is room, `note` is a card with a few words, `text` is to be read. */
  readonly layout?: 'checkout' | 'note' | 'text';
  /** The page loads itself again after so many seconds, also without script; with `goesTo` it goes there. */
  readonly refreshSeconds?: number;
  /** An absolute address. */
  readonly goesTo?: string;
  /** A payer types into it: it posts to ourselves alone, and nobody frames it. */
  readonly isOwn?: boolean;
  /** Where a form of the page may post to. */
  readonly formTarget?: string;
  /** Moves to the top window when it finds itself in a frame, and there sends the form with the id `go`, if it has one. */
  readonly movesOn?: boolean;
}

// Where the browser forbids it, the link or button of the page is left.
const script =
  "if(top===self){var f=document.getElementById('go');if(f)f.submit()}" +
  'else try{top.location.replace(location.href)}catch(e){}';

const digestOf = (source: string): string => `'sha256-${hash('sha256', source).toString('base64')}'`;
const policy = "default-src 'none'; base-uri 'none'; style-src 'self'; img-src 'self'";

export function sendPage(ctx: Ctx, status: number, page: Page): void {
  const { isOwn = false, formTarget, movesOn = false } = page;
  const own = isOwn ? "'self'" : "'none'";
  // A challenge may lead on to other hosts, and browsers check each of them.
  const forms = formTarget === undefined ? own : `${new URL(formTarget).origin} https:`;
  const scripts = movesOn ? `; script-src ${digestOf(script)}` : '';
  const frames = isOwn ? "; frame-ancestors 'none'" : '';
  ctx.status = status;
  ctx.set('Content-Security-Policy', `${policy}; form-action ${forms}${scripts}${frames}`);
  ctx.set('X-Robots-Tag', 'noindex');
  if (!isOwn) ctx.remove('X-Frame-Options'); // A bank's challenge may end in a frame of the shop.
  sendText(ctx, Buffer.from(`<!doctype html>${String(frameOf(ctx, page))}`));
  ctx.type = 'text/html; charset=utf-8';
}

function frameOf(ctx: Ctx, page: Page): SafeHtml {
  const { title, body, speech = speechOf(ctx), layout = 'note', refreshSeconds, goesTo, movesOn } = page;
  const { language, words } = speech;
  const target = goesTo === undefined ? '' : `;url=${new URL(goesTo).href}`;
  const refresh =
    refreshSeconds === undefined ? null : html`<meta http-equiv="refresh" content="${refreshSeconds}${target}" />`;
  return html`<html lang="${language}" dir="${words.direction}">
    <head>
      <meta charset="utf-8" />
      <meta name="viewport" content="width=device-width,initial-scale=1" />
      <meta name="color-scheme" content="light dark" />
      ${refresh}
      <title>${title}</title>
      <link rel="stylesheet" href="${addressFrom(ctx, assets.style)}" />
      <link rel="icon" href="${addressFrom(ctx, assets.icon)}" />
    </head>
    <body class="${layout}">
      ${body}${movesOn ? html.raw`<script>${script}</script>` : null}
    </body>
  </html>`;
}

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

const told: readonly StatusWord[] = [200, 400, 403, 404, 410, 413, 429, 500, 503];

function wordOf(status: number): StatusWord {
  return told.find((one) => one === status) ?? (status < 400 ? 200 : 400);
}
