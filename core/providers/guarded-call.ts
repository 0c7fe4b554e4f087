/** Runs an adapter's code so that whatever it does harms only its own call. */
import { randomBytes } from 'node:crypto';
import { callFailure, type CallFailure, type Provider } from '@gateway/contract';
import type { Logger } from 'pino';
import * as v from 'valibot';
import { createBreaker, type Breaker } from './breaker.ts';
import { describeIssue, issuePath } from './load/describe-issue.ts';
import { baseUrlOf, lendProvider } from './adapter-context.ts';
import { createHttpAgents, createLentHttp, LentHttpError, type Exchange } from './http/provider-http.ts';
import type { ActiveAdapter, AdapterOptions } from './load/load-adapters.ts';
import { createProviderCaches, type ProviderCaches } from './provider-cache.ts';
import { createSlots, type Slots } from './slots.ts';
import { TimeLimitError, withTimeLimit } from './http/time-limit.ts';

/** An exchange, and what it was about. */
export interface CallExchange extends Exchange {
  readonly adapter: string;
  readonly sandbox: boolean;
  readonly paymentRequestId: string | null;
  readonly attempt: number | null;
}

export interface ContainmentSetup {
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
    /** How long a call waits for a slot. Default 5 s. */
    readonly waitMs?: number;
  };
  readonly publicUrl: string;
  readonly now: () => Date;
  readonly log: Logger;
  readonly transcript: (exchange: CallExchange) => void;
  readonly random?: (size: number) => Uint8Array;
  readonly sleep?: (ms: number, signal: AbortSignal) => Promise<void>;
}

/** What a call is about. */
export interface CallFacts {
  readonly sandbox: boolean;
  readonly paymentRequestId?: string;
  readonly attempt?: number;
  readonly threeDsToken?: string | undefined;
}

export interface Fault {
  /** For people; holds nothing of what was sent or answered. */
  readonly reason: string;
  /** Certainly no request of this call that could charge was taken by the provider. */
  readonly nothingLeft: boolean;
}

/** `lastStatus`: of the call's last exchange; undefined where none was answered. */
export type Contained<T> =
  | { readonly answer: T; readonly fault?: never; readonly lastStatus?: number | undefined }
  | { readonly fault: Fault; readonly answer?: never; readonly lastStatus?: never };

interface Task<T> {
  readonly active: ActiveAdapter;
  readonly call: string;
  readonly facts: CallFacts;
  readonly shape: v.GenericSchema<unknown, T>;
}

export interface Containment {
  /** A call to the provider: takes a slot and has the time of a whole call. */
  call<T>(task: Task<T> & { work(provider: Provider<AdapterOptions>): Promise<unknown> }): Promise<Contained<T>>;
  /** A question of proof: no slot, for callbacks must not wait behind submissions, and less time. */
  verify<T>(task: Task<T> & { work(provider: Provider<AdapterOptions>): unknown }): Promise<Contained<T>>;
  /** What must be answered at once; its `provider.http` refuses. */
  now<T>(task: Task<T> & { work(provider: Provider<AdapterOptions>): unknown }): Contained<T>;
  close(): void;
}

/** What calls to one address of one adapter share. */
interface Line {
  readonly breaker: Breaker;
  readonly caches: ProviderCaches;
  readonly slots: Slots;
}

class NonsenseError extends Error {}

export function createContainment(setup: ContainmentSetup): Containment {
  const { config, publicUrl, now, log, transcript, random = randomBytes, sleep } = setup;
  const { callTimeoutMs, graceMs = 2000, verifyTimeoutMs = 5000, waitMs = 5000 } = config;
  const agents = createHttpAgents();
  const lines = new Map<string, Line>();

  function lineOf(active: ActiveAdapter, sandbox: boolean): Line {
    const key = `${active.name} ${baseUrlOf(active, sandbox)}`;
    const line = lines.get(key) ?? {
      breaker: createBreaker({ failures: config.breakerFailures, coolOffMs: config.breakerCoolOffMs, now }),
      caches: createProviderCaches({ now, loadTimeoutMs: callTimeoutMs }),
      slots: createSlots(config.concurrency),
    };
    lines.set(key, line);
    return line;
  }

  function lend({ active, call, facts }: Task<unknown>, signal: AbortSignal, seen: (exchange: Exchange) => void) {
    const { sandbox, paymentRequestId = null, attempt = null, threeDsToken } = facts;
    const { breaker, caches } = lineOf(active, sandbox);
    return lendProvider(active, {
      sandbox,
      publicUrl,
      now,
      random,
      cache: call === 'verifySignature' ? caches.forProofs : caches.forCalls,
      threeDsToken,
      createHttp: (baseUrl) =>
        createLentHttp({
          baseUrl,
          call,
          agents,
          timeoutMs: callTimeoutMs,
          signal,
          now,
          breaker,
          ...(sleep ? { sleep } : {}),
          transcript(exchange) {
            seen(exchange);
            transcript({ ...exchange, adapter: active.name, sandbox, paymentRequestId, attempt });
          },
        }),
    });
  }

  async function timed<T>(
    task: Task<T> & { work(provider: Provider<AdapterOptions>): unknown },
    ms: number,
  ): Promise<Contained<T>> {
    let reached = false;
    // What was begun and has not ended may be taken yet.
    let underWay = 0;
    const counted = (provider: Provider<AdapterOptions>): Provider<AdapterOptions> => ({
      ...provider,
      http: {
        async send(request) {
          const mayCharge = request.method !== 'GET' && !request.chargesNothing;
          underWay += mayCharge ? 1 : 0;
          try {
            return await provider.http.send(request);
          } finally {
            underWay -= mayCharge ? 1 : 0;
          }
        },
      },
    });
    let lastStatus: number | undefined;
    const seen = ({ method, status, failure, chargesNothing }: Exchange): void => {
      lastStatus = status;
      // A 429 charged nothing, and neither does reading, or asking for a token.
      reached ||= method !== 'GET' && !chargesNothing && status !== 429 && failure !== 'not_sent';
    };
    try {
      const answer = await withTimeLimit(ms, async (signal) => task.work(counted(lend(task, signal, seen))));
      return { answer: readAnswer(task.shape, answer), lastStatus };
    } catch (error) {
      return fault(task, error, callFailure(error) === 'not_sent' && !reached && underWay === 0);
    }
  }

  function fault<T>({ active, call, facts }: Task<T>, error: unknown, nothingLeft: boolean): Contained<T> {
    const failure = callFailure(error);
    const reason = reasonOf(error, failure);
    const { sandbox, paymentRequestId, attempt } = facts;
    const line = { adapter: active.name, call, sandbox, paymentRequestId, attempt, reason };
    if (failure) log.warn({ ...line, failure }, 'a provider could not be asked');
    else log.error({ ...line, at: framesOf(error) }, 'an adapter failed');
    return { fault: { reason, nothingLeft } };
  }

  return {
    async call(task) {
      const leave = await lineOf(task.active, task.facts.sandbox).slots.enter(waitMs);
      if (!leave) return fault(task, new LentHttpError('not_sent', 'too many calls are running'), true);
      try {
        return await timed(task, callTimeoutMs + graceMs);
      } finally {
        leave();
      }
    },
    verify: async (task) => timed(task, verifyTimeoutMs),
    now(task) {
      try {
        const signal = AbortSignal.abort(new Error(`${task.call} asks nobody`));
        const answer = task.work(lend(task, signal, () => undefined));
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

function readAnswer<T>(shape: v.GenericSchema<unknown, T>, answer: unknown): T {
  const { success, output, issues } = v.safeParse(shape, answer);
  if (success) return output;
  const [issue] = issues;
  throw new NonsenseError(`its answer is not what the contract says: ${issuePath(issue)} ${describeIssue(issue)}`);
}

/** Only our own errors are quoted: the message of any other may hold what was parsed. */
function reasonOf(error: unknown, failure: CallFailure | undefined): string {
  if (error instanceof LentHttpError || error instanceof TimeLimitError || error instanceof NonsenseError) {
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
