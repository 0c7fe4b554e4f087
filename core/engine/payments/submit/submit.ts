/**
 * Calls the provider: submits with fallbacks, and completes the steps that continue a submission. The attempt is stored
 * first.
 */
import type { Action, CompletionStep, Outcome } from '@paywright/contract';
import { createAttempt, withPaymentWay, toSubmission } from './attempt.ts';
import { createSettlement, GRACE_MS, settlesUntil, type SettleDeps } from './settle.ts';
import { encryptAction, readAction, toStoredPayment } from './stored-payment.ts';
import { newNonce, newStep } from '../three-ds/step.ts';
import type { OutcomeFact } from '../state/apply-outcome.ts';
import type { ProviderCalls } from '../../providers/calls.ts';
import { attemptOf, type Attempt } from '../../../database/collections/attempt.ts';
import type { PaymentRecord } from '../../../database/collections/payment-request.ts';
import type { Candidate } from './routing.ts';
import type { PayerInput } from '../types/input.ts';
import { leaseExpired } from '../record/call-lease.ts';
import { makeToken, type ThreeDsOptions } from '../three-ds/token.ts';
import { accountRefOf } from '../../providers/account-ref.ts';

export interface Submitter {
  /**
   * Submits the open attempt and settles its outcome. If certainly nothing was charged, continues with the next
   * candidate. Returns the payment as it is then: a callback may have been faster than the answer.
   */
  submit(
    record: PaymentRecord,
    n: number,
    input: PayerInput,
    rest: readonly Candidate[],
    requestId: string,
  ): Promise<PaymentRecord>;
  /**
   * Calls `complete` for a step that was taken (its nonce) or for a member code, and settles the answer. `endsLease`:
   * the caller holds the payment's lease for this call only.
   */
  complete(
    record: PaymentRecord,
    n: number,
    step: CompletionStep,
    nonce: string | null,
    requestId: string,
    endsLease?: boolean,
  ): Promise<Completed>;
  readonly readAction: (attempt: Attempt) => Action | null;
}

export interface Completed {
  readonly record: PaymentRecord;
  readonly outcome: Outcome;
}

export interface SubmitterDeps extends SettleDeps {
  readonly calls: Pick<ProviderCalls, 'submit' | 'complete' | 'methodOf'>;
  readonly config: { readonly threeDs: ThreeDsOptions; readonly callTimeoutMs: number };
}

export function createSubmitter(deps: SubmitterDeps): Submitter {
  const { calls, encrypter, config, now } = deps;
  const settlement = createSettlement(deps);

  function newToken(record: PaymentRecord, n: number): { nonce: string; threeDsToken: string } {
    const nonce = newNonce();
    const facts = { paymentRequestId: String(record._id), attempt: n, nonce };
    return { nonce, threeDsToken: makeToken(config.threeDs, facts, now()) };
  }

  function answerOf(attempt: Attempt, outcome: Outcome, nonce: string): Pick<OutcomeFact, 'action' | 'step'> {
    const action = outcome.outcome === 'pending' ? outcome.action : undefined;
    if (!action) return { action: null, step: null };
    return { action: encryptAction(encrypter, attempt, action), step: newStep(action, nonce) };
  }

  function fallbackAttempt(record: PaymentRecord, n: number, candidate: Candidate, input: PayerInput): Attempt {
    const { active, money } = candidate;
    const failed = attemptOf(record, n)!;
    const opened = createAttempt(
      {
        n: n + 1,
        paymentRequestId: record._id,
        adapter: active.name,
        account: active.account,
        providerCode: active.adapter.manifest.code,
        method: failed.method,
        money,
        sandbox: failed.sandbox,
        isFallback: true,
        now: now(),
        limitMs: config.callTimeoutMs + GRACE_MS,
      },
      input,
    );
    return withPaymentWay(calls, active, record, opened, input);
  }

  return {
    async submit(opened, first, input, candidates, requestId) {
      let record = opened;
      let n = first;
      for (const [index, next] of [...candidates, undefined].entries()) {
        if (index > 0) n += 1;
        const attempt = attemptOf(record, n)!;
        const { nonce, threeDsToken } = newToken(record, n);
        const { deadlineAt } = attempt;
        const submission = toSubmission(record, attempt, input);
        const deadlinePassed = (): boolean => now() >= deadlineAt;
        const outcome = await calls.submit(accountRefOf(attempt), submission, { threeDsToken, deadlinePassed });
        const nothingCharged = outcome.outcome === 'failed' && outcome.nothingCharged === true;
        const fallback = nothingCharged && next ? fallbackAttempt(record, n, next, input) : null;
        record = await settlement.settle(
          record,
          {
            type: 'outcome',
            attempt: n,
            outcome,
            at: now(),
            ...answerOf(attempt, outcome, nonce),
            completed: null,
            fallback,
          },
          requestId,
          { until: deadlineAt },
        );
        // The fallback is opened only if nothing else has settled the attempt since.
        if (!fallback || !attemptOf(record, n + 1)?.isFallback) return record;
      }
      return record;
    },

    async complete(record, n, step, nonce, requestId, endsLease = false) {
      const attempt = attemptOf(record, n)!;
      const next = newToken(record, n);
      const action = readAction(encrypter, attempt);
      const payment = toStoredPayment(encrypter, record, attempt);
      const { threeDsToken } = next;
      const outcome = await calls.complete(accountRefOf(attempt), payment, step, {
        threeDsToken,
        deadlinePassed: leaseExpired(record, now),
      });
      if (
        step.kind === 'return' &&
        step.query === undefined &&
        nonce !== null &&
        action &&
        stillWaits(action, outcome)
      ) {
        return { record: await settlement.reopen(record._id, n, nonce, outcome, requestId, endsLease), outcome };
      }
      const settled = await settlement.settle(
        record,
        {
          type: 'outcome',
          attempt: n,
          outcome,
          at: now(),
          ...answerOf(attempt, outcome, next.nonce),
          completed: nonce,
          fallback: null,
        },
        requestId,
        { until: settlesUntil(now()), endsLease },
      );
      return { record: settled, outcome };
    },

    readAction: (attempt) => readAction(encrypter, attempt),
  };
}

/** True if the provider shows the same step as before. Only the token in it may differ. */
function stillWaits(before: Action, outcome: Outcome): boolean {
  if (outcome.outcome !== 'pending' || outcome.codeRefused) return false;
  const { action } = outcome;
  if (before.type !== 'redirect' || action?.type !== 'redirect') return false;
  const fieldsOf = ({ fields = {} }: typeof action): string => Object.keys(fields).join();
  return (
    before.transactionId === action.transactionId &&
    before.method === action.method &&
    before.url === action.url &&
    fieldsOf(before) === fieldsOf(action)
  );
}
