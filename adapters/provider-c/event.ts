/** What a callback says: the same facts come from C's server and through the payer's browser, and make one event. */
import type { Parsed, ReportedEvent } from '@gateway/contract';
import { readFacts } from './facts.ts';
import type { Form } from './wire.ts';
import type { Account } from './options.ts';
import { kindOf } from './words.ts';

/** A callback that its sender proved; it says no more than `form`. */
export interface Callback {
  readonly form: Form;
  readonly account: Account;
}

/** `detail`: what only one of the ways proves. */
export function readEvent({ form, account }: Callback, detail: Partial<ReportedEvent> = {}): Parsed {
  const { currency } = account;
  const facts = readFacts(form, currency);
  if (!facts) return { malformed: 'c_id, c_state, c_ref, c_total or c_extra has another form' };
  const { id, state, reference, amount, extra } = facts;
  const about = { word: state, reference, providerReference: id, amount, currency, facts: { from: 'callback' } };
  const kind = kindOf(state);
  // C's id is not covered by the hash, so it is no part of an identity.
  if (kind === 'payment') return { events: [{ ...about, kind, dedupeKey: `${reference}:${state}`, ...detail }] };
  if (extra === undefined) return { malformed: `${state} without c_extra` };
  return { events: [{ ...about, kind, subReference: extra, dedupeKey: `${extra}:${state}` }] };
}
