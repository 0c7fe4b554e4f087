/** The HTTP side of the gateway, put together: what every request passes, then one of the routes. */
import { Router } from '@koa/router';
import Koa, { type Middleware } from 'koa';
import { notFound, unavailable } from '../base/errors.ts';
import { createSampledLog } from '../base/log/sampled-log.ts';
import type { Health, HttpDeps } from './deps.ts';
import { createBodyBudget, type BodyBudget } from './input/body-budget.ts';
import { createAccessLog } from './middleware/access-log.ts';
import { createIdempotent } from './middleware/idempotency.ts';
import { createErrors } from './middleware/errors.ts';
import { createMerchantGate } from './middleware/merchant.ts';
import { requestId } from './middleware/request-id.ts';
import { traceRequests } from './middleware/trace-requests.ts';
import { createSecurityHeaders } from './middleware/security-headers.ts';
import { createCallbackStep } from './callbacks/routes.ts';
import { docsRoutes } from '../docs/routes.ts';
import { healthRoutes } from './health/routes.ts';
import { notificationRoutes } from './notifications/routes.ts';
import { payPageRoutes } from '../checkout/routes.ts';
import { paymentRequestRoutes } from './payment-requests/routes.ts';
import { paymentRoutes } from './payments/routes.ts';
import { createCallLog } from '../portal/pages/call-log.ts';
import { portalPath, portalRoutes } from '../portal/pages/routes.ts';
import { reportRoutes } from './reports/routes.ts';
import { assetRoutes } from '../html/assets.ts';
import { sendStatusPage } from '../html/page.ts';
import type { Ctx, RequestState } from './state.ts';

export function createApp(deps: HttpDeps): Koa<RequestState> {
  const { config, now, metrics, log } = deps;
  const { publicUrl, trustedProxies } = config;
  const budget = createBodyBudget(config.bodyBudgetBytes);
  const app = new Koa<RequestState>({ proxy: trustedProxies > 0, maxIpsCount: trustedProxies });
  // What happens after the answer has begun: the other side hung up, or a stream broke.
  const failures = createSampledLog(log);
  app.on('error', (error: unknown, ctx?: Koa.ParameterizedContext<RequestState>) => {
    failures.info('connection', { err: error, requestId: ctx?.state.requestId }, 'a connection failed');
  });

  if (trustedProxies === 0 && deps.onUnknownProxy) app.use(noticeProxy(deps.onUnknownProxy));
  app.use(createAccessLog(log, createCallLog(deps)));
  app.use(requestId);
  app.use(traceRequests);
  app.use(createSecurityHeaders(publicUrl));
  app.use(createErrors({ publicUrl, now, metrics, log }));
  app.use(createCallbackStep(deps, budget));
  app.use(healthRoutes(deps).routes());
  app.use(docsRoutes(deps).routes());
  app.use(assetRoutes().routes());
  app.use(refuseWhatCannotBegin(deps.health));
  app.use(payPageRoutes(deps, budget).routes());
  if (deps.portal) app.use(portalRoutes(deps.portal, deps, budget).routes());
  app.use(merchantRoutes(deps, budget).routes());
  app.use(() => {
    throw notFound('this address, or this method at it,');
  });
  return app;
}

/**
 * Nobody waits for a database that does not answer: nothing is begun without it, and a read under way is refused. A host
 * that is held begins nothing either, and reads on.
 */
function refuseWhatCannotBegin(health: Health): Middleware<RequestState> {
  const silence = unavailable('the database does not answer');
  const held = unavailable('this host does not fit the others');
  return async (ctx, next) => {
    try {
      if (health.isAnswering?.() === false) throw silence;
      if (health.isHeld?.() && begins(ctx.method, ctx.path)) throw held;
      // What a POST began goes on: the driver ends it within a few seconds, and only it knows what that means.
      await (ctx.method === 'POST' ? next() : untilSilence(health, next(), silence));
    } catch (error) {
      if ((error !== silence && error !== held) || !isPage(ctx.path)) throw error;
      sendStatusPage(ctx as Ctx, 503);
    }
  };
}

/** The visit of a payment's page may take it a step further. */
function begins(method: string, path: string): boolean {
  return method === 'POST' || /^\/pay\/[^/]+$/.test(path);
}

/** People read it. */
function isPage(path: string): boolean {
  return path.startsWith('/pay/') || path === portalPath || path.startsWith(`${portalPath}/`);
}

async function untilSilence(health: Health, work: Promise<void>, silence: Error): Promise<void> {
  return new Promise((resolve, reject) => {
    const end = health.onSilence?.(() => reject(silence));
    void work.then(resolve, reject).finally(end);
  });
}

/** Behind a proxy that config does not name, everybody has the proxy's address. */
function noticeProxy(onUnknownProxy: () => void): Middleware<RequestState> {
  let isNoticed = false;
  return (ctx, next) => {
    if (!isNoticed && ctx.req.headers['x-forwarded-for'] !== undefined) {
      isNoticed = true;
      onUnknownProxy();
    }
    return next();
  };
}

/** Every merchant address, bare and under `/v2`. */
function merchantRoutes(deps: HttpDeps, budget: BodyBudget): Router<RequestState> {
  const { notifications, reports } = deps;
  const gate = createMerchantGate(deps, budget);
  const idempotent = createIdempotent(deps);
  const groups = [
    paymentRoutes(deps, gate, idempotent),
    paymentRequestRoutes(deps, gate, idempotent),
    ...(notifications ? [notificationRoutes(notifications, deps, gate, idempotent)] : []),
    ...(reports ? [reportRoutes(reports, deps, gate)] : []),
  ];
  const router = new Router<RequestState>();
  for (const group of groups) router.use(group.routes()).use('/v2', group.routes());
  return router;
}
