/** `/pay/{id}`: the page that payers return to. With the key of the link, it is the page where they pay. */
import { Router } from '@koa/router';
import { defined, readIpAddress, readLanguage, type BrowserInfo } from '@paywright/contract';
import { DAY, SECOND } from '../base/async/time.ts';
import { errorKinds, GatewayError, type ErrorKind } from '../base/errors.ts';
import type { PayPage, PayPageDetails } from '../engine/payments/types/pay-page.ts';
import type { HttpDeps } from '../http/deps.ts';
import { countKeyless, type KeylessBudgets } from '../http/keyless.ts';
import { toGatewayError } from '../http/middleware/errors.ts';
import { createLogoStep } from './logo.ts';
import { seeOther, sendStatusPage } from '../html/page.ts';
import { readPaymentRequestId } from '../http/input/path-id.ts';
import type { BodyBudget } from '../http/input/body-budget.ts';
import { findCardData } from '../http/input/card-data.ts';
import { readPagePost } from '../http/input/read-page-post.ts';
import { pageFieldsOf, readConfirmation, readPagePayer } from '../http/payments/schema.ts';
import type { Ctx, RequestState } from '../http/state.ts';
import { speechOf } from '../html/words/index.ts';
import { usableFields } from './known.ts';
import { sendPicture } from './pictures.ts';
import { readTyped } from './read-typed.ts';
import { createPageCookie } from './page-cookie.ts';
import {
  leadOn,
  leave,
  linkOf,
  showAction,
  showBadLink,
  showChecking,
  showLink,
  showState,
  singleValue,
  type LinkVisit,
} from './show.ts';
import { createVisits } from './visit.ts';
import { createTypedCookie, type Typed } from './typed-cookie.ts';

/** Errors that are shown next to the form. For other errors the page shows the state of the payment. */
const shownErrors: ReadonlySet<ErrorKind> = new Set<ErrorKind>([
  'VALIDATION_ERROR',
  'INVALID_FORMAT',
  'INVALID_CARD',
  'INVALID_UPI_ID',
  'PAYMENT_NOT_PAYABLE',
  'RATE_LIMIT_EXCEEDED',
]);

type PayPageDeps = Pick<HttpDeps, 'payments' | 'access' | 'encrypter' | 'config' | 'countOne' | 'now' | 'log'> & {
  readonly keyless: KeylessBudgets;
};

/** The page answers with the ways that are left. */
const noCards = new GatewayError('PAYMENT_NOT_PAYABLE', 'this service accepts no card data');

/** How long a browser is known as one that opened the link. */
const LINK_COOKIE_SECONDS = DAY / SECOND;

export function payPageRoutes(deps: PayPageDeps, budget: BodyBudget): Router<RequestState> {
  const { payments, encrypter, config, keyless, now, log } = deps;
  const cookie = createTypedCookie(createPageCookie('typed', encrypter, config.publicUrl));
  const linkCookie = createPageCookie('link', encrypter, config.publicUrl);
  const router = new Router<RequestState>({ sensitive: true, strict: true });

  const visit = createVisits(deps);

  // Payers are people: errors are pages, never problem bodies.
  router.use(async (ctx, next) => {
    try {
      await next();
    } catch (thrown) {
      const { kind } = toGatewayError(thrown, ctx.state, log);
      // No id of a payment: the link is mistyped.
      if (kind === 'NOT_FOUND') showBadLink(ctx, errorKinds[kind].status);
      else sendStatusPage(ctx, errorKinds[kind].status);
    }
  });

  router.get('/pay/:id', async (ctx) => {
    if (isCancelledAt(ctx)) return showCancelled(ctx);
    const page = await visit(ctx, { isQuiet: ctx.method === 'HEAD' });
    if (!page) showChecking(ctx);
    else if (page === 'invalid') showBadLink(ctx);
    else if (page.details) showKept(ctx, page, page.details);
    else if (page.action) showAction(ctx, page, page.action);
    else if (page.leaveTo) leave(ctx, page, page.leaveTo);
    else await showEnd(ctx, page);
  });

  const sendLogo = createLogoStep(deps);
  router.get('/pay/logos/:name', countKeyless(keyless), async (ctx) => sendLogo(ctx));

  router.get('/pay/pictures/:name', countKeyless(keyless), (ctx) => sendPicture(ctx, deps));

  /** Polled by a page that waits. */
  router.get('/pay/state/:id', async (ctx) => {
    const isQuiet = singleValue(ctx.query['quiet']) === '1';
    const page = await visit(ctx, { parts: ['r'], isQuiet, isCancelled: isCancelledAt(ctx) });
    if (!page || page === 'invalid') return sendStatusPage(ctx, 404);
    const { state, stamp } = page;
    ctx.body = { state, stamp };
  });

  router.post('/pay/:id', async (ctx) => {
    const isReturn = ['r', 't'].some((name) => singleValue(ctx.query[name])) && ctx.query['k'] === undefined;
    const page = await visit(ctx, { isQuiet: true });
    // A bank's page, or a proxy, may send the payer back by POST. The browser then loads the same address by GET.
    if (isReturn) return seeOther(ctx, `?${ctx.querystring}`);
    if (!page || page === 'invalid' || !page.details) return sendStatusPage(ctx, 404);
    await budget.reserve(ctx.req, ctx.res, config.bodyLimitBytes, ctx.ip);
    const typed = await readPagePost(ctx.req, config.bodyLimitBytes);
    if (!typed) return sendStatusPage(ctx, 400);
    // The form of a page that was open before the service stopped accepting cards.
    if (config.refuseCardNumbers && findCardData(typed, { pays: true }) !== undefined)
      return showLink(ctx, page, { error: noCards, typed: {}, now: now() });
    if (typed['way'] !== 'confirm') cookie.keep(ctx, readPaymentRequestId(ctx.params['id']), typed);
    try {
      await submitForm(ctx, page, typed);
    } catch (error) {
      if (!(error instanceof GatewayError)) throw error;
      const fresh = await visit(ctx, { isQuiet: true, isCounted: false });
      if (fresh && fresh !== 'invalid' && fresh.details && !hasPaymentChanged(fresh, typed)) {
        if (shownErrors.has(error.kind)) return showLink(ctx, fresh, { error, typed, now: now() });
        if (error.kind !== 'NOT_FOUND') throw error;
      }
    }
    // A redirect, so that reloading the page does not send the form again.
    seeOther(ctx, await nextPage(ctx));
  });

  /** The page of the link. If the payer's next step is at the bank, the page leads there without asking, this once. */
  async function nextPage(ctx: Ctx): Promise<string> {
    const page = await visit(ctx, { isQuiet: true, isCounted: false });
    const leadsOn = page && page !== 'invalid' && page.action?.type === 'redirect';
    return leadsOn && page.details ? `${linkOf(ctx)}&go=${page.details.attempts}` : linkOf(ctx);
  }

  /** Shows the ways to pay only to a browser that opened the link: others may see the address of a return. */
  async function showCancelled(ctx: Ctx): Promise<void> {
    const id = readPaymentRequestId(ctx.params['id']);
    const linkKey = singleValue(ctx.query['k']) ?? linkCookie.read(ctx, id);
    const page = await visit(ctx, { linkKey, isCancelled: true, isQuiet: ctx.method === 'HEAD' });
    if (!page) return showChecking(ctx);
    if (page === 'invalid') return showBadLink(ctx);
    const isOpen = page.state === 'pending' || page.state === 'created';
    if (isOpen && page.details) return showKept(ctx, page, page.details, { linkKey, isCancelled: true });
    if (page.leaveTo) return leave(ctx, page, page.leaveTo);
    await showEnd(ctx, page, { isCancelled: true });
  }

  /**
   * Leads a browser that opened the link back to it once the state is final: the whole page has the receipt, or the
   * reason and another try. Other browsers may see the address of a return, and get only the state.
   */
  async function showEnd(ctx: Ctx, page: PayPage, options: { readonly isCancelled?: boolean } = {}): Promise<void> {
    const isOpen = page.state === 'pending' || page.state === 'created';
    const linkKey = isOpen ? undefined : linkCookie.read(ctx, readPaymentRequestId(ctx.params['id']));
    const whole = linkKey && (await visit(ctx, { linkKey, parts: [], isQuiet: true, isCounted: false }));
    if (whole && whole !== 'invalid' && whole.details) leadOn(ctx, page, linkOf(ctx, linkKey));
    else showState(ctx, page, options);
  }

  /** Fills in what the payer typed before, as long as there is a form. */
  function showKept(
    ctx: Ctx,
    page: PayPage,
    { ways }: PayPageDetails,
    more: Pick<LinkVisit, 'linkKey' | 'isCancelled'> = {},
  ): void {
    const id = readPaymentRequestId(ctx.params['id']);
    const typed = ways.length > 0 ? cookie.read(ctx, id) : {};
    const isOpen = page.state === 'pending' || ways.length > 0;
    if (!isOpen) cookie.forget(ctx, id);
    const linkKey = more.linkKey ?? singleValue(ctx.query['k']) ?? '';
    if (isOpen && linkCookie.read(ctx, id) !== linkKey) linkCookie.keep(ctx, id, linkKey, LINK_COOKIE_SECONDS);
    showLink(ctx, page, { typed, now: now(), ...more });
  }

  /** Pays or confirms with what the payer filled in. */
  async function submitForm(ctx: Ctx, page: PayPage, typed: Typed): Promise<void> {
    const id = readPaymentRequestId(ctx.params['id']);
    const { language } = speechOf(ctx);
    const caller = await payments.payerOf(id, singleValue(ctx.query['k']) ?? '', ctx.state.requestId);
    if (!caller) return;
    if (typed['way'] === 'confirm') {
      // No code is expected any more: the page shows the state of the payment.
      if (page.action?.type !== 'confirm') return;
      const { paymentId } = page.action;
      const { code } = readConfirmation({ ...pick(typed, ['code'], language), paymentId });
      await payments.confirm(caller, id, paymentId, code);
      return;
    }
    const way = page.details?.ways.find(({ id: one }) => one === typed['way']);
    if (!way || !page.details) return;
    const ip = payerAddressOf(ctx);
    const body = {
      ...usableFields(page.details.known, way.fields),
      ...pick(typed, pageFieldsOf(way), language),
      ipAddress: ip ?? null,
      browserInfo: { ...browserOf(ctx, typed, language), ...defined({ ip }) },
    };
    await payments.pay(caller, id, readPagePayer(way, body, now()), { seen: attemptsSeen(typed), way });
  }

  return router;
}

/**
 * True if the payment changed since the payer loaded the form: another request was faster, or the provider answered.
 */
function hasPaymentChanged({ action, details }: PayPage, typed: Typed): boolean {
  if (typed['way'] === 'confirm') return action?.type !== 'confirm';
  return details?.ways.length === 0 || details?.attempts !== attemptsSeen(typed);
}

/** True at the address for a payer who gave up at the provider's page. */
function isCancelledAt({ query }: Ctx): boolean {
  return singleValue(query['cancelled']) === '1' && singleValue(query['r']) !== undefined;
}

function attemptsSeen(typed: Typed): number {
  return Number(typed['attempts']) || 0;
}

function pick(typed: Typed, fields: readonly string[], language: string): Record<string, string> {
  const given = fields.flatMap((field) => {
    const value = readTyped(field, typed[field] ?? '', language);
    return value === undefined ? [] : [[field, value] as const];
  });
  return Object.fromEntries(given);
}

/** The payer's address. Undefined if the proxies name none: the address of a proxy is not the payer's. */
function payerAddressOf(ctx: Ctx): string | undefined {
  return readIpAddress(ctx.ips[0] ?? ctx.ip);
}

/** The browser's data: from its headers, and from the device if the page's script ran. */
function browserOf(ctx: Ctx, typed: Typed, language: string): Readonly<Record<string, string | boolean>> {
  const device = deviceFields.flatMap((name) => {
    const value = typed[name];
    // Browsers report fractions of a pixel.
    return value !== undefined && /^-?\d{1,5}(?:\.\d{1,20})?$/.test(value) ? [[name, value] as const] : [];
  });
  const isScripted = device.length > 0;
  return {
    acceptHeader: ctx.get('Accept'),
    // Web views of apps send no language, or `*`. The payer reads the page's.
    language: readLanguage(ctx.get('Accept-Language')) ?? language,
    userAgent: ctx.get('User-Agent'),
    ...(isScripted && { javascriptEnabled: true, javaEnabled: false }),
    ...Object.fromEntries(device),
  };
}

const deviceFields = [
  'colorDepth',
  'screenHeight',
  'screenWidth',
  'timezone',
] as const satisfies readonly (keyof BrowserInfo)[];
