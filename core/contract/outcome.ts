/** The result of a call to a provider. An outcome is a result, never an exception: a decline is an answer. */
import type { DeclineCode } from './statuses/decline-codes.ts';

/** What the payer must do next; passed to the merchant unchanged. */
export type Action =
  | {
      readonly type: 'redirect';
      readonly method: 'GET' | 'POST';
      readonly url: string;
      /** Members of the form that the payer's browser posts, in this order; only with POST. */
      readonly fields?: Readonly<Record<string, string>>;
      /** The provider's id of a 3D Secure challenge, which is the interface's `transaction3dsId`. */
      readonly transactionId?: string;
      /**
       * Core calls `complete` when the payer comes back to `ctx.returnUrl`: for a wallet or a page that charges only
       * then. The step is no 3D Secure step, so it has no `transactionId`.
       */
      readonly completesOnReturn?: true;
      /**
       * The provider's page recognises the merchant by the `Referer` header. The payer's page then sends its origin to
       * this address. Default: it sends no `Referer`.
       */
      readonly referrer?: 'origin';
    }
  | { readonly type: 'confirm'; readonly paymentId: string }
  | {
      readonly type: 'upi';
      readonly mode: 'collect' | 'intent' | 'qr';
      readonly link?: string;
      readonly text?: string;
      /** ISO 8601 in UTC, to the second. */
      readonly expiry: string;
    }
  | {
      readonly type: 'crypto';
      readonly address: string;
      readonly coin: string;
      /** Decimal text in the coin's major unit. */
      readonly amount: string;
      readonly network: string;
      readonly expiry: string;
      readonly memo?: string;
    }
  | {
      /** A code that the payer scans or opens with another app than a UPI app: a wallet, a bank's app. */
      readonly type: 'qr';
      /** The text of the code, unchanged. A web address or a link into an app (`app://…`) is also offered as a link. */
      readonly text: string;
      /** ISO 8601 in UTC, to the second. */
      readonly expiry: string;
      /** The name of the app for the payer: `Acme`. Default: the title of the way. */
      readonly app?: string;
    };

/**
 * What a provider proves about 3D Secure: the payer was authenticated, an authentication was attempted, or there was
 * none.
 */
export type ThreeDsShown = 'authenticated' | 'attempted' | 'none';

/** Plain JSON. */
export type AdapterState =
  null | boolean | number | string | readonly AdapterState[] | { readonly [name: string]: AdapterState };

/** True if JSON would drop or change nothing of the value. */
export function isPlainJson(value: unknown): value is AdapterState {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return true;
  if (typeof value === 'number') return Number.isFinite(value);
  if (Array.isArray(value)) return value.every(isPlainJson);
  if (typeof value !== 'object' || Object.getPrototypeOf(value) !== Object.prototype) return false;
  return Object.values(value).every(isPlainJson);
}

/** The largest `adapterState`, in bytes of its JSON. */
export const maxAdapterStateBytes = 4096;

/**
 * The fields of the interface that a provider may refuse. `body` represents an answer that refuses the request's
 * data and names no field that the interface has.
 */
export const interfaceFields = [
  'name',
  'email',
  'phoneNumber',
  'address',
  'city',
  'state',
  'postalCode',
  'country',
  'ipAddress',
  'number',
  'expiration',
  'cvv',
  'token',
  'upiId',
  'wallet',
  'browserInfo',
  'captureDelayHours',
  'is3ds',
  'amount',
  'unit',
  'body',
] as const;
export type InterfaceField = (typeof interfaceFields)[number];

/** The provider's ids of one payment, by a name that the adapter chooses: `{ order: 'O-1', capture: 'C-9' }`. */
export type ProviderReferences = Readonly<Record<string, string>>;

/** Limits of `providerReferences`: the number of ids, and the characters of their names and values. */
export const providerReferenceLimits = { members: 6, name: 40, value: 200 } as const;

interface OutcomeFacts {
  /**
   * The provider's own reference: of the payment, or of the refund if a refund was asked for. The outcome of `capture`
   * may name the capture, and the outcome of `void` need not name anything.
   */
  readonly providerReference?: string;
  /**
   * Every id that the provider has given this payment so far, for a provider that gives it several: an order, an
   * authorisation, a capture. Each name has one id. `providerReference`, the primary one, is among them. Core keeps all
   * of them: a message that names any of them is about this payment. Within `providerReferenceLimits`; never the id of
   * a refund, a dispute or the payer. In the outcome of `refund` it has no effect.
   *
   * The primary reference changes at most once: a success may name another primary reference than the answers before,
   * such as the capture instead of the order. Choose what refunds and disputes name.
   */
  readonly providerReferences?: ProviderReferences;
  /** A status of the provider that the adapter's table does not know; core counts it. */
  readonly unknownStatus?: string;
  /** What the answer proves about 3D Secure. */
  readonly threeDs?: ThreeDsShown;
  /**
   * State that the adapter wants back with this attempt in `complete`, `fetchStatus` and `refund`: at most 4,096 bytes
   * of JSON, encrypted at rest and never shown. It replaces the state of an earlier outcome; if absent, the earlier
   * state stays. Never put a card number, a CVV or a token in it. State that must survive a lost answer is left by
   * `ctx.keep`.
   */
  readonly adapterState?: AdapterState;
  /** Set by core, in test mode: the rule of the sandbox that caused the answer, such as `.50`. */
  readonly sandboxRule?: string;
}

export interface Decline {
  readonly decline: DeclineCode;
  /** The provider's own explanation, for people. */
  readonly declineText?: string;
  /** A code that the decline table does not know; core counts it. */
  readonly unknownStatus?: string;
}

export interface SucceededOutcome extends OutcomeFacts {
  readonly outcome: 'succeeded';
}

/**
 * Refused. With `nothingCharged` the charge certainly never happened (the request never left, or the provider said so),
 * and there is no decline. Only then may core fall back to another provider. A decline is the answer of the payer's
 * bank.
 */
export interface FailedOutcome extends OutcomeFacts, Partial<Decline> {
  readonly outcome: 'failed';
  readonly nothingCharged?: true;
  /**
   * Only with `nothingCharged`: the provider refuses the value of this field, so the same request fails again. Core
   * answers PAY002 for the card's fields and VAL002 for the others, and the next provider of the route may be tried.
   */
  readonly refusedField?: InterfaceField;
  /** Set by core: the request certainly never left. */
  readonly notSent?: true;
  /**
   * Set by core, for a refund: the provider rejected the request (401, 403, 408, 429, 5xx). That says nothing about an
   * earlier request with the same reference.
   */
  readonly requestRejected?: true;
  /** The reason, for people: a provider's error text, never payer data. */
  readonly reason?: string;
  /** Our configuration (key, account) is at fault: core raises an alarm. */
  readonly misconfigured?: true;
  /**
   * The payer gave up at the provider, which has ended the payment; nothing was charged. There is no decline, because
   * no bank refused.
   */
  readonly cancelled?: true;
  /** A failed 3D Secure step: `N`, `R` or `U`; core answers PAY003. */
  readonly threeDsResult?: string;
  /** The issuer's own text about the failed step. */
  readonly acsResponse?: string;
}

export interface PendingOutcome extends OutcomeFacts {
  readonly outcome: 'pending';
  readonly action?: Action;
  /** The bank reserved the money; a capture follows. */
  readonly authorised?: true;
  /** A member code was wrong and may be tried again (PAY002). The payment does not change. */
  readonly codeRefused?: true;
  /**
   * For a refund: the provider cannot send the money, so the merchant must send it by other means. Core announces that,
   * raises an alarm and does not repeat the refund. A report or a fetch, or an operator, ends it.
   */
  readonly needsMerchant?: true;
  /** With `needsMerchant`: why, for people. */
  readonly reason?: string;
}

/**
 * There is no readable answer: the payment may have been charged. It is never treated as failed and never sent again
 * blindly; core calls `fetchStatus`.
 */
export interface UnknownOutcome extends OutcomeFacts {
  readonly outcome: 'unknown';
  readonly reason?: string;
}

export type Outcome = SucceededOutcome | FailedOutcome | PendingOutcome | UnknownOutcome;

/** The provider certainly charged nothing: it said so, or the request never left. */
export function nothingCharged(reason: string): FailedOutcome {
  return { outcome: 'failed', nothingCharged: true, reason };
}

/**
 * The provider refuses the value of a field and charged nothing. `reason` is for people and never contains the value.
 */
export function refusedField(field: InterfaceField, reason: string): FailedOutcome {
  return { outcome: 'failed', nothingCharged: true, refusedField: field, reason };
}

/** Our account or keys are wrong at the provider. Nothing was charged, and core raises an alarm. */
export function misconfigured(reason: string): FailedOutcome {
  return { outcome: 'failed', nothingCharged: true, misconfigured: true, reason };
}

/** The payment may have been charged. Core calls `fetchStatus`; the reason is for people. */
export function unknown(reason: string): UnknownOutcome {
  return { outcome: 'unknown', reason };
}

/**
 * Looks a provider's decline code up. A code that the table lacks, or a missing code, is 05 with the provider's text
 * (or the code itself) kept, and is counted.
 */
export function declineOf(
  table: Readonly<Record<string, DeclineCode>>,
  word: string | null | undefined,
  text?: string | null,
): Decline {
  const code = word && Object.hasOwn(table, word) ? table[word] : undefined;
  const words = text || (code ? undefined : word) || undefined;
  return {
    decline: code ?? '05',
    ...(words === undefined ? {} : { declineText: words }),
    ...(code === undefined && word ? { unknownStatus: word } : {}),
  };
}
