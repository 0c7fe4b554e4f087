import type { Logger } from 'pino';
import type { Ctx, Step } from '../state.ts';

/** One line per request: never a body, a query, a header, or a path that somebody made up. */
export function createAccessLog(log: Pick<Logger, 'info'>): Step {
  return async (ctx, next) => {
    const started = performance.now();
    try {
      await next();
    } finally {
      const { requestId, paymentRequestId, key, route = (ctx as Ctx)._matchedRoute } = ctx.state;
      log.info(
        {
          method: ctx.method,
          route: String(route ?? 'none'),
          status: ctx.status,
          ms: Math.round(performance.now() - started),
          requestId,
          ...(paymentRequestId !== undefined && { paymentRequestId }),
          ...(key && { keyId: key.keyId }),
        },
        'request',
      );
    }
  };
}
