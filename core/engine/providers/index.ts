/** Loading adapters, their registry, and the guarded calls into them. */
export { baseUrlOf, sidesOf } from './adapter-context.ts';
export type { AccountUser } from './account-access.ts';
export {
  accountNameOf,
  accountRefOf,
  callbackPath,
  mainAccount,
  parseAccountRef,
  toAccountRef,
} from './account-ref.ts';
export { createAccounts, type Accounts } from './accounts/accounts.ts';
export type { AccountsDeps } from './accounts/accounts-deps.ts';
export { configuredEntries } from './accounts/configured-entries.ts';
export { readFee, writeFee } from './accounts/fee-text.ts';
export { hasKnownFee } from './accounts/known-fees.ts';
export type { AccountSettings, WantedAccount } from './accounts/account-settings.ts';
export type { AccountFigures } from './accounts/account-views.ts';
export type { AccountView, ListedAccount } from './accounts/present-account.ts';
export { createReportedIds } from './accounts/reported-ids.ts';
export { readStoredAccounts, type StoredByAdapter } from './accounts/stored-accounts.ts';
export { accepts, shownValue, type Acceptance, type Candidate } from './accepts.ts';
export { checkReach, type Finding, type FindingPart } from './check-reach.ts';
export { askProvider } from './ask-provider.ts';
export { checkAccount, createAccountEvidence, type AccountEvidence, type KeepReportedId } from './check-account.ts';
export { checkSettings } from './check-settings.ts';
export { createHostCheck, hostProblem, type HostCheck } from './host-check.ts';
export type { CallExchange } from './guarded-call.ts';
export { importFolder, importPackage } from './load/import-package.ts';
export * from './load/load-adapters.ts';
export { createProviders, loadConfigured, type Providers, type ProvidersDeps } from './create-providers.ts';
export { createProviderCalls, type ProviderCalls, type ProviderCallsDeps } from './calls.ts';
export { secretsOf, type SecretPlace } from './secret-places.ts';
export { createRegistry, maxTriedAccounts, type FoundRoute, type ListedAdapter, type Registry } from './registry.ts';
export { countedOpen, HeldMoneyError, openCountText } from './states/account-money.ts';
export { readOptionText, toOptionText, type OptionField } from './option-fields.ts';
export type { MappedEvent, MappedParsed, MappedReport } from './mapped-event.ts';
