/** The errors of a call: either the gateway gives the reason, or the result is unknown. */
import type { Problem } from './generated/types.ts';

interface CallFacts {
  readonly status?: number | undefined;
  readonly retryAfterSeconds?: number | undefined;
  readonly idempotencyKey?: string | undefined;
  readonly cause?: unknown;
}

/** A call that did not succeed after its repetitions. */
export class CallError extends Error {
  override readonly name: string = 'CallError';
  /** The HTTP status; undefined if there was no answer. */
  readonly status: number | undefined;
  /** The time that the answer's `Retry-After` asks for. */
  readonly retryAfterSeconds: number | undefined;
  /** The key of a POST: the same call with this key is never executed twice. */
  readonly idempotencyKey: string | undefined;

  constructor(message: string, { status, retryAfterSeconds, idempotencyKey, cause }: CallFacts = {}) {
    super(message, { cause });
    this.status = status;
    this.retryAfterSeconds = retryAfterSeconds;
    this.idempotencyKey = idempotencyKey;
  }
}

/**
 * The gateway refused or failed, and gives the reason. `problem.code` distinguishes the kinds and types
 * `problem.details`.
 */
export class GatewayError extends CallError {
  override readonly name = 'GatewayError';
  readonly problem: Problem;

  constructor(problem: Problem, facts: CallFacts = {}) {
    super(`${problem.code}: ${problem.detail}`, { status: problem.status, ...facts });
    this.problem = problem;
  }

  get code(): Problem['code'] {
    return this.problem.code;
  }

  get details(): Problem['details'] {
    return this.problem.details;
  }
}

/**
 * The gateway did not answer: a network failure, a time limit, or a proxy's own answer. It is unknown whether anything
 * was done; the same call with `idempotencyKey` finds out.
 */
export class NoAnswerError extends CallError {
  override readonly name = 'NoAnswerError';
}
