/**
 * Composes the HTTP application of an API process: the API, and the surfaces around it (payer's page, documentation,
 * merchant's portal). The API in `core/http` imports none of them.
 */
import type Koa from 'koa';
import { assetRoutes, payScript } from './checkout/assets.ts';
import { paySection } from './checkout/openapi.ts';
import { payPageRoutes } from './checkout/routes.ts';
import { docsSection } from './docs/openapi.ts';
import { docsRoutes } from './docs/routes.ts';
import {
  createBodyBudget,
  createDocument,
  createHttpApp,
  createKeylessBudgets,
  merchantSections,
  serviceSections,
  type DocumentFacts,
  type HttpDeps,
  type OpenApiDocument,
  type RequestState,
  type Surface,
} from './http/index.ts';
import type { Portal } from './portal/index.ts';
import { createCallLog } from './portal/pages/call-log.ts';
import { portalPath, portalRoutes } from './portal/pages/routes.ts';

export interface AppDeps extends HttpDeps {
  /** Absent: the portal's addresses answer 404, and API calls are not logged for it. */
  readonly portal?: Portal;
}

/** The only script of the payer's page. */
export { payScript };

export function createApp(deps: AppDeps): Koa<RequestState> {
  const { portal } = deps;
  const budget = createBodyBudget(deps.config.bodyBudgetBytes);
  const keyless = createKeylessBudgets(deps);
  const shared = { ...deps, keyless };
  const surfaces: Surface[] = [
    { routes: docsRoutes({ ...shared, createDocument: createOpenApi }), withoutDatabase: true },
    { routes: assetRoutes(keyless), withoutDatabase: true },
    { routes: payPageRoutes(shared, budget), isPage: (path) => path.startsWith('/pay/') },
  ];
  if (portal) surfaces.push({ routes: portalRoutes(portal, shared, budget), isPage: isPortalPage });
  return createHttpApp(deps, { surfaces, budget, keyless, onAnswered: portal && createCallLog(portal, deps.now) });
}

/** The OpenAPI document of all that `createApp` serves to merchants, payers and providers. */
export function createOpenApi(facts: DocumentFacts): OpenApiDocument {
  return createDocument(facts, [...merchantSections, paySection, ...serviceSections, docsSection]);
}

function isPortalPage(path: string): boolean {
  return path === portalPath || path.startsWith(`${portalPath}/`);
}
