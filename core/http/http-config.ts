/** Converts the service's settings to those of the HTTP layer. */
import type { DeliveryConfig, HttpConfig } from './deps.ts';

interface Sections {
  readonly server: Pick<HttpConfig, 'publicUrl' | 'trustedProxies'>;
  readonly http: Pick<
    HttpConfig,
    'bodyLimitBytes' | 'batchLimitBytes' | 'callbackLimitBytes' | 'bodyBudgetBytes' | 'refuseCardNumbers'
  >;
  readonly keys: Pick<HttpConfig, 'rateLimitPerMinute'>;
  readonly payments: Pick<HttpConfig, 'expireAtMostAfterHours'>;
  readonly notifications: DeliveryConfig;
}

export function toHttpConfig({ server, http, keys, payments, notifications }: Sections): HttpConfig {
  return {
    publicUrl: server.publicUrl,
    trustedProxies: server.trustedProxies,
    ...http,
    rateLimitPerMinute: keys.rateLimitPerMinute,
    expireAtMostAfterHours: payments.expireAtMostAfterHours,
    delivery: notifications,
  };
}
