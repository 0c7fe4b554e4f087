/** What the payments domain is put together from. */
import type { Logger } from 'pino';
import type { IdBlocks } from '../documents/counter.ts';
import type { ProviderCalls } from '../providers/provider-calls.ts';
import type { Registry } from '../providers/registry.ts';
import type { Sealer } from '../encryption.ts';
import type { DelayOf } from './ask-schedule.ts';
import type { Clients } from './store/clients.ts';
import type { FeeOf } from './state/decide.ts';
import type { PaymentRecord } from './facts.ts';
import type { PaymentStore } from './store/payment-store.ts';
import type { Risk } from './submit/risk.ts';
import type { Routing } from './submit/routing.ts';
import type { PaymentRequestView } from './service.ts';
import type { ThreeDsOptions } from './submit/three-ds-token.ts';

export interface PaymentsDeps {
  readonly store: PaymentStore;
  readonly ids: IdBlocks;
  readonly clients: Clients;
  readonly registry: Registry;
  readonly calls: ProviderCalls;
  readonly routing: Routing;
  readonly risk: Risk;
  /** Mails the payment's link to its client; undefined: no mail server is configured. */
  readonly mailLink: ((record: PaymentRecord, to: string) => Promise<void>) | undefined;
  /** Goes on while nobody waits for it; a shutdown does. */
  readonly later: (work: Promise<void>) => void;
  readonly sealer: Sealer;
  readonly ownerNameOf: (ownerId: number) => Promise<string>;
  readonly present: (record: PaymentRecord) => Promise<PaymentRequestView>;
  readonly feeOf: FeeOf;
  /** Seconds until the next question about a pending attempt; undefined: a person must look. */
  readonly delayOf: DelayOf;
  readonly config: PaymentsConfig;
  readonly now: () => Date;
  readonly log: Logger;
}

export interface PaymentsConfig {
  readonly publicUrl: string;
  readonly threeDs: ThreeDsOptions;
  /** How long one call to a provider may take. */
  readonly callTimeoutMs: number;
  /** By adapter: the currencies that the operator opened; an adapter that is missing has all of its own. */
  readonly openCurrencies: Readonly<Record<string, readonly string[]>>;
  readonly premiumCardBins: readonly string[];
}
