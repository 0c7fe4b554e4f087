/** Calls the provider: a submission with its fallbacks, and the steps that continue one. The attempt is stored before. */
import type { Action, CompletionStep, Outcome } from '@paywright/contract';
import { createAttempt, withPaymentWay, toSubmission } from './attempt.ts';
import { encryptAction, keepAdapterState, readAction, toStoredPayment } from './stored-payment.ts';
import { newNonce, newStep } from '../three-ds/step.ts';
import type { OutcomeFact } from '../state/apply-outcome.ts';
import { decide } from '../state/decide.ts';
import type { Decision } from '../state/fact.ts';
import type { PaymentsDeps } from '../deps.ts';
import { attemptOf, type Attempt, type Step } from '../../../database/collections/attempt.ts';
import type { PaymentRecord } from '../../../database/collections/payment-request.ts';
import type { Candidate } from './routing.ts';
import type { PayerInput } from '../types/input.ts';
import { leaseExpired } from '../record/call-lease.ts';
import type { Change } from '../store/payment-store.ts';
import { makeToken } from '../three-ds/token.ts';

export interface Submitter {
  /**
   * Submits the open attempt, and settles what came of it; where certainly nothing was charged, goes on with the next
   * candidate. Gives the payment as it then is: a callback may have been quicker than the answer.
   */
  submit(
    record: PaymentRecord,
    n: number,
    input: PayerInput,
    rest: readonly Candidate[],
    requestId: string,
  ): Promise<PaymentRecord>;
  /**
   * Calls `complete` for a step that was taken (its nonce), or for a member code, and settles the answer. `endsLease`: who
   * calls holds the payment's lease for this call alone.
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

/** Time to settle after the call's own limit, before reconciliation takes over. */
export const GRACE_MS = 30_000;

/** So long a call that has its answer goes on to store it where the database does not answer. */
export function settlesUntil(now: Date): Date {
  return new Date(now.getTime() + GRACE_MS);
}

export function createSubmitter({ store, calls, encrypter, feeOf, config, now, log }: PaymentsDeps): Submitter {
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

  async function settle(
    asked: PaymentRecord,
    fact: OutcomeFact,
    requestId: string,
    { until, endsLease = false }: { readonly until: Date; readonly endsLease?: boolean },
  ): Promise<PaymentRecord> {
    const settled = (current: PaymentRecord): Change | undefined => {
      // Each try to complete a step may stay without an answer: the log says so once.
      const isKnownAlready = fact.completed !== null && attemptOf(current, fact.attempt)?.unknown === true;
      const decision: Decision =
        isKnownAlready && fact.outcome.outcome === 'unknown'
          ? { kind: 'nothing', reason: 'still no readable answer' }
          : decide(current, fact, feeOf);
      const decided = decision.kind === 'nothing' ? current : decision.next;
      const next = keepAdapterState(encrypter, decided, fact.attempt, fact.outcome);
      if (decision.kind === 'nothing') return endsLease || next !== current ? { next, endsLease } : undefined;
      return { next, notify: decision.kind === 'changed' ? decision.notify : [], endsLease };
    };
    const { record } = await store.change(asked, requestId, settled, until);
    const attempt = attemptOf(record, fact.attempt);
    log.info(
      {
        requestId,
        paymentRequestId: record._id,
        attempt: fact.attempt,
        adapter: attempt?.adapter,
        outcome: fact.outcome.outcome,
        decline: attempt?.decline ?? undefined,
        status: record.statusId,
      },
      'provider answered',
    );
    return record;
  }

  /**
   * The payer was not done yet: the step waits again, under the token it went out with. No entry in the log: a payer who
   * opens the payer's page again and again must not make the payment grow.
   */
  async function reopen(
    id: number,
    n: number,
    nonce: string,
    outcome: Outcome,
    requestId: string,
    endsLease: boolean,
  ): Promise<PaymentRecord> {
    const reopened = (current: PaymentRecord): Change => {
      const attempts = current.attempts.map((attempt) =>
        attempt.n === n ? { ...attempt, unknown: false, steps: attempt.steps.map(waitsAgain) } : attempt,
      );
      return { next: keepAdapterState(encrypter, { ...current, attempts }, n, outcome), endsLease };
    };
    const { record } = await store.change(id, requestId, reopened, settlesUntil(now()));
    // A result that the browser brought meanwhile completes it.
    function waitsAgain(step: Step): Step {
      return step.nonce === nonce && !step.doneAt && !step.posted ? { ...step, takenAt: null } : step;
    }
    return record;
  }

  function fallbackAttempt(record: PaymentRecord, n: number, candidate: Candidate, input: PayerInput): Attempt {
    const { active, money } = candidate;
    const failed = attemptOf(record, n)!;
    const opened = createAttempt(
      {
        n: n + 1,
        paymentRequestId: record._id,
        adapter: active.name,
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
        const isOver = (): boolean => now() >= deadlineAt;
        const outcome = await calls.submit(attempt.adapter, submission, { threeDsToken, isOver });
        const nothingCharged = outcome.outcome === 'failed' && outcome.nothingCharged === true;
        const fallback = nothingCharged && next ? fallbackAttempt(record, n, next, input) : null;
        record = await settle(
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
        // Opened only where nothing else settled the attempt meanwhile.
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
      const outcome = await calls.complete(attempt.adapter, payment, step, {
        threeDsToken,
        isOver: leaseExpired(record, now),
      });
      if (
        step.kind === 'return' &&
        step.query === undefined &&
        nonce !== null &&
        action &&
        stillWaits(action, outcome)
      ) {
        return { record: await reopen(record._id, n, nonce, outcome, requestId, endsLease), outcome };
      }
      const settled = await settle(
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

/** The provider shows the step that it showed before; only the token in it may be another. */
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
