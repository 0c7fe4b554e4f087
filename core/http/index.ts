/** The public surface of the HTTP layer. */
export { createHttpApp, type Surface } from './create-app.ts';
export { createBodyBudget } from './input/body-budget.ts';
export type { Access, AdapterFacts, AdapterEntry, Health, HttpConfig, HttpDeps, ReportRow, Reports } from './deps.ts';
export { countKeyless, createKeylessBudgets, type KeylessBudgets } from './keyless.ts';
export { healthRoutes } from './health/routes.ts';
export { shareLimits } from './share-limits.ts';
export { createErrors, toGatewayError } from './middleware/errors.ts';
export { clientAddress } from './middleware/client-address.ts';
export { requestId } from './middleware/request-id.ts';
export { createSecurityHeaders } from './middleware/security-headers.ts';
export { ListenError, startServer } from './start-server.ts';
export type { RunningServer } from './start-server.ts';
export type { Ctx, RequestState, RouteStep } from './state.ts';
export { createDocument, merchantSections, serviceSections } from './openapi/index.ts';
export type { DocumentFacts, OpenApiDocument } from './openapi/index.ts';
