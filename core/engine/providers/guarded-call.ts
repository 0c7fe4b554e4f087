/** Runs the code of an adapter so that an error, a timeout or an invalid answer affects only its own call. */
import { randomBytes } from 'node:crypto';
import { defined, httpFailure, type AdapterContext, type AdapterState, type HttpFailure } from '@paywright/contract';
import { isMisconfigured } from '@paywright/contract/core';
import type { Logger } from 'pino';
import * as v from 'valibot';
import { createCallEndpoints, modeOf } from './call-endpoints.ts';
import { createChargeTracker, type ChargeTracker } from './charge-tracker.ts';
import { describeIssue, issuePath } from './load/describe-issue.ts';
import { createAdapterContext } from './adapter-context.ts';
import { adapterStateShape } from './answer-shapes.ts';
import { createHttpAgents, createProviderHttp, ProviderHttpError, type Exchange } from './http/provider-http.ts';
import type { ActiveAdapter, AdapterOptions } from './load/load-adapters.ts';
import type { Environment } from '../../base/environment.ts';
import type { Metrics } from '../../base/metrics/index.ts';
import { TimeLimitError, withTimeLimit } from '../../base/async/time-limit.ts';

/** An exchange with a provider, and the call that it belongs to. */
export interface CallExchange extends Exchange {
  /** The reference of the account. */
  readonly adapter: string;
  readonly sandbox: boolean;
  readonly paymentRequestId: string | null;
  readonly attempt: number | null;
}

export interface GuardedCallsDeps {
  readonly config: {
    /** Timeout of one request to the provider. The timeout of a whole call is longer by `graceMs`. */
    readonly callTimeoutMs: number;
    /** Maximum number of concurrent calls per account and address. */
    readonly concurrency: number;
    /** Transport failures in a row that open the breaker; the specification says 20. */
    readonly breakerFailures: number;
    readonly breakerCoolOffMs: number;
    /** Default 2000. */
    readonly graceMs?: number;
    /** Timeout of `verifySignature`. Default 5000. */
    readonly verifyTimeoutMs?: number;
    /** How long a call waits for a permit. Default 5000. */
    readonly waitMs?: number;
  };
  readonly publicUrl: string;
  /** The address that a payer returns to. Absent in commands, where no payer returns: the plain address of the page. */
  readonly returnUrl?: (paymentRequestId: string) => string;
  readonly now: () => Date;
  readonly metrics: Pick<Metrics, 'providerCallSeconds' | 'breakersOpen' | 'onSnapshot' | 'accountLabel'>;
  readonly log: Logger;
  readonly transcript: (exchange: CallExchange) => void;
  /** Called when the circuit breaker of an account opens, because its address cannot be reached. */
  readonly onBreakerOpen?: (ref: string, mode: Environment, address: string) => void;
  /** Called when the address of an account answers: at its first answer, after a failure, then once a minute. */
  readonly onReached?: (ref: string, mode: Environment) => void;
  readonly random?: (size: number) => Uint8Array;
  readonly sleep?: (ms: number, signal: AbortSignal) => Promise<void>;
}

/** The facts of a call that its context, log and transcript need. */
export interface CallFacts {
  readonly sandbox: boolean;
  readonly paymentRequestId?: string;
  readonly attempt?: number;
  readonly threeDsToken?: string | undefined;
  /** True once nothing may be sent any more. */
  readonly deadlinePassed?: (() => boolean) | undefined;
  /** The call's `ctx.http` refuses every request. */
  readonly makesNoRequests?: true;
}

export interface CallFailure {
  /** For people. Contains nothing of the request or the answer. */
  readonly reason: string;
  /** Certainly the provider has accepted no request of this call that can charge. */
  readonly noneSent: boolean;
  /** The provider refused our account or keys. */
  readonly misconfigured?: true;
}

/**
 * `lastStatus`: the status of the call's last exchange, undefined if it was not answered. `kept`: the state that the
 * call stored with `ctx.keep`. `sandboxRule`: the rule of a sandbox that caused its last answer, in test mode.
 */
export type CallResult<T> = {
  readonly kept?: AdapterState | undefined;
  readonly sandboxRule?: string | undefined;
} & (
  | { readonly answer: T; readonly failure?: never; readonly lastStatus?: number | undefined }
  | { readonly failure: CallFailure; readonly answer?: never; readonly lastStatus?: never }
);

interface Task<T> {
  readonly active: ActiveAdapter;
  readonly call: string;
  readonly facts: CallFacts;
  readonly shape: v.GenericSchema<unknown, T>;
}

export interface GuardedCalls {
  /** Makes a call to the provider. It uses a permit, and has the timeout of a whole call. */
  call<T>(task: Task<T> & { work(ctx: AdapterContext<AdapterOptions>): Promise<unknown> }): Promise<CallResult<T>>;
  /** Verifies a callback, with a shorter timeout and without a permit: callbacks must not wait for submissions. */
  verify<T>(task: Task<T> & { work(ctx: AdapterContext<AdapterOptions>): unknown }): Promise<CallResult<T>>;
  /** Makes a synchronous call. Its `ctx.http` refuses every request. */
  now<T>(task: Task<T> & { work(ctx: AdapterContext<AdapterOptions>): unknown }): CallResult<T>;
  close(): void;
}

class InvalidAnswerError extends Error {}

/** A real provider's answer has no such cause. */
function causeOf({ facts }: Task<unknown>, { sandboxRule }: ChargeTracker): Pick<CallResult<unknown>, 'sandboxRule'> {
  return facts.sandbox ? defined({ sandboxRule }) : {};
}

export function createGuardedCalls(deps: GuardedCallsDeps): GuardedCalls {
  const {
    config,
    publicUrl,
    returnUrl = (id) => `${publicUrl}/pay/${id}`,
    now,
    metrics,
    log,
    transcript,
    onBreakerOpen,
    onReached,
    random = randomBytes,
    sleep,
  } = deps;
  const { callTimeoutMs, graceMs = 2000, verifyTimeoutMs = 5000, waitMs = 5000 } = config;
  const agents = createHttpAgents();
  const endpointOf = createCallEndpoints({ config, now, metrics, onBreakerOpen, onReached });

  function contextFor(
    { active, call, facts }: Task<unknown>,
    signal: AbortSignal,
    onExchange: (exchange: Exchange) => void,
    keep: (state: AdapterState) => void,
  ) {
    const { sandbox, paymentRequestId = null, attempt = null, threeDsToken, deadlinePassed } = facts;
    const { breaker, caches } = endpointOf(active, sandbox);
    return createAdapterContext(active, {
      sandbox,
      publicUrl,
      returnUrl,
      now,
      random,
      cache: call === 'verifySignature' ? caches.forVerification : caches.forCalls,
      threeDsToken,
      keep,
      createHttp: (baseUrl) =>
        createProviderHttp({
          baseUrl,
          call,
          agents,
          timeoutMs: callTimeoutMs,
          signal,
          now,
          breaker,
          ...(sleep ? { sleep } : {}),
          ...(deadlinePassed && { deadlinePassed }),
          transcript(exchange) {
            onExchange(exchange);
            metrics.providerCallSeconds.observe(
              { provider: active.name, mode: modeOf(sandbox), call, outcome: outcomeOf(exchange) },
              exchange.ms / 1000,
            );
            transcript({ ...exchange, adapter: active.ref, sandbox, paymentRequestId, attempt });
          },
        }),
    });
  }

  async function timed<T>(
    task: Task<T> & { work(ctx: AdapterContext<AdapterOptions>): unknown },
    ms: number,
  ): Promise<CallResult<T>> {
    const tracker = createChargeTracker();
    let kept: AdapterState | undefined;
    const keep = (state: AdapterState): void => {
      kept = structuredClone(readAnswer(adapterStateShape, state));
    };
    try {
      const answer = await withTimeLimit<unknown>(ms, (signal) =>
        task.work(tracker.track(contextFor(task, signalOf(task, signal), tracker.onExchange, keep))),
      );
      return {
        answer: readAnswer(task.shape, answer),
        lastStatus: tracker.lastStatus,
        kept,
        ...causeOf(task, tracker),
      };
    } catch (error) {
      const noneSent = httpFailure(error) === 'not_sent' && !tracker.mayHaveCharged;
      return { ...toFailure(task, error, noneSent), kept, ...causeOf(task, tracker) };
    }
  }

  function toFailure<T>({ active, call, facts }: Task<T>, error: unknown, noneSent: boolean): CallResult<T> {
    const failure = httpFailure(error);
    const reason = reasonOf(error, failure);
    const { sandbox, paymentRequestId, attempt } = facts;
    const logFields = { adapter: active.ref, call, sandbox, paymentRequestId, attempt, reason };
    // The caller expects the refusal of a request.
    if (failure && facts.makesNoRequests) log.debug({ ...logFields, failure }, 'a call makes no requests');
    else if (failure) log.warn({ ...logFields, failure }, 'a call to a provider failed');
    else log.error({ ...logFields, at: framesOf(error) }, 'an adapter failed');
    return { failure: { reason, noneSent, ...(isMisconfigured(error) && { misconfigured: true }) } };
  }

  return {
    async call(task) {
      const release = await endpointOf(task.active, task.facts.sandbox).semaphore.acquire(waitMs);
      if (!release) return toFailure(task, new ProviderHttpError('not_sent', 'too many calls are running'), true);
      try {
        return await timed(task, callTimeoutMs + graceMs);
      } finally {
        release();
      }
    },
    verify: async (task) => timed(task, verifyTimeoutMs),
    now(task) {
      try {
        const answer = task.work(contextFor(task, makesNoRequests, ignore, ignore));
        // A promise is not a valid answer here. A rejection that nothing handles would end the process.
        if (answer instanceof Promise) answer.catch(() => undefined);
        return { answer: readAnswer(task.shape, answer) };
      } catch (error) {
        return toFailure(task, error, false);
      }
    },
    close: () => agents.close(),
  };
}

/** Returns the class of the status. Labels must be few, and providers choose the status. */
function outcomeOf({ status, failure = 'no_answer' }: Exchange): string {
  return status === undefined ? failure : `${Math.floor(status / 100)}xx`;
}

/** The signal of calls without requests. All of them share one, because creating an Error is expensive. */
const makesNoRequests = AbortSignal.abort(new Error('this call makes no requests'));
const ignore = (): void => undefined;

function signalOf({ facts }: Task<unknown>, signal: AbortSignal): AbortSignal {
  return facts.makesNoRequests ? makesNoRequests : signal;
}

function readAnswer<T>(shape: v.GenericSchema<unknown, T>, answer: unknown): T {
  const { success, output, issues } = v.safeParse(shape, answer);
  if (success) return output;
  const [issue] = issues;
  const path = issuePath(issue).join('.');
  throw new InvalidAnswerError(`its answer does not follow the contract: ${path} ${describeIssue(issue)}`);
}

/**
 * Only the messages of our own errors are used, and of a `MisconfiguredError`, which is written for people. Other
 * messages may contain the data that was parsed.
 */
function reasonOf(error: unknown, failure: HttpFailure | undefined): string {
  if (isMisconfigured(error)) return error.message;
  if (error instanceof ProviderHttpError || error instanceof TimeLimitError || error instanceof InvalidAnswerError) {
    return error.message;
  }
  const name = error instanceof Error && /^\w{1,60}$/.test(error.name) ? error.name : 'value that is not an error';
  return failure ? `${failure.replace('_', ' ')} (${name})` : `it threw a ${name}`;
}

function framesOf(error: unknown): string[] {
  const lines = error instanceof Error ? (error.stack ?? '').split('\n') : [];
  return lines
    .filter((line) => /^ {4}at /.test(line))
    .slice(0, 5)
    .map((line) => line.trim());
}
