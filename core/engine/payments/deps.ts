/** What the parts of the payments domain share. */
import type { Raise } from '../alarms/index.ts';
import type { Logger } from 'pino';
import type { Attempt } from '../../database/collections/attempt.ts';
import type { BackgroundTasks } from '../../base/async/background-tasks.ts';
import type { IdBlocks } from '../../database/collections/counter.ts';
import type { Encrypter } from '../../base/crypto/encryption.ts';
import type { Metrics } from '../../base/metrics/index.ts';
import type { ProviderCalls } from '../providers/calls.ts';
import type { Registry } from '../providers/registry.ts';
import type { LinkMail } from './link-mail.ts';
import type { Views } from './present/view.ts';
import type { DelayOf } from './reconcile/schedule.ts';
import type { Merchant } from './types/pay-page.ts';
import type { FeeOf } from './state/fee.ts';
import type { Clients } from './clients/clients.ts';
import type { ReturnAddresses } from './return-address.ts';
import type { PaymentStore } from './store/payment-store.ts';
import type { Risk } from './submit/risk.ts';
import type { PayerWays } from './submit/payer-ways.ts';
import type { Routing } from './submit/routing.ts';
import type { ThreeDsOptions } from './three-ds/token.ts';

export interface PaymentsDeps {
  readonly store: PaymentStore;
  readonly ids: IdBlocks;
  readonly clients: Clients;
  readonly views: Views;
  readonly registry: Registry;
  readonly calls: ProviderCalls;
  readonly routing: Routing;
  readonly payerWays: PayerWays;
  readonly risk: Risk;
  /** Undefined: no mail server is configured. */
  readonly linkMail: LinkMail | undefined;
  readonly backgroundTasks: BackgroundTasks;
  readonly encrypter: Encrypter;
  readonly returnAddresses: ReturnAddresses;
  /** Why a merchant's address will not be called, as far as itself shows it; undefined: it may be called. */
  readonly refusalOfUrl: (url: string) => string | undefined;
  readonly merchantOf: (ownerId: number) => Promise<Merchant>;
  readonly feeOf: FeeOf;
  readonly delayOf: DelayOf;
  /** Whether this charge goes back by itself where another one came first. */
  readonly refundsDouble: (attempt: Attempt) => boolean;
  readonly config: {
    readonly threeDs: ThreeDsOptions;
    readonly callTimeoutMs: number;
    readonly openCurrencies: Readonly<Record<string, readonly string[]>>;
    readonly premiumCardBins: readonly string[];
    readonly nothingChargedAfterSeconds: number;
    readonly expireCreatedAfterHours: number;
  };
  readonly now: () => Date;
  readonly raise: Raise;
  readonly metrics: Metrics;
  readonly log: Logger;
}
