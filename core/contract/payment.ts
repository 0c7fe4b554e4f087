/** What core lends an adapter about a payment. Only `Submission` ever holds card data, and only while `submit` runs. */
import type { Money } from './money.ts';
import type { Action } from './outcome.ts';

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

export interface Payer {
  readonly name: string;
  readonly email: string;
  readonly phoneNumber: string;
  readonly address: string;
  readonly city: string;
  readonly state: string;
  readonly postalCode: string;
  /** Two letters, as the merchant sent them. */
  readonly country: string;
  readonly ipAddress: string | null;
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

/** What `submit` gets. Never keep any of it. */
export interface Submission extends AttemptFacts {
  readonly payer: Payer;
  readonly card?: Card;
  readonly token?: string;
  readonly upiId?: string;
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
}

/** The step that ended and lets `complete` go on. What a browser brought is a hint: the provider's answer counts. */
export type CompletionStep =
  | { readonly kind: 'return' }
  /** The member code that the payer received. */
  | { readonly kind: 'code'; readonly code: string }
  | {
      readonly kind: '3ds';
      readonly field: 'cres' | 'PaRes' | 'threeDSMethodData';
      /** The posted value, tidied as 3ds.md says. */
      readonly value: string;
      readonly transactionId: string | null;
      /** The result's own word, such as `Y`. */
      readonly hint: string;
    };
