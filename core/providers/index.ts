/** Loading adapters, their registry, and the contained calls into them. */
export { accepts, type Acceptance, type Candidate } from './accepts.ts';
export type { CallExchange } from './guarded-call.ts';
export { importPackage } from './load/import-package.ts';
export * from './load/load-adapters.ts';
export { createProviderCalls, type ProviderCalls, type ProviderCallsSetup } from './provider-calls.ts';
export { createRegistry, type FoundRoute, type Registry, type Standing } from './registry.ts';
export type { StatedEvent, StatedParsed, StatedReport } from './mapped-event.ts';
