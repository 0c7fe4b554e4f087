/** Options of the client and of its calls. */

export interface ClientOptions {
  /** The address of the gateway, such as `https://pay.example`. */
  readonly baseUrl: string;
  /** `gk_test_…` or `gk_live_…`. Keep it on a server, never in a page. */
  readonly apiKey: string | undefined;
  /**
   * The maximum number of repetitions of a call: 4 by default, within about 8 s or as `Retry-After` says. 0: never
   * repeat.
   */
  readonly retries?: number;
  /** The time limit of one attempt in milliseconds: 90 000 by default, because the gateway waits for providers. */
  readonly timeoutMs?: number;
  /** Replaces the global `fetch`. */
  readonly fetch?: typeof globalThis.fetch;
}

/** Options of a call, in addition to its ids and its body. */
export interface CallOptions<Query = never> {
  readonly query?: Query | undefined;
  /** Cancels the call and its repetitions; the call then throws the signal's reason. */
  readonly signal?: AbortSignal | undefined;
}

export interface WriteOptions<Query = never> extends CallOptions<Query> {
  /**
   * 1 to 255 characters. A request that is sent again with the same key within 24 hours gets the first answer and is
   * not executed again. If absent, the client makes a key for this call, and keeps it through its repetitions. Use a
   * key of your own (an order number) if your process may end before the answer arrives.
   */
  readonly idempotencyKey?: string | undefined;
}
