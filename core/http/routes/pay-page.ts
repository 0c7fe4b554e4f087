/** `GET /pay/{id}`: where a payer comes back to, and what the link of a payment request opens. */
import { Router } from '@koa/router';
import type { Action } from '@gateway/contract';
import { GatewayError } from '../../errors.ts';
import type { PayPage } from '../../payments/service.ts';
import type { HttpDeps } from '../deps.ts';
import { escapeHtml, sendPage, sendStatusPage } from '../pages/page.ts';
import { readPaymentRequestId } from '../path-id.ts';
import type { Ctx, RequestState } from '../state.ts';

const refreshSeconds = 3;

const words: Readonly<Record<PayPage['state'], readonly [title: string, word: string]>> = {
  created: ['Your payment', 'waiting to be paid'],
  pending: ['One moment', 'pending'],
  paid: ['Thank you', 'paid'],
  failed: ['Not paid', 'failed'],
  refunded: ['Refunded', 'refunded'],
  expired: ['Too late', 'expired'],
  cancelled: ['Cancelled', 'cancelled'],
};

export function payPageRoutes({ payments }: Pick<HttpDeps, 'payments'>): Router<RequestState> {
  const router = new Router<RequestState>({ sensitive: true, strict: true });

  router.get('/pay/:id', async (ctx) => {
    const page = await visit(ctx);
    if (!page) sendStatusPage(ctx, 404);
    else if (page.action) showAction(ctx, page.action);
    else if (page.leaveTo && !page.details) leave(ctx, page.leaveTo);
    else showState(ctx, page);
  });

  async function visit(ctx: Ctx): Promise<PayPage | undefined> {
    const linkKey = once(ctx.query['k']);
    const token = once(ctx.query['t']);
    try {
      const id = readPaymentRequestId(ctx.params['id']);
      const page = await payments.payPage(id, { ...(linkKey && { linkKey }), ...(token && { token }) });
      if (page) ctx.state.paymentRequestId = id;
      return page;
    } catch (error) {
      if (error instanceof GatewayError && error.kind === 'NOT_FOUND') return undefined;
      throw error;
    }
  }

  return router;
}

function once(value: string | string[] | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** A redirect would stay inside a frame that the shop or a challenge opened; there the payer goes on in the top window. */
function leave(ctx: Ctx, url: string): void {
  if (/^i?frame$/.test(ctx.get('Sec-Fetch-Dest'))) {
    const body = `<p><a href="${escapeHtml(new URL(url).href)}" target="_top">Continue</a></p>`;
    sendPage(ctx, 200, { title: 'One moment', body, movesOn: true });
    return;
  }
  ctx.status = 303;
  ctx.set('Location', new URL(url).href);
  ctx.body = '';
  ctx.remove('Content-Type');
}

/** Only a payer in a 3D Secure step gets here; what others must do is for the merchant to show. */
function showAction(ctx: Ctx, action: Action): void {
  if (action.type !== 'redirect') {
    sendPage(ctx, 200, { ...waiting('pending'), refreshSeconds, movesOn: true });
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

function showState(ctx: Ctx, { state, leaveTo, details }: PayPage): void {
  const isOpen = state === 'pending' || (state === 'created' && !details);
  const about = details
    ? `<p>${escapeHtml(details.merchant)} asks for <strong>${escapeHtml(`${details.amount} ${details.unit}`)}</strong>.</p>`
    : '';
  const onward = leaveTo
    ? `<p><a href="${escapeHtml(new URL(leaveTo).href)}" target="_top">Back to the shop</a></p>`
    : '';
  const { title, body } = waiting(state);
  sendPage(ctx, 200, {
    title,
    body: about + body + onward,
    ...(isOpen && { refreshSeconds }),
    movesOn: true,
  });
}

function waiting(state: PayPage['state']): { readonly title: string; readonly body: string } {
  const [title, word] = words[state];
  return { title, body: `<p>The state of this payment: <strong>${word}</strong></p>` };
}
