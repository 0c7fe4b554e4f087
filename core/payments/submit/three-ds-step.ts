/** Taking a 3D Secure step: once, by whoever comes first: the payer's browser, a callback, or the merchant. */
import { randomUUID } from 'node:crypto';
import { latestAttempt, type Attempt, type PaymentRecord, type Step } from '../facts.ts';
import type { Caller } from '../service.ts';

/** The latest step that fits, whether it waits or was taken. */
export function findStep(
  record: PaymentRecord,
  fits: (step: Step, attempt: Attempt) => boolean,
): { attempt: Attempt; step: Step } | undefined {
  for (const attempt of record.attempts.toReversed()) {
    const step = attempt.steps.findLast((one) => fits(one, attempt));
    if (step) return { attempt, step };
  }
  return undefined;
}

/** The step that waits for the payer now. */
export function openStep(record: PaymentRecord): Step | undefined {
  const attempt = latestAttempt(record);
  if (attempt?.outcome !== 'open') return undefined;
  return attempt.steps.findLast(({ takenAt }) => !takenAt);
}

/** Marks it taken; undefined where it was taken before, or the attempt is settled. */
export function takeStep(
  record: PaymentRecord,
  attempt: Attempt,
  step: Step,
  at: Date,
  posted: Uint8Array | null,
): PaymentRecord | undefined {
  if (step.takenAt || attempt.outcome !== 'open') return undefined;
  const steps = attempt.steps.map((one) => (one.nonce === step.nonce ? { ...one, takenAt: at, posted } : one));
  return { ...record, attempts: record.attempts.map((one) => (one.n === attempt.n ? { ...one, steps } : one)) };
}

/**
 * Keeps a result that the browser brings while somebody who had none completes the step: some providers end it by nothing
 * else. Undefined where it comes too late, or is not the first.
 */
export function addResult(
  record: PaymentRecord,
  attempt: Attempt,
  step: Step,
  posted: Uint8Array,
): PaymentRecord | undefined {
  if (!step.takenAt || step.doneAt || step.posted || attempt.outcome !== 'open') return undefined;
  const steps = attempt.steps.map((one) => (one.nonce === step.nonce ? { ...one, posted } : one));
  return { ...record, attempts: record.attempts.map((one) => (one.n === attempt.n ? { ...one, steps } : one)) };
}

const MAX_EFFECTS = 100;

/** The payment with the mark of the caller's request, so that a repetition of it knows what was begun. */
export function withEffect(record: PaymentRecord, { effect }: Pick<Caller, 'effect'>): PaymentRecord {
  return effect === undefined ? record : { ...record, effects: [...record.effects, effect].slice(-MAX_EFFECTS) };
}

/** Holds the payment's ask lease for a call that runs in this process, so that a worker takes over should it die. */
export function withLease(record: PaymentRecord, until: Date): PaymentRecord {
  return { ...record, askToken: `call-${randomUUID()}`, askAt: until };
}
