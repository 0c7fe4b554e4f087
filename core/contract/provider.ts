/** What core gives an adapter for one call. Everything that reaches outside is here, so that an adapter stays pure. */
import type { AdapterState } from './outcome.ts';

export interface HttpRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Appended to the address; begins with `/`. */
  readonly path: string;
  /**
   * The name of the option that holds the address, for a provider with a second address (for access tokens, for
   * example). The option has the schema `baseUrl`, too. Default: the address that `http` is bound to.
   */
  readonly to?: string | undefined;
  /**
   * The request can charge nothing, although it is not a GET: a request for an access token. If its answer is lost,
   * nothing was charged, so it fails with `not_sent`.
   */
  readonly chargesNothing?: true;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
}

/** A provider's complete answer. */
export interface HttpReply {
  readonly status: number;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Uint8Array;
}

/**
 * HTTP to the provider, bound to the live or the sandbox address, its host, and the hosts that options name. It limits
 * time and size, follows no redirect, and keeps a transcript without bodies. It sends a request once more if the answer
 * was 429 with a `Retry-After` of at most 5 s. It sends `User-Agent: Paywright/<version>`, unless the request has that
 * header. It throws a `ProviderCallError`, which an adapter need not catch: from `submit`, core treats `not_sent` as
 * *nothing charged* and `no_answer` as *unknown*.
 */
export interface ProviderHttp {
  send(request: HttpRequest): Promise<HttpReply>;
}

/**
 * `not_sent`: certainly nothing left, or nothing that could charge. `no_answer`: the request was sent, and its result
 * is not known.
 */
export type HttpFailure = 'not_sent' | 'no_answer';

/** Recognised by its `failure` member, so that two copies of the contract work together. */
export class ProviderCallError extends Error {
  readonly failure: HttpFailure;

  constructor(failure: HttpFailure, message: string, cause?: unknown) {
    super(message, { cause });
    this.name = 'ProviderCallError';
    this.failure = failure;
  }
}

/**
 * The provider refused our account or keys before any request that can charge: for example, it gave no access token.
 * Core answers *misconfigured* with the message and raises the alarm, so an adapter need not catch it. The message is
 * for people and says what to check; it never contains a secret.
 */
export class MisconfiguredError extends ProviderCallError {
  /** Recognised by this member, so that two copies of the contract work together. */
  readonly misconfigured = true;

  constructor(message: string, cause?: unknown) {
    super('not_sent', message, cause);
    this.name = 'MisconfiguredError';
  }
}

/** True for a `MisconfiguredError`. */
export function isMisconfigured(error: unknown): error is MisconfiguredError {
  return httpFailure(error) === 'not_sent' && (error as Partial<MisconfiguredError>).misconfigured === true;
}

/** How a call failed; undefined for any other error. */
export function httpFailure(error: unknown): HttpFailure | undefined {
  const failure = error instanceof Error && 'failure' in error ? error.failure : undefined;
  return failure === 'not_sent' || failure === 'no_answer' ? failure : undefined;
}

export interface Remembered<T> {
  readonly value: T;
  /** The value is valid until this time. */
  readonly until: Date;
}

/**
 * A small memory that core keeps for the adapter, in each process. It is bounded, runs one load at a time per key, and
 * limits the loads per minute (`manifest.loadsPerMinute`), so that forged callbacks with invented key ids cannot make
 * us call the provider endlessly. A refused load throws a `ProviderCallError` with `not_sent`.
 */
export interface ProviderCache {
  remember<T>(key: string, load: () => Promise<Remembered<T>>): Promise<T>;
  /**
   * Drops a value that turned out to be wrong before its time: a revoked token, a replaced key. The next `remember` of
   * the key loads again. With `value` it drops only that value, so that calls that found the same value wrong at the
   * same time load once. Forgetting uses up one load of the minute. If none is left, the value stays, so that forged
   * callbacks can neither multiply loads nor take a good value away. A load in progress continues.
   */
  forget(key: string, value?: unknown): void;
}

export interface AdapterContext<Options> {
  readonly options: Options;
  /** True: `http` goes to the sandbox address. For a callback, the value that the environment uses. */
  readonly sandbox: boolean;
  /** The address that `http` is bound to, without a trailing slash. */
  readonly baseUrl: string;
  readonly http: ProviderHttp;
  readonly cache: ProviderCache;
  /** The only clock. */
  readonly now: () => Date;
  /** The only randomness: `size` random bytes. */
  readonly random: (size: number) => Uint8Array;
  /**
   * Stores `adapterState` before the call ends, so that it is kept even if the next request gets no answer. It throws
   * if the state exceeds the limits of `adapterState`. The latest state counts, and an `adapterState` of the outcome
   * overrides it. It works in `submit`, `complete`, `refund`, `capture` and `void`; elsewhere it does nothing.
   */
  readonly keep: (state: AdapterState) => void;
  /** The gateway's public address, without a trailing slash. */
  readonly publicUrl: string;
  /** The public address of a callback route of this adapter: `callbackUrl('providerA')`. */
  readonly callbackUrl: (route: string) => string;
  /** The address that the payer's browser returns to: the payment's page. */
  readonly returnUrl: (paymentRequestId: string) => string;
  /**
   * The address for a payer who gives up at the provider's page. Core then calls `fetchStatus`, never `complete`, and
   * the payer can pay another way if the open step allows it.
   */
  readonly cancelUrl: (paymentRequestId: string) => string;
  /** The gateway's 3D Secure token for this attempt, for `submit` and `complete` (docs/3ds.md). */
  readonly threeDsToken?: string;
  /** The address that the issuer's page posts its result to if the provider uses `MD` itself: it carries the token. */
  readonly threeDsReturnUrl?: string;
}

/** The value of a reply's header; undefined if the header is missing. */
export function replyHeader(reply: HttpReply, name: string): string | undefined {
  const wanted = name.toLowerCase();
  return reply.headers.find(([key]) => key.toLowerCase() === wanted)?.[1];
}
