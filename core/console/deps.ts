import type { Idempotency, Keys, Operators, Owners, SavedFilters } from '../engine/access/index.ts';
import type { AlarmActions, Alarms } from '../engine/alarms/index.ts';
import type { Actor, Audit } from '../engine/audit/index.ts';
import type { ListedRefusals } from '../engine/callbacks/index.ts';
import type { DeadLetters } from '../engine/callbacks/dead-letters.ts';
import type { Backlog, Waiting } from '../database/backlog.ts';
import type { EndpointDocument } from '../database/collections/endpoint.ts';
import type { Host } from '../database/collections/host.ts';
import type { Encrypter } from '../base/crypto/encryption.ts';
import type { JobTable } from '../engine/jobs/index.ts';
import type { Migrations } from '../engine/migrations/index.ts';
import type { Merchants } from '../engine/merchants/index.ts';
import type { FindNotification, NotificationActions, SearchNotifications } from '../engine/notifications/index.ts';
import type {
  ListDisputes,
  ListDueChecks,
  NoRouteOf,
  PaymentActions,
  PaymentReviews,
  ReadAttention,
  ReadPaymentDetails,
  SearchPayments,
  Volumes,
} from '../engine/payments/index.ts';
import type { Accounts } from '../engine/providers/index.ts';
import type { AdapterStateStore } from '../engine/providers/states/adapter-states.ts';
import type { AdapterStateChange } from '../engine/providers/states/turn-adapter.ts';
import type { SettlementReads } from '../settlement/index.ts';
import type { ManagementDeps } from './api/routes.ts';
import type { Traffic } from './listener/traffic.ts';
import type { AdapterReads } from './providers/adapter-reads.ts';
import type { Replays } from './providers/replays.ts';
import type { Resends } from './messages/resends.ts';
import type { SettlementUploads } from './system/settlement-uploads.ts';
import type { SingleSignOnConfig } from './sign-in/single-sign-on.ts';

export type FailingEndpoint = Pick<
  EndpointDocument,
  'ownerId' | 'environment' | 'origin' | 'receiver' | 'failingSince'
>;

/** Collaborators of the console. The console reads and does the same as the commands. */
export interface ConsoleDeps {
  readonly operators: Pick<Operators, 'authenticate' | 'active' | 'signOut'>;
  readonly owners: Pick<Owners, 'get' | 'find' | 'list' | 'logo' | 'secretOverlaps'>;
  readonly keys: Pick<Keys, 'get' | 'list'>;
  /** Everything that operators do to merchants. */
  readonly merchants: Merchants;
  readonly settlementUploads: SettlementUploads;
  /** False: the service accepts no live keys. */
  readonly canUseLiveKeys: boolean;
  /** Ensures that a confirmed action is performed once. */
  readonly idempotency: Idempotency;
  readonly adapterStates: Pick<AdapterStateStore, 'read' | 'running' | 'changes' | 'openMoney' | 'openAmounts'>;
  /** The accounts of the adapters: the same service as that of the command. */
  readonly accounts: Omit<Accounts, 'load'>;
  readonly turn: (by: Actor, change: AdapterStateChange) => Promise<number>;
  readonly encrypter: Encrypter;
  /** The waiting work of all queues. The value may be a few seconds old. */
  readonly backlog: () => Promise<Waiting>;
  /** Open attempts by adapter. The value may be a few seconds old. */
  readonly attemptsOpen: () => Promise<Backlog['attemptsOpen']>;
  /** Payments that need an operator and raise no alarm. The value may be a few seconds old. */
  readonly attention: ReadAttention;
  /** Endpoints whose deliveries have failed for a quarter of an hour, and that are not disabled yet. */
  readonly failingEndpoints: () => Promise<readonly FailingEndpoint[]>;
  /** Volume and success of the last two weeks. The value may be a few seconds old. */
  readonly volumes: () => Promise<Volumes>;
  /** True if live payments are possible. */
  readonly liveKeys: boolean;
  /** Counts of the last hour. */
  readonly traffic: () => Promise<Traffic>;
  /** Absent: all operators sign in with a key. */
  readonly singleSignOn?: SingleSignOnConfig | undefined;
  /** Facts about the adapters from config and from their packages. */
  readonly adapters: AdapterReads;
  readonly hosts: () => Promise<
    readonly Pick<Host, 'hostname' | 'startedAt' | 'seenAt' | 'workers' | 'processes' | 'processStates' | 'adapters'>[]
  >;
  readonly alarms: Pick<Alarms, 'find' | 'get' | 'list'>;
  readonly alarmActions: AlarmActions;
  readonly searchPayments: SearchPayments;
  /** Why no provider can take a payment, with the present routes and adapters. */
  readonly noRouteOf: NoRouteOf;
  readonly listDisputes: ListDisputes;
  readonly savedFilters: SavedFilters;
  /** Collaborators of the management API. */
  readonly management: ManagementDeps;
  /** The address of the payers' pages. */
  readonly publicUrl: string;
  readonly readPayment: ReadPaymentDetails;
  readonly dueChecks: ListDueChecks;
  readonly payments: PaymentActions & PaymentReviews;
  readonly deadLetters: DeadLetters;
  /** Refused callbacks of one adapter, or of all, in groups. */
  readonly refusedCallbacks: (adapter?: string) => Promise<readonly ListedRefusals[]>;
  readonly searchNotifications: SearchNotifications;
  readonly findNotification: FindNotification;
  readonly notifications: NotificationActions;
  readonly resends: Resends;
  readonly replays: Replays;
  readonly jobs: JobTable;
  readonly migrations: Pick<Migrations, 'status'>;
  readonly settlements: SettlementReads;
  readonly audit: Pick<Audit, 'list' | 'people' | 'run'>;
  /** True outside production: the page with every component is served. */
  readonly showsGallery: boolean;
  readonly now: () => Date;
}
