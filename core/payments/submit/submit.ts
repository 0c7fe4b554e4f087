/** Asks the provider: a submission with its fallbacks, and the steps that continue one. The attempt is stored before. */
import type { Action, CompletionStep, Outcome } from '@gateway/contract';
import { createAttempt, newNonce, toStoredPayment, toSubmission } from './attempt.ts';
import type { AnswerFact } from '../state/apply-outcome.ts';
import { decide, type Decision } from '../state/decide.ts';
import type { PaymentsDeps } from '../deps.ts';
import { attemptOf, type Attempt, type PaymentRecord, type Step } from '../facts.ts';
import type { Candidate } from './routing.ts';
import type { PayerInput } from '../service.ts';
import { makeToken } from './three-ds-token.ts';

export interface Submitter {
  /**
   * Submits the open attempt, and settles what came of it; where certainly nothing was charged, goes on with the next
   * candidate. Gives the payment as it then stands: a callback may have been quicker than the answer.
   */
  submit(
    record: PaymentRecord,
    n: number,
    input: PayerInput,
    rest: readonly Candidate[],
    requestId: string,
  ): Promise<PaymentRecord>;
  /**
   * Calls `complete` for a step that was taken (its nonce), or for a member code, and settles the answer. `endsAsk`: who
   * calls holds the payment's ask lease for this call alone.
   */
  complete(
    record: PaymentRecord,
    n: number,
    step: CompletionStep,
    nonce: string | null,
    requestId: string,
    endsAsk?: boolean,
  ): Promise<Completed>;
  readonly openAction: (sealed: Uint8Array) => Action;
}

export interface Completed {
  readonly record: PaymentRecord;
  readonly outcome: Outcome;
}

/** Time to settle after the call's own limit, before reconciliation takes over. */
export const GRACE_MS = 30_000;

export function createSubmitter({ store, calls, sealer, feeOf, config, now, log }: PaymentsDeps): Submitter {
  function lendToken(record: PaymentRecord, n: number): { nonce: string; threeDsToken: string } {
    const nonce = newNonce();
    const facts = { paymentRequestId: String(record._id), attempt: n, nonce };
    return { nonce, threeDsToken: makeToken(config.threeDs, facts, now()) };
  }

  function answerOf(outcome: Outcome, nonce: string): Pick<AnswerFact, 'action' | 'step'> {
    const action = outcome.outcome === 'pending' ? outcome.action : undefined;
    if (!action) return { action: null, step: null };
    const sealed = sealer.seal(JSON.stringify(action));
    // Only a 3D Secure challenge names a transaction; a hosted page or a wallet settles by callback.
    const transactionId = action.type === 'redirect' ? action.transactionId : undefined;
    const step: Step | null =
      transactionId === undefined ? null : { nonce, transactionId, takenAt: null, doneAt: null, posted: null };
    return { action: sealed, step };
  }

  async function settle(id: number, fact: AnswerFact, requestId: string, endsAsk = false): Promise<PaymentRecord> {
    const { record } = await store.change(id, requestId, (current) => {
      // Each try to complete a step may stay without an answer: the log says so once.
      const isToldAlready = fact.completed !== null && attemptOf(current, fact.attempt)?.unknown === true;
      const decision: Decision =
        isToldAlready && fact.outcome.outcome === 'unknown'
          ? { kind: 'nothing', reason: 'still no readable answer' }
          : decide(current, fact, feeOf);
      if (decision.kind === 'nothing') return endsAsk ? { next: current, endsAsk } : undefined;
      return { next: decision.next, announce: decision.kind === 'changed' ? decision.announce : [], endsAsk };
    });
    const attempt = attemptOf(record, fact.attempt);
    log.info(
      {
        requestId,
        paymentRequestId: id,
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
   * The payer was not done yet: the step waits again, under the token it went out with. No news for the log, for whoever
   * opens the payer's page again and again must not make the payment grow.
   */
  async function reopen(
    id: number,
    n: number,
    nonce: string,
    requestId: string,
    endsAsk: boolean,
  ): Promise<PaymentRecord> {
    const { record } = await store.change(id, requestId, (current) => {
      const attempts = current.attempts.map((attempt) =>
        attempt.n === n ? { ...attempt, unknown: false, steps: attempt.steps.map(waitsAgain) } : attempt,
      );
      return { next: { ...current, attempts }, endsAsk };
    });
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
    return { ...opened, method: calls.methodOf(active, toSubmission(record, opened, input)) };
  }

  return {
    async submit(opened, first, input, candidates, requestId) {
      let record = opened;
      let n = first;
      for (const [index, next] of [...candidates, undefined].entries()) {
        if (index > 0) n += 1;
        const attempt = attemptOf(record, n)!;
        const { nonce, threeDsToken } = lendToken(record, n);
        const outcome = await calls.submit(attempt.adapter, toSubmission(record, attempt, input), { threeDsToken });
        const nothingCharged = outcome.outcome === 'failed' && outcome.nothingCharged === true;
        const fallback = nothingCharged && next ? fallbackAttempt(record, n, next, input) : null;
        record = await settle(
          record._id,
          {
            type: 'answer',
            attempt: n,
            outcome,
            at: now(),
            ...answerOf(outcome, nonce),
            completed: null,
            fallback,
          },
          requestId,
        );
        // Opened only where nothing else settled the attempt meanwhile.
        if (!fallback || !attemptOf(record, n + 1)?.isFallback) return record;
      }
      return record;
    },

    async complete(record, n, step, nonce, requestId, endsAsk = false) {
      const attempt = attemptOf(record, n)!;
      const lent = lendToken(record, n);
      const action = attempt.action ? readAction(sealer.open(attempt.action)) : null;
      const payment = toStoredPayment(record, attempt, action);
      const outcome = await calls.complete(attempt.adapter, payment, step, { threeDsToken: lent.threeDsToken });
      if (step.kind === 'return' && nonce !== null && action && stillWaits(action, outcome)) {
        return { record: await reopen(record._id, n, nonce, requestId, endsAsk), outcome };
      }
      const settled = await settle(
        record._id,
        {
          type: 'answer',
          attempt: n,
          outcome,
          at: now(),
          ...answerOf(outcome, lent.nonce),
          completed: nonce,
          fallback: null,
        },
        requestId,
        endsAsk,
      );
      return { record: settled, outcome };
    },

    openAction: (sealed) => readAction(sealer.open(sealed)),
  };
}

/** What we sealed ourselves. */
export function readAction(opened: Uint8Array): Action {
  return JSON.parse(Buffer.from(opened).toString('utf8')) as Action;
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
