/** What one fact adds to a payment, before its status is derived anew. */
import type { Attempt, Facts, LogEntry } from '../facts.ts';

/** What is written in the log about a fact. */
export type LogLine = Pick<LogEntry, 'attempt' | 'transactionId' | 'transactionStatusId' | 'code' | 'message'>;

/** What a fact adds. `ask`: the provider should be asked, for this cannot be believed as it stands. */
export type Applied =
  | { readonly kind: 'added'; readonly facts: Partial<Facts>; readonly log: LogLine; readonly identity?: string }
  | { readonly kind: 'nothing'; readonly reason: string }
  | { readonly kind: 'refused'; readonly log: LogLine; readonly ask: boolean };

const MAX_TEXT = 500;

/** A provider's text as it is kept: every notification repeats it, and a document has an end. */
export function shortText(text: string): string {
  return text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT - 1)}…` : text;
}

/** Replaces one attempt. */
export function withAttempt(facts: Facts, changed: Attempt): readonly Attempt[] {
  return facts.attempts.map((attempt) => (attempt.n === changed.n ? changed : attempt));
}
