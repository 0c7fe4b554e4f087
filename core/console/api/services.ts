/** What the operations call: the services of the console and of the command. */
import type { Keys, Owner, Owners } from '../../engine/access/index.ts';
import type { Actor, Audit } from '../../engine/audit/index.ts';
import type { Merchants } from '../../engine/merchants/index.ts';
import type { Endpoint } from '../../engine/notifications/index.ts';
import type { ExplainedRoute, RouteQuestion } from '../../engine/payments/submit/explain-route.ts';
import type { RouteRule } from '../../engine/payments/submit/routing.ts';
import type { Accounts, ActiveAdapter, Finding } from '../../engine/providers/index.ts';
import type { AdapterStateStore } from '../../engine/providers/states/adapter-states.ts';
import type { AdapterStateChange } from '../../engine/providers/states/turn-adapter.ts';

export interface ManagementServices {
  readonly merchants: Merchants;
  readonly owners: Pick<Owners, 'find' | 'list'>;
  readonly keys: Pick<Keys, 'get' | 'list'>;
  /** The endpoints that fail, of one merchant or of all, longest first. */
  readonly failingEndpoints: (ownerId?: Owner['id']) => Promise<readonly Endpoint[]>;
  readonly accounts: Accounts;
  readonly adapterStates: Pick<AdapterStateStore, 'read' | 'running' | 'changes' | 'openMoney'>;
  readonly turn: (by: Actor, change: AdapterStateChange) => Promise<number>;
  readonly audit: Pick<Audit, 'run'>;
  readonly config: {
    readonly adapters: Readonly<
      Record<string, { readonly package: string; readonly state: 'on' | 'draining' | 'off' }>
    >;
    readonly routes: readonly RouteRule[];
    readonly keys: { readonly liveKeys: boolean };
  };
  /** Rejects if settings of the adapter are missing, so that it cannot be turned on. */
  readonly demandComplete: (adapter: string) => Promise<void>;
  /** Asks the provider about the account, in each mode that this environment uses. */
  readonly askProvider: (active: ActiveAdapter) => Promise<readonly Finding[]>;
  readonly explainRoute: (question: RouteQuestion) => ExplainedRoute | Promise<ExplainedRoute>;
}
