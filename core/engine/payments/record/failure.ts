/**
 * Why an attempt failed: one answer for the payer's page, console, portal, commands and export. What ended the attempt
 * comes before what the provider also reports. After a failed 3D Secure, for example, providers often report a decline
 * that no bank made.
 */
import { defined } from '@paywright/contract';
import { answerRuleOf } from '@paywright/contract/core';
import type { Attempt } from '../../../database/collections/attempt.ts';
import type { PayFailure } from '../types/pay-page.ts';
import { declineText } from './operator-words.ts';

/**
 * `given_up`: the payer chose another way, or the merchant cancelled. `no_reason`: the provider reported only that it
 * failed.
 */
export type Failure = PayFailure | { readonly kind: 'given_up' } | { readonly kind: 'no_reason' };

export interface FailureFacts {
  /** As a sentence or a few words. Null: it did not fail. */
  readonly failure: string | null;
  /** The provider's own words about a decline. Null: there are none, or they say the same. */
  readonly failureWords: string | null;
}

/** Null: it did not fail. */
export function failureOf(attempt: Attempt): Failure | null {
  const { outcome, nothingCharged, refusedField, sandboxRule, threeDsResult, decline, cancelled } = attempt;
  const { replacedAt = null } = attempt;
  if (outcome !== 'failed') return null;
  if (cancelled) return { kind: 'cancelled' };
  if (nothingCharged && refusedField) return { kind: 'field_refused', field: refusedField };
  if (nothingCharged) return { kind: 'nothing_charged', ...defined({ sandboxRule: answerRuleOf(sandboxRule) }) };
  if (threeDsResult !== null) return { kind: 'three_ds' };
  if (decline !== null) return { kind: 'declined', code: decline };
  return { kind: replacedAt === null ? 'no_reason' : 'given_up' };
}

export function presentFailure(attempt: Attempt): FailureFacts {
  const failure = failureOf(attempt);
  if (failure?.kind !== 'declined') return { failure: failure && failureText(failure), failureWords: null };
  const { declineText: words } = attempt;
  const isSame = words?.toLowerCase() === declineText(failure.code)?.toLowerCase();
  return { failure: failureText(failure), failureWords: isSame ? null : words };
}

/** With the provider's words, for operators. */
export function reasonText({ failure, failureWords }: FailureFacts): string | null {
  return failure === null || failureWords === null ? failure : `${failure}: ${failureWords}`;
}

function failureText(failure: Failure): string {
  switch (failure.kind) {
    case 'cancelled':
      return 'It was cancelled at the provider.';
    case 'field_refused':
      return `The provider refused the field ${failure.field}; nothing was charged.`;
    case 'nothing_charged':
      return failure.sandboxRule === undefined
        ? 'The provider could not process it; nothing was charged.'
        : `Sandbox error on purpose: the amount ends in ${failure.sandboxRule}.`;
    case 'three_ds':
      return '3D Secure failed: the payer was not authenticated.';
    case 'declined':
      return `${declineText(failure.code) ?? 'Declined'} (code ${failure.code})`;
    case 'given_up':
      return 'It was given up before it was paid.';
    case 'no_reason':
      return 'The provider gave no reason.';
  }
}
