/** Pages that a payer sees: one frame, one style, one small script, and a policy that allows nothing else. */
import { hash } from '@gateway/contract';
import type { Ctx } from '../state.ts';

export interface Page {
  readonly title: string;
  /** HTML; every value in it went through `escapeHtml`. */
  readonly body: string;
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

const style =
  'body{font:1.1rem/1.5 system-ui,sans-serif;max-width:32rem;margin:8vh auto;padding:0 1rem;color:#222}' +
  'button,a,input{font:inherit}button,a{color:#064}code{word-break:break-all}' +
  'label{display:block;margin:.6rem 0}input{display:block;box-sizing:border-box;width:100%;padding:.4rem}' +
  '[role=alert]{border-left:.3rem solid #b30;padding-left:.6rem}dt{font-weight:bold}dd{margin:0 0 .6rem}';

// Where the browser forbids it, the link or button of the page is left.
const script =
  "if(top===self){var f=document.getElementById('go');if(f)f.submit()}" +
  'else try{top.location.replace(location.href)}catch(e){}';

const digestOf = (source: string): string => `'sha256-${hash('sha256', source).toString('base64')}'`;
const policy = `default-src 'none'; base-uri 'none'; style-src ${digestOf(style)}`;

export function sendPage(ctx: Ctx, status: number, page: Page): void {
  const { title, body, refreshSeconds, goesTo, isOwn = false, formTarget, movesOn = false } = page;
  const target = goesTo === undefined ? '' : `;url=${escapeHtml(new URL(goesTo).href)}`;
  const refresh =
    refreshSeconds === undefined ? '' : `<meta http-equiv="refresh" content="${refreshSeconds}${target}">`;
  const own = isOwn ? "'self'" : "'none'";
  // A challenge may lead on to other hosts, and browsers check each of them.
  const forms = formTarget === undefined ? own : `${new URL(formTarget).origin} https:`;
  ctx.status = status;
  const scripts = movesOn ? `; script-src ${digestOf(script)}` : '';
  const frames = isOwn ? "; frame-ancestors 'none'" : '';
  ctx.set('Content-Security-Policy', `${policy}; form-action ${forms}${scripts}${frames}`);
  if (!isOwn) ctx.remove('X-Frame-Options'); // A bank's challenge may end in a frame of the shop.
  ctx.body =
    `<!doctype html><html lang="en"><head><meta charset="utf-8">` +
    `<meta name="viewport" content="width=device-width,initial-scale=1">${refresh}` +
    `<title>${escapeHtml(title)}</title><style>${style}</style></head>` +
    `<body><main><h1>${escapeHtml(title)}</h1>${body}</main>` +
    `${movesOn ? `<script>${script}</script>` : ''}</body></html>`;
  ctx.type = 'text/html; charset=utf-8';
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => entities[character] ?? '');
}

/** A page about a status, that repeats nothing of the request. */
export function sendStatusPage(ctx: Ctx, status: number): void {
  const [title, words] = statusWords[status] ?? (status < 400 ? statusWords[200]! : statusWords[400]!);
  sendPage(ctx, status, { title, body: `<p>${escapeHtml(words)}</p>` });
}

const statusWords: Readonly<Record<number, readonly [title: string, words: string]>> = {
  200: ['Thank you', 'This step is done. You can close this page.'],
  400: ['This did not work', 'The page that sent you here sent something that cannot be read. Go back to the shop.'],
  403: ['This did not work', 'It could not be verified where this came from. Go back to the shop.'],
  404: ['Not found', 'There is no payment here. Go back to the shop.'],
  413: ['This did not work', 'That was too much to read. Go back and try again.'],
  410: ['Too late', 'This link has expired. Go back to the shop.'],
  500: ['This did not work', 'Something went wrong on our side. Reload the page in a few seconds.'],
  503: ['One moment', 'This cannot be taken right now. Reload the page in a few seconds.'],
};
