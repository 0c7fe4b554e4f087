/** Completes 3D Secure steps that the payer took: what the payer's browser or a callback brought is stored with the step. */
import type { CompletionStep } from '@gateway/contract';
import { attemptOf, type Attempt, type Step } from '../../documents/attempt.ts';
import type { PaymentRecord } from '../../documents/payment-request.ts';
import { postedPlace } from '../../documents/places.ts';
import type { Encrypter } from '../../encryption.ts';
import type { Completed, Submitter } from '../submit/submit.ts';

export interface Completion {
  /** Completes the step that was taken; undefined: none was, or the attempt is settled. */
  completeTaken(record: PaymentRecord, n: number, requestId: string): Promise<Completed | undefined>;
  /** Completes the latest step though its return never reached us: the provider says that the payer finished it. */
  completeUnseen(record: PaymentRecord, n: number, requestId: string): Promise<PaymentRecord>;
}

export function createCompletion({
  submitter,
  encrypter,
}: {
  readonly submitter: Submitter;
  readonly encrypter: Encrypter;
}): Completion {
  function readStep(attempt: Attempt, { nonce, posted }: Step): CompletionStep {
    if (!posted) return { kind: 'return' };
    const text = encrypter.decrypt(posted, postedPlace(attempt, nonce)).toString('utf8');
    return JSON.parse(text) as CompletionStep; // What we encrypted ourselves.
  }

  return {
    async completeTaken(record, n, requestId) {
      const attempt = attemptOf(record, n)!;
      const step = takenStep(attempt);
      if (!step || attempt.outcome !== 'open') return undefined;
      return submitter.complete(record, n, readStep(attempt, step), step.nonce, requestId);
    },
    async completeUnseen(record, n, requestId) {
      const attempt = attemptOf(record, n)!;
      const step = attempt.steps.findLast(({ doneAt }) => !doneAt);
      if (attempt.outcome !== 'open' || !step) return record;
      return (await submitter.complete(record, n, { kind: 'return' }, step.nonce, requestId)).record;
    },
  };
}

/** A step that was taken, and that `complete` has not answered for. */
export function takenStep({ steps }: Attempt): Step | undefined {
  return steps.find(({ takenAt, doneAt }) => takenAt && !doneAt);
}
