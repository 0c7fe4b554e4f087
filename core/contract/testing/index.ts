/** For tests of adapters, and for the commands that check one. Nothing needs a test framework until it is used. */
export {
  claimOf,
  createAdapterHarness,
  titleOf,
  type AdapterHarness,
  type Answers,
  type ContextChanges,
  type DeliveredCallback,
  type DeliveryChanges,
  type HarnessOptions,
  type SentCallback,
} from './adapter-harness.ts';
export { compareCall, compareCallback, type CallbackResult, type CallResult } from './compare-result.ts';
export { checks, runChecks, type CheckResult } from './conformance/index.ts';
export {
  BrokenRule,
  Skipped,
  type BelievedMember,
  type Check,
  type Kit,
  type RouteKit,
  type SandboxKit,
  type SandboxPayment,
  type SignedAnswer,
} from './conformance/kit.ts';
export { describeAdapter } from './describe-adapter.ts';
export { describeAmountRules, type AmountRulesKit } from './describe-amount-rules.ts';
export { describePublished, type PublishedOptions } from './describe-published.ts';
export { describeScenarioRules, type ScenarioRulesKit } from './describe-scenario-rules.ts';
export { describeVectors } from './describe-vectors.ts';
export { mutationKinds, type MutationKind } from './mutation/kinds.ts';
export { readMutationFile, type Mutation, type MutationFile } from './mutation/mutation-file.ts';
export { oddPayers, type OddPayer } from './odd-payers.ts';
export { actionOf, pressButton, visitPage } from './payer-page.ts';
export type { VectorCalls } from './play-call.ts';
export { playCallback, type CoreSays, type PlayedCallback } from './play-callback.ts';
export type { VectorOptions } from './play-vector.ts';
export { realHttp } from './real-http.ts';
export {
  startRoundTrip,
  type Brought,
  type Heard,
  type Returned,
  type RoundTrip,
  type RoundTripSetup,
} from './round-trip.ts';
export { listVectors, runVectors, type Vector, type VectorResult } from './run-vectors.ts';
export {
  firstRefund,
  firstVoid,
  sampleStored,
  sampleSubmission,
  sampleSubmissionBy,
  type AnySubmission,
} from './sample-payment.ts';
export {
  noAnswer,
  notSent,
  reply,
  scriptedHttp,
  scriptedProvider,
  type ProviderSetup,
  type Script,
  type ScriptedHttp,
} from './scripted-provider.ts';
export { signVectors, type SignedVectors } from './sign-vectors.ts';
export type { SignAnswer, SignCallback, Signers } from './signers.ts';
export { fixture, fixtureText, packageText, readVectorFile, type VectorFile } from './vector-file.ts';
