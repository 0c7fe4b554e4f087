/** What core gives an adapter about a payment. Only `Submission` ever holds card data, and only while `submit` runs. */
import type { Money } from './money/money.ts';
import type { Action, AdapterState, ProviderReferences } from './outcome.ts';

/** The kind of payer data that comes in: it selects the request schema of a provider. */
export type InputKind = 'card' | 'billing' | 'token' | 'upi';

/** Payment methods by name; the numbers are the specification's `paymentMethodId`. */
export const paymentMethods = {
  card: 1,
  card_token: 2,
  upi_collect: 3,
  upi_intent: 4,
  upi_qr: 5,
  crypto: 6,
  hosted_page: 7,
  wallet_card: 8,
  ewallet_redirect: 9,
} as const;
export type PaymentMethod = keyof typeof paymentMethods;

/** Every field that may be known of a payer. */
export interface PayerFields {
  readonly name: string;
  readonly email: string;
  readonly phoneNumber: string;
  readonly address: string;
  readonly city: string;
  readonly state: string;
  readonly postalCode: string;
  /** Two capital letters, corrected by `toCountry`. */
  readonly country: string;
}

/** A field that a way to pay may require of the payer. */
export type PayerField = keyof PayerFields;
export const payerFields = [
  'name',
  'email',
  'phoneNumber',
  'address',
  'city',
  'state',
  'postalCode',
  'country',
] as const satisfies readonly PayerField[];

/**
 * The payer, as `readPayer` returns it. The fields that the manifest's ways list are present; any other may be missing.
 * A field that the merchant left blank is `''`: send only what `knownFields` returns. `ipAddress` is an address in its
 * canonical spelling.
 */
export type Payer<F extends PayerField = PayerField> = Pick<PayerFields, F> &
  Partial<Omit<PayerFields, F>> & { readonly ipAddress: string | null };

/**
 * How a way supports 3D Secure.
 * - `enforced`: a demand for it is sent to the provider and kept.
 * - `by_other_means`: the payer is authenticated otherwise (at a wallet, a bank's page, by a UPI PIN), so a demand is
 *   met without it.
 * - `unsupported`: a demand is refused. A provider that may ask for 3D Secure on its own, but accepts no demand for it,
 *   is `unsupported`.
 */
export type ThreeDsSupport = 'enforced' | 'by_other_means' | 'unsupported';

/**
 * What may become of a payment whose step the payer left: a bank page, a hosted page, a UPI request, a code, coins.
 * - `charges_nothing`: the provider charges only if core calls `complete`. Core can replace the attempt at any time.
 * - `close`: the adapter can close the order at the provider. Core replaces the attempt after its `close` succeeded.
 *   Without the abilities `close` and `fetchStatus`, it means `may_charge`.
 * - `may_charge`: the payer can still finish the step without core. Core replaces the attempt only after the step's
 *   time limit, and only if `fetchStatus` reports that the provider still waits for the payer, or that nothing was
 *   charged.
 */
export const unfinishedSteps = ['charges_nothing', 'close', 'may_charge'] as const;
export type UnfinishedStep = (typeof unfinishedSteps)[number];

/** One way to pay at a provider. */
export interface Way<F extends PayerField = PayerField> {
  readonly method: PaymentMethod;
  /** The title that the payer reads, such as `Card`. */
  readonly title: string;
  /** The title in other languages, by language code: `{ de: 'Karte' }`. Since contract 2.1. */
  readonly titles?: Readonly<Record<string, string>>;
  /**
   * The name of the page or app to which the payer is sent, as payers know it: `PayPal`. If it is absent, the payer's
   * page names none. Since contract 2.1.
   */
  readonly leadsTo?: string;
  readonly threeDs: ThreeDsSupport;
  /** The fields of the payer that the provider needs. */
  readonly payerFields: readonly F[];
  /** The payer types the card at the provider, so a submission of the input `card` by this way may have no card. */
  readonly withoutCard?: true;
  /** What may become of a step that the payer left. Default: `may_charge`. */
  readonly unfinishedStep?: UnfinishedStep;
  /**
   * The longest time in minutes in which a payer can finish the step of a redirect. Other actions name their own
   * `expiry`. Default: unknown, and a `may_charge` attempt is then never replaced.
   */
  readonly stepMinutes?: number;
}

export interface Card {
  /** 8 to 19 digits; valid by Luhn. */
  readonly number: string;
  /** `MM/YY`, a month that is not past. */
  readonly expiration: string;
  /** Two digits, and four digits for `expiryYear`, read from `expiration`. */
  readonly expiryMonth: string;
  readonly expiryYear: string;
  readonly cvv: string;
}

/** The browser data that the merchant sent, as `readBrowserInfo` returns it: only the members that are known. */
export interface BrowserInfo {
  readonly acceptHeader?: string;
  readonly colorDepth?: string;
  readonly ip?: string;
  readonly javaEnabled?: boolean;
  readonly javascriptEnabled?: boolean;
  readonly language?: string;
  readonly screenHeight?: string;
  readonly screenWidth?: string;
  readonly timezone?: string;
  readonly userAgent?: string;
}

export interface Wallet {
  readonly walletType?: string;
  readonly authenticationValue?: string;
  readonly xid?: string;
  readonly eci?: string;
}

/** One attempt of a payment request at one provider, as every call sees it. */
export interface AttemptFacts {
  /** Our id, in digits. */
  readonly paymentRequestId: string;
  /** The number of this attempt of the payment request, from 1. */
  readonly attempt: number;
  /**
   * The name of the attempt towards the provider, `GW-10042-1`: at most 24 characters of `A–Z 0–9 -`, the same in every
   * repetition.
   */
  readonly reference: string;
  /** The amount to charge; the currency is ISO 4217 even if `unit` is a country. */
  readonly money: Money;
  /** As the merchant sent it. */
  readonly unit: string;
  /** True: the call goes to the sandbox address. */
  readonly sandbox: boolean;
  /** The payment came in at an h2h endpoint. */
  readonly isH2h: boolean;
}

/** The member that belongs to an input kind, and none of the others. */
interface InputMembers {
  card: { readonly card: Card; readonly token?: undefined; readonly upiId?: undefined };
  token: { readonly token: string; readonly card?: undefined; readonly upiId?: undefined };
  upi: { readonly upiId: string; readonly card?: undefined; readonly token?: undefined };
  billing: { readonly card?: undefined; readonly token?: undefined; readonly upiId?: undefined };
}

/**
 * The argument of `submit`, by the inputs that the manifest lists: `Submission<'card'>` always has a card, and
 * `Submission<'upi' | 'card'>` is distinguished by `input`. Never keep any of it.
 */
export type Submission<I extends InputKind = InputKind, F extends PayerField = PayerField> = {
  readonly [K in I]: { readonly input: K } & InputMembers[K] & SubmissionFacts<F>;
}[I];

interface SubmissionFacts<F extends PayerField> extends AttemptFacts {
  readonly payer: Payer<F>;
  readonly browserInfo?: BrowserInfo;
  readonly wallet?: Wallet;
  readonly captureDelayHours?: number;
  /** true demands 3D Secure, false asks to skip it, and an absent member leaves it to the provider. */
  readonly is3ds?: boolean;
}

/** The payment as the later calls get it. */
export interface StoredPayment extends AttemptFacts {
  readonly method: PaymentMethod;
  /** The provider's reference of the payment, if one is known. */
  readonly providerReference?: string;
  /** Every named id of the payment that outcomes and events have brought so far; absent: none. */
  readonly providerReferences?: ProviderReferences;
  /**
   * The part that the merchant captures, as decimal text in the currency of `money`, if a capture was asked for; else
   * the part that the provider reported as captured. A success is then about this amount.
   */
  readonly capturedAmount?: string;
  /**
   * The payment is known to be paid. A fetch then looks for what happened to the money afterwards: every refund and
   * dispute that the provider lists, even if the list needs further requests.
   */
  readonly isPaid?: true;
  /** The latest `adapterState` that an outcome left. */
  readonly adapterState?: AdapterState;
  /** The action as it was stored. */
  readonly action?: Action;
  /** When the submission's call ended; null while it may still run. */
  readonly endedAt: Date | null;
}

/** A refund to ask for. */
export interface RefundRequest {
  /** Our name for the refund and its idempotency key: the attempt's reference, `-R`, and a number from 1. */
  readonly reference: string;
  readonly money: Money;
  readonly note: string | null;
  /**
   * What was given back of this attempt before, as decimal text in the money's currency. Refunds without an outcome
   * count.
   */
  readonly refundedSoFar: string;
  /** The same refund was asked for before, and its outcome is not known. */
  readonly isRepetition: boolean;
}

/** Money to collect of the amount that the bank reserved. */
export interface CaptureRequest {
  /** Our name for the capture and its idempotency key: the attempt's reference and `-C`. */
  readonly reference: string;
  /** The whole authorised amount, or a part of it; the rest is released. */
  readonly money: Money;
}

/** Releases reserved money, all of it. */
export interface VoidRequest {
  /** Our name for the release. If the provider refuses a release, the next one gets another name. */
  readonly reference: string;
}

/**
 * The step that ended, after which `complete` continues. What a browser brought is a hint: only the provider's answer
 * counts.
 */
export type CompletionStep =
  | {
      readonly kind: 'return';
      /**
       * The query that a page added to `ctx.threeDsReturnUrl`, as sent: `result=X6Xtf%21Y`. Absent if none was seen.
       */
      readonly query?: string;
    }
  /** The member code that the payer received. */
  | { readonly kind: 'code'; readonly code: string }
  | {
      readonly kind: '3ds';
      readonly field: 'cres' | 'PaRes' | 'threeDSMethodData';
      /** The posted value, without line breaks and with `+` in place of each blank. */
      readonly value: string;
      /** What the provider put into `MD` or `threeDSSessionData`, if that is not a token of the gateway. */
      readonly sessionData?: string;
      readonly transactionId: string | null;
      /** The status in the result, such as `Y`. */
      readonly hint: string;
    };

/** Two UPI ids that mean *not known yet*: the payer's app opens a link, or scans a QR code. */
export const upiIds = { upi_intent: 'intent@gw', upi_qr: 'qr@gw' } as const;

/** The mode that a UPI id asks for, in any letter case. Any other id is a collect request to that payer. */
export function upiMethodOf(upiId = ''): 'upi_collect' | keyof typeof upiIds {
  const id = upiId.toLowerCase();
  return id === upiIds.upi_intent ? 'upi_intent' : id === upiIds.upi_qr ? 'upi_qr' : 'upi_collect';
}

/** The member of a merchant's body that identifies an input; billing data has none. */
export const inputMembers: Readonly<Partial<Record<InputKind, string>>> = {
  card: 'number',
  token: 'token',
  upi: 'upiId',
};

/**
 * The input that a merchant's body belongs to: the first of the manifest's inputs whose own member the body has
 * (`number`, `token`, `upiId`), else `billing`, else the first input. A provider with one input gets every body as that
 * input.
 */
export function inputKindOf(inputs: readonly InputKind[], body: Readonly<Record<string, unknown>>): InputKind {
  const isOwn = (kind: InputKind): boolean => {
    const member = inputMembers[kind];
    return member !== undefined && Object.hasOwn(body, member) && body[member] !== undefined;
  };
  return inputs.find(isOwn) ?? (inputs.includes('billing') ? 'billing' : (inputs[0] ?? 'card'));
}
