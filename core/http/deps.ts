/** What the HTTP layer is given. It calls these and nothing else; it knows no database and no provider. */
import type { CallbackRoute, InputKind } from '@gateway/contract';
import type { Logger } from 'pino';
import type { GenericSchema } from 'valibot';
import type { Authenticated, Credentials, Idempotency, RateLimiter, WebhookSecrets } from '../access/index.ts';
import type { Callbacks } from '../callbacks/service.ts';
import type { Notifications } from '../notifications/index.ts';
import type { Caller, Payments } from '../payments/service.ts';
import type { Sealer } from '../encryption.ts';

export interface HttpDeps {
  readonly payments: Payments;
  readonly callbacks: Callbacks;
  readonly access: Access;
  readonly rateLimiter: RateLimiter;
  readonly idempotency: Idempotency;
  /** For the fingerprints of requests with an `Idempotency-Key`. */
  readonly sealer: Sealer;
  /** Absent: its addresses are 404. */
  readonly notifications?: Pick<Notifications, 'list' | 'resend' | 'resendSpan'>;
  /** Absent: its address is 404. */
  readonly reports?: Reports;
  /** Config's adapters, as the OpenAPI document shows them. */
  readonly adapters?: () => readonly AdapterStanding[];
  readonly health: Health;
  /** Told of every request that names a version past its support; it says how often the owner hears of it. */
  readonly merchantVersionNotice?: (
    asks: Pick<Authenticated, 'ownerId' | 'environment'>,
    notice: VersionNotice,
  ) => Promise<void>;
  readonly now: () => Date;
  readonly log: Logger;
  readonly config: HttpConfig;
}

export interface HttpConfig {
  /** The address that payers and providers reach, without a slash at its end. */
  readonly publicUrl: string;
  /** Largest body of a merchant's request. */
  readonly bodyLimitBytes: number;
  /** Largest body of `POST /payment-requests/batch`. */
  readonly batchLimitBytes: number;
  readonly callbackLimitBytes: number;
  /** Proxies in front of us that add to `X-Forwarded-For`; 0: the header is not believed. */
  readonly trustedProxies: number;
}

export interface Access {
  /** Throws AUTH001. */
  authenticate(credentials: Credentials): Promise<Authenticated>;
  webhookSecrets(ownerId: number): Promise<WebhookSecrets>;
}

/** An adapter as it stands; null: it is off and was never loaded. */
export interface AdapterStanding {
  readonly state: 'on' | 'draining' | 'off';
  readonly adapter: AdapterFacts | null;
}

/** What an adapter says of itself as data. */
export interface AdapterFacts {
  readonly manifest: AdapterManifest;
  readonly callbacks: readonly Pick<CallbackRoute<never>, 'path' | 'method' | 'caller' | 'reports'>[];
}

export interface AdapterManifest {
  readonly title: string;
  readonly code: number;
  readonly inputs: readonly InputKind[];
  readonly bounds?: GenericSchema;
  readonly currencies: unknown;
  readonly units?: Readonly<Record<string, string>>;
}

export interface Health {
  /** One word per part that must work, such as `{ database: 'up', workers: 'down' }`. */
  ready(): Promise<{ readonly ok: boolean; readonly parts: Readonly<Record<string, unknown>> }>;
}

/** The data of an `api.version.deprecated` event. */
export interface VersionNotice {
  readonly version: string;
  /** A day, `2024-06-30`. */
  readonly supportEnded: string;
  readonly successor: string;
  readonly documentation: string;
}

export interface ReportRow {
  readonly day: string;
  readonly providerId: number;
  readonly methodId: number;
  readonly currency: string;
  readonly status: number;
  readonly count: number;
  /** Decimal text. */
  readonly amount: string;
}

export interface Reports {
  /** Sums by day (UTC), provider, method, currency and status; both days included. */
  payments(caller: Caller, span: { readonly from: string; readonly to: string }): AsyncIterable<ReportRow>;
}
