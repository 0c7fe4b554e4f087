/** What a form of C's says, read once it is proven. */
import { declineOf, readAs, v, type Decline } from '@gateway/contract';
import type { Form } from './wire.ts';
import { readTotal } from './total.ts';
import { declines } from './words.ts';

const Word = v.pipe(v.string(), v.regex(/^[^|\r\n]+$/));
const Facts = v.object({
  c_id: v.optional(v.pipe(v.string(), v.regex(/^\d{1,20}$/))),
  c_state: Word,
  c_ref: v.pipe(v.string(), v.regex(/^[A-Z0-9-]{1,24}$/)),
  c_total: v.string(),
  c_extra: v.optional(Word),
});

export interface Facts {
  /** C's id, digits: a text, for it may pass 2^53. Only the hosted page may leave it out. */
  readonly id: string | null;
  readonly state: string;
  readonly reference: string;
  /** With the currency's decimals. */
  readonly amount: string;
  /** The id of a refund or dispute. */
  readonly extra?: string;
}

/** Undefined where a field has another form; an empty one counts as absent. */
export function readFacts(form: Form, currency: string): Facts | undefined {
  const read = readAs(Facts, Object.fromEntries([...form].filter(([, value]) => value !== '')));
  const amount = read && readTotal(read.c_total, currency);
  if (!read || amount === undefined) return undefined;
  const { c_id: id = null, c_state: state, c_ref: reference, c_extra: extra } = read;
  return { id, state, reference, amount, ...(extra === undefined ? {} : { extra }) };
}

export interface Refusal extends Decline {
  readonly threeDsResult?: string;
}

/** How the card was refused: C's word, and a failed 3D Secure step. Believe it only where those fields are proven. */
export function readRefusal(form: Form): Refusal {
  const why = form.get('c_why');
  const auth = form.get('c_auth') ?? '';
  const threeDsResult = /^[NRU]$/.test(auth) ? auth : 'N';
  return { ...declineOf(declines, why, form.get('c_msg')), ...(why === 'auth_failed' ? { threeDsResult } : {}) };
}
