/** The conformance kit: every rule for adapters, as plain functions. */
import type { ProviderAdapter } from '../../adapter.ts';
import { aboutChecks } from './about-checks.ts';
import { accountChecks } from './account-checks.ts';
import { answerSignatureChecks } from './answer-signature-checks.ts';
import { BrokenRule, Finding, Skipped, type Check, type Kit } from './kit.ts';
import { closeChecks } from './close-checks.ts';
import { laterChecks } from './later-checks.ts';
import { laterMoneyChecks } from './later-money-checks.ts';
import { manifestChecks } from './manifest-checks.ts';
import { optionsChecks } from './options-checks.ts';
import { proofChecks } from './proof-checks.ts';
import { readingChecks } from './reading-checks.ts';
import { referenceChecks } from './reference-checks.ts';
import { repetitionChecks } from './repetition-checks.ts';
import { requestChecks } from './request-checks.ts';
import { modeChecks } from './mode-checks.ts';
import { namingChecks } from './naming-checks.ts';
import { payerChecks } from './payer-checks.ts';
import { sandboxChecks } from './sandbox-checks.ts';
import { secrecyChecks } from './secrecy-checks.ts';
import { singleAnswerChecks } from './single-answer-checks.ts';
import { stateChecks } from './state-checks.ts';
import { createSubject } from './subject.ts';
import { submissionChecks } from './submission-checks.ts';
import { undecidedChecks } from './undecided-checks.ts';
import { unfinishedChecks } from './unfinished-checks.ts';
import { wayChecks } from './way-checks.ts';
import { wordChecks } from './word-checks.ts';

/** All checks of an adapter, to be run one by one, in the order of the contract. */
export function checks<Options>(adapter: ProviderAdapter<Options>, kit: Kit<Options>): Check[] {
  const subject = createSubject(adapter, kit);
  return [
    ...undecidedChecks(adapter, kit),
    ...optionsChecks(subject),
    ...manifestChecks(subject),
    ...wayChecks(subject),
    ...submissionChecks(subject),
    ...laterChecks(subject),
    ...aboutChecks(subject),
    ...singleAnswerChecks(subject),
    ...wordChecks(subject),
    ...answerSignatureChecks(subject),
    ...closeChecks(subject),
    ...repetitionChecks(subject),
    ...stateChecks(subject),
    ...requestChecks(subject),
    ...laterMoneyChecks(subject),
    ...proofChecks(subject),
    ...readingChecks(subject),
    ...referenceChecks(subject),
    ...modeChecks(subject),
    ...accountChecks(subject),
    ...namingChecks(subject),
    ...secrecyChecks(subject),
    ...sandboxChecks(subject),
    ...unfinishedChecks(subject),
    ...payerChecks(subject),
  ].map((check) => ({ ...check, run: () => runWithRuleName(check) }));
}

/** An error that a check throws is reported with its rule. */
async function runWithRuleName(check: Check): Promise<void> {
  try {
    await check.run();
  } catch (error) {
    if (error instanceof Skipped) throw error;
    if (error instanceof Finding) throw new BrokenRule(check.rule, error.message, error.cure);
    const said = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
    throw new BrokenRule(
      check.rule,
      `the adapter threw ${said}`,
      'answer every input with a result, never with an error',
    );
  }
}

export interface CheckResult {
  readonly rule: string;
  readonly title: string;
  /** The broken rule, in words; undefined if the adapter keeps it. */
  readonly broken?: string;
  /** Why the rule could not be checked, so that nothing was proven; undefined if it was checked. */
  readonly skipped?: string;
}

/** Runs all checks and reports each result; for commands and for tests of the kit itself. */
export async function runChecks<Options>(adapter: ProviderAdapter<Options>, kit: Kit<Options>): Promise<CheckResult[]> {
  const results: CheckResult[] = [];
  for (const { rule, title, run } of checks(adapter, kit)) {
    try {
      await run();
      results.push({ rule, title });
    } catch (error) {
      if (error instanceof Skipped) results.push({ rule, title, skipped: error.message });
      else results.push({ rule, title, broken: error instanceof Error ? error.message : String(error) });
    }
  }
  return results;
}
