/** Compares what provider, gateway and merchant know about one payment after all work has finished. */
import { addDecimals, compareDecimals } from '@paywright/contract';
import type { InboxRow } from '../../core/database/collections/inbox-row.ts';
import type { NotificationDocument } from '../../core/database/collections/notification.ts';
import type { PaymentRecord } from '../../core/database/collections/payment-request.ts';
import type { Received } from '../support/receiver.ts';
import type { Entry, Provider } from './provider.ts';
import type { KeyedRequest } from './roles.ts';

export interface Books {
  readonly provider: Pick<Provider, 'entries' | 'events'>;
  readonly record: PaymentRecord;
  readonly inbox: readonly InboxRow[];
  readonly notifications: readonly NotificationDocument[];
  readonly received: readonly Received[];
  readonly requests: readonly KeyedRequest[];
  /** Attempts that existed before the actors started. */
  readonly attemptsBefore: number;
}

/** The contradictions, as sentences. Empty if the books agree. */
export function violationsOf(books: Books): string[] {
  return [...moneyViolations(books), ...restViolations(books), ...merchantViolations(books), ...keyViolations(books)];
}

function* moneyViolations({ provider, record }: Books): Generator<string> {
  const succeeded = (kind: Entry['kind']): Entry[] =>
    provider.entries.filter((entry) => entry.kind === kind && entry.state === 'succeeded');
  const [charges, refunds] = [succeeded('charge'), succeeded('refund')];
  for (const { kind, reference, requests } of provider.entries)
    if (kind === 'charge' && requests > 1) yield `${reference} was submitted ${requests} times`;
  if (charges.length > 1 && !record.logs.some(({ code }) => code === 'DOUBLE_CHARGE'))
    yield `charged ${charges.length} times without DOUBLE_CHARGE`;
  const isPaid = record.statusId === 2 || record.statusId === 4;
  if (isPaid !== charges.length > 0)
    yield `status ${record.statusId}, and the provider charged ${charges.length} times`;
  for (const { reference, amount } of charges) {
    const given = sum(refunds.filter(({ charge }) => charge === reference));
    if (compareDecimals(given, amount) > 0) yield `${given} of ${amount} was refunded for ${reference}`;
  }
  if (charges.length === 1 && compareDecimals(sum(refunds), record.refundedAmount) !== 0)
    yield `the provider refunded ${sum(refunds)}, our record says ${record.refundedAmount}`;
  const known = new Set(record.attempts.map(({ reference }) => reference));
  for (const { reference } of charges) if (!known.has(reference)) yield `our record does not have ${reference}`;
}

function* restViolations({ provider, record, inbox, notifications }: Books): Generator<string> {
  for (const { reference, outcome, needsReview, fetchesRequested, fetchesDone } of record.attempts) {
    if (outcome === 'open') yield `${reference} stays open`;
    if (needsReview) yield `${reference} needs review`;
    if (fetchesRequested > fetchesDone) yield `a fetch of ${reference} stays requested`;
  }
  for (const { reference, state } of record.refunds)
    if (state !== 'succeeded' && state !== 'failed') yield `refund ${reference} stays ${state}`;
  for (const { _id, state } of inbox) if (state !== 'done') yield `row ${_id} of the inbox is ${state}`;
  const acknowledged = provider.events.filter(({ isAcknowledged }) => isAcknowledged).length;
  if (inbox.length < acknowledged) yield `${acknowledged} callbacks were acknowledged, ${inbox.length} are stored`;
  if (record.outbox.length) yield `${record.outbox.length} notifications stay in the outbox`;
  for (const { _id, state } of notifications) if (state !== 'delivered') yield `notification ${_id} is ${state}`;
}

const typeOfStatus = {
  2: 'payment.succeeded',
  3: 'payment.failed',
  4: 'payment.refunded',
  5: 'payment.expired',
} as const;

function* merchantViolations({ record, received }: Books): Generator<string> {
  const byId = new Map<string, Received>();
  for (const one of received) {
    const known = byId.get(one.json.id);
    if (known && known.body !== one.body) yield `notification ${one.json.id} arrived with two bodies`;
    byId.set(one.json.id, one);
  }
  const all = [...byId.values()].map(({ json }) => json).toSorted((one, other) => one.sequence - other.sequence);
  const numbers = all.map(({ sequence }) => sequence).join();
  const expected = Array.from({ length: record.sequence }, (_, index) => index + 1).join();
  if (numbers !== expected) yield `the merchant received notifications ${numbers} of ${expected}`;
  for (const [to, type] of Object.entries(typeOfStatus)) {
    const changes = record.transitions.filter((one) => one.to === Number(to) && !(to === '2' && one.from === 4)).length;
    const notified = all.filter((one) => one.type === type).length;
    if (changes !== notified) yield `${changes} changes to ${to}, ${notified} times ${type}`;
  }
  const last = all.at(-1)?.data.paymentRequest.paymentRequestStatusId as number | undefined;
  if (last !== undefined && last !== record.statusId)
    yield `the merchant was last notified of status ${last}, the payment has ${record.statusId}`;
}

/** A completed request, or a refusal of the provider, is an outcome that every repetition must return again. */
function outcomeOf({ status, text }: KeyedRequest['answers'][number]): string | undefined {
  if (status === 200) return '200';
  const { code, message } = JSON.parse(text) as { readonly code: string; readonly message: string };
  const isProviders = code === 'PAY001' || (code === 'PAY004' && message.startsWith('the provider refused'));
  return isProviders ? code : undefined;
}

/**
 * False for an answer that only asks the merchant to repeat: an error of our own, or another run under the same key.
 */
export function isFinal({ status, text }: KeyedRequest['answers'][number]): boolean {
  return status < 500 && !text.includes('IDEM001');
}

function isUndecided({ status, text }: KeyedRequest['answers'][number]): boolean {
  return status === 200 && /"paymentRequestStatusId":[12]/.test(text);
}

function* keyViolations({ requests, record, attemptsBefore }: Books): Generator<string> {
  const done = new Map<string, number>();
  for (const { key, answers } of requests) {
    const outcomes = new Set<string>();
    for (const answer of answers.filter(isFinal)) {
      const outcome = outcomeOf(answer);
      if (outcome) outcomes.add(outcome);
      else if (outcomes.size) yield `${key}: completed, then answered ${answer.status} ${answer.text.slice(0, 200)}`;
    }
    // A repetition that arrived while the first call hung beyond its lease shows the payment's status at that time.
    const isEarlier = outcomes.size === 2 && outcomes.has('200') && answers.some(isUndecided);
    if (outcomes.size > 1 && !isEarlier) yield `${key}: answered ${[...outcomes].join(' and ')}`;
    const [what = ''] = key.split(' ');
    if (outcomes.size) done.set(what, (done.get(what) ?? 0) + 1);
  }
  const attempts = record.attempts.slice(attemptsBefore);
  // PAY005 is not an outcome: the merchant sends the request again, and that is another attempt.
  const sent = attempts.filter(({ nothingCharged }) => !nothingCharged).length;
  const uncharged = requests.flatMap(({ answers }) => answers).filter(({ text }) => text.includes('PAY005')).length;
  for (const [what, least, most] of [
    ['pay', sent - uncharged, attempts.length],
    ['refund', record.refunds.length, record.refunds.length],
  ] as const) {
    const count = done.get(what) ?? 0;
    if (count < least || count > most)
      yield `${count} requests to ${what} were completed, expected ${least} to ${most}`;
  }
}

function sum(entries: readonly Entry[]): string {
  return entries.length ? addDecimals(...entries.map(({ amount }) => amount)) : '0';
}
