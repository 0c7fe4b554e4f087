/**
 * Exports that only core, the workers and the commands use: `@paywright/contract/core`. Adapters need none of them.
 * The package's root exports them too, until 3.0.
 */
export { defaultLoadsPerMinute, defaultMaxBodyBytes, maxLoadsPerMinute } from '../adapter.ts';
export { acknowledgeByDefault } from '../callback.ts';
export { detailLimits } from '../event.ts';
export { maxPictureBytes, pictureProblem } from '../payer/brands.ts';
export { isPlainJson, maxAdapterStateBytes, interfaceFields, providerReferenceLimits } from '../outcome.ts';
export { inputKindOf, inputMembers } from '../payment.ts';
export { isMisconfigured } from '../provider.ts';
export { toReference } from '../reference.ts';
export { isCryptocurrency } from '../money/currencies.ts';
export { sandboxAddresses } from '../sandbox/sandbox-contract.ts';
export { countJsonValues, maxJsonValues } from '../read/json-values.ts';
export { declineCodes } from '../statuses/decline-codes.ts';
export { eventKinds, statusesByKind } from '../statuses/event-statuses.ts';
export { answerRuleOf, answerRuleText, sandboxRuleHeader } from '../sandbox-rule.ts';
export { contractVersion } from './version.ts';
