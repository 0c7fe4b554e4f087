/** Loading adapters, their registry, and the guarded calls into them. */
export { baseUrlOf, sidesOf } from './adapter-context.ts';
export { accountRefOf, mainAccount, parseAccountRef } from './account-ref.ts';
export { accepts, shownValue, type Acceptance, type Candidate } from './accepts.ts';
export { checkReach, type Finding, type FindingPart } from './check-reach.ts';
export { checkAccount, createAccountEvidence, type AccountEvidence } from './check-account.ts';
export { checkSettings } from './check-settings.ts';
export { createHostCheck, hostProblem, type HostCheck } from './host-check.ts';
export type { CallExchange } from './guarded-call.ts';
export { importFolder, importPackage } from './load/import-package.ts';
export * from './load/load-adapters.ts';
export { createProviders, loadConfigured, type Providers, type ProvidersDeps } from './create-providers.ts';
export { createProviderCalls, type ProviderCalls, type ProviderCallsDeps } from './calls.ts';
export { secretsOf, type SecretPlace } from './secret-places.ts';
export { createRegistry, type FoundRoute, type ListedAdapter, type Registry } from './registry.ts';
export type { MappedEvent, MappedParsed, MappedReport } from './mapped-event.ts';
