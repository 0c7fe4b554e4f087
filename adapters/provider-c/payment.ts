/**
 * A payment as C reports it: in answers to our calls, and in the forms that its server and the payer's browser post.
 */
import {
  formatAmount,
  namesAttempt,
  readAs,
  v,
  type HttpReply,
  type Parsed,
  type ReportedEvent,
  type StoredPayment,
} from '@paywright/contract';
import type { Account } from './options.ts';
import { isSentByC } from './signing.ts';
import { kindOf } from './statuses.ts';
import { readMessage, readTotal, type Form } from './wire.ts';

const Text = v.pipe(v.string(), v.regex(/^[^|\r\n]+$/));
const Facts = v.pipe(
  v.object({
    /**
     * C's id of the payment. Digits as text, because they may exceed 2^53. Only the hosted page may leave the id out.
     */
    c_id: v.optional(v.pipe(v.string(), v.regex(/^\d{1,20}$/))),
    c_state: Text,
    c_ref: v.pipe(v.string(), v.regex(/^[A-Z0-9-]{1,24}$/)),
    c_total: v.string(),
    /** The id of a refund or dispute. For a payment it is free text. */
    c_extra: v.optional(Text),
  }),
  v.transform(({ c_id: id = null, c_state: state, c_ref: reference, c_total: total, c_extra: extra }) => {
    return { id, state, reference, total, extra };
  }),
);
type Facts = v.InferOutput<typeof Facts> & {
  /** The total, with the currency's decimals. */
  readonly amount: string;
};

/** Reads the facts of a verified form. Undefined if a field has another form. An empty field counts as absent. */
function readFacts(form: Form, currency: string): Facts | undefined {
  const facts = readAs(Facts, Object.fromEntries([...form].filter(([, value]) => value !== '')));
  const amount = facts && readTotal(facts.total, currency);
  return amount === undefined ? undefined : { ...facts!, amount };
}

export interface Answer extends Facts {
  readonly id: string;
  readonly form: Form;
}

/** Reads an answer that is complete, verified and about our request. Undefined for any other answer. */
export function readAnswer(
  reply: HttpReply,
  asked: Pick<StoredPayment, 'reference' | 'money' | 'providerReference'>,
  account: Account,
): Answer | undefined {
  const form = reply.status === 200 ? readMessage(reply) : undefined;
  if (!form || form.get('c_key') !== account.key || !isSentByC(form, account)) return undefined;
  const facts = readFacts(form, account.currency);
  if (!facts?.id || !namesAttempt(asked, facts.reference, facts.id)) return undefined;
  if (facts.amount !== formatAmount(asked.money)) return undefined;
  return { ...facts, id: facts.id, form };
}

/** A verified callback: its form, and the account whose salt fits. */
export interface Callback {
  readonly form: Form;
  readonly account: Account;
}

/**
 * Reads an event. The same facts come from C's server and through the payer's browser, as one event. `detail` holds
 * the facts that only one of the two routes signs.
 */
export function readEvent({ form, account }: Callback, detail: Partial<ReportedEvent> = {}): Parsed {
  const { currency } = account;
  const facts = readFacts(form, currency);
  if (!facts) return { malformed: 'c_id, c_state, c_ref, c_total or c_extra has another form' };
  const { id, state, reference, amount, extra } = facts;
  const about = { providerStatus: state, reference, providerReference: id, amount, currency };
  const kind = kindOf(state);
  // The hash does not cover C's id, so the id is not part of an identity.
  if (kind === 'payment') return { events: [{ ...about, kind, dedupeKey: `${reference}:${state}`, ...detail }] };
  if (extra === undefined) return { malformed: `${state} without c_extra` };
  return { events: [{ ...about, kind, subReference: extra, dedupeKey: `${extra}:${state}` }] };
}
