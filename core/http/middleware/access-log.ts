import type { Logger } from 'pino';
import { createSampledLog } from '../../base/log/sampled-log.ts';
import type { Ctx, Step } from '../state.ts';

/**
 * One line per request, but for those of which the domain has said as much: never a body, a query, a header, or a path
 * that somebody made up. Of requests without a key, which strangers can make as often as they like, the first few of a
 * while and their number. `onAnswered` hears of every request.
 */
export function createAccessLog(
  log: Pick<Logger, 'info' | 'warn' | 'error'>,
  onAnswered: (ctx: Ctx, ms: number) => void = () => undefined,
): Step {
  const keyless = createSampledLog(log);

  function logRequest(ctx: Ctx, ms: number): void {
    const { requestId, paymentRequestId, key, route = ctx._matchedRoute } = ctx.state;
    const fields = {
      method: ctx.method,
      route: String(route ?? 'none'),
      status: ctx.status,
      ms: Math.round(ms),
      requestId,
      ...(paymentRequestId !== undefined && { paymentRequestId }),
      ...(key && { keyId: key.keyId }),
    };
    if (key) log.info(fields, 'request');
    else keyless.info(`${fields.route} ${ctx.status}`, fields, 'request');
  }

  return async (ctx, next) => {
    const started = performance.now();
    try {
      await next();
    } finally {
      const ms = performance.now() - started;
      if (!ctx.state.isLogged) logRequest(ctx as Ctx, ms);
      onAnswered(ctx as Ctx, ms);
    }
  };
}
