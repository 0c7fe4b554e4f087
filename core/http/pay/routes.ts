/** `/pay/{id}`: where a payer comes back to; and where, with the link's own part, they pay. */
import { Router } from '@koa/router';
import type { Action } from '@gateway/contract';
import { html } from '@remix-run/html-template';
import { createAddressBudget } from '../../access/index.ts';
import { errorKinds, GatewayError, type ErrorKind } from '../../errors.ts';
import type { PayPage } from '../../payments/service.ts';
import type { HttpDeps } from '../deps.ts';
import { toGatewayError } from '../middleware/errors.ts';
import { sendPage, sendStatusPage } from '../pages/page.ts';
import { readPaymentRequestId } from '../input/path-id.ts';
import type { BodyBudget } from '../input/body-budget.ts';
import { readPagePost } from '../input/read-page-post.ts';
import { accept } from '../input/form.ts';
import { memberConfirm, pageFieldsOf, readPagePayer } from '../payments/schema.ts';
import type { Ctx, RequestState } from '../state.ts';
import { showAmount } from './format.ts';
import { usableOf } from './known.ts';
import { problemsOf } from './problems.ts';
import { checkout, refreshSeconds } from './view/checkout.ts';
import { noProblems, type Problems } from './view/pay-view.ts';
import { stateOf } from './view/state.ts';
import { bankForm } from './view/step.ts';
import { speechOf } from './words/index.ts';

/** What the payer typed, by field. */
type Typed = Readonly<Record<string, string>>;

/** Errors that the payer reads beside the form; the page shows every other state by itself. */
const shownErrors: ReadonlySet<ErrorKind> = new Set<ErrorKind>([
  'VALIDATION_ERROR',
  'INVALID_FORMAT',
  'INVALID_CARD',
  'INVALID_UPI_ID',
  'PAYMENT_NOT_PAYABLE',
  'RATE_LIMIT_EXCEEDED',
]);

type PayPageDeps = Pick<HttpDeps, 'payments' | 'rateLimiter' | 'config' | 'countOne' | 'now' | 'log'>;

/** In a minute: of one payment, and of an address by visits that prove nothing. */
const visitLimit = 120;
const strangersLimit = 60;

export function payPageRoutes(deps: PayPageDeps, budget: BodyBudget): Router<RequestState> {
  const { payments, rateLimiter, config, now, log } = deps;
  const router = new Router<RequestState>({ sensitive: true, strict: true });

  // A payer reads it: a page, never a problem body.
  router.use(async (ctx, next) => {
    try {
      await next();
    } catch (thrown) {
      sendStatusPage(ctx, errorKinds[toGatewayError(thrown, ctx.state, log).kind].status);
    }
  });

  const strangers = createAddressBudget(strangersLimit, 'visits of an address without the link', deps);

  router.get('/pay/:id', async (ctx) => {
    const page = await visit(ctx);
    if (!page) showChecking(ctx);
    else if (page.details) showLink(ctx, page);
    else if (page.action) showAction(ctx, page, page.action);
    else if (page.leaveTo) leave(ctx, page.leaveTo);
    else showState(ctx, page);
  });

  router.post('/pay/:id', async (ctx) => {
    const page = await visit(ctx);
    if (!page?.details) return sendStatusPage(ctx, 404);
    await budget.reserve(ctx.req, ctx.res, config.bodyLimitBytes, ctx.ip);
    const typed = await readPagePost(ctx.req, config.bodyLimitBytes);
    if (!typed) return sendStatusPage(ctx, 400);
    try {
      await take(ctx, page, typed);
    } catch (error) {
      if (!(error instanceof GatewayError)) throw error;
      const fresh = await visit(ctx);
      if (fresh?.details && !hasMoved(fresh, typed)) {
        if (shownErrors.has(error.kind)) return showLink(ctx, fresh, { error, typed });
        if (error.kind !== 'NOT_FOUND') throw error;
      }
    }
    // Loaded anew, so that loading it again sends nothing again.
    seeOther(ctx, linkOf(ctx));
  });

  /**
   * Counts for its payment where it proves something of it, else for its address: nobody locks the payer of a guessed id
   * out. Throws RATE001.
   */
  async function visit(ctx: Ctx): Promise<PayPage | undefined> {
    const linkKey = once(ctx.query['k']);
    const returnPart = once(ctx.query['r']);
    const token = once(ctx.query['t']);
    const id = readPaymentRequestId(ctx.params['id']);
    const visited = { ...(linkKey && { linkKey }), ...(returnPart && { returnPart }), ...(token && { token }) };
    const page = await payments.payPage(id, visited, async () => rateLimiter.take(`pay ${id}`, visitLimit));
    if (page) ctx.state.paymentRequestId = id;
    else await strangers.demand(ctx.ip);
    return page;
  }

  /** Pays, or confirms, what the payer filled in. */
  async function take(ctx: Ctx, page: PayPage, typed: Typed): Promise<void> {
    const id = readPaymentRequestId(ctx.params['id']);
    const caller = await payments.payerOf(id, once(ctx.query['k']) ?? '', ctx.state.requestId);
    if (!caller) return;
    if (typed['way'] === 'confirm') {
      // Nothing waits for a code any more: the page shows its state.
      if (page.action?.type !== 'confirm') return;
      const { paymentId } = page.action;
      const [{ code }] = accept(memberConfirm.read({ ...pick(typed, ['code']), paymentId }));
      await payments.confirm(caller, id, paymentId, code);
      return;
    }
    const way = page.details?.ways.find(({ id: one }) => one === typed['way']);
    if (!way || !page.details) return;
    const body = {
      ...usableOf(page.details.known, way.fields),
      ...pick(typed, pageFieldsOf(way)),
      ipAddress: ctx.ip,
      browserInfo: browserOf(ctx),
    };
    await payments.pay(caller, id, readPagePayer(way, body, now()), { seen: seenBy(typed), way });
  }

  return router;
}

function once(value: string | string[] | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** The page with the link's own part, from the page itself: a proxy may serve it below a path. */
function linkOf(ctx: Ctx): string {
  const lang = once(ctx.query['lang']);
  return `?k=${encodeURIComponent(once(ctx.query['k']) ?? '')}${lang ? `&lang=${encodeURIComponent(lang)}` : ''}`;
}

/** How people spell it, and how a merchant would send it. */
const tidy: Readonly<Record<string, (value: string) => string>> = {
  number: (value) => value.replaceAll(/[ -]/g, ''),
  // `1230`, `12 / 30` and `12/2030` are the same month.
  expiration: (value) => value.replace(/^(\d\d)\s*\/?\s*(?:20)?(\d\d)$/, '$1/$2'),
  country: (value) => value.toUpperCase(),
};

/** It is not any more as it was when the payer filled in the form: somebody was quicker, or the provider has answered. */
function hasMoved({ action, details }: PayPage, typed: Typed): boolean {
  if (typed['way'] === 'confirm') return action?.type !== 'confirm';
  return details?.ways.length === 0 || details?.attempts !== seenBy(typed);
}

function seenBy(typed: Typed): number {
  return Number(typed['attempts']) || 0;
}

function pick(typed: Typed, fields: readonly string[]): Record<string, string> {
  const given = fields.flatMap((field) => {
    const value = typed[field];
    return value === undefined || value === '' ? [] : [[field, tidy[field]?.(value) ?? value] as const];
  });
  return Object.fromEntries(given);
}

/** What a browser says of itself without script. */
function browserOf(ctx: Ctx): Record<string, string> {
  const [language = ''] = ctx.get('Accept-Language').split(/[,;]/);
  return { acceptHeader: ctx.get('Accept'), ip: ctx.ip, language, userAgent: ctx.get('User-Agent') };
}

/** A visit that proves nothing: the same whether there is such a payment or not. */
function showChecking(ctx: Ctx): void {
  const speech = speechOf(ctx);
  const { title, text } = speech.words.checking;
  const body = html`<main class="panel state">
    <h1>${title}</h1>
    <p>${text}</p>
  </main>`;
  sendPage(ctx, 200, { title, body, speech });
}

/** A redirect would stay inside a frame that the shop or a challenge opened; there the payer goes on in the top window. */
function leave(ctx: Ctx, url: string): void {
  const { href } = new URL(url);
  if (!/^i?frame$/.test(ctx.get('Sec-Fetch-Dest'))) return seeOther(ctx, href);
  const { checking, goOn } = speechOf(ctx).words;
  const body = html`<main class="panel state">
    <h1>${checking.title}</h1>
    <p><a class="main" href="${href}" target="_top">${goOn}</a></p>
  </main>`;
  sendPage(ctx, 200, { title: checking.title, body, movesOn: true });
}

function seeOther(ctx: Ctx, location: string): void {
  ctx.status = 303;
  ctx.set('Location', location);
  ctx.body = '';
  ctx.remove('Content-Type');
}

/** The payer in a 3D Secure step; what others must do is for the merchant to show, or for the page with the link. */
function showAction(ctx: Ctx, page: PayPage, action: Action): void {
  if (action.type !== 'redirect') {
    showState(ctx, { ...page, state: 'pending' });
  } else if (action.method === 'GET') {
    leave(ctx, action.url);
  } else {
    const speech = speechOf(ctx);
    const { title } = speech.words.bankStep;
    sendPage(ctx, 200, { title, body: bankForm(speech, action), speech, formTarget: action.url, movesOn: true });
  }
}

function showState(ctx: Ctx, page: PayPage): void {
  const speech = speechOf(ctx);
  const isOpen = page.state === 'pending' || page.state === 'created';
  sendPage(ctx, 200, {
    title: speech.words.states[page.state].title,
    body: html`<main class="panel state">${stateOf(speech.words, page, 1)}</main>`,
    speech,
    ...(isOpen && { refreshSeconds }),
    movesOn: true,
  });
}

/** The page of the link: what is to be paid, how, and the next step. */
function showLink(ctx: Ctx, page: PayPage, refused?: { readonly error: GatewayError; readonly typed: Typed }): void {
  const { details, action } = page;
  if (!details) return sendStatusPage(ctx, 404);
  if (action?.type === 'redirect' && action.method === 'POST') return showAction(ctx, page, action);
  const speech = speechOf(ctx);
  const { words, locale } = speech;
  const ways = details.ways.filter(({ method }) => method !== 'upi_intent' || isPhone(ctx));
  const chosen = refused?.typed['way'] ?? once(ctx.query['way']);
  const problems: Problems = refused ? problemsOf(refused.error, words) : noProblems;
  const { body, ...leads } = checkout({
    speech,
    page,
    details,
    ways,
    way: ways.find(({ id }) => id === chosen) ?? ways[0],
    address: linkOf(ctx),
    amount: showAmount(locale, details.amount, details.currency ?? details.unit),
    typed: refused?.typed ?? {},
    problems,
  });
  sendPage(ctx, refused ? errorKinds[refused.error.kind].status : 200, {
    title: `${words.states[page.state].title} · ${details.merchant}`,
    body,
    speech,
    layout: 'checkout',
    isOwn: true,
    ...leads,
  });
}

/** A link into an app is for the device that has the app. */
function isPhone(ctx: Ctx): boolean {
  return ctx.get('Sec-CH-UA-Mobile') === '?1' || /\b(Android|iPhone|iPad|iPod)\b/.test(ctx.get('User-Agent'));
}
