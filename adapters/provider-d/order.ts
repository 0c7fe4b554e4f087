/** D's orders: their currencies, and the facts that callbacks and answers report alike. */
import {
  declineOf,
  moneyFromMinor,
  toEventDecline,
  v,
  type EventKind,
  type Money,
  type ReportedEvent,
  type ThreeDsShown,
} from '@paywright/contract';
import { Text } from './signing.ts';
import { declines, paymentStatuses } from './statuses.ts';

// Currency, its numeric code as text (`036` is not 36), countries; `EU` means the euro. Decimals follow ISO 4217.
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

/** Every currency that D accepts. */
export const currencies: readonly string[] = entries.map(({ currency }) => currency);

/** The currency by `unit`, which names a country and means its currency. */
export const units: Readonly<Record<string, string>> = Object.fromEntries(
  entries.flatMap(({ currency, countries }) => countries.map((country) => [country, currency])),
);

/** D writes currencies as numeric codes. */
export const numericByCurrency: ReadonlyMap<string, string> = new Map(
  entries.map(({ currency, numeric }) => [currency, numeric]),
);
export const currencyByNumeric: ReadonlyMap<string, string> = new Map(
  entries.map(({ currency, numeric }) => [numeric, currency]),
);

const digits = (form: RegExp) => v.pipe(Text, v.regex(form));

/** A sum in minor units. */
export const Sum = digits(/^\d{1,15}$/);

/** Members that D may leave out or need not repeat. Like every member they are text. */
const answerNames = ['D_Auth', 'D_Secure', 'D_Text', 'D_Card', 'D_Page', 'D_Until', 'D_Case'] as const;
const payerNames = ['D_Name', 'D_Mail', 'D_Phone', 'D_Addr', 'D_City', 'D_Region', 'D_Zip', 'D_Land', 'D_Ip'] as const;
const callNames = ['D_Refund', 'D_Item', 'D_Notify', 'D_Return'] as const;

export const Message = v.object({
  ...v.entriesFromList([...answerNames, ...payerNames, ...callNames], v.optional(Text)),
  D_Shop: Text,
  D_Term: Text,
  D_Order: Text,
  D_Op: digits(/^\d$/),
  /** D's id of the payment, refund or case. It may exceed 2^53. */
  D_Id: digits(/^\d{1,20}$/),
  D_Sum: Sum,
  /** The currency. D writes its numeric code. */
  D_Cur: v.pipe(
    Text,
    v.transform((numeric) => currencyByNumeric.get(numeric)),
    v.string(),
  ),
  D_Code: digits(/^\d{4}$/),
  /** The refunded sum so far. */
  D_Back: v.optional(Sum),
});
export type Message = v.InferOutput<typeof Message>;

export function moneyOf({ D_Sum, D_Cur }: Pick<Message, 'D_Sum' | 'D_Cur'>): Money {
  return moneyFromMinor(D_Sum, D_Cur);
}

/** The status of a message in D's spelling, such as `0:0000`. */
export function providerStatusOf({ D_Op, D_Code }: Pick<Message, 'D_Op' | 'D_Code'>): string {
  return `${D_Op}:${D_Code}`;
}

/** Operation 3 reports a refund, 7 a chargeback, any other the payment. */
export function kindOf({ D_Op }: Message): EventKind {
  return D_Op === '3' ? 'refund' : D_Op === '7' ? 'chargeback' : 'payment';
}

/** The decline of a payment. For a 3D Secure failure (`D_Secure` 3) it has the result and the issuer's text. */
export function refusalOf({ D_Code, D_Text, D_Secure = '3' }: Message) {
  const isThreeDs = D_Code === '0184' && D_Secure === '3';
  return {
    ...declineOf(declines, D_Code, D_Text),
    ...(isThreeDs ? { threeDsResult: 'N' } : {}),
    ...(isThreeDs && D_Text ? { acsResponse: D_Text } : {}),
  };
}

/** The 3D Secure result that `D_Secure` of a payment proves: 0 none, 1 full, 2 attempted, 3 failed. */
const threeDsShown: Readonly<Record<string, ThreeDsShown>> = {
  0: 'none',
  1: 'authenticated',
  2: 'attempted',
  3: 'none',
};

function threeDsOf({ D_Secure = '' }: Message): { threeDs?: ThreeDsShown } {
  const threeDs = threeDsShown[D_Secure];
  return threeDs === undefined ? {} : { threeDs };
}

/** A message as an event, both for callbacks and for status answers. */
export function toEvent(message: Message): ReportedEvent {
  const { D_Order, D_Id } = message;
  const [kind, providerStatus] = [kindOf(message), providerStatusOf(message)];
  const isRefusal = kind === 'payment' && paymentStatuses[providerStatus] === 'failed';
  return {
    kind,
    providerStatus,
    reference: D_Order,
    ...(kind === 'payment' ? { providerReference: D_Id } : { providerReference: null, subReference: D_Id }),
    ...moneyOf(message),
    dedupeKey: `${D_Id}:${providerStatus}`,
    ...(isRefusal ? toEventDecline(refusalOf(message)) : {}),
    ...(kind === 'payment' ? threeDsOf(message) : {}),
  };
}
