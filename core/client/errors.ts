/** How a call fails: the gateway says why, or nobody knows. */
import type { Problem } from './generated/types.ts';

interface CallFacts {
  readonly status?: number | undefined;
  readonly retryAfterSeconds?: number | undefined;
  readonly idempotencyKey?: string | undefined;
  readonly cause?: unknown;
}

/** A call that did not succeed, after its repetitions. */
export class CallError extends Error {
  override readonly name: string = 'CallError';
  /** The HTTP status; undefined: no answer came. */
  readonly status: number | undefined;
  /** What the answer's `Retry-After` asks for. */
  readonly retryAfterSeconds: number | undefined;
  /** Of a POST: the same call under this key is never done twice. */
  readonly idempotencyKey: string | undefined;

  constructor(message: string, { status, retryAfterSeconds, idempotencyKey, cause }: CallFacts = {}) {
    super(message, { cause });
    this.status = status;
    this.retryAfterSeconds = retryAfterSeconds;
    this.idempotencyKey = idempotencyKey;
  }
}

/** The gateway refused, or failed, and says why. `problem.code` tells the kinds apart and types `problem.details`. */
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
 * No answer of the gateway came: the network, a time limit, or a proxy's own answer. Whether anything was done is
 * unknown; the same call under `idempotencyKey` finds out.
 */
export class NoAnswerError extends CallError {
  override readonly name = 'NoAnswerError';
}
