/** The sections of config that the payments domain reads. */
import type { Fee } from '../providers/load/load-adapters.ts';
import type { RiskRule } from './submit/risk.ts';
import type { RouteRule } from './submit/routing.ts';
import type { ThreeDsOptions } from './three-ds/token.ts';

export interface PaymentsConfig {
  readonly publicUrl: string;
  readonly threeDs: ThreeDsOptions;
  /** How long one call to a provider may take. */
  readonly callTimeoutMs: number;
  readonly routes: readonly RouteRule[];
  readonly risk: readonly RiskRule[];
  readonly adapters: Readonly<Record<string, AdapterTerms>>;
  /** Absent: cards are accepted. */
  readonly http?: {
    /** No card data may reach the service: payments by card number find no provider. */
    readonly refuseCardNumbers: boolean;
  };
  readonly payments: {
    /** A payment request expires this long after its creation, unless the merchant sets `expiresAt`. */
    readonly expireCreatedAfterHours: number;
    readonly openAllCurrencies: boolean;
    /** How long after a submission without a readable answer *nothing was charged* is believed. */
    readonly nothingChargedAfterSeconds: number;
    /** If a payment is charged twice, the later charge is refunded immediately. */
    readonly refundDoubleCharge: boolean;
    /** Payments that were paid this many days before callbacks were missing are asked about too. */
    readonly catchUpPaidDays: number;
    readonly premiumCardBins: readonly string[];
    readonly reportingCurrency: string;
    /** Decimal text: what one unit of a currency is worth in the reporting currency. */
    readonly exchangeRates: Readonly<Record<string, string>>;
  };
}

interface AdapterTerms {
  readonly fee?: Fee | undefined;
  readonly accounts?: Readonly<Record<string, Pick<AdapterTerms, 'fee'>>>;
  /** The currencies that the operator opened; absent: all currencies of the adapter. */
  readonly currencies?: readonly string[] | undefined;
}

/**
 * By adapter: the currencies that the operator opened. An adapter that is missing here offers all of its currencies.
 */
export function openCurrencies({
  adapters,
  payments,
}: {
  readonly adapters: Readonly<Record<string, Pick<AdapterTerms, 'currencies'>>>;
  readonly payments: Pick<PaymentsConfig['payments'], 'openAllCurrencies'>;
}): Readonly<Record<string, readonly string[]>> {
  if (payments.openAllCurrencies) return {};
  return Object.fromEntries(
    Object.entries(adapters).flatMap(([name, { currencies }]) => (currencies ? [[name, currencies]] : [])),
  );
}
