/** What core gives an adapter about a payment. Only `Submission` ever holds card data, and only while `submit` runs. */
import type { Money } from './money/money.ts';
import type { Action, AdapterState } from './outcome.ts';

/** How the payer's data comes in: which request schema a provider takes. */
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

/** What may be known of a payer, every field of it. */
export interface PayerFields {
  readonly name: string;
  readonly email: string;
  readonly phoneNumber: string;
  readonly address: string;
  readonly city: string;
  readonly state: string;
  readonly postalCode: string;
  /** Two letters, as the merchant sent them. */
  readonly country: string;
}

/** What a way to pay may ask of the payer. */
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

/** The payer: the fields that the manifest's ways list are there, any other may be missing. */
export type Payer<F extends PayerField = PayerField> = Pick<PayerFields, F> &
  Partial<Omit<PayerFields, F>> & { readonly ipAddress: string | null };

/**
 * What 3D Secure a way has: `enforced`: a demand for it is passed on and kept; `by_other_means`: the payer is authenticated
 * otherwise (at a wallet, a bank's page, by a UPI PIN), so a demand is met without it; `unsupported`: a demand is refused.
 * A provider that may ask for 3D Secure by itself, and takes no demand for it, is `unsupported`.
 */
export type ThreeDsSupport = 'enforced' | 'by_other_means' | 'unsupported';

/** One way to pay at a provider. */
export interface Way<F extends PayerField = PayerField> {
  readonly method: PaymentMethod;
  /** For the payer, such as `Card`. */
  readonly title: string;
  readonly threeDs: ThreeDsSupport;
  /** What the provider needs to know of the payer. */
  readonly payerFields: readonly F[];
  /** The payer types the card at the provider: a submission of the input `card` that goes this way may come without one. */
  readonly withoutCard?: true;
}

export interface Card {
  /** 8 to 19 digits; right by Luhn. */
  readonly number: string;
  /** `MM/YY`, a month not past. */
  readonly expiration: string;
  /** Two digits and four digits, read from `expiration`. */
  readonly expiryMonth: string;
  readonly expiryYear: string;
  readonly cvv: string;
}

/** As the merchant gave it: only the members that were there, types unchanged. */
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
  /** Ours, digits. */
  readonly paymentRequestId: string;
  /** Counts the attempts of the payment request from 1. */
  readonly attempt: number;
  /** The name of the attempt towards the provider, `GW-10042-1`: at most 24 of `A–Z 0–9 -`, the same on every repetition. */
  readonly reference: string;
  /** What is charged; the currency is ISO 4217 also where `unit` is a country. */
  readonly money: Money;
  /** As the merchant sent it. */
  readonly unit: string;
  /** True: the call goes to the sandbox address. */
  readonly sandbox: boolean;
  /** Came in at an h2h endpoint. */
  readonly isH2h: boolean;
}

/** The member that makes an input kind, and none of the others. */
interface InputMembers {
  card: { readonly card: Card; readonly token?: undefined; readonly upiId?: undefined };
  token: { readonly token: string; readonly card?: undefined; readonly upiId?: undefined };
  upi: { readonly upiId: string; readonly card?: undefined; readonly token?: undefined };
  billing: { readonly card?: undefined; readonly token?: undefined; readonly upiId?: undefined };
}

/**
 * What `submit` gets, by the inputs that the manifest lists: `Submission<'card'>` has a card for certain, and
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
  /** true demands 3D Secure, false asks to skip it, absent leaves it to the provider. */
  readonly is3ds?: boolean;
}

/** What the later calls get. */
export interface StoredPayment extends AttemptFacts {
  readonly method: PaymentMethod;
  /** The provider's reference of the payment, where one is known. */
  readonly providerReference?: string;
  /**
   * Decimal text in the currency of `money`: what the merchant captures of it, where that was asked for. A success is then
   * of this amount.
   */
  readonly capturedAmount?: string;
  /** What the latest outcome that had one left as `adapterState`. */
  readonly adapterState?: AdapterState;
  /** The action as it was stored. */
  readonly action?: Action;
  /** When the submission's call ended; null while it may still run. */
  readonly endedAt: Date | null;
}

/** A refund to ask for. */
export interface RefundRequest {
  /** Our name for it and its idempotency key: the attempt's reference, `-R`, a number from 1. */
  readonly reference: string;
  readonly money: Money;
  readonly note: string | null;
  /** Decimal text in the money's currency: what was given back of this attempt before; refunds without an outcome count. */
  readonly refundedSoFar: string;
  /** The same refund was asked for before, and what came of it is not known. */
  readonly isRepetition: boolean;
}

/** Money to collect of what the bank reserved. */
export interface CaptureRequest {
  /** Our name for it and its idempotency key: the attempt's reference and `-C`. */
  readonly reference: string;
  /** All that was authorised, or a part of it; the rest is released. */
  readonly money: Money;
}

/** Releases reserved money, all of it. */
export interface VoidRequest {
  /** Our name for the release: another one for the next, where the provider refused the first. */
  readonly reference: string;
}

/** The step that ended and lets `complete` go on. What a browser brought is a hint: the provider's answer counts. */
export type CompletionStep =
  | {
      readonly kind: 'return';
      /** What a page added to `ctx.threeDsReturnUrl`, as sent: `result=X6Xtf%21Y`. Absent where nothing of it was seen. */
      readonly query?: string;
    }
  /** The member code that the payer received. */
  | { readonly kind: 'code'; readonly code: string }
  | {
      readonly kind: '3ds';
      readonly field: 'cres' | 'PaRes' | 'threeDSMethodData';
      /** The posted value, without line breaks and with `+` for each blank. */
      readonly value: string;
      /** What the provider put into `MD` or `threeDSSessionData`, where that is no token of the gateway. */
      readonly sessionData?: string;
      readonly transactionId: string | null;
      /** The result's own word, such as `Y`. */
      readonly hint: string;
    };

/** Two UPI ids mean *not known yet*: the payer's app opens a link, or scans a QR code. */
export const upiIds = { upi_intent: 'intent@gw', upi_qr: 'qr@gw' } as const;

/** The mode that a UPI id asks for, in any letter case; any id but those two is a request to that payer. */
export function upiMethodOf(upiId = ''): 'upi_collect' | keyof typeof upiIds {
  const id = upiId.toLowerCase();
  return id === upiIds.upi_intent ? 'upi_intent' : id === upiIds.upi_qr ? 'upi_qr' : 'upi_collect';
}

/** The member of a merchant's body that makes an input; billing data has none of them. */
export const inputMembers: Readonly<Partial<Record<InputKind, string>>> = {
  card: 'number',
  token: 'token',
  upi: 'upiId',
};

/**
 * Of the inputs that a manifest lists, the one whose own member the body has (`number`, `token`, `upiId`), else `billing`,
 * else the first. A provider of one input gets every body as that one.
 */
export function inputKindOf(inputs: readonly InputKind[], body: Readonly<Record<string, unknown>>): InputKind {
  const isOwn = (kind: InputKind): boolean => {
    const member = inputMembers[kind];
    return member !== undefined && Object.hasOwn(body, member) && body[member] !== undefined;
  };
  return inputs.find(isOwn) ?? (inputs.includes('billing') ? 'billing' : (inputs[0] ?? 'card'));
}
