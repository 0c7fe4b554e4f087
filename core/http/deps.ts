/** The services that the HTTP layer receives and calls. It knows no database and no provider. */
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
import type { ReportQuery } from '../engine/payments/read/report.ts';
import type { Caller } from '../engine/payments/types/caller.ts';
import type { Payments } from '../engine/payments/service.ts';
import type { Environment } from '../base/environment.ts';
import type { Encrypter } from '../base/crypto/encryption.ts';

export interface HttpDeps {
  readonly payments: Payments;
  readonly callbacks: Pick<Callbacks, 'admit' | 'receive' | 'refuse'>;
  readonly access: Access;
  readonly rateLimiter: Pick<RateLimiter, 'take' | 'takeEntries'>;
  /** Counts requests without a key together with the other processes. Absent: this process counts alone. */
  readonly countOne?: CountOne | undefined;
  readonly idempotency: Idempotency;
  /** Computes the fingerprints of requests with an `Idempotency-Key`. */
  readonly encrypter: Encrypter;
  /** Absent: the addresses of notifications answer 404. */
  readonly notifications?: Pick<Notifications, 'list' | 'resend' | 'resendSpan' | 'listen'>;
  /** Absent: the address of reports answers 404. */
  readonly reports?: Reports;
  /** The configured adapters, as the OpenAPI document shows them. */
  readonly adapters?: () => readonly AdapterEntry[];
  readonly health: Health;
  /** Called once, when a request came through a proxy although `trustedProxies` is 0. */
  readonly onUnknownProxy?: () => void;
  /** Called for every request that names an expired API version. The callee decides how often to notify the owner. */
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
  /** The address that payers and providers reach, without a trailing slash. */
  readonly publicUrl: string;
  /** Maximum size of the body of a merchant's request. */
  readonly bodyLimitBytes: number;
  /** Maximum size of the body of `POST /payment-requests/batch`. */
  readonly batchLimitBytes: number;
  readonly callbackLimitBytes: number;
  /** Maximum total size of the bodies of all requests in progress. */
  readonly bodyBudgetBytes: number;
  /** Default rate limit of a key, in requests per minute. */
  readonly rateLimitPerMinute: number;
  /** The latest expiry that a merchant may set for a payment request, counted from now. */
  readonly expireAtMostAfterHours: number;
  readonly delivery: DeliveryConfig;
  /** True: bodies with card data are refused, and the document has no call that accepts them. */
  readonly refuseCardNumbers: boolean;
  /** Number of proxies in front of us that add to `X-Forwarded-For`. With 0, the header is ignored. */
  readonly trustedProxies: number;
}

/** How notifications are delivered. */
export interface DeliveryConfig {
  /** Time limit of one attempt, until the whole answer arrived. */
  readonly timeoutMs: number;
  /** Delay of each attempt after the one before it. The first value belongs to the first attempt. */
  readonly attemptDelaysSeconds: readonly number[];
}

export interface Access {
  /** Throws AUTH001 for a key that is not valid. */
  authenticate(credentials: Credentials): Promise<Authenticated>;
  webhookSecrets(ownerId: number, environment: Environment): Promise<WebhookSecrets>;
  /** Undefined if the owner has no logo with this hash. */
  logo(ownerId: number, hash: string): Promise<Logo | undefined>;
}

/** A configured adapter and its state. `adapter` is null if the adapter is off and was never loaded. */
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
  /**
   * False while the database does not answer: requests that need it are rejected immediately. Absent: it always
   * answers.
   */
  isDatabaseUp?(): boolean;
  /**
   * Registers a listener for the moment the database stops answering. Returns the function that removes the listener.
   */
  onDatabaseLost?(listener: () => void): () => void;
  /**
   * True if this host is incompatible with the cluster: it starts no work, and reads continue. Absent: it is
   * compatible.
   */
  isFenced?(): boolean;
  /**
   * `parts` has one status per part that must work, such as `{ database: 'up', workers: 'down' }`. `warnings` has one
   * sentence for each thing that works only partly; warnings do not make the service unready.
   */
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
  /** Only in a report by account. */
  readonly providerAccount?: string | null;
}

export interface Reports {
  /** Sums by day (UTC), provider, method, currency and status, and by account on request. */
  payments(caller: Caller, query: ReportQuery): AsyncIterable<ReportRow>;
}
