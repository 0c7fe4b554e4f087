/** Loading adapters, their registry, and the contained calls into them. */
export { accepts, type Acceptance, type Candidate } from './accepts.ts';
export type { CallExchange } from './containment.ts';
export { importPackage } from './import-package.ts';
export * from './load-adapters.ts';
export { createProviderCalls, type ProviderCalls, type ProviderCallsSetup } from './provider-calls.ts';
export { createRegistry, type FoundRoute, type Registry, type Standing } from './registry.ts';
export type { StatedEvent, StatedParsed, StatedReport } from './stated-event.ts';
