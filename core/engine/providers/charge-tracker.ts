/** Tracks, during one call, whether the provider may have accepted a request that can charge. */
import type { AdapterContext } from '@paywright/contract';
import type { Exchange } from './http/provider-http.ts';

export interface ChargeTracker {
  /** Returns the context with an `http` that tracks its requests. */
  readonly track: <T extends Pick<AdapterContext<never>, 'http'>>(ctx: T) => T;
  /** Must be called with every exchange. */
  readonly onExchange: (exchange: Exchange) => void;
  /** The status of the latest exchange; undefined if it was not answered. */
  readonly lastStatus: number | undefined;
  /** The rule of a sandbox that caused the latest answer. */
  readonly sandboxRule: string | undefined;
  /** The provider may have accepted a request that can charge, or such a request is still in progress. */
  readonly mayHaveCharged: boolean;
}

export function createChargeTracker(): ChargeTracker {
  let reached = false;
  // A request that has not ended may still reach the provider.
  let inProgress = 0;
  let lastStatus: number | undefined;
  let sandboxRule: string | undefined;
  return {
    track: (ctx) => ({
      ...ctx,
      http: {
        async send(request) {
          const mayCharge = request.method !== 'GET' && !request.chargesNothing;
          inProgress += mayCharge ? 1 : 0;
          try {
            return await ctx.http.send(request);
          } finally {
            inProgress -= mayCharge ? 1 : 0;
          }
        },
      },
    }),
    onExchange({ method, status, failure, chargesNothing, sandboxRule: rule }) {
      lastStatus = status;
      sandboxRule = rule;
      // A 429 charges nothing, and neither does a read or the request for an access token. A 401 says that the request
      // was not applied (RFC 9110, section 15.5.2).
      const isRefused = status === 429 || status === 401;
      reached ||= method !== 'GET' && !chargesNothing && !isRefused && failure !== 'not_sent';
    },
    get lastStatus() {
      return lastStatus;
    },
    get sandboxRule() {
      return sandboxRule;
    },
    get mayHaveCharged() {
      return reached || inProgress > 0;
    },
  };
}
