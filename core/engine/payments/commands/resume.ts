/** Continues a payment after the payer has taken a 3D Secure step. */
import { sameText } from '@paywright/contract';
import { notFound } from '../../../base/errors.ts';
import type { Answers } from '../present/answer.ts';
import type { LoadForCaller } from '../read/get.ts';
import { leaseFor } from '../record/call-lease.ts';
import { resumeChecks } from '../record/request-fetch.ts';
import type { PaymentStore } from '../store/payment-store.ts';
import { GRACE_MS } from '../submit/settle.ts';
import type { Submitter } from '../submit/submit.ts';
import { findStep, takeStep } from '../three-ds/step.ts';
import type { PaymentAnswer } from '../types/answer.ts';
import type { Caller } from '../types/caller.ts';

export interface ResumeDeps {
  readonly submitter: Pick<Submitter, 'complete'>;
  readonly answers: Pick<Answers, 'current' | 'afterPaying'>;
  readonly load: LoadForCaller;
  readonly store: Pick<PaymentStore, 'change'>;
  readonly config: { readonly callTimeoutMs: number };
  readonly now: () => Date;
}

export type ResumeCommand = (caller: Caller, id: number, transaction3dsId: string) => Promise<PaymentAnswer>;

export function createResumeCommand(deps: ResumeDeps): ResumeCommand {
  const { submitter, answers, load, store, config, now } = deps;

  return async function resume(caller, id, transaction3dsId) {
    const known = await load(caller, id);
    const fits = findStep(
      known,
      ({ transactionId }) => transactionId !== null && sameText(transactionId, transaction3dsId),
    );
    if (!fits) throw notFound(`3D Secure transaction of payment request ${id}`);
    await caller.operation?.bindPayment(id);
    const { nonce } = fits.step;
    let took = false;
    const { record } = await store.change(id, caller.requestId, (current) => {
      const found = findStep(current, (step) => step.nonce === nonce);
      const taken = found && takeStep(current, found.attempt, found.step, now(), null);
      took = taken !== undefined;
      if (!taken) return undefined;
      return { next: leaseFor(resumeChecks(taken, found.attempt.n), config.callTimeoutMs + GRACE_MS, now()) };
    });
    // The first call reports the result of the step. A later call does not fail, whatever that result is.
    if (!took) return answers.current(record);
    const completed = await submitter.complete(
      record,
      fits.attempt.n,
      { kind: 'return' },
      nonce,
      caller.requestId,
      true,
    );
    return answers.afterPaying(completed.record);
  };
}
