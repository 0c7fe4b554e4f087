/** Translates the spelling of vector files into the contract's. No other module knows the files' spelling. */

type Members = Readonly<Record<string, unknown>>;

const verdicts: Readonly<Record<string, string>> = { forged: 'invalid_signature' };
const ackOutcomes: Readonly<Record<string, string>> = { bad_signature: 'invalid_signature' };
const calls: Readonly<Record<string, string>> = { afterCommit: 'markSeen' };

/** `genuine` of a callback: true, or a verdict. */
export function toVerdict(genuine: boolean | string): boolean | string {
  return typeof genuine === 'string' ? (verdicts[genuine] ?? genuine) : genuine;
}

/** `ack.outcome` of a callback. */
export function toAckOutcome(outcome: string): string {
  return ackOutcomes[outcome] ?? outcome;
}

/** `call` of a submission. */
export function toCall(call: string): string {
  return calls[call] ?? call;
}

/** An event that a vector expects: its `word` is the contract's `providerStatus`. */
export function toEvent({ word, ...event }: Members): Members {
  return word === undefined ? event : { ...event, providerStatus: word };
}

/** The expectation of a vector for a call, with its events. */
export function toExpectation(expected: Members): Members {
  const { events } = expected;
  return Array.isArray(events) ? { ...expected, events: events.map((event) => toEvent(event as Members)) } : expected;
}
