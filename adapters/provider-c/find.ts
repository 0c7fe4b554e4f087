/** Find: what C knows of a payment, told as events; or that C never saw it. */
import {
  compareDecimals,
  noNews,
  type Action,
  type HttpReply,
  type Provider,
  type ReportedEvent,
  type StatusReport,
  type StoredPayment,
} from '@gateway/contract';
import { errorOf, readAnswer, type Answer } from './answer.ts';
import { readRefusal } from './facts.ts';
import type { Fields } from './wire.ts';
import { callHash } from './signing.ts';
import type { Account, Options } from './options.ts';
import { toAction } from './three-ds.ts';
import { readTotal } from './total.ts';

export function findFields({ reference }: StoredPayment, account: Account): Fields {
  const { key } = account;
  return { c_key: key, c_ref: reference, c_hash: callHash(account, key, 'find', reference) };
}

export function readFind(
  reply: HttpReply,
  payment: StoredPayment,
  account: Account,
  provider: Provider<Options>,
): StatusReport {
  const error = reply.status === 200 ? undefined : errorOf(reply);
  if (error === '404 no_such_payment') return neverSeen(payment, provider.now());
  if (error !== undefined) return noNews(`C answered ${reply.status}`);
  const answer = readAnswer(reply, payment, account);
  const events = answer && eventsOf(answer, payment, account, provider);
  return events ? { news: 'events', events } : noNews('no whole and proven answer about this payment');
}

/** C registers a payment before it charges. A form that the payer's browser posts may still come until it lapses. */
function neverSeen({ reference, action, endedAt }: StoredPayment, now: Date): StatusReport {
  const until = pageEnd(action);
  if (until === undefined) {
    return endedAt === null ? noNews('C does not know the payment yet') : { news: 'nothing_charged' };
  }
  if (now.getTime() <= until) return { news: 'waiting', ...(action ? { action } : {}) };
  const lapsed: ReportedEvent = {
    kind: 'payment',
    word: 'no_such_payment',
    reference,
    providerReference: null,
    amount: null,
    currency: null,
    dedupeKey: `${reference}:lapsed`,
    facts: { from: 'find' },
  };
  return { news: 'events', events: [lapsed] };
}

/** When the form of the hosted page ends, in Unix milliseconds; undefined: the payer was not sent there. */
function pageEnd(action: Action | undefined): number | undefined {
  if (action?.type !== 'redirect' || !action.url.endsWith('/v1/page')) return undefined;
  return Number(action.fields?.['c_until'] ?? 0) * 1000;
}

/** Undefined where the sum given back cannot be read. */
function eventsOf(
  answer: Answer,
  { action }: StoredPayment,
  { currency }: Account,
  provider: Provider<Options>,
): ReportedEvent[] | undefined {
  const { form, id, reference, state, amount } = answer;
  const refunded = readTotal(form.get('c_refunded') || '0', currency);
  const disputed = form.get('c_disputed') || 'no';
  if (refunded === undefined) return undefined;
  const about = { reference, providerReference: id, amount, currency, facts: { from: 'find' } };
  const payment = { ...about, kind: 'payment', word: state, dedupeKey: `${reference}:${state}` } as const;
  const events: ReportedEvent[] = [{ ...payment, ...detailOf(answer, action, provider) }];
  if (compareDecimals(refunded, '0') > 0) {
    const dedupeKey = `${reference}:c_refunded:${refunded}`;
    events.push({ ...about, kind: 'refund', word: 'c_refunded', amount: refunded, dedupeKey, cumulative: true });
  }
  if (disputed !== 'no') {
    events.push({ ...about, kind: 'chargeback', word: disputed, dedupeKey: `${reference}:c_disputed:${disputed}` });
  }
  return events;
}

function detailOf(
  { form, state }: Answer,
  stored: Action | undefined,
  { threeDsToken, publicUrl }: Provider<Options>,
): Partial<ReportedEvent> {
  if (state === 'failure') {
    const { unknownWord: _, ...refusal } = readRefusal(form);
    return refusal;
  }
  const action = state === 'challenge' ? (toAction(form, threeDsToken, publicUrl) ?? stored) : undefined;
  return action ? { action } : {};
}
