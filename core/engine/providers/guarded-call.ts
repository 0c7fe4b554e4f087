/** Runs an adapter's code so that whatever it does harms only its own call. */
import { randomBytes } from 'node:crypto';
import { httpFailure, type AdapterContext, type AdapterState, type HttpFailure } from '@paywright/contract';
import type { Logger } from 'pino';
import * as v from 'valibot';
import { createCircuitBreaker, type CircuitBreaker } from './http/circuit-breaker.ts';
import { describeIssue, issuePath } from './load/describe-issue.ts';
import { baseUrlOf, createAdapterContext } from './adapter-context.ts';
import { adapterStateShape } from './answer-shapes.ts';
import { createHttpAgents, createProviderHttp, ProviderHttpError, type Exchange } from './http/provider-http.ts';
import type { ActiveAdapter, AdapterOptions } from './load/load-adapters.ts';
import { createProviderCaches, type ProviderCaches } from './provider-cache.ts';
import { createSemaphore, type Semaphore } from './http/semaphore.ts';
import type { Environment } from '../../base/environment.ts';
import type { Metrics } from '../../base/metrics/index.ts';
import { TimeLimitError, withTimeLimit } from '../../base/async/time-limit.ts';

/** An exchange, and what it was about. */
export interface CallExchange extends Exchange {
  readonly adapter: string;
  readonly sandbox: boolean;
  readonly paymentRequestId: string | null;
  readonly attempt: number | null;
}

export interface GuardedCallsSetup {
  readonly config: {
    /** Of one request to the provider; a whole call has `graceMs` more. */
    readonly callTimeoutMs: number;
    /** Calls at once, per adapter and address. */
    readonly concurrency: number;
    /** Transport failures in a row that open the breaker; the specification says 20. */
    readonly breakerFailures: number;
    readonly breakerCoolOffMs: number;
    /** Default 2 s. */
    readonly graceMs?: number;
    /** For `verifySignature`. Default 5 s. */
    readonly verifyTimeoutMs?: number;
    /** How long a call waits for a permit. Default 5 s. */
    readonly waitMs?: number;
  };
  readonly publicUrl: string;
  /** Absent where no payer comes back, as from a command: the plain address. */
  readonly returnUrl?: (paymentRequestId: string) => string;
  readonly now: () => Date;
  readonly metrics: Pick<Metrics, 'providerCallSeconds' | 'breakersOpen' | 'onSnapshot'>;
  readonly log: Logger;
  readonly transcript: (exchange: CallExchange) => void;
  /** An address of the adapter cannot be reached, and is spared for a while. */
  readonly onBreakerOpen?: (adapter: string, mode: Environment, address: string) => void;
  readonly random?: (size: number) => Uint8Array;
  readonly sleep?: (ms: number, signal: AbortSignal) => Promise<void>;
}

/** What a call is about. */
export interface CallFacts {
  readonly sandbox: boolean;
  readonly paymentRequestId?: string;
  readonly attempt?: number;
  readonly threeDsToken?: string | undefined;
  /** Nothing may be sent for it any more. */
  readonly isOver?: (() => boolean) | undefined;
}

export interface CallFailure {
  /** For people; holds nothing of what was sent or answered. */
  readonly reason: string;
  /** Certainly no request of this call that could charge was taken by the provider. */
  readonly noneSent: boolean;
}

/** `lastStatus`: of the call's last exchange; undefined where none was answered. `kept`: what the call left by `ctx.keep`. */
export type CallResult<T> = { readonly kept?: AdapterState | undefined } & (
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
  /** A call to the provider: takes a permit and has the time of a whole call. */
  call<T>(task: Task<T> & { work(ctx: AdapterContext<AdapterOptions>): Promise<unknown> }): Promise<CallResult<T>>;
  /** A verification: no permit, for callbacks must not wait behind submissions, and less time. */
  verify<T>(task: Task<T> & { work(ctx: AdapterContext<AdapterOptions>): unknown }): Promise<CallResult<T>>;
  /** What must be answered at once; its `ctx.http` refuses. */
  now<T>(task: Task<T> & { work(ctx: AdapterContext<AdapterOptions>): unknown }): CallResult<T>;
  close(): void;
}

/** What calls to one address of one adapter share. */
interface EndpointState {
  readonly provider: string;
  readonly mode: Environment;
  readonly breaker: CircuitBreaker;
  readonly caches: ProviderCaches;
  readonly semaphore: Semaphore;
}

class InvalidAnswerError extends Error {}

export function createGuardedCalls(setup: GuardedCallsSetup): GuardedCalls {
  const {
    config,
    publicUrl,
    returnUrl = (id) => `${publicUrl}/pay/${id}`,
    now,
    metrics,
    log,
    transcript,
    onBreakerOpen,
    random = randomBytes,
    sleep,
  } = setup;
  const { callTimeoutMs, graceMs = 2000, verifyTimeoutMs = 5000, waitMs = 5000 } = config;
  const agents = createHttpAgents();
  const endpoints = new Map<string, EndpointState>();
  metrics.onSnapshot(() => {
    for (const { provider, mode, breaker } of endpoints.values())
      metrics.breakersOpen.set({ provider, mode }, breaker.failures >= config.breakerFailures ? 1 : 0);
  });

  function endpointOf(active: ActiveAdapter, sandbox: boolean): EndpointState {
    const address = baseUrlOf(active, sandbox);
    const key = `${active.name} ${address}`;
    const endpoint = endpoints.get(key) ?? {
      provider: active.name,
      mode: modeOf(sandbox),
      breaker: createCircuitBreaker({
        failures: config.breakerFailures,
        coolOffMs: config.breakerCoolOffMs,
        now,
        onOpen: () => onBreakerOpen?.(active.name, modeOf(sandbox), address),
      }),
      caches: createProviderCaches({ now, loadTimeoutMs: callTimeoutMs }),
      semaphore: createSemaphore(config.concurrency),
    };
    endpoints.set(key, endpoint);
    return endpoint;
  }

  function contextFor(
    { active, call, facts }: Task<unknown>,
    signal: AbortSignal,
    seen: (exchange: Exchange) => void,
    keep: (state: AdapterState) => void,
  ) {
    const { sandbox, paymentRequestId = null, attempt = null, threeDsToken, isOver } = facts;
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
          ...(isOver && { isOver }),
          transcript(exchange) {
            seen(exchange);
            metrics.providerCallSeconds.observe(
              { provider: active.name, mode: modeOf(sandbox), call, outcome: outcomeOf(exchange) },
              exchange.ms / 1000,
            );
            transcript({ ...exchange, adapter: active.name, sandbox, paymentRequestId, attempt });
          },
        }),
    });
  }

  async function timed<T>(
    task: Task<T> & { work(ctx: AdapterContext<AdapterOptions>): unknown },
    ms: number,
  ): Promise<CallResult<T>> {
    let reached = false;
    // What was begun and has not ended may be taken yet.
    let underWay = 0;
    const counted = (ctx: AdapterContext<AdapterOptions>): AdapterContext<AdapterOptions> => ({
      ...ctx,
      http: {
        async send(request) {
          const mayCharge = request.method !== 'GET' && !request.chargesNothing;
          underWay += mayCharge ? 1 : 0;
          try {
            return await ctx.http.send(request);
          } finally {
            underWay -= mayCharge ? 1 : 0;
          }
        },
      },
    });
    let kept: AdapterState | undefined;
    const keep = (state: AdapterState): void => {
      kept = structuredClone(readAnswer(adapterStateShape, state));
    };
    let lastStatus: number | undefined;
    const seen = ({ method, status, failure, chargesNothing }: Exchange): void => {
      lastStatus = status;
      // A 429 charged nothing, and neither does reading, or getting an access token.
      reached ||= method !== 'GET' && !chargesNothing && status !== 429 && failure !== 'not_sent';
    };
    try {
      const answer = await withTimeLimit<unknown>(ms, (signal) =>
        task.work(counted(contextFor(task, signal, seen, keep))),
      );
      return { answer: readAnswer(task.shape, answer), lastStatus, kept };
    } catch (error) {
      const noneSent = httpFailure(error) === 'not_sent' && !reached && underWay === 0;
      return { ...fault(task, error, noneSent), kept };
    }
  }

  function fault<T>({ active, call, facts }: Task<T>, error: unknown, noneSent: boolean): CallResult<T> {
    const failure = httpFailure(error);
    const reason = reasonOf(error, failure);
    const { sandbox, paymentRequestId, attempt } = facts;
    const logFields = { adapter: active.name, call, sandbox, paymentRequestId, attempt, reason };
    if (failure) log.warn({ ...logFields, failure }, 'a call to a provider failed');
    else log.error({ ...logFields, at: framesOf(error) }, 'an adapter failed');
    return { failure: { reason, noneSent } };
  }

  return {
    async call(task) {
      const release = await endpointOf(task.active, task.facts.sandbox).semaphore.acquire(waitMs);
      if (!release) return fault(task, new ProviderHttpError('not_sent', 'too many calls are running'), true);
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
        // A promise is no answer here; should it fail, that must not end the process.
        if (answer instanceof Promise) answer.catch(() => undefined);
        return { answer: readAnswer(task.shape, answer) };
      } catch (error) {
        return fault(task, error, false);
      }
    },
    close: () => agents.close(),
  };
}

function modeOf(sandbox: boolean): Environment {
  return sandbox ? 'test' : 'live';
}

/** Its class, for the status itself is the provider's to choose. */
function outcomeOf({ status, failure = 'no_answer' }: Exchange): string {
  return status === undefined ? failure : `${Math.floor(status / 100)}xx`;
}

/** Of what must be answered at once; one for all calls, because an Error is dear to make. */
const makesNoRequests = AbortSignal.abort(new Error('what is answered at once makes no requests'));
const ignore = (): void => undefined;

function readAnswer<T>(shape: v.GenericSchema<unknown, T>, answer: unknown): T {
  const { success, output, issues } = v.safeParse(shape, answer);
  if (success) return output;
  const [issue] = issues;
  const path = issuePath(issue).join('.');
  throw new InvalidAnswerError(`its answer is not what the contract says: ${path} ${describeIssue(issue)}`);
}

/** Only our own errors are quoted: the message of any other may hold what was parsed. */
function reasonOf(error: unknown, failure: HttpFailure | undefined): string {
  if (error instanceof ProviderHttpError || error instanceof TimeLimitError || error instanceof InvalidAnswerError) {
    return error.message;
  }
  const name = error instanceof Error && /^\w{1,60}$/.test(error.name) ? error.name : 'thing that is no error';
  return failure ? `${failure.replace('_', ' ')} (${name})` : `it threw a ${name}`;
}

function framesOf(error: unknown): string[] {
  const lines = error instanceof Error ? (error.stack ?? '').split('\n') : [];
  return lines
    .filter((line) => /^ {4}at /.test(line))
    .slice(0, 5)
    .map((line) => line.trim());
}
