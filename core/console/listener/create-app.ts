/** The operators' side of a host over HTTP: its metrics, whether it lives and can work, and the console. */
import { Router } from '@koa/router';
import Koa from 'koa';
import type { Logger } from 'pino';
import { GatewayError } from '../../base/errors.ts';
import {
  createErrors,
  createSecurityHeaders,
  healthRoutes,
  requestId,
  type Health,
  type RequestState,
} from '../../http/index.ts';
import type { Metrics, MetricsPage } from '../../base/metrics/index.ts';
import { consoleRoutes } from '../console.ts';
import type { ConsoleDeps } from '../deps.ts';
import { createErrorPages } from './error-pages.ts';
import { createOperatorGate, type OperatorGateDeps } from './operator-gate.ts';

export interface OpsAppDeps extends OperatorGateDeps {
  readonly console: ConsoleDeps;
  /** Of the whole host. */
  readonly health: Pick<Health, 'ready'>;
  /** What all processes of the host counted and measured. */
  readonly scrape: () => Promise<MetricsPage>;
  /** Where errors are explained. */
  readonly publicUrl: string;
  /** How many. */
  readonly trustedProxies: number;
  readonly metrics: Pick<Metrics, 'httpProblems'>;
  readonly log: Logger;
}

export function createOpsApp(deps: OpsAppDeps): Koa<RequestState> {
  const { scrape, publicUrl, trustedProxies, log } = deps;
  const gate = createOperatorGate(deps);
  const router = new Router<RequestState>({ sensitive: true, strict: true });

  router.get('/metrics', gate.metrics, async (ctx) => {
    const { contentType, text } = await scrape();
    ctx.set('Content-Type', contentType);
    ctx.body = text;
  });

  const app = new Koa<RequestState>({ proxy: trustedProxies > 0, maxIpsCount: trustedProxies });
  app.on('error', (error: unknown) => log.info({ err: error }, 'a connection of an operator failed'));
  app.use(requestId);
  app.use(createSecurityHeaders(publicUrl));
  app.use(createErrors(deps));
  app.use(createErrorPages(deps));
  app.use(healthRoutes(deps).routes());
  app.use(router.routes());
  app.use(consoleRoutes(deps.console).routes());
  app.use(() => {
    throw new GatewayError('NOT_FOUND', 'there is no route for this method and path');
  });
  return app;
}
