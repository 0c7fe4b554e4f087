/** Health and readiness checks, for monitoring and load balancers. */
import { Router } from '@koa/router';
import { answerJson, send } from '../answer.ts';
import type { Health, HttpDeps } from '../deps.ts';
import type { RequestState } from '../state.ts';

export interface HealthRoutesDeps extends Pick<HttpDeps, 'log'> {
  readonly health: Pick<Health, 'ready'>;
}

export function healthRoutes({ health, log }: HealthRoutesDeps): Router<RequestState> {
  const router = new Router<RequestState>({ sensitive: true, strict: true });

  router.get('/health', async (ctx) => {
    send(ctx, answerJson({ status: 'ok' }));
  });

  router.get('/ready', async (ctx) => {
    const {
      ok,
      parts,
      warnings = [],
    } = await health.ready().catch((error: unknown) => {
      log.error({ err: error }, 'readiness could not be checked');
      return { ok: false, parts: {}, warnings: [] };
    });
    const status = ok ? 'ready' : 'not ready';
    send(ctx, answerJson({ status, parts, ...(warnings.length > 0 && { warnings }) }));
    if (!ok) ctx.status = 503;
  });

  return router;
}
