/** What a call to a provider came to. An outcome is a result, never an exception: a decline is an answer. */
import type { DeclineCode } from './statuses/decline-codes.ts';

/** What the payer must do next; handed to the merchant unchanged. */
export type Action =
  | {
      readonly type: 'redirect';
      readonly method: 'GET' | 'POST';
      readonly url: string;
      /** Members of the form that the payer's browser posts, in this order; only with POST. */
      readonly fields?: Readonly<Record<string, string>>;
      /** The provider's id of a 3D Secure challenge; it is the interface's `transaction3dsId`. */
      readonly transactionId?: string;
    }
  | { readonly type: 'confirm'; readonly paymentId: string }
  | {
      readonly type: 'upi';
      readonly mode: 'collect' | 'intent' | 'qr';
      readonly link?: string;
      readonly text?: string;
      /** ISO 8601, to the second, UTC. */
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
    };

/** What a provider proves about 3D Secure: the payer was authenticated, an authentication was attempted, or there was none. */
export type ThreeDsShown = 'authenticated' | 'attempted' | 'none';

/** Plain JSON. */
export type AdapterState =
  null | boolean | number | string | readonly AdapterState[] | { readonly [name: string]: AdapterState };

/** Nothing that JSON would drop or change. */
export function isPlainJson(value: unknown): value is AdapterState {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return true;
  if (typeof value === 'number') return Number.isFinite(value);
  if (Array.isArray(value)) return value.every(isPlainJson);
  if (typeof value !== 'object' || Object.getPrototypeOf(value) !== Object.prototype) return false;
  return Object.values(value).every(isPlainJson);
}

/** The largest `adapterState`, in bytes of its JSON. */
export const maxAdapterStateBytes = 4096;

interface OutcomeFacts {
  /** The provider's own reference: of the payment, or of the refund where a refund was asked for. */
  readonly providerReference?: string;
  /** A word of the provider that its table does not know; core counts it. */
  readonly unknownStatus?: string;
  /** What the answer proves about 3D Secure. */
  readonly threeDs?: ThreeDsShown;
  /**
   * What the adapter wants back with this attempt in `complete`, `fetchStatus` and `refund`: at most 4,096 bytes of JSON,
   * encrypted at rest and shown to nobody. Replaces what an earlier outcome left; absent: that stays. Never a card number,
   * a CVV or a token. What must outlive a lost answer is left by `ctx.keep`.
   */
  readonly adapterState?: AdapterState;
}

export interface Decline {
  readonly decline: DeclineCode;
  /** The provider's words, for people. */
  readonly declineText?: string;
  /** A word that the decline table does not know; core counts it. */
  readonly unknownStatus?: string;
}

export interface SucceededOutcome extends OutcomeFacts {
  readonly outcome: 'succeeded';
}

/**
 * Refused. With `nothingCharged` it certainly never happened (it never left, or the provider said so) and carries no
 * decline: only then may core fall back to another provider. A decline is the payer's bank speaking.
 */
export interface FailedOutcome extends OutcomeFacts, Partial<Decline> {
  readonly outcome: 'failed';
  readonly nothingCharged?: true;
  /** Set by core: the request certainly never left us. */
  readonly notSent?: true;
  /**
   * Set by core, of a refund: the provider turned the request away (401, 403, 408, 429, 5xx). That says nothing about an
   * earlier one under the same reference.
   */
  readonly requestRejected?: true;
  /** Why, for people: a provider's error text, never payer data. */
  readonly reason?: string;
  /** The fault is our set-up (key, account): core raises an alarm. */
  readonly misconfigured?: true;
  /** A failed 3D Secure step: `N`, `R` or `U`; core answers PAY003. */
  readonly threeDsResult?: string;
  /** The issuer's own words on it. */
  readonly acsResponse?: string;
}

export interface PendingOutcome extends OutcomeFacts {
  readonly outcome: 'pending';
  readonly action?: Action;
  /** The bank reserved the money; capture follows. */
  readonly authorised?: true;
  /** A member code was wrong and may be tried again (PAY002); the payment stays as it was. */
  readonly codeRefused?: true;
}

/** No readable answer: it may have been charged. Never failed, never sent again blindly; core asks `fetchStatus`. */
export interface UnknownOutcome extends OutcomeFacts {
  readonly outcome: 'unknown';
  readonly reason?: string;
}

export type Outcome = SucceededOutcome | FailedOutcome | PendingOutcome | UnknownOutcome;

/** The provider certainly charged nothing: it said so, or the request never left. */
export function nothingCharged(reason: string): FailedOutcome {
  return { outcome: 'failed', nothingCharged: true, reason };
}

/** Our account or keys are wrong at the provider; nothing was charged, and core raises an alarm. */
export function misconfigured(reason: string): FailedOutcome {
  return { outcome: 'failed', nothingCharged: true, misconfigured: true, reason };
}

export function unknown(reason: string): UnknownOutcome {
  return { outcome: 'unknown', reason };
}

/**
 * Looks a provider's decline word up. A word that the table lacks, or none, is 05 with the provider's text (or the
 * word itself) kept, and is counted.
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
