/** D's table of currencies: a merchant's `unit` names a country and means its currency; D writes numeric codes. */

// Currency, its numeric code (text: `036` is not 36), countries; `EU` means the euro. Decimals are those of ISO 4217.
const table = `
  EUR 978 EU AD AT BE BG CY DE EE ES FI FR GR HR IE IT LT LU LV MC ME MT NL PT SI SK SM VA
  USD 840 US; GBP 826 GB; CHF 756 CH LI; SEK 752 SE; NOK 578 NO
  DKK 208 DK; ISK 352 IS; PLN 985 PL; CZK 203 CZ; HUF 348 HU
  RON 946 RO; RSD 941 RS; UAH 980 UA; TRY 949 TR; GEL 981 GE
  AMD 051 AM; AZN 944 AZ; KZT 398 KZ; ILS 376 IL; AED 784 AE
  SAR 682 SA; QAR 634 QA; KWD 414 KW; BHD 048 BH; OMR 512 OM
  JOD 400 JO; TND 788 TN; MAD 504 MA; EGP 818 EG; ZAR 710 ZA
  NGN 566 NG; KES 404 KE; GHS 936 GH; INR 356 IN; PKR 586 PK
  BDT 050 BD; LKR 144 LK; CNY 156 CN; HKD 344 HK; TWD 901 TW
  JPY 392 JP; KRW 410 KR; SGD 702 SG; MYR 458 MY; THB 764 TH
  IDR 360 ID; PHP 608 PH; VND 704 VN; AUD 036 AU; NZD 554 NZ
  CAD 124 CA; MXN 484 MX; BRL 986 BR; ARS 032 AR; CLP 152 CL
  COP 170 CO; PEN 604 PE; UYU 858 UY; CRC 188 CR; PYG 600 PY`;

const entries = table
  .trim()
  .split(/[;\n]/)
  .map((entry) => {
    const [currency = '', numeric = '', ...countries] = entry.trim().split(' ');
    return { currency, numeric, countries };
  });

/** The currency by `unit`; a unit that is missing here is none of D's. */
export const units: Readonly<Record<string, string>> = Object.fromEntries(
  entries.flatMap(({ currency, countries }) => countries.map((country) => [country, currency])),
);

/** Every currency that D takes. */
export const currencies: readonly string[] = entries.map(({ currency }) => currency);

const numerics = new Map(entries.map(({ currency, numeric }) => [currency, numeric]));
const byNumeric = new Map(entries.map(({ currency, numeric }) => [numeric, currency]));

/** The numeric code (`978`); undefined for a currency that D does not take. */
export function toNumeric(currency: string): string | undefined {
  return numerics.get(currency);
}

/** The currency by its numeric code; undefined where the table lacks it. */
export function readNumeric(numeric: string): string | undefined {
  return byNumeric.get(numeric);
}
