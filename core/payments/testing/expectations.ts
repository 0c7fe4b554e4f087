/** What a payment must come to, read from the decisions and from what happened alone: no order, none of the product's code. */
import { expect } from 'chai';
import type { StatedEvent } from '../../providers/mapped-event.ts';
import type { EventFact } from '../apply-event.ts';
import type { NotificationType, PaymentRecord, StatusId } from '../facts.ts';
import { feeOf, newAttempt, type Happening, type Step, type Story } from '../test-support.ts';

export type Result = Pick<
  PaymentRecord,
  'statusId' | 'paidAmount' | 'paidCurrency' | 'refundedAmount' | 'chargedBack' | 'feeAmount'
>;

export function resultOf(record: PaymentRecord): Result {
  const { statusId, paidAmount, paidCurrency, refundedAmount, chargedBack, feeAmount } = record;
  return { statusId, paidAmount, paidCurrency, refundedAmount, chargedBack, feeAmount };
}

const cents = (amount: string): number => Math.round(Number(amount) * 100);
const text = (amount: number): string => String(amount / 100);
const isEvent = (happening: Happening): happening is EventFact => happening.type === 'event';

/** Every test's attempt is one of 10 EUR at a sandbox, which the provider knows as `P-<n>`. */
function isCredible({ event, attempt }: EventFact): boolean {
  const { kind, amount, currency, providerReference, mode } = event;
  const fits = amount === null || (kind === 'payment' ? cents(amount) === 1000 : cents(amount) <= 1000);
  const isOurs = providerReference === null || providerReference === `P-${attempt}`;
  return fits && isOurs && mode !== 'live' && (currency === null || currency === 'EUR');
}

/** Money came in by this. */
export function pays(happening: Happening): boolean {
  if (happening.type === 'answer') return happening.outcome.outcome === 'succeeded';
  if (!isEvent(happening) || happening.event.kind !== 'payment' || !isCredible(happening)) return false;
  const { status, amount, currency } = happening.event;
  return ['succeeded', 'overpaid', 'late'].includes(status) && amount !== null && currency !== null;
}

function fails(happening: Happening): boolean {
  if (happening.type === 'answer') return happening.outcome.outcome === 'failed';
  return isEvent(happening) && happening.event.kind === 'payment' && isCredible(happening)
    ? ['failed', 'cancelled'].includes(happening.event.status)
    : false;
}

function expires(happening: Happening): boolean {
  return isEvent(happening) && happening.event.status === 'expired' && isCredible(happening);
}

export function expectedResult(happenings: readonly Happening[]): Result {
  const attempts = happenings.flatMap((happening) => (happening.type === 'open' ? [happening.attempt] : []));
  const about = (n: number): Happening[] => {
    return happenings.filter((happening) => 'attempt' in happening && happening.attempt === n);
  };
  const paid = attempts.filter((n) => about(n).some(pays));
  if (!paid.length) {
    const ended = attempts.map((n) => (about(n).some(fails) ? 3 : about(n).some(expires) ? 5 : 1));
    const isCancelled = happenings.some(({ type }) => type === 'cancel');
    const statusId: StatusId = ended.includes(1) ? 1 : isCancelled ? 5 : ended.includes(3) ? 3 : ended.length ? 5 : 0;
    return {
      statusId,
      paidAmount: null,
      paidCurrency: null,
      refundedAmount: '0',
      chargedBack: false,
      feeAmount: null,
    };
  }
  const refunded = paid.reduce((sum, n) => sum + expectedSum(n, about(n), happenings), 0);
  const fees = paid.reduce((sum, n) => sum + cents(feeOf(newAttempt(n))), 0);
  return {
    statusId: refunded >= paid.length * 1000 ? 4 : 2,
    paidAmount: text(paid.length * 1000),
    paidCurrency: 'EUR',
    refundedAmount: text(refunded),
    chargedBack: paid.some((n) => expectedChargeback(about(n))),
    feeAmount: text(fees),
  };
}

/** "Refunded sum" of the providers' README. */
function expectedSum(n: number, about: readonly Happening[], all: readonly Happening[]): number {
  const events = credibleEvents(about, 'refund').filter(
    ({ amount, currency, subReference, cumulative, dedupeKey }) =>
      amount !== null && currency !== null && (subReference !== undefined || dedupeKey !== null || cumulative),
  );
  const single = events.filter(({ cumulative }) => !cumulative);
  const totals = events.filter(({ cumulative, status }) => cumulative && status === 'succeeded');
  const ours = all.flatMap((asked) => {
    if (asked.type !== 'ask_refund' || asked.attempt !== n) return [];
    const told = all.flatMap((answer) =>
      answer.type === 'refund_answer' && answer.refund === asked.refund ? [answer.outcome] : [],
    );
    const number = told.map(({ providerReference }) => providerReference).find((one) => one && one !== `P-${n}`);
    return told.some(({ outcome }) => outcome === 'succeeded') ? [{ number, amount: cents(asked.amount) }] : [];
  });
  const amounts = (number: string | undefined, status: string): number[] => {
    return single
      .filter((event) => event.subReference === number && event.status === status)
      .map(({ amount }) => cents(amount!));
  };
  const numbers = new Set([...single.map(({ subReference }) => subReference), ...ours.map(({ number }) => number)]);
  let [given, back] = [0, 0];
  for (const number of numbers) {
    const [told, reversed] = [amounts(number, 'succeeded'), amounts(number, 'reversed')];
    const answered = ours.filter((refund) => refund.number === number).map(({ amount }) => amount);
    if (number === undefined) {
      for (const amount of new Set([...told, ...answered])) {
        const times = [told, answered].map((list) => list.filter((one) => one === amount).length);
        given += amount * Math.max(...times);
      }
      back += reversed.reduce((sum, amount) => sum + amount, 0);
    } else {
      // What was reversed had succeeded before.
      const known = [told, answered, reversed].find((list) => list.length) ?? [0];
      given += Math.max(...known);
      back += Math.max(0, ...reversed);
    }
  }
  return Math.max(0, Math.max(given, ...totals.map(({ amount }) => cents(amount!))) - back);
}

function credibleEvents(about: readonly Happening[], kind: StatedEvent['kind']): StatedEvent[] {
  const events = about
    .filter(isEvent)
    .filter(isCredible)
    .map(({ event }) => event)
    .filter((event) => event.kind === kind);
  const isFirst = ({ dedupeKey }: StatedEvent, index: number): boolean =>
    dedupeKey === null || events.findIndex((other) => other.dedupeKey === dedupeKey) === index;
  return events.filter(isFirst);
}

function expectedChargeback(about: readonly Happening[]): boolean {
  const events = credibleEvents(about, 'chargeback');
  const named = events.filter(({ subReference }) => subReference !== undefined);
  const counted = named.length ? named : events;
  return [...new Set(counted.map(({ subReference }) => subReference))].some((number) => {
    const reports = counted.filter(({ subReference }) => subReference === number);
    const final = ['reversed', 'won', 'lost'].filter((stage) => reports.some(({ status }) => status === stage));
    const orderOf = (stage: string): number | undefined => {
      const hints = reports.filter(({ status }) => status === stage).map(({ orderHint }) => orderHint);
      const known = hints.filter((hint) => hint !== undefined);
      return known.length ? Math.max(...known) : undefined;
    };
    const isOrdered = final.every((stage) => orderOf(stage) !== undefined);
    const [last] = isOrdered ? final.toSorted((a, b) => orderOf(b)! - orderOf(a)!) : final;
    return last === undefined || last === 'lost';
  });
}

/** The transitions of the decisions, word for word. */
const allowed = ['0>1', '0>5', '1>2', '1>3', '1>5', '3>1', '3>2', '3>5', '5>2', '5>3', '2>4', '4>2'];

/** What holds after every single step of every story. */
export function checkStory({ steps, record }: Story): void {
  for (const step of steps) checkStep(step);
  for (const [index, { n }] of record.logs.entries()) expect(n, 'numbers of the log').to.equal(index + 1);
  expect(new Set(record.identities).size, 'identities').to.equal(record.identities.length);
}

function checkStep(step: Step): void {
  const { before, after, happening, kind, announced } = step;
  expect(after.logs.slice(0, before.logs.length), 'the log is never changed').to.deep.equal(before.logs);
  const taken = after.transitions.slice(before.transitions.length);
  expect(taken.map(({ from }) => from)).to.deep.equal([before.statusId, ...taken.map(({ to }) => to)].slice(0, -1));
  if (taken.length) expect(taken.at(-1)!.to).to.equal(after.statusId);
  else expect(after.statusId, 'a status changes by a transition').to.equal(before.statusId);
  for (const { from, to } of taken) expect(allowed).to.include(`${from}>${to}`);
  for (const [index, attempt] of before.attempts.entries()) {
    if (attempt.outcome === 'succeeded') expect(after.attempts[index]!.outcome, 'a success').to.equal('succeeded');
    if (attempt.outcome !== 'open') expect(after.attempts[index]!.action, 'nothing left to do').to.equal(null);
  }
  if (happening.type === 'open' || happening.type === 'ask_refund') return;
  expect(announced, `${happening.type} from ${before.statusId}`).to.deep.equal(expectedAnnouncements(step));
  if (kind === 'refused') {
    const { logs: told, ...facts } = after;
    const { logs: known, ...unchanged } = before;
    expect(facts, 'what is refused changes nothing').to.deep.equal(unchanged);
    expect(
      told.slice(known.length).every(({ refused, message }) => refused && !/no transition/.test(message)),
    ).to.equal(true);
  }
  if (kind === 'changed') expect(after.logs.length, 'one entry per fact').to.equal(before.logs.length + 1);
}

function expectedAnnouncements({ before, after, happening }: Step): NotificationType[] {
  const told: NotificationType[] = [];
  const moved = before.statusId !== after.statusId;
  const change = cents(after.refundedAmount) - cents(before.refundedAmount);
  const isPaidNow = (before.paidAmount === null && after.paidAmount !== null) || (before.statusId === 4 && change >= 0);
  if (isPaidNow && moved) told.push('payment.succeeded');
  if (moved && after.statusId === 3) told.push('payment.failed');
  if (moved && after.statusId === 5) told.push('payment.expired');
  if (happening.type === 'answer' && after.statusId === 1) {
    const { n, endedAt } = before.attempts[happening.attempt - 1]!;
    if (endedAt === null && n === after.attempts.length) told.push('payment.pending');
  }
  if (change > 0) told.push(after.statusId === 4 ? 'payment.refunded' : 'payment.partially_refunded');
  if (change < 0) told.push('payment.refund_reversed');
  if (after.chargedBack && !before.chargedBack) told.push('payment.charged_back');
  if (!after.chargedBack && before.chargedBack) told.push('payment.chargeback_reversed');
  return told;
}
