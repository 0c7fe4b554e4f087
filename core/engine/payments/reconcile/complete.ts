/**
 * Completes 3D Secure steps that the payer took. The result that the browser or a callback brought is stored with the
 * step.
 */
import type { CompletionStep } from '@paywright/contract';
import { attemptOf, type Attempt, type ThreeDsStep } from '../../../database/collections/attempt.ts';
import type { PaymentRecord } from '../../../database/collections/payment-request.ts';
import { postedContext } from '../../../database/encryption-context.ts';
import type { Encrypter } from '../../../base/crypto/encryption.ts';
import type { PaymentStore } from '../store/payment-store.ts';
import type { Completed, Submitter } from '../submit/submit.ts';
import { takeStep } from '../three-ds/step.ts';

export interface Completion {
  /** Completes the step that was taken. Undefined: no step was taken, or the attempt is settled. */
  completeTaken(record: PaymentRecord, n: number, requestId: string): Promise<Completed | undefined>;
  /**
   * Completes the latest step although its return never reached us: the provider reports that the payer finished it. If
   * the return has reached another process since, that process completes the step.
   */
  completeUnseen(record: PaymentRecord, n: number, requestId: string): Promise<PaymentRecord>;
}

export interface CompletionDeps {
  readonly store: PaymentStore;
  readonly submitter: Submitter;
  readonly encrypter: Encrypter;
  readonly now: () => Date;
}

export function createCompletion({ store, submitter, encrypter, now }: CompletionDeps): Completion {
  function readStep(attempt: Attempt, { nonce, posted }: ThreeDsStep): CompletionStep {
    if (!posted) return { kind: 'return' };
    const text = encrypter.decrypt(posted, postedContext(attempt, nonce)).toString('utf8');
    return JSON.parse(text) as CompletionStep; // We encrypted it ourselves.
  }

  return {
    async completeTaken(record, n, requestId) {
      const attempt = attemptOf(record, n)!;
      const step = takenStep(attempt);
      if (!step || attempt.outcome !== 'open') return undefined;
      return submitter.complete(record, n, readStep(attempt, step), step.nonce, requestId);
    },
    async completeUnseen(record, n, requestId) {
      let nonce: string | undefined;
      const { record: current } = await store.change(record._id, requestId, (one) => {
        const attempt = attemptOf(one, n)!;
        const step = attempt.steps.findLast(({ doneAt }) => !doneAt);
        const next = step && takeStep(one, attempt, step, now(), null);
        nonce = next && step.nonce;
        return next && { next };
      });
      if (nonce === undefined) return current;
      return (await submitter.complete(current, n, { kind: 'return' }, nonce, requestId)).record;
    },
  };
}

/** A step that was taken and that `complete` has not answered yet. */
export function takenStep({ steps }: Attempt): ThreeDsStep | undefined {
  return steps.find(({ takenAt, doneAt }) => takenAt && !doneAt);
}
