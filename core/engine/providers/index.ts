/** Loading adapters, their registry, and the guarded calls into them. */
export { baseUrlOf, sidesOf } from './adapter-context.ts';
export { accepts, shownValue, type Acceptance, type Candidate } from './accepts.ts';
export { checkReach, type Finding } from './check-reach.ts';
export { checkAccount } from './check-account.ts';
export { checkSettings } from './check-settings.ts';
export { createHostCheck, hostProblem, type HostCheck } from './host-check.ts';
export type { CallExchange } from './guarded-call.ts';
export { importFolder, importPackage } from './load/import-package.ts';
export * from './load/load-adapters.ts';
export { createProviders, loadConfigured, type Providers, type ProvidersDeps } from './create-providers.ts';
export { createProviderCalls, type ProviderCalls, type ProviderCallsDeps } from './calls.ts';
export { descriptionAt } from './load/describe-issue.ts';
export { createRegistry, type FoundRoute, type ListedAdapter, type Registry } from './registry.ts';
export type { MappedEvent, MappedParsed, MappedReport } from './mapped-event.ts';
