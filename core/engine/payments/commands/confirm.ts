/** Continuing a submission that stopped for the payer: after a 3D Secure step, or with a member code. */
import { sameText } from '@paywright/contract';
import { attemptOf, latestAttempt } from '../../../database/collections/attempt.ts';
import type { PaymentRecord } from '../../../database/collections/payment-request.ts';
import { GatewayError, notFound } from '../../../base/errors.ts';
import type { PaymentsDeps } from '../deps.ts';
import type { Caller } from '../types/caller.ts';
import type { PaymentAnswer } from '../types/answer.ts';
import type { Payments } from '../service.ts';
import { leaseUntil } from '../record/call-lease.ts';
import { withOperation } from '../store/operations.ts';
import { notPayable, openAction, type Answers } from '../present/answer.ts';
import { GRACE_MS, type Submitter } from '../submit/submit.ts';
import { findStep, takeStep } from '../three-ds/step.ts';

const maxWrongCodes = 5;

export interface ContinuingDeps extends PaymentsDeps {
  readonly submitter: Submitter;
  readonly answers: Answers;
  /** Throws NF001 where the caller may not see it. */
  readonly load: (caller: Caller, id: number) => Promise<PaymentRecord>;
}

export function createContinuing(deps: ContinuingDeps): Pick<Payments, 'resume' | 'confirm'> {
  const { submitter, answers, load, store, config, now } = deps;

  async function resume(caller: Caller, id: number, transaction3dsId: string): Promise<PaymentAnswer> {
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
      return taken && { next: leaseUntil(taken, new Date(now().getTime() + config.callTimeoutMs + GRACE_MS), now()) };
    });
    // The first that came reports how it ended; here it is no failure, whatever it came to.
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
  }

  async function confirm(caller: Caller, id: number, paymentId: string, code: string): Promise<PaymentAnswer> {
    const record = await load(caller, id);
    const action = openAction(record, submitter.readAction);
    if (action?.type !== 'confirm') throw notPayable(record, 'no member code is awaited for this payment');
    if (!sameText(action.paymentId, paymentId)) throw notFound(`paymentId of payment request ${id}`);
    await caller.operation?.bindPayment(id);
    const { n } = latestAttempt(record)!;
    // Counted before it is sent, so that many at once are no more guesses than one after the other.
    let isLocked = false;
    await store.change(id, caller.requestId, (current) => {
      isLocked = attemptOf(current, n)!.wrongCodes >= maxWrongCodes;
      return isLocked ? undefined : { next: countCode(withOperation(current, caller), n, 1) };
    });
    if (isLocked) throw notPayable(record, `the member code was wrong ${maxWrongCodes} times`);
    const completed = await submitter.complete(record, n, { kind: 'code', code }, null, caller.requestId);
    const isRefused = completed.outcome.outcome === 'pending' && completed.outcome.codeRefused === true;
    if (!isRefused) await store.change(id, caller.requestId, (current) => ({ next: countCode(current, n, -1) }));
    // The right code may have been quicker.
    if (isRefused && openAction(completed.record, submitter.readAction)?.type === 'confirm') {
      throw new GatewayError('INVALID_CARD', 'the member code is wrong; it may be tried again', {
        paymentRequestId: id,
        isProviderAnswer: true,
        details: { field: 'code', reason: 'the member code is wrong' },
      });
    }
    return answers.afterPaying(completed.record);
  }

  return { resume, confirm };
}

function countCode(record: PaymentRecord, n: number, step: 1 | -1): PaymentRecord {
  const attempts = record.attempts.map((attempt) => {
    return attempt.n === n ? { ...attempt, wrongCodes: attempt.wrongCodes + step } : attempt;
  });
  return { ...record, attempts };
}
