/** What the HTTP layer is given. It calls these and nothing else; it knows no database and no provider. */
import type { CallbackRoute, InputKind } from '@paywright/contract';
import type { Logger } from 'pino';
import type { GenericSchema } from 'valibot';
import type {
  Authenticated,
  CountOne,
  Credentials,
  Idempotency,
  Logo,
  RateLimiter,
  WebhookSecrets,
} from '../engine/access/index.ts';
import type { Callbacks } from '../engine/callbacks/index.ts';
import type { Metrics } from '../base/metrics/index.ts';
import type { Notifications, VersionNotice } from '../engine/notifications/index.ts';
import type { Caller } from '../engine/payments/types/caller.ts';
import type { Payments } from '../engine/payments/service.ts';
import type { Environment } from '../base/environment.ts';
import type { Encrypter } from '../base/crypto/encryption.ts';

export interface HttpDeps {
  readonly payments: Payments;
  readonly callbacks: Pick<Callbacks, 'admit' | 'receive' | 'refuse'>;
  readonly access: Access;
  readonly rateLimiter: RateLimiter;
  /** Counts those who have no key. Absent: this process counts alone. */
  readonly countOne?: CountOne | undefined;
  readonly idempotency: Idempotency;
  /** For the fingerprints of requests with an `Idempotency-Key`. */
  readonly encrypter: Encrypter;
  /** Absent: its addresses are 404. */
  readonly notifications?: Pick<Notifications, 'list' | 'resend' | 'resendSpan' | 'listen'>;
  /** Absent: its address is 404. */
  readonly reports?: Reports;
  /** Config's adapters, as the OpenAPI document shows them. */
  readonly adapters?: () => readonly AdapterEntry[];
  readonly health: Health;
  /** A request came through a proxy while `trustedProxies` is 0; called once. */
  readonly onUnknownProxy?: () => void;
  /** Called for every request that names a version past its support; it decides how often the owner is notified. */
  readonly merchantVersionNotice?: (
    asks: Pick<Authenticated, 'ownerId' | 'environment'>,
    notice: VersionNotice,
  ) => Promise<void>;
  readonly now: () => Date;
  readonly metrics: Pick<Metrics, 'httpProblems'>;
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
  /** Of the bodies of all requests under way. */
  readonly bodyBudgetBytes: number;
  /** Requests a minute of a key that has no limit of its own. */
  readonly rateLimitPerMinute: number;
  /** The latest that a merchant lets a payment request expire, counted from now. */
  readonly expireAtMostAfterHours: number;
  readonly delivery: DeliveryConfig;
  /** Proxies in front of us that add to `X-Forwarded-For`; 0: the header is not believed. */
  readonly trustedProxies: number;
}

/** How notifications are delivered. */
export interface DeliveryConfig {
  /** Of one attempt, until the whole answer is there. */
  readonly timeoutMs: number;
  /** Of each attempt, after the one before it. */
  readonly attemptDelaysSeconds: readonly number[];
}

export interface Access {
  /** Throws AUTH001. */
  authenticate(credentials: Credentials): Promise<Authenticated>;
  webhookSecrets(ownerId: number, environment: Environment): Promise<WebhookSecrets>;
  /** Undefined where the owner has no logo of this hash. */
  logo(ownerId: number, hash: string): Promise<Logo | undefined>;
}

/** An adapter of config and its state; null: it is off and was never loaded. */
export interface AdapterEntry {
  readonly state: 'on' | 'draining' | 'off';
  readonly adapter: AdapterFacts | null;
}

/** The data that an adapter declares. */
export interface AdapterFacts {
  readonly manifest: AdapterManifest;
  readonly callbacks: readonly Pick<
    CallbackRoute<never>,
    'path' | 'method' | 'caller' | 'reports' | 'contentTypes' | 'queryParameters'
  >[];
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
  /** False: the database does not answer, and what needs it is refused at once. Absent: it always answers. */
  isAnswering?(): boolean;
  /** Calls back when it stops answering; gives what ends that. */
  onSilence?(listener: () => void): () => void;
  /** True: this host does not fit the others. It begins nothing; what only reads goes on. Absent: it fits. */
  isHeld?(): boolean;
  /** One word per part that must work, such as `{ database: 'up', workers: 'down' }`. */
  /** `warnings`: what works only in part, a sentence each; it makes nothing unready. */
  ready(): Promise<{
    readonly ok: boolean;
    readonly parts: Readonly<Record<string, unknown>>;
    readonly warnings?: readonly string[];
  }>;
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
