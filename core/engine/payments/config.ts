/** The sections of config that the payments domain reads. */
import type { Fee } from './state/fee.ts';
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
  readonly payments: {
    /** A payment request whose merchant does not say when expires so long after it was made. */
    readonly expireCreatedAfterHours: number;
    readonly openAllCurrencies: boolean;
    /** How long after a submission without a readable answer *nothing was charged* is believed. */
    readonly nothingChargedAfterSeconds: number;
    /** Of a payment that is charged twice the later charge is refunded at once. */
    readonly refundDoubleCharge: boolean;
    readonly premiumCardBins: readonly string[];
    readonly reportingCurrency: string;
    /** Decimal text: what one unit of a currency is worth in the reporting currency. */
    readonly exchangeRates: Readonly<Record<string, string>>;
  };
}

interface AdapterTerms {
  readonly fee?: Fee | undefined;
  /** Those that the operator opened; absent: all of the adapter's own. */
  readonly currencies?: readonly string[] | undefined;
}

/** By adapter: what the operator opened of its currencies; an adapter that is missing has all of its own. */
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
