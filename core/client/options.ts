/** What the client and its calls are given. */

export interface ClientOptions {
  /** Where the gateway is reached, such as `https://pay.example`. */
  readonly baseUrl: string;
  /** `gk_test_…` or `gk_live_…`. It belongs on a server, never into a page. */
  readonly apiKey: string | undefined;
  /** How often a call is repeated: 4 unless given, within about 8 s or as `Retry-After` says. 0: never. */
  readonly retries?: number;
  /** How long one attempt may take: 90 000 unless given, because the gateway waits for providers. */
  readonly timeoutMs?: number;
  /** In place of the global one. */
  readonly fetch?: typeof globalThis.fetch;
}

/** What a call may be given beside its ids and its body. */
export interface CallOptions<Query = never> {
  readonly query?: Query | undefined;
  /** Ends the call and its repetitions; it throws the signal's reason. */
  readonly signal?: AbortSignal | undefined;
}

export interface WriteOptions<Query = never> extends CallOptions<Query> {
  /**
   * 1 to 255 characters: what is sent again under the same key within 24 hours is answered again and not done again.
   * Absent: the client makes one for this call, and keeps it through its repetitions. Name your own (an order number)
   * where your process may end before the answer comes.
   */
  readonly idempotencyKey?: string | undefined;
}
