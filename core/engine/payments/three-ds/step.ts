/**
 * Steps of the payer that `complete` continues: 3D Secure steps, and redirects that are completed at the payer's
 * return. Each step is taken once, by the first that arrives: the payer's browser, a callback, or the merchant.
 */
import { randomBytes } from 'node:crypto';
import type { Action } from '@paywright/contract';
import { latestAttempt, type Attempt, type ThreeDsStep } from '../../../database/collections/attempt.ts';
import type { PaymentRecord } from '../../../database/collections/payment-request.ts';

/** The name of one 3D Secure step: 16 lower-case hex digits. */
export function newNonce(): string {
  return randomBytes(8).toString('hex');
}

/**
 * The step that an action opens: a 3D Secure challenge, which names a transaction, or a redirect that `complete` ends
 * when the payer returns. Any other hosted page or wallet is settled by callback.
 */
export function newStep(action: Action, nonce = newNonce()): ThreeDsStep | null {
  if (action.type !== 'redirect') return null;
  const { transactionId = null, completesOnReturn = false } = action;
  if (transactionId === null && !completesOnReturn) return null;
  return { nonce, transactionId, takenAt: null, doneAt: null, posted: null };
}

/** The latest step that fits, whether it waits or was taken. */
export function findStep(
  record: PaymentRecord,
  fits: (step: ThreeDsStep, attempt: Attempt) => boolean,
): { attempt: Attempt; step: ThreeDsStep } | undefined {
  for (const attempt of record.attempts.toReversed()) {
    const step = attempt.steps.findLast((one) => fits(one, attempt));
    if (step) return { attempt, step };
  }
  return undefined;
}

/** The step that waits for the payer now. */
export function openStep(record: PaymentRecord): ThreeDsStep | undefined {
  const attempt = latestAttempt(record);
  if (attempt?.outcome !== 'open') return undefined;
  return attempt.steps.findLast(({ takenAt }) => !takenAt);
}

/** Marks the step as taken. Undefined if it was taken before, or if the attempt is settled. */
export function takeStep(
  record: PaymentRecord,
  attempt: Attempt,
  step: ThreeDsStep,
  at: Date,
  posted: Uint8Array | null,
): PaymentRecord | undefined {
  if (step.takenAt || attempt.outcome !== 'open') return undefined;
  const steps = attempt.steps.map((one) => (one.nonce === step.nonce ? { ...one, takenAt: at, posted } : one));
  return { ...record, attempts: record.attempts.map((one) => (one.n === attempt.n ? { ...one, steps } : one)) };
}

/**
 * Keeps a result that the browser brings while a process without that result completes the step: some providers report
 * the end in no other way. Undefined if the result comes too late, or is not the first.
 */
export function addResult(
  record: PaymentRecord,
  attempt: Attempt,
  step: ThreeDsStep,
  posted: Uint8Array,
): PaymentRecord | undefined {
  if (!step.takenAt || step.doneAt || step.posted || attempt.outcome !== 'open') return undefined;
  const steps = attempt.steps.map((one) => (one.nonce === step.nonce ? { ...one, posted } : one));
  return { ...record, attempts: record.attempts.map((one) => (one.n === attempt.n ? { ...one, steps } : one)) };
}
