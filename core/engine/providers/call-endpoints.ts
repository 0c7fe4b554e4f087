/** The state that calls of one account to one address share: circuit breaker, caches and permits. */
import type { Environment } from '../../base/environment.ts';
import { MINUTE } from '../../base/async/time.ts';
import type { Metrics } from '../../base/metrics/index.ts';
import { groupBy } from '../../base/group-by.ts';
import { baseUrlOf } from './adapter-context.ts';
import { createCircuitBreaker, type CircuitBreaker } from './http/circuit-breaker.ts';
import { createSemaphore, type Semaphore } from './http/semaphore.ts';
import type { ActiveAdapter } from './load/load-adapters.ts';
import { createProviderCaches, type ProviderCaches } from './provider-cache.ts';

export interface CallEndpoint {
  /** The name of the adapter. */
  readonly provider: string;
  /** The name of the account. */
  readonly account: string;
  readonly mode: Environment;
  readonly breaker: CircuitBreaker;
  readonly caches: ProviderCaches;
  readonly semaphore: Semaphore;
}

export interface CallEndpointsDeps {
  readonly config: {
    readonly callTimeoutMs: number;
    readonly concurrency: number;
    readonly breakerFailures: number;
    readonly breakerCoolOffMs: number;
  };
  readonly now: () => Date;
  readonly metrics: Pick<Metrics, 'breakersOpen' | 'onSnapshot' | 'accountLabel'>;
  readonly onBreakerOpen?: ((ref: string, mode: Environment, address: string) => void) | undefined;
  /** Called when an address answers: at its first answer, after a failure, and then at most once a minute. */
  readonly onReached?: ((ref: string, mode: Environment) => void) | undefined;
}

const LOAD_GRACE_MS = 1000;
/** Another process may have raised the alarm about the address, so an answer is repeated this often. */
const reachedEveryMs = MINUTE;

/** Returns the lookup of an endpoint, which is created by its first call. */
export function createCallEndpoints({ config, now, metrics, onBreakerOpen, onReached }: CallEndpointsDeps) {
  const endpoints = new Map<string, CallEndpoint>();
  metrics.onSnapshot(() => {
    const labelOf = ({ provider, account }: CallEndpoint): string => metrics.accountLabel(provider, account);
    // An account that has the label `other` from now on must not leave its earlier value.
    metrics.breakersOpen.reset();
    const all = groupBy(endpoints.values(), (one) => `${one.provider} ${labelOf(one)} ${one.mode}`);
    for (const [first, ...others] of all.values()) {
      const { provider, mode } = first!;
      const isOpen = [first!, ...others].some(({ breaker }) => breaker.failures >= config.breakerFailures);
      metrics.breakersOpen.set({ provider, account: labelOf(first!), mode }, isOpen ? 1 : 0);
    }
  });

  function createBreaker(ref: string, mode: Environment, address: string): CircuitBreaker {
    let reachedAt = -Infinity;
    return createCircuitBreaker({
      failures: config.breakerFailures,
      coolOffMs: config.breakerCoolOffMs,
      now,
      onOpen() {
        reachedAt = -Infinity;
        onBreakerOpen?.(ref, mode, address);
      },
      onAnswer() {
        if (now().getTime() - reachedAt < reachedEveryMs) return;
        reachedAt = now().getTime();
        onReached?.(ref, mode);
      },
    });
  }

  return function endpointOf(active: ActiveAdapter, sandbox: boolean): CallEndpoint {
    const address = baseUrlOf(active, sandbox);
    const mode = modeOf(sandbox);
    const key = `${active.ref} ${address}`;
    const endpoint = endpoints.get(key) ?? {
      provider: active.name,
      account: active.account,
      mode,
      breaker: createBreaker(active.ref, mode, address),
      caches: createProviderCaches({
        now,
        loadsPerMinute: active.adapter.manifest.loadsPerMinute,
        // A request of the load times out first, so that its failure says whether it was sent.
        loadTimeoutMs: config.callTimeoutMs + LOAD_GRACE_MS,
      }),
      semaphore: createSemaphore(config.concurrency),
    };
    endpoints.set(key, endpoint);
    return endpoint;
  };
}

export function modeOf(sandbox: boolean): Environment {
  return sandbox ? 'test' : 'live';
}
