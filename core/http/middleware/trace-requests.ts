import { traceOfMerchant, withSpan } from '../../base/traces/index.ts';
import type { Ctx, Step } from '../state.ts';

/** Health checks, and content that never changes. */
const untraced = /^\/(health|ready|docs|openapi|assets)([/.]|$)/;

/** Requests of providers and payers. */
const ofOthers = /^\/(callbacks|pay)\//;

/**
 * Opens a span for each request. A merchant's request continues the trace of its `traceparent`. A provider's callback
 * and a payer's page start a trace of their own. The span does not contain the path, because a path may contain the key
 * of a payer's page.
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
