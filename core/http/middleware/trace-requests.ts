import { traceOfMerchant, withSpan } from '../../base/traces/index.ts';
import type { Ctx, Step } from '../state.ts';

/** What only looks whether we are there, and what never changes. */
const untraced = /^\/(health|ready|docs|openapi|assets)([/.]|$)/;

/** What providers and payers ask for. */
const ofOthers = /^\/(callbacks|pay)\//;

/**
 * A span for each request. One of a merchant goes on with the trace that its `traceparent` names; a callback of a provider
 * and a page of a payer begin one of their own. A path may hold the key of a payer's page, and is not in it.
 */
export const traceRequests: Step = async (ctx, next) => {
  if (untraced.test(ctx.path)) return next();
  await withSpan(
    ctx.method,
    () => ({
      kind: 'server',
      isRoot: true,
      parent: ofOthers.test(ctx.path) ? undefined : traceOfMerchant(ctx.get('traceparent')),
      attributes: { 'http.request.method': ctx.method, 'gateway.request_id': ctx.state.requestId },
    }),
    async (span) => {
      await next();
      const { route = (ctx as Ctx)._matchedRoute, paymentRequestId } = ctx.state;
      const named = String(route ?? 'none');
      span.rename(`${ctx.method} ${named}`);
      span.set({
        'http.route': named,
        'http.response.status_code': ctx.status,
        'gateway.payment_request_id': paymentRequestId,
      });
      if (ctx.status >= 500) span.fail();
    },
  );
};
