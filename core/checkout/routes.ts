/** `/pay/{id}`: the page that payers return to. With the key of the link, it is the page where they pay. */
import { Router } from '@koa/router';
import { readLanguage, type BrowserInfo } from '@paywright/contract';
import { createAddressBudget } from '../engine/access/index.ts';
import { errorKinds, GatewayError, type ErrorKind } from '../base/errors.ts';
import type { PayPage, PayPageDetails } from '../engine/payments/types/pay-page.ts';
import type { HttpDeps } from '../http/deps.ts';
import { toGatewayError } from '../http/middleware/errors.ts';
import { createLogoStep } from './logo.ts';
import { seeOther, sendStatusPage } from '../html/page.ts';
import { readPaymentRequestId } from '../http/input/path-id.ts';
import type { BodyBudget } from '../http/input/body-budget.ts';
import { readPagePost } from '../http/input/read-page-post.ts';
import { pageFieldsOf, readConfirmation, readPagePayer } from '../http/payments/schema.ts';
import type { Ctx, RequestState } from '../http/state.ts';
import { speechOf } from '../html/words/index.ts';
import { usableFields } from './known.ts';
import { readTyped } from './read-typed.ts';
import { leave, linkOf, showAction, showChecking, showLink, showState, singleValue } from './show.ts';
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

type PayPageDeps = Pick<
  HttpDeps,
  'payments' | 'access' | 'rateLimiter' | 'encrypter' | 'config' | 'countOne' | 'now' | 'log'
>;

/** Visits per minute: of one payment, and per address for visits without a valid token. */
const visitLimit = 120;
const strangersLimit = 60;

export function payPageRoutes(deps: PayPageDeps, budget: BodyBudget): Router<RequestState> {
  const { payments, rateLimiter, encrypter, config, now, log } = deps;
  const cookie = createTypedCookie(encrypter, config.publicUrl);
  const router = new Router<RequestState>({ sensitive: true, strict: true });

  // Payers are people: errors are pages, never problem bodies.
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
    else if (page.details) showKept(ctx, page, page.details);
    else if (page.action) showAction(ctx, page, page.action);
    else if (page.leaveTo) leave(ctx, page, page.leaveTo);
    else showState(ctx, page);
  });

  const sendLogo = createLogoStep(deps);
  router.get('/pay/logos/:name', async (ctx) => sendLogo(ctx));

  /** Polled by a page that waits. */
  router.get('/pay/state/:id', async (ctx) => {
    const page = await visit(ctx, ['r']);
    if (!page) return sendStatusPage(ctx, 404);
    const { state, stamp } = page;
    ctx.body = { state, stamp };
  });

  router.post('/pay/:id', async (ctx) => {
    const page = await visit(ctx);
    if (!page?.details) return sendStatusPage(ctx, 404);
    await budget.reserve(ctx.req, ctx.res, config.bodyLimitBytes, ctx.ip);
    const typed = await readPagePost(ctx.req, config.bodyLimitBytes);
    if (!typed) return sendStatusPage(ctx, 400);
    if (typed['way'] !== 'confirm') cookie.keep(ctx, readPaymentRequestId(ctx.params['id']), typed);
    try {
      await submitForm(ctx, page, typed);
    } catch (error) {
      if (!(error instanceof GatewayError)) throw error;
      const fresh = await visit(ctx);
      if (fresh?.details && !hasPaymentChanged(fresh, typed)) {
        if (shownErrors.has(error.kind)) return showLink(ctx, fresh, { error, typed, now: now() });
        if (error.kind !== 'NOT_FOUND') throw error;
      }
    }
    // A redirect, so that reloading the page does not send the form again.
    seeOther(ctx, linkOf(ctx));
  });

  /**
   * Counts a visit for its payment if the visit has a valid token, else for its address. Guessing ids therefore cannot
   * lock out the payer of a payment. Throws RATE001.
   */
  async function visit(ctx: Ctx, parts: readonly ('k' | 'r' | 't')[] = ['k', 'r', 't']): Promise<PayPage | undefined> {
    const [linkKey, returnPart, token] = (['k', 'r', 't'] as const).map((part) =>
      parts.includes(part) ? singleValue(ctx.query[part]) : undefined,
    );
    const id = readPaymentRequestId(ctx.params['id']);
    const visited = { ...(linkKey && { linkKey }), ...(returnPart && { returnPart }), ...(token && { token }) };
    const page = await payments.payPage(id, visited, async () => rateLimiter.take(`pay ${id}`, visitLimit));
    if (page) ctx.state.paymentRequestId = id;
    else await strangers.demand(ctx.ip);
    return page;
  }

  /** Fills in what the payer typed before, as long as there is a form. */
  function showKept(ctx: Ctx, page: PayPage, { ways }: PayPageDetails): void {
    const id = readPaymentRequestId(ctx.params['id']);
    const typed = ways.length > 0 ? cookie.read(ctx, id) : {};
    if (page.state !== 'pending' && ways.length === 0) cookie.forget(ctx, id);
    showLink(ctx, page, { typed, now: now() });
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
    const body = {
      ...usableFields(page.details.known, way.fields),
      ...pick(typed, pageFieldsOf(way), language),
      ipAddress: ctx.ip,
      browserInfo: browserOf(ctx, typed, language),
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
    ip: ctx.ip,
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
