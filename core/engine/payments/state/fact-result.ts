/** What one fact adds to a payment, before its status is derived again. */
import type { Attempt } from '../../../database/collections/attempt.ts';
import type { Facts, LogEntry } from '../../../database/collections/payment-request.ts';

/** What the log records about a fact. */
export type NewLogEntry = Pick<LogEntry, 'attempt' | 'transactionId' | 'transactionStatusId' | 'code' | 'message'> &
  Partial<Pick<LogEntry, 'details' | 'received' | 'threeDs' | 'misfit' | 'refund'>>;

/** The result of a fact. `fetch`: the status must be fetched, because the fact cannot be believed without that. */
export type FactResult =
  | { readonly kind: 'added'; readonly facts: Partial<Facts>; readonly log: NewLogEntry; readonly eventId?: string }
  | { readonly kind: 'nothing'; readonly reason: string }
  | { readonly kind: 'refused'; readonly log: NewLogEntry; readonly fetch: boolean };

const MAX_TEXT = 500;

/** Shortens a provider's text before it is stored: every notification repeats it, and a document has a size limit. */
export function shortText(text: string): string {
  return text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT - 1)}…` : text;
}

/** Replaces one attempt. */
export function withAttempt(facts: Facts, changed: Attempt): readonly Attempt[] {
  return facts.attempts.map((attempt) => (attempt.n === changed.n ? changed : attempt));
}
