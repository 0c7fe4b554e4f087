/** `/pay/{id}`: where a payer comes back to; and where, with the link's own part, they pay. */
import { Router } from '@koa/router';
import type { Action } from '@gateway/contract';
import { createAddressBudget, createMinuteBudget } from '../../access/index.ts';
import { errorKinds, GatewayError, type ErrorKind } from '../../errors.ts';
import type { PayPage } from '../../payments/service.ts';
import type { HttpDeps } from '../deps.ts';
import { toGatewayError } from '../middleware/errors.ts';
import { codeForm, fieldsOf, labelOf, payForm, type Typed } from '../pages/pay-form.ts';
import { escapeHtml, sendPage, sendStatusPage } from '../pages/page.ts';
import { readPaymentRequestId } from '../input/path-id.ts';
import type { BodyBudget } from '../input/body-budget.ts';
import { readPagePost } from '../input/read-page-post.ts';
import { accept } from '../input/form.ts';
import { memberConfirm, readPayerInput } from '../payments/schema.ts';
import type { Ctx, RequestState } from '../state.ts';

const refreshSeconds = 3;

const stateNames: Readonly<Record<PayPage['state'], readonly [title: string, word: string]>> = {
  created: ['Your payment', 'waiting to be paid'],
  pending: ['One moment', 'pending'],
  paid: ['Thank you', 'paid'],
  failed: ['Not paid', 'failed'],
  refunded: ['Refunded', 'refunded'],
  expired: ['Too late', 'expired'],
  cancelled: ['Cancelled', 'cancelled'],
};

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

/** Of one payment, in a minute. */
const visitLimit = 120;

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

  const strangers = createAddressBudget(60, 'visits of an address without the link', deps);
  const visits = createMinuteBudget(visitLimit, 'visits of a payment', deps);

  /** What opens the page is judged by `payPage`; what only looks like it counts for its payment all the same. */
  async function countVisit(ctx: Ctx): Promise<void> {
    const isOpened = [ctx.query['k'], ctx.query['r'], ctx.query['t']].some((part) => once(part));
    if (isOpened) await visits.demand(String(ctx.params['id']).slice(0, 20));
    else await strangers.demand(ctx.ip);
  }

  router.get('/pay/:id', async (ctx) => {
    await countVisit(ctx);
    const page = await visit(ctx);
    if (!page) sendPage(ctx, 200, { title: stateNames.pending[0], body: '<p>The payment is being checked.</p>' });
    else if (page.details) showLink(ctx, page);
    else if (page.action) showAction(ctx, page.action);
    else if (page.leaveTo) leave(ctx, page.leaveTo);
    else showState(ctx, page);
  });

  router.post('/pay/:id', async (ctx) => {
    await countVisit(ctx);
    await budget.reserve(ctx.req, ctx.res, config.bodyLimitBytes);
    const typed = await readPagePost(ctx.req, config.bodyLimitBytes);
    const page = await visit(ctx);
    if (!page?.details) return sendStatusPage(ctx, 404);
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

  async function visit(ctx: Ctx): Promise<PayPage | undefined> {
    const linkKey = once(ctx.query['k']);
    const returnPart = once(ctx.query['r']);
    const token = once(ctx.query['t']);
    const id = readPaymentRequestId(ctx.params['id']);
    const visited = { ...(linkKey && { linkKey }), ...(returnPart && { returnPart }), ...(token && { token }) };
    const page = await payments.payPage(id, visited, async () => rateLimiter.take(`pay ${id}`, visitLimit));
    if (page) ctx.state.paymentRequestId = id;
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
      const [{ code }] = accept(memberConfirm.read({ ...pick(typed, fieldsOf('confirm')), paymentId }));
      await payments.confirm(caller, id, paymentId, code);
      return;
    }
    const way = page.details?.ways.find((one) => one === typed['way']);
    if (!way) return;
    const body = { ...pick(typed, fieldsOf(way)), ipAddress: ctx.ip, browserInfo: browserOf(ctx) };
    await payments.pay(caller, id, readPayerInput(way, body, now()), { seen: seenBy(typed) });
  }

  return router;
}

function once(value: string | string[] | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** The page with the link's own part, from the page itself: a proxy may serve it below a path. */
function linkOf(ctx: Ctx): string {
  return `?k=${encodeURIComponent(once(ctx.query['k']) ?? '')}`;
}

/** How people spell it, and how a merchant would send it. */
const tidy: Readonly<Record<string, (value: string) => string>> = {
  number: (value) => value.replaceAll(/[ -]/g, ''),
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

/** A redirect would stay inside a frame that the shop or a challenge opened; there the payer goes on in the top window. */
function leave(ctx: Ctx, url: string): void {
  if (/^i?frame$/.test(ctx.get('Sec-Fetch-Dest'))) {
    const body = `<p><a href="${escapeHtml(new URL(url).href)}" target="_top">Continue</a></p>`;
    sendPage(ctx, 200, { title: 'One moment', body, movesOn: true });
    return;
  }
  seeOther(ctx, new URL(url).href);
}

function seeOther(ctx: Ctx, location: string): void {
  ctx.status = 303;
  ctx.set('Location', location);
  ctx.body = '';
  ctx.remove('Content-Type');
}

/** The payer in a 3D Secure step; what others must do is for the merchant to show, or for the page with the link. */
function showAction(ctx: Ctx, action: Action): void {
  if (action.type !== 'redirect') {
    sendPage(ctx, 200, { title: stateNames.pending[0], body: stateLine('pending'), refreshSeconds, movesOn: true });
  } else if (action.method === 'GET') {
    leave(ctx, action.url);
  } else {
    const { url, fields = {} } = action;
    const inputs = Object.entries(fields).map(
      ([name, value]) => `<input type="hidden" name="${escapeHtml(name)}" value="${escapeHtml(value)}">`,
    );
    const body =
      `<form id="go" method="post" action="${escapeHtml(new URL(url).href)}" target="_top">${inputs.join('')}` +
      `<p>Your bank asks you to confirm the payment.</p><p><button>Continue</button></p></form>`;
    sendPage(ctx, 200, { title: 'One more step', body, formTarget: url, movesOn: true });
  }
}

function showState(ctx: Ctx, { state, stepLost }: PayPage): void {
  const isOpen = state === 'pending' || state === 'created';
  const [title] = stateNames[state];
  sendPage(ctx, 200, {
    title,
    body: stateLine(state) + (stepLost ? lostStep : ''),
    ...(isOpen && { refreshSeconds }),
    movesOn: true,
  });
}

/** The page of the link: what is to be paid, how, and the next step. */
function showLink(ctx: Ctx, page: PayPage, refused?: { readonly error: GatewayError; readonly typed: Typed }): void {
  const { state, leaveTo, details } = page;
  if (!details) return sendStatusPage(ctx, 404);
  if (page.action?.type === 'redirect' && page.action.method === 'POST') return showAction(ctx, page.action);
  const { merchant, amount, unit, isTest, failure, ways } = details;
  const [title] = stateNames[state];
  const chosen = refused?.typed['way'] ?? once(ctx.query['way']);
  const way = ways.find((one) => one === chosen) ?? ways[0];
  const next = page.action ? nextStep(ctx, page.action) : undefined;
  const parts = [
    isTest && '<p>This is a test: no money moves.</p>',
    `<p>${escapeHtml(merchant)} asks for <strong>${escapeHtml(`${amount} ${unit}`)}</strong>.</p>`,
    !way && !next && (state === 'created' ? noWay : stateLine(state)),
    page.stepLost && lostStep,
    failure && `<p role="alert">It failed: ${escapeHtml(failure)}.${way ? ' You may try again.' : ''}</p>`,
    refused && `<p role="alert">${escapeHtml(messageOf(refused.error))}.</p>`,
    next?.html,
    way && payForm({ action: linkOf(ctx), details, way, typed: refused?.typed ?? {} }),
    leaveTo && `<p><a href="${escapeHtml(new URL(leaveTo).href)}" target="_top">Back to the shop</a></p>`,
  ];
  const goesTo = next?.goesTo ?? (way ? undefined : (leaveTo ?? undefined));
  sendPage(ctx, refused ? errorKinds[refused.error.kind].status : 200, {
    title,
    body: parts.filter((part) => typeof part === 'string').join(''),
    isOwn: true,
    ...(goesTo !== undefined && { goesTo }),
    ...((goesTo !== undefined || (state === 'pending' && !next?.isTyping)) && {
      refreshSeconds: next?.seconds ?? refreshSeconds,
    }),
  });
}

interface NextStep {
  readonly html: string;
  /** Where the page goes on to by itself. */
  readonly goesTo?: string;
  readonly seconds?: number;
  /** The payer types something: the page stays. */
  readonly isTyping?: true;
}

/** A form may only lead to ourselves, so a page leads on, not an answer to it. */
function nextStep(ctx: Ctx, action: Action): NextStep {
  switch (action.type) {
    case 'redirect': {
      const { href } = new URL(action.url);
      return { html: `<p><a href="${escapeHtml(href)}">Continue</a></p>`, goesTo: href, seconds: 0 };
    }
    case 'confirm':
      return { html: codeForm(linkOf(ctx)), isTyping: true };
    case 'upi': {
      const isLink = action.link?.startsWith('upi:');
      const link = isLink ? `<p><a href="${escapeHtml(action.link!)}">Open your UPI app</a></p>` : '';
      return { html: `<p>Approve it in your UPI app until ${escapeHtml(timeOf(action.expiry))}.</p>${link}` };
    }
    case 'crypto': {
      const { address, amount, coin, network, memo, expiry } = action;
      const rows = {
        Send: `${amount} ${coin}`,
        Network: network,
        'To the address': address,
        ...(memo && { Memo: memo }),
        Until: timeOf(expiry),
      };
      const list = Object.entries(rows).map(
        ([name, value]) => `<dt>${name}</dt><dd><code>${escapeHtml(value)}</code></dd>`,
      );
      return { html: `<dl>${list.join('')}</dl>`, seconds: 15 };
    }
  }
}

/** `2026-11-21 20:53 UTC` */
function timeOf(iso: string): string {
  return iso.replace(/^(.{10})T(.{5}).*Z$/, '$1 $2 UTC');
}

/** What is wrong, as the form shows it. */
function messageOf({ kind, details, message }: GatewayError): string {
  const { missingFields, errors, field, reason } = details as {
    readonly missingFields?: readonly string[];
    readonly errors?: readonly { readonly field: string; readonly message: string }[];
    readonly field?: string;
    readonly reason?: string;
  };
  if (missingFields) return `Please fill in: ${missingFields.map(labelOf).join(', ')}`;
  if (errors) return errors.map((error) => `${labelOf(error.field)} ${error.message}`).join('; ');
  if (kind === 'INVALID_CARD' && field && field !== 'code') return `${labelOf(field)} ${reason}`;
  if (kind === 'INVALID_UPI_ID') return `${labelOf('upiId')} must be of the form username@bankcode`;
  if (kind === 'PAYMENT_NOT_PAYABLE') return 'It cannot be paid this way: try another one, or ask the shop';
  return message.charAt(0).toUpperCase() + message.slice(1);
}

/** The provider has the payment open, and nobody knows the way to the bank any more. */
const lostStep =
  '<p>The way to your bank was lost. Nothing is charged without it: the payment ends by itself, then it can be tried again.</p>';

const noWay = '<p role="alert">It cannot be paid here at the moment: please ask the shop.</p>';

function stateLine(state: PayPage['state']): string {
  return `<p>The state of this payment: <strong>${stateNames[state][1]}</strong></p>`;
}
