/** Callbacks of providers: received into the inbox, and applied from it by workers. */
import type { Raise } from '../alarms/index.ts';
import type { Connection } from 'mongoose';
import type { Logger } from 'pino';
import type { CountOne } from '../access/minute-budget.ts';
import type { Encrypter } from '../../base/crypto/encryption.ts';
import type { Metrics } from '../../base/metrics/index.ts';
import type { ProviderCalls, Registry } from '../providers/index.ts';
import { createReturnAddresses, type ApplyEvents, type ThreeDsOptions } from '../payments/index.ts';
import { MINUTE } from '../../base/async/time.ts';
import { createInboxClaims } from './claim-rows.ts';
import { createDrain } from './drain.ts';
import { createInbox } from './inbox.ts';
import { createReceive } from './receive.ts';
import { createRefusalRecorder } from './refused-list.ts';
import { createOwnershipReader } from './read-ownership.ts';
import type { Callbacks } from './service.ts';
import { createVerificationTurns } from './verification-turns.ts';

export { acceptedOf, noteMissingCallbacks, watchRefusedCallbacks } from './refused-callbacks.ts';
export { findUnusedAddresses } from './own-addresses.ts';
export { refusalLine, refusalText } from './count-refusal.ts';
export { listRefused, type ListedRefusals } from './refused-list.ts';
export type { Admission, CallbackHead, Callbacks, WhyUnread } from './service.ts';

export interface CallbacksConfig {
  readonly publicUrl: string;
  readonly threeDs: ThreeDsOptions;
  readonly callbacks: {
    /** How long an event of an unknown payment is retried before it becomes a dead letter. */
    readonly unknownReferenceHours: number;
    readonly keepDays: number;
  };
  /** Networks that an adapter's callbacks come from, as CIDR. An adapter without any accepts every address. */
  readonly adapters: Readonly<Record<string, { readonly networks: readonly string[] }>>;
}

export interface CallbacksDeps {
  readonly connection: Connection;
  readonly registry: Registry;
  readonly calls: ProviderCalls;
  readonly payments: { readonly applyEvents: ApplyEvents };
  readonly encrypter: Encrypter;
  readonly config: CallbacksConfig;
  /** Names this process in leases. */
  readonly worker: string;
  /** Called when rows are due in the inbox. */
  readonly notifyWorkers: (work: 'callbacks' | 'pings') => void;
  readonly countOne?: CountOne | undefined;
  readonly now: () => Date;
  readonly raise: Raise;
  readonly metrics: Metrics;
  readonly log: Logger;
}

/** Longer than any batch takes, because a batch never calls a provider. */
const LEASE_MS = MINUTE;

export function createCallbacks(deps: CallbacksDeps): Callbacks {
  const { publicUrl, threeDs, callbacks, adapters } = deps.config;
  const { keepDays, unknownReferenceHours } = callbacks;
  const networks = Object.fromEntries(Object.entries(adapters).map(([name, one]) => [name, one.networks]));
  const { leaseExpiries } = deps.metrics;
  const onExpired = (rows: number): void => leaseExpiries.inc({ queue: 'inbox' }, rows);
  const claims = createInboxClaims(deps.connection, deps.worker, LEASE_MS, onExpired);
  const notifyWorkers = (): void => deps.notifyWorkers('callbacks');
  const refusedList = createRefusalRecorder(deps);
  const inbox = createInbox({
    ...deps,
    keepDays,
    notifyWorkers,
    onPing() {
      claims.lookForPings();
      deps.notifyWorkers('pings');
    },
  });
  return {
    ...createReceive({
      ...deps,
      inbox,
      ownership: createOwnershipReader(deps),
      turns: createVerificationTurns(),
      threeDs,
      publicUrl,
      returnAddresses: createReturnAddresses(deps.encrypter, publicUrl),
      networks,
      refusedList,
    }),
    ...createDrain({ ...deps, claims, threeDs, unknownReferenceHours, askForHelp: notifyWorkers }),
    lookForPings: () => claims.lookForPings(),
    releaseWorker: async (worker) => claims.releaseWorker(worker),
    close: async () => refusedList.close(),
  };
}
