/** Health and readiness checks, for monitoring and load balancers. */
import { Router } from '@koa/router';
import { answerJson, send } from '../answer.ts';
import type { Health, HttpDeps } from '../deps.ts';
import type { Ctx, RequestState } from '../state.ts';

export interface HealthRoutesDeps extends Pick<HttpDeps, 'log'> {
  readonly health: Pick<Health, 'ready'>;
  /** True if the caller may know which parts are down. Other callers learn only whether the service is ready. */
  readonly mayKnowWhy: (ctx: Ctx) => Promise<boolean>;
}

export function healthRoutes({ health, mayKnowWhy, log }: HealthRoutesDeps): Router<RequestState> {
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
    const why = { parts, ...(warnings.length > 0 && { warnings }) };
    send(ctx, answerJson({ status, ...((await mayKnowWhy(ctx)) && why) }));
    if (!ok) ctx.status = 503;
  });

  return router;
}
