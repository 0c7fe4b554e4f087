/** Continues a payment with the member code that the payer received. */
import { sameText } from '@paywright/contract';
import { attemptOf, latestAttempt } from '../../../database/collections/attempt.ts';
import type { PaymentRecord } from '../../../database/collections/payment-request.ts';
import { GatewayError, notFound } from '../../../base/errors.ts';
import { notPayable, openAction, type Answers } from '../present/answer.ts';
import type { LoadForCaller } from '../read/get.ts';
import { withOperation } from '../record/operations.ts';
import { resumeChecks } from '../record/request-fetch.ts';
import type { PaymentStore } from '../store/payment-store.ts';
import type { Submitter } from '../submit/submit.ts';
import type { PaymentAnswer } from '../types/answer.ts';
import type { Caller } from '../types/caller.ts';

const maxWrongCodes = 5;

export interface ConfirmDeps {
  readonly submitter: Submitter;
  readonly answers: Pick<Answers, 'afterPaying'>;
  readonly load: LoadForCaller;
  readonly store: Pick<PaymentStore, 'change'>;
}

export type ConfirmCommand = (caller: Caller, id: number, paymentId: string, code: string) => Promise<PaymentAnswer>;

export function createConfirmCommand({ submitter, answers, load, store }: ConfirmDeps): ConfirmCommand {
  return async function confirm(caller, id, paymentId, code) {
    const record = await load(caller, id);
    const action = openAction(record, submitter.readAction);
    if (action?.type !== 'confirm') throw notPayable(record, 'this payment does not wait for a member code');
    if (!sameText(action.paymentId, paymentId)) throw notFound(`paymentId of payment request ${id}`);
    await caller.operation?.bindPayment(id);
    const { n } = latestAttempt(record)!;
    // The code counts as wrong before it is sent, so that concurrent requests allow no more guesses than consecutive
    // ones. While a code is on its way, no other attempt can replace this one.
    let isLocked = false;
    await store.change(id, caller.requestId, (current) => {
      const marked = withOperation(current, caller);
      const attempt = attemptOf(current, n)!;
      if (attempt.outcome !== 'open') throw notPayable(current, 'this payment does not wait for a member code');
      isLocked = attempt.wrongCodes >= maxWrongCodes;
      return isLocked ? undefined : { next: countCode(marked, n, { wrong: 1, sent: 1 }) };
    });
    if (isLocked) throw notPayable(record, `the member code was wrong ${maxWrongCodes} times`);
    const completed = await submitter.complete(record, n, { kind: 'code', code }, null, caller.requestId);
    const isRefused = completed.outcome.outcome === 'pending' && completed.outcome.codeRefused === true;
    // A code without a readable answer may still charge, whatever a fetch reports afterwards.
    const isUnknown = completed.outcome.outcome === 'unknown';
    const counted = { wrong: isRefused ? 0 : -1, sent: isUnknown ? 0 : -1 };
    await store.change(id, caller.requestId, (current) => {
      const next = countCode(current, n, counted);
      return { next: isUnknown ? resumeChecks(next, n) : next };
    });
    // A concurrent request with the right code may have been faster.
    if (isRefused && openAction(completed.record, submitter.readAction)?.type === 'confirm') {
      throw new GatewayError('INVALID_CARD', 'the member code is wrong; it may be tried again', {
        paymentRequestId: id,
        isProviderAnswer: true,
        details: { field: 'code', reason: 'the member code is wrong' },
      });
    }
    return answers.afterPaying(completed.record);
  };
}

/** `sent`: codes without an answer. */
function countCode(
  record: PaymentRecord,
  n: number,
  { wrong, sent }: { readonly wrong: number; readonly sent: number },
): PaymentRecord {
  const attempts = record.attempts.map((attempt) => {
    const { wrongCodes, codesSent = 0 } = attempt;
    return attempt.n === n ? { ...attempt, wrongCodes: wrongCodes + wrong, codesSent: codesSent + sent } : attempt;
  });
  return { ...record, attempts };
}
