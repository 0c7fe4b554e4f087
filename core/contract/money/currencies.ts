/**
 * ISO 4217: codes and their decimals, and the cryptocurrencies that a price may be in. A platform's own tables (Intl)
 * differ for HUF, IDR, PKR and COP.
 *
 * Checked on 2026-11-27 against ISO 4217 with amendments up to 180. A test compares the table with the data of CLDR, so
 * that it fails when a currency starts or ends.
 */

const twoDecimals =
  'AED AFN ALL AMD AOA ARS AUD AWG AZN BAM BBD BDT BMD BND BOB BRL BSD BTN BWP BYN BZD CAD CDF CHF CNY COP CRC ' +
  'CUP CVE CZK DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GTQ GYD HKD HNL HTG HUF IDR ILS INR IRR JMD ' +
  'KES KGS KHR KPW KYD KZT LAK LBP LKR LRD LSL MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN MYR MZN NAD NGN NIO ' +
  'NOK NPR NZD PAB PEN PGK PHP PKR PLN QAR RON RSD RUB SAR SBD SCR SDG SEK SGD SHP SLE SOS SRD SSP STN SVC SYP SZL ' +
  'THB TJS TMT TOP TRY TTD TWD TZS UAH USD UYU UZS VED VES WST XCD XCG YER ZAR ZMW ZWG';

/**
 * Currencies that were active in an earlier version of this table, with the last day on which they were legal tender.
 * No provider is chosen for them. Payments in them stay readable and can be refunded.
 */
const endedOn = new Map<string, string>([
  ['ANG', '2025-06-30'],
  ['BGN', '2026-01-31'],
]);

const exponents = new Map<string, number>([
  ...twoDecimals.split(' ').map((code) => [code, 2] as const),
  ...[...endedOn.keys()].map((code) => [code, 2] as const),
  ...'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF'.split(' ').map((code) => [code, 0] as const),
  ...'BHD IQD JOD KWD LYD OMR TND'.split(' ').map((code) => [code, 3] as const),
  ...'CLF UYW'.split(' ').map((code) => [code, 4] as const),
]);

/**
 * Every active ISO 4217 currency code, in capitals.
 *
 * @deprecated Will be removed in 3.0. Use `isCurrency` to check a code.
 */
export const currencyCodes: readonly string[] = [...exponents.keys()].filter(isActiveCurrency).sort();

/**
 * True for an ISO 4217 code in capitals (`EUR`, not `eur`) whose decimals are known. Includes currencies that ended
 * recently, so that messages about earlier payments can be read.
 */
export function isCurrency(code: string): boolean {
  return exponents.has(code);
}

/** True for a currency that can be charged today: an ISO 4217 code in capitals that has not ended. */
export function isActiveCurrency(code: string): boolean {
  return exponents.has(code) && !endedOn.has(code);
}

/** The last day on which the currency was legal tender, such as `2025-06-30`; undefined if it has not ended. */
export function currencyEnd(code: string): string | undefined {
  return endedOn.get(code);
}

/** Decimals of the smallest unit of the coin's own chain: a satoshi, a wei. */
const cryptoExponents = new Map<string, number>([
  ...'BCH BTC DASH DOGE LTC'.split(' ').map((code) => [code, 8] as const),
  ['XMR', 12],
  ['ETH', 18],
]);

/** True for a cryptocurrency that a price may be in, in capitals (`BTC`), if a manifest lists it. */
export function isCryptocurrency(code: string): boolean {
  return cryptoExponents.has(code);
}

/** True if the decimals of the code are known: an ISO 4217 code or such a cryptocurrency. */
export function hasDecimals(code: string): boolean {
  return isCurrency(code) || isCryptocurrency(code);
}

/** Decimals of a currency by ISO 4217, or of a cryptocurrency. An unknown code counts as 2; core refuses its events. */
export function decimalsOf(currency: string): number {
  return exponents.get(currency) ?? cryptoExponents.get(currency) ?? 2;
}
