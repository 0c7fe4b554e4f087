import type { Logger } from 'pino';
import { createSampledLog } from '../../base/log/sampled-log.ts';
import type { Ctx, Step } from '../state.ts';

/**
 * Logs one line per request, except requests that the domain has logged already. A line never contains a body, a query,
 * a header, or a path that the caller invented. Anyone can send requests without a key, so only the first of them in a
 * period are logged, then their number. `onAnswered` is called for every request.
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
