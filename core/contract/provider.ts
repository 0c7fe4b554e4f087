/** What core gives an adapter for one call. Everything that touches the world is here, so an adapter stays pure. */
import type { AdapterState } from './outcome.ts';

export interface HttpRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Appended to the address; begins with `/`. */
  readonly path: string;
  /**
   * Name of the option that holds the address, a `baseUrl` too, where the provider has a second one (for access tokens,
   * say). Left out: the address that `http` is bound to.
   */
  readonly to?: string | undefined;
  /**
   * It can charge nothing, though it is no GET: asking for an access token. When its answer is lost, nothing was charged,
   * so it fails with `not_sent`.
   */
  readonly chargesNothing?: true;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
}

/** A provider's whole answer. */
export interface HttpReply {
  readonly status: number;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Uint8Array;
}

/**
 * HTTP to the provider, bound to the live or the sandbox address and to its host, and to those that options name. It limits time and size, follows no
 * redirect, keeps a transcript without bodies, and repeats a request once that was answered 429 with `Retry-After` of
 * at most 5 s. It throws a `ProviderCallError`; an adapter need not catch it: from `submit` core makes *nothing charged*
 * of `not_sent` and *unknown* of `no_answer`.
 */
export interface ProviderHttp {
  send(request: HttpRequest): Promise<HttpReply>;
}

/**
 * `not_sent`: certainly nothing left, or nothing that could charge. `no_answer`: it was sent, and what came of it is not
 * known.
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

/** How a call failed; undefined for any other error. */
export function httpFailure(error: unknown): HttpFailure | undefined {
  const failure = error instanceof Error && 'failure' in error ? error.failure : undefined;
  return failure === 'not_sent' || failure === 'no_answer' ? failure : undefined;
}

export interface Remembered<T> {
  readonly value: T;
  /** Until when the value is good. */
  readonly until: Date;
}

/**
 * A small memory that core keeps for the adapter: bounded, one load at a time per key, and limited in loads per minute,
 * so that forged callbacks with made-up key ids cannot make us ask the provider without end. A refused load throws.
 */
export interface ProviderCache {
  remember<T>(key: string, load: () => Promise<Remembered<T>>): Promise<T>;
}

export interface AdapterContext<Options> {
  readonly options: Options;
  /** True: `http` goes to the sandbox address. For a callback, what the environment uses. */
  readonly sandbox: boolean;
  /** The address that `http` is bound to, without a slash at its end. */
  readonly baseUrl: string;
  readonly http: ProviderHttp;
  readonly cache: ProviderCache;
  /** The only clock. */
  readonly now: () => Date;
  /** The only randomness: `size` random bytes. */
  readonly random: (size: number) => Uint8Array;
  /**
   * Leaves `adapterState` before the call ends, so that it is there also where the next request gets no answer. Within the
   * limits of `adapterState`, else it throws; the latest counts, and an `adapterState` of the outcome counts more. In
   * `submit`, `complete`, `refund`, `capture` and `void`; elsewhere it does nothing.
   */
  readonly keep: (state: AdapterState) => void;
  /** The gateway's public address, without a slash at its end. */
  readonly publicUrl: string;
  /** Public address of a callback route of this adapter: `callbackUrl('providerA')`. */
  readonly callbackUrl: (route: string) => string;
  /** Where the payer's browser comes back to: the payment's page. */
  readonly returnUrl: (paymentRequestId: string) => string;
  /** The gateway's 3D Secure token for this attempt, for `submit` and `complete` (docs/3ds.md). */
  readonly threeDsToken?: string;
  /** Where the issuer's page posts its result where the provider owns `MD`: the token travels in this address. */
  readonly threeDsReturnUrl?: string;
}

/** One header of a reply; undefined where it is missing. */
export function replyHeader(reply: HttpReply, name: string): string | undefined {
  const wanted = name.toLowerCase();
  return reply.headers.find(([key]) => key.toLowerCase() === wanted)?.[1];
}
