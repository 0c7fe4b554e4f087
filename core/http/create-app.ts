/**
 * The Koa application: the middleware that every request passes, then the routes. The pages around the API (payer's
 * page, documentation, portal) are passed in as `surfaces`, so the API does not know them.
 */
import { Router } from '@koa/router';
import Koa, { type Middleware } from 'koa';
import { errorKinds, GatewayError, unavailable } from '../base/errors.ts';
import { createSampledLog } from '../base/log/sampled-log.ts';
import type { Health, HttpDeps } from './deps.ts';
import type { BodyBudget } from './input/body-budget.ts';
import type { KeylessBudgets } from './keyless.ts';
import { createAccessLog } from './middleware/access-log.ts';
import { clientAddress } from './middleware/client-address.ts';
import { createIdempotent } from './middleware/idempotency.ts';
import { createErrors } from './middleware/errors.ts';
import { createMerchantGate, type MerchantGate } from './middleware/merchant.ts';
import { requestId } from './middleware/request-id.ts';
import { traceRequests } from './middleware/trace-requests.ts';
import { createSecurityHeaders } from './middleware/security-headers.ts';
import { createCallbackStep } from './callbacks/routes.ts';
import { healthRoutes } from './health/routes.ts';
import { notificationRoutes } from './notifications/routes.ts';
import { paymentRequestRoutes } from './payment-requests/routes.ts';
import { paymentRoutes } from './payments/routes.ts';
import { reportRoutes } from './reports/routes.ts';
import { sendStatusPage } from '../html/page.ts';
import type { Ctx, RequestState } from './state.ts';

/** Routes around the API of merchants and providers. */
export interface Surface {
  readonly routes: Router<RequestState>;
  /** True: the routes read nothing from the database, so they are served while it is unavailable. */
  readonly withoutDatabase?: boolean;
  /** True for the addresses that people open in a browser: an error there is a page. */
  isPage?(path: string): boolean;
}

export interface AppOptions {
  readonly surfaces: readonly Surface[];
  /** Shared with the surfaces: the memory for request bodies in progress. */
  readonly budget: BodyBudget;
  /** Shared with the surfaces, too. */
  readonly keyless: KeylessBudgets;
  /** Called after each request, with its duration in ms. */
  readonly onAnswered?: ((ctx: Ctx, ms: number) => void) | undefined;
}

export function createHttpApp(
  deps: HttpDeps,
  { surfaces, budget, keyless, onAnswered }: AppOptions,
): Koa<RequestState> {
  const { config, now, metrics, log } = deps;
  const { publicUrl, trustedProxies } = config;
  const gate = createMerchantGate(deps, budget, keyless);
  const app = new Koa<RequestState>({ proxy: trustedProxies > 0, maxIpsCount: trustedProxies });
  // Errors after the answer has started: the other side closed the connection, or a stream broke.
  const failures = createSampledLog(log);
  app.on('error', (error: unknown, ctx?: Koa.ParameterizedContext<RequestState>) => {
    failures.info('connection', { err: error, requestId: ctx?.state.requestId }, 'a connection failed');
  });

  if (trustedProxies === 0 && deps.onUnknownProxy) app.use(reportUnknownProxy(deps.onUnknownProxy));
  app.use(clientAddress);
  app.use(createAccessLog(log, onAnswered));
  app.use(requestId);
  app.use(traceRequests);
  app.use(createSecurityHeaders(publicUrl));
  app.use(createErrors({ publicUrl, now, metrics, log }));
  app.use(createCallbackStep(deps, budget, keyless));
  app.use(healthRoutes({ ...deps, mayKnowWhy: gate.hasKey }).routes());
  for (const { routes } of surfaces.filter(({ withoutDatabase }) => withoutDatabase)) app.use(routes.routes());
  const isPage = (path: string): boolean => surfaces.some((surface) => surface.isPage?.(path));
  app.use(rejectWhenUnavailable(deps.health, isPage));
  for (const { routes } of surfaces.filter(({ withoutDatabase }) => !withoutDatabase)) app.use(routes.routes());
  app.use(merchantRoutes(deps, gate).routes());
  app.use(async (ctx) => {
    await keyless.requests.demand(ctx.ip);
    const error = new GatewayError('NOT_FOUND', 'there is no route for this method and path');
    if (ctx.method !== 'GET' || ctx.accepts('json', 'html') !== 'html') throw error;
    // A person mistyped an address in a browser.
    metrics.httpProblems.inc({ code: errorKinds[error.kind].code });
    sendStatusPage(ctx, 404, { docs: 'docs' });
  });
  return app;
}

/**
 * While the database does not answer, requests are rejected immediately, and reads in progress are cut off. A host that
 * is incompatible with the cluster is fenced: it still reads, and starts no work.
 */
function rejectWhenUnavailable(health: Health, isPage: (path: string) => boolean): Middleware<RequestState> {
  const databaseLost = unavailable('the database does not answer');
  const hostFenced = unavailable('this host is incompatible with the other hosts');
  return async (ctx, next) => {
    try {
      if (health.isDatabaseUp?.() === false) throw databaseLost;
      if (health.isFenced?.() && startsWork(ctx.method, ctx.path)) throw hostFenced;
      // A POST in progress continues: the driver ends it within a few seconds, and only the POST knows what that means.
      await (ctx.method === 'POST' ? next() : untilDatabaseLost(health, next(), databaseLost));
    } catch (error) {
      if ((error !== databaseLost && error !== hostFenced) || !isPage(ctx.path)) throw error;
      sendStatusPage(ctx, 503);
    }
  };
}

/** Opening the page of a payment may continue the payment, so it counts as work too. */
function startsWork(method: string, path: string): boolean {
  return method === 'POST' || /^\/pay\/[^/]+$/.test(path);
}

async function untilDatabaseLost(health: Health, work: Promise<void>, databaseLost: Error): Promise<void> {
  return new Promise((resolve, reject) => {
    const end = health.onDatabaseLost?.(() => reject(databaseLost));
    void work.then(resolve, reject).finally(end);
  });
}

/** Behind a proxy that config does not name, all clients appear to have the proxy's address. */
function reportUnknownProxy(onUnknownProxy: () => void): Middleware<RequestState> {
  let isReported = false;
  return (ctx, next) => {
    if (!isReported && ctx.req.headers['x-forwarded-for'] !== undefined) {
      isReported = true;
      onUnknownProxy();
    }
    return next();
  };
}

/** Every address for merchants, with and without the prefix `/v2`. */
function merchantRoutes(deps: HttpDeps, gate: MerchantGate): Router<RequestState> {
  const { notifications, reports } = deps;
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
