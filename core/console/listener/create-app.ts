/** The HTTP app for operators of a host: metrics, health, the console and the management API. */
import { Router } from '@koa/router';
import Koa from 'koa';
import type { Logger } from 'pino';
import { GatewayError } from '../../base/errors.ts';
import {
  clientAddress,
  createErrors,
  createKeylessBudgets,
  createSecurityHeaders,
  healthRoutes,
  requestId,
  type Health,
  type RequestState,
} from '../../http/index.ts';
import type { Metrics, MetricsPage } from '../../base/metrics/index.ts';
import { managementRoutes } from '../api/routes.ts';
import { consoleRoutes } from '../console.ts';
import type { ConsoleDeps } from '../deps.ts';
import { createErrorPages } from './error-pages.ts';
import { createOperatorGate, type OperatorGateDeps } from './operator-gate.ts';

export interface OpsAppDeps extends OperatorGateDeps {
  readonly console: ConsoleDeps;
  /** The health of the whole host. */
  readonly health: Pick<Health, 'ready'>;
  /** Collects the metrics of all processes of the host. */
  readonly scrape: () => Promise<MetricsPage>;
  /** The base of the addresses that explain errors. */
  readonly publicUrl: string;
  /** The number of trusted proxies in front. */
  readonly trustedProxies: number;
  readonly metrics: Pick<Metrics, 'httpProblems'>;
  readonly log: Logger;
}

export function createOpsApp(deps: OpsAppDeps): Koa<RequestState> {
  const { scrape, publicUrl, trustedProxies, log } = deps;
  const gate = createOperatorGate(deps);
  const keyless = createKeylessBudgets(deps);
  const router = new Router<RequestState>({ sensitive: true, strict: true });

  router.get('/metrics', gate.metrics, async (ctx) => {
    const { contentType, text } = await scrape();
    ctx.set('Content-Type', contentType);
    ctx.body = text;
  });

  router.get('/', (ctx) => ctx.redirect('/ops'));

  const app = new Koa<RequestState>({ proxy: trustedProxies > 0, maxIpsCount: trustedProxies });
  app.on('error', (error: unknown) => log.info({ err: error }, 'an operator connection failed'));
  app.use(clientAddress);
  app.use(requestId);
  app.use(createSecurityHeaders(publicUrl));
  app.use(createErrors(deps));
  app.use(createErrorPages(deps));
  app.use(healthRoutes({ ...deps, mayKnowWhy: gate.isOperator }).routes());
  app.use(router.routes());
  app.use(managementRoutes(deps.console.management, gate.bearer, keyless).routes());
  app.use(consoleRoutes(deps.console, keyless).routes());
  app.use(async (ctx) => {
    await keyless.requests.demand(ctx.ip);
    throw new GatewayError('NOT_FOUND', 'there is no route for this method and path');
  });
  return app;
}
