/** A provider's message to us: its raw bytes, what proves it, and its acknowledgement. */
import type { ReportedEvent } from './event.ts';

/** A callback exactly as it arrived; nothing is decoded. */
export interface RawCallback {
  readonly method: string;
  readonly path: string;
  /** As sent, without the question mark. */
  readonly query: string;
  /** In order, with repeats, and with the names as sent. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Uint8Array;
  readonly remoteAddress: string;
  readonly receivedAt: Date;
}

const verifiedMark: unique symbol = Symbol('verified by verifySignature');

/**
 * A callback that `verifySignature` proved. Only `genuine` and `unproven` make one, so a callback that was not verified
 * cannot be parsed.
 */
export interface Verified<P> {
  readonly value: P;
  /** Which of several keys verified it: the key's index in the option that lists them. */
  readonly key?: number;
  readonly [verifiedMark]: true;
}

export type Verdict<P> =
  | { readonly verdict: 'genuine'; readonly verified: Verified<P> }
  /**
   * Nothing signs the callback. It only says which payment to fetch, so every event of it must be fetched. Its sample
   * says `"genuine": "unproven"` and `"mustFetch": true`.
   */
  | { readonly verdict: 'unproven'; readonly verified: Verified<P> }
  | { readonly verdict: 'invalid_signature' | 'stale' | 'malformed' | 'try_later'; readonly reason: string };

/**
 * The sender is verified. `value` is what was decoded on the way, so that nothing is decoded twice. `key` is the index
 * of the matching key (from `verifyWithAny`), for an acknowledgement or a probe that is answered under the same key.
 */
export function genuine<P>(value: P, { key }: { readonly key?: number } = {}): Verdict<P> {
  return { verdict: 'genuine', verified: { value, ...(key === undefined ? {} : { key }), [verifiedMark]: true } };
}

/** See `Verdict`: nothing of the callback is believed, except that the provider should be asked. */
export function unproven<P>(value: P): Verdict<P> {
  return { verdict: 'unproven', verified: { value, [verifiedMark]: true } };
}

/** The proof is missing or wrong. The reason is for our log; the sender never sees it. */
export function invalidSignature(reason: string): Verdict<never> {
  return { verdict: 'invalid_signature', reason };
}

/** The proof is right, but the message is too old or too early. */
export function stale(reason: string): Verdict<never> {
  return { verdict: 'stale', reason };
}

/** The message cannot be read: a part that its proof needs is missing, repeated or has another form. */
export function malformed(reason: string): Verdict<never> {
  return { verdict: 'malformed', reason };
}

/** The callback cannot be verified now (a key could not be fetched). The provider must send it again. */
export function tryLater(reason: string): Verdict<never> {
  return { verdict: 'try_later', reason };
}

/** What a verified callback says. An empty list without `refused` is acknowledged as *ignored*. */
export type Parsed =
  | {
      readonly events: readonly ReportedEvent[];
      /**
       * The number of refused entries in a batch. They are acknowledged as *invalid_signature*, while the good entries
       * count.
       */
      readonly refused?: number;
      /**
       * The positions of the refused entries in the batch, from 0. With several accounts, each refuses the entries of
       * the others: core then knows which entries no account proves. Without it, core assumes that there is one, and
       * the provider sends the batch again. Since contract 2.1.
       */
      readonly refusedAt?: readonly number[];
    }
  /** Genuine but unreadable: kept for review and acknowledged as *malformed*. */
  | { readonly malformed: string };

/** What became of a callback, for its acknowledgement. In a batch the worst outcome counts. */
export type AckOutcome =
  | 'accepted'
  | 'duplicate'
  | 'unknown_reference'
  | 'ignored'
  | 'invalid_signature'
  | 'stale'
  | 'malformed'
  | 'try_later';

export interface Acknowledgement {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Text is sent unchanged; null asks core for a short page of its own that repeats nothing from the request. */
  readonly body: string | null;
  /** The adapter names no answer for a refused signature. Core answers with its own problem body (WH001). */
  readonly isUnnamed?: true;
}

export interface AckContext<P> {
  readonly outcome: AckOutcome;
  readonly raw: RawCallback;
  /** Present if the callback was verified. */
  readonly verified?: Verified<P>;
}

/** An acknowledgement in plain text; status 200 by default. */
export function text(body: string, status = 200, headers: Readonly<Record<string, string>> = {}): Acknowledgement {
  return { status, headers: { 'Content-Type': 'text/plain; charset=utf-8', ...headers }, body };
}

/** An acknowledgement whose body is JSON text; status 200 by default. */
export function json(body: string, status = 200, headers: Readonly<Record<string, string>> = {}): Acknowledgement {
  return { status, headers: { 'Content-Type': 'application/json', ...headers }, body };
}

/** An acknowledgement without a body. */
export function empty(status: number, headers: Readonly<Record<string, string>> = {}): Acknowledgement {
  return { status, headers, body: '' };
}

/** A short HTML page that core writes. */
export function page(status: number, headers: Readonly<Record<string, string>> = {}): Acknowledgement {
  return { status, headers, body: null };
}

/** Redirects a browser by GET. */
export function seeOther(location: string): Acknowledgement {
  return { status: 303, headers: { Location: location }, body: '' };
}

type AckTable = { readonly accepted: Acknowledgement } & { readonly [K in AckOutcome]?: Acknowledgement };

/**
 * The usual acknowledgement: one answer per outcome. If left out, `duplicate`, `unknown_reference` and `ignored` are
 * answered as `accepted`, and `stale` as `invalid_signature`.
 */
export function acknowledgeBy(table: AckTable): (context: { readonly outcome: AckOutcome }) => Acknowledgement {
  return ({ outcome }) => table[outcome] ?? table[fallbacks[outcome]] ?? defaults[outcome];
}

const fallbacks: Readonly<Record<AckOutcome, AckOutcome>> = {
  accepted: 'accepted',
  duplicate: 'accepted',
  unknown_reference: 'accepted',
  ignored: 'accepted',
  invalid_signature: 'invalid_signature',
  stale: 'invalid_signature',
  malformed: 'malformed',
  try_later: 'try_later',
};

const defaults: Readonly<Record<AckOutcome, Acknowledgement>> = {
  accepted: text('OK'),
  duplicate: text('OK'),
  unknown_reference: text('OK'),
  ignored: text('OK'),
  invalid_signature: { ...text('signature', 401), isUnnamed: true },
  stale: { ...text('time', 401), isUnnamed: true },
  malformed: text('unreadable', 400),
  try_later: text('later', 503),
};

/** The default acknowledgement: 200 and `OK`. */
export const acknowledgeByDefault = acknowledgeBy({ accepted: defaults.accepted });

/** All values of a header, in order. */
export function headerValues(message: Pick<RawCallback, 'headers'>, name: string): string[] {
  const wanted = name.toLowerCase();
  return message.headers.filter(([key]) => key.toLowerCase() === wanted).map(([, value]) => value);
}

/** The value of a header that occurs exactly once; undefined if it is missing or repeated. */
export function onlyHeader(message: Pick<RawCallback, 'headers'>, name: string): string | undefined {
  const values = headerValues(message, name);
  return values.length === 1 ? values[0] : undefined;
}

/** The media type in lower case, without parameters; empty if there is none. */
export function contentType(message: Pick<RawCallback, 'headers'>): string {
  return (onlyHeader(message, 'content-type') ?? '').split(';')[0]!.trim().toLowerCase();
}

/** Decodes bytes as UTF-8; undefined if they are not UTF-8. A byte order mark stays. */
export function utf8(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined; // TextDecoder has no other way to report invalid bytes.
  }
}
