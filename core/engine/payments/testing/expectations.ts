/**
 * The expected result for a payment, computed from the rules and from what happened. It uses neither the order of
 * events nor code of the product, except the list of refunds, which has tests of its own.
 */
import { expect } from 'chai';
import type { MappedEvent } from '../../providers/mapped-event.ts';
import type { EventFact } from '../state/apply-event.ts';
import { refundEntries } from '../state/refund-entries.ts';
import type { RefundStatus } from '../types/refund-status.ts';
import type { NotificationType, PaymentRecord, StatusId } from '../../../database/collections/payment-request.ts';
import { disputedSum } from '../state/disputes.ts';
import { feeOf, newAttempt, type TestStep, type StepResult, type History } from './steps.ts';

export type Result = Pick<
  PaymentRecord,
  'statusId' | 'paidAmount' | 'paidCurrency' | 'refundedAmount' | 'chargedBack' | 'feeAmount'
> & {
  /** What disputes hold of the paid attempts. */
  readonly disputed: string;
};

export function resultOf(record: PaymentRecord): Result {
  const { statusId, paidAmount, paidCurrency, refundedAmount, chargedBack, feeAmount } = record;
  const paid = record.attempts.filter(({ outcome }) => outcome === 'succeeded');
  const disputed = toText(paid.reduce((sum, attempt) => sum + toCents(disputedSum(record, attempt)), 0));
  return { statusId, paidAmount, paidCurrency, refundedAmount, chargedBack, feeAmount, disputed };
}

const toCents = (amount: string): number => Math.round(Number(amount) * 100);
const toText = (amount: number): string => String(amount / 100);
const isEvent = (step: TestStep): step is EventFact => step.type === 'event';

/** True if the event fits its attempt. Every test attempt is 10 EUR at a sandbox, which calls it `P-<n>`. */
function isCredible({ event, attempt }: EventFact): boolean {
  const { kind, amount, currency, providerReference, mode } = event;
  const isOurs = providerReference === null || providerReference === `P-${attempt}`;
  if (!isOurs || mode === 'live') return false;
  // A dispute is about the payment whatever its amount and currency are.
  if (kind === 'chargeback') return true;
  if (currency !== null && currency !== 'EUR') return false;
  if (amount === null) return true;
  if (kind !== 'payment') return toCents(amount) <= 1000;
  const captured = isCharged(event) ? capturedOf(event) : undefined;
  if (captured !== undefined && (captured <= 0 || captured > 1000)) return false;
  return toCents(amount) === 1000 || (isCharged(event) && isSingleCapture(event));
}

function isCharged({ status }: MappedEvent): boolean {
  return ['succeeded', 'overpaid', 'late'].includes(status);
}

function isSingleCapture({ subReference, capturedAmount }: MappedEvent): boolean {
  return subReference !== undefined && capturedAmount === undefined;
}

/** The captured amount that a success names; undefined: it is about the whole amount. */
function capturedOf(event: MappedEvent): number | undefined {
  if (event.capturedAmount !== undefined) return toCents(event.capturedAmount);
  return isSingleCapture(event) && event.amount !== null ? toCents(event.amount) : undefined;
}

/** What an attempt of 10 EUR charged: the whole amount, or what was captured, at most that. 0: it is not paid. */
function chargedBy(about: readonly TestStep[]): number {
  const outcomes = about.flatMap((step) => (step.type === 'outcome' ? [step.outcome] : []));
  const reported = credibleEvents(about, 'payment');
  const charges = reported.filter((event) => isCharged(event) && event.amount !== null && event.currency !== null);
  const totals = charges.flatMap(({ capturedAmount = [] }) => capturedAmount).map(toCents);
  const singles = new Map<string, number>();
  for (const event of charges.filter(isSingleCapture)) {
    const { subReference, amount } = event as { subReference: string; amount: string };
    singles.set(subReference, Math.max(singles.get(subReference) ?? 0, toCents(amount)));
  }
  const isWhole =
    outcomes.some(({ outcome }) => outcome === 'succeeded') || charges.some((event) => capturedOf(event) === undefined);
  const isReserved =
    outcomes.some((one) => one.outcome === 'pending' && one.authorised) ||
    reported.some(({ status }) => status === 'authorised');
  const isPaid =
    isWhole || totals.length > 0 || (singles.size > 0 && isReserved) || [...singles.values()].includes(1000);
  if (!isPaid) return 0;
  const captured = [...singles.values()].reduce((sum, amount) => sum + amount, 0);
  return Math.min(1000, Math.max(isWhole ? 1000 : 0, captured, ...totals));
}

/** True if the step may bring money. */
export function isSuccess(step: TestStep): boolean {
  if (step.type === 'outcome') return step.outcome.outcome === 'succeeded';
  if (!isEvent(step) || step.event.kind !== 'payment' || !isCredible(step)) return false;
  const { amount, currency } = step.event;
  return isCharged(step.event) && amount !== null && currency !== null;
}

function isFailure(step: TestStep): boolean {
  if (step.type === 'outcome') return step.outcome.outcome === 'failed';
  return isEvent(step) && step.event.kind === 'payment' && isCredible(step)
    ? ['failed', 'cancelled'].includes(step.event.status)
    : false;
}

function isExpiry(step: TestStep): boolean {
  return isEvent(step) && step.event.status === 'expired' && isCredible(step);
}

export function expectedResult(steps: readonly TestStep[]): Result {
  const attempts = steps.flatMap((step) => (step.type === 'open' ? [step.attempt] : []));
  const stepsOf = (n: number): TestStep[] => {
    return steps.filter((step) => 'attempt' in step && step.attempt === n);
  };
  const paid = attempts.filter((n) => chargedBy(stepsOf(n)) > 0);
  if (!paid.length) {
    const ended = attempts.map((n) => (stepsOf(n).some(isFailure) ? 3 : stepsOf(n).some(isExpiry) ? 5 : 1));
    const isCancelled = steps.some(({ type }) => type === 'cancel');
    const statusId: StatusId = ended.includes(1) ? 1 : isCancelled ? 5 : ended.includes(3) ? 3 : ended.length ? 5 : 0;
    return {
      statusId,
      paidAmount: null,
      paidCurrency: null,
      refundedAmount: '0',
      chargedBack: false,
      feeAmount: null,
      disputed: '0',
    };
  }
  const refunded = paid.reduce((sum, n) => sum + expectedSum(n, stepsOf(n), steps), 0);
  const charged = paid.reduce((sum, n) => sum + chargedBy(stepsOf(n)), 0);
  const fees = paid.reduce((sum, n) => sum + toCents(feeOf(newAttempt(n))), 0);
  return {
    statusId: refunded > 0 && refunded >= charged ? 4 : 2,
    paidAmount: toText(charged),
    paidCurrency: 'EUR',
    refundedAmount: toText(refunded),
    chargedBack: paid.some((n) => countedCases(stepsOf(n)).length > 0),
    disputed: toText(paid.reduce((sum, n) => sum + expectedHold(stepsOf(n)), 0)),
    feeAmount: toText(fees),
  };
}

/** "Refunded sum" of the providers' README. */
function expectedSum(n: number, about: readonly TestStep[], all: readonly TestStep[]): number {
  const events = credibleEvents(about, 'refund').filter(
    ({ amount, currency, subReference, cumulative, dedupeKey }) =>
      amount !== null && currency !== null && (subReference !== undefined || dedupeKey !== null || cumulative),
  );
  const single = events.filter(({ cumulative }) => !cumulative);
  const totals = events.filter(({ cumulative, status }) => cumulative && status === 'succeeded');
  const ours = all.flatMap((requested) => {
    if (requested.type !== 'request_refund' || requested.attempt !== n) return [];
    const reported = all.flatMap((answer) =>
      answer.type === 'refund_outcome' && answer.refund === requested.refund ? [answer.outcome] : [],
    );
    const number = reported.map(({ providerReference }) => providerReference).find((one) => one && one !== `P-${n}`);
    return reported.some(({ outcome }) => outcome === 'succeeded')
      ? [{ number, amount: toCents(requested.amount) }]
      : [];
  });
  const amounts = (number: string | undefined, status: string): number[] => {
    return single
      .filter((event) => event.subReference === number && event.status === status)
      .map(({ amount }) => toCents(amount!));
  };
  const numbers = new Set([...single.map(({ subReference }) => subReference), ...ours.map(({ number }) => number)]);
  let [given, back] = [0, 0];
  for (const number of numbers) {
    const [reported, reversed] = [amounts(number, 'succeeded'), amounts(number, 'reversed')];
    const answered = ours.filter((refund) => refund.number === number).map(({ amount }) => amount);
    if (number === undefined) {
      for (const amount of new Set([...reported, ...answered])) {
        const times = [reported, answered].map((list) => list.filter((one) => one === amount).length);
        given += amount * Math.max(...times);
      }
      back += reversed.reduce((sum, amount) => sum + amount, 0);
    } else {
      // A refund that was reversed had succeeded before.
      const known = [reported, answered, reversed].find((list) => list.length) ?? [0];
      const [sum, returned] = [Math.max(...known), Math.max(0, ...reversed)];
      given += sum;
      back += isBack(single, number, reported.length > 0, sum)
        ? sum
        : returned < sum || !reported.length
          ? returned
          : 0;
    }
  }
  const whole = credibleEvents(about, 'payment').some(({ orRefunded }) => orRefunded) ? 1000 : 0;
  // A sum of all refunds is at most what was charged.
  const total = Math.min(chargedBy(about), Math.max(0, whole, ...totals.map(({ amount }) => toCents(amount!))));
  return Math.max(0, Math.max(given, total) - back);
}

/**
 * True if all the money of a refund that succeeded is back: it failed later, or was reversed in full. By the hints if
 * every report has one, and otherwise in any case.
 */
function isBack(events: readonly MappedEvent[], number: string, isReported: boolean, sum: number): boolean {
  const ofNumber = events.filter(({ subReference }) => subReference === number);
  const hintOf = (states: readonly string[]): number | undefined => {
    const found = states.map((state) => {
      const about = ofNumber.filter(({ status }) => status === state);
      const hints = about.flatMap(({ orderHint = [] }) => orderHint);
      return about.length ? (hints.length ? Math.max(...hints) : null) : undefined;
    });
    const known = found.filter((hint) => hint !== undefined);
    return known.length && !known.includes(null) ? Math.max(...known.map((hint) => hint!)) : undefined;
  };
  const largest = Math.max(
    0,
    ...ofNumber.filter(({ status }) => status === 'reversed').map(({ amount }) => toCents(amount!)),
  );
  const ends = [
    ...(ofNumber.some(({ status }) => status === 'failed') ? ['failed'] : []),
    ...(sum > 0 && largest >= sum ? ['reversed'] : []),
  ];
  const given = isReported ? hintOf(['succeeded']) : undefined;
  const needing = hintOf(['needs_merchant']);
  // Usually a refund needs the merchant and then succeeds: only a later report says that its money is back.
  if (given !== undefined && needing !== undefined && needing > given) ends.push('needs_merchant');
  if (!ends.length) return false;
  const end = hintOf(ends);
  return given === undefined || end === undefined || given === end || end > given;
}

function credibleEvents(about: readonly TestStep[], kind: MappedEvent['kind']): MappedEvent[] {
  const events = about
    .filter(isEvent)
    .filter(isCredible)
    .map(({ event }) => event)
    .filter((event) => event.kind === kind);
  const isFirst = ({ dedupeKey }: MappedEvent, index: number): boolean =>
    dedupeKey === null || events.findIndex((other) => other.dedupeKey === dedupeKey) === index;
  return events.filter(isFirst);
}

/** What the open and lost cases of an attempt hold: at most what it charged. */
function expectedHold(about: readonly TestStep[]): number {
  const charged = chargedBy(about);
  const held = countedCases(about).map((reports) => {
    const isLost = reports.some(({ status }) => status === 'lost');
    const furthest = latestAmount(reports.filter(({ status }) => status === (isLost ? 'lost' : 'opened')));
    const others = ['opened', 'won', 'lost', 'reversed'].map((stage) =>
      latestAmount(reports.filter(({ status }) => status === stage)),
    );
    return furthest ?? Math.max(-1, ...others.map((amount) => amount ?? -1));
  });
  return Math.min(
    charged,
    held.reduce((sum, amount) => sum + Math.min(charged, amount < 0 ? charged : amount), 0),
  );
}

/** The amount of the latest of these reports that names one, the largest among equals. Another currency holds all. */
function latestAmount(reports: readonly MappedEvent[]): number | undefined {
  const named = reports.filter(({ amount }) => amount !== null);
  const latest = Math.max(-1, ...named.map(({ orderHint = -1 }) => orderHint));
  const amounts = named
    .filter(({ orderHint = -1 }) => orderHint === latest)
    .map(({ amount, currency }) => (currency === 'USD' ? Infinity : toCents(amount!)));
  return amounts.length ? Math.max(...amounts) : undefined;
}

/** The reports of each case that is open or lost. */
function countedCases(about: readonly TestStep[]): MappedEvent[][] {
  const events = credibleEvents(about, 'chargeback');
  const named = events.filter(({ subReference }) => subReference !== undefined);
  const counted = named.length ? named : events;
  const numbers = [...new Set(counted.map(({ subReference }) => subReference))];
  const cases = numbers.map((number) => counted.filter(({ subReference }) => subReference === number));
  return cases.filter((reports) => {
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

/** The allowed transitions, written independently of the product. */
const allowed = ['0>1', '0>5', '1>2', '1>3', '1>5', '3>1', '3>2', '3>5', '5>2', '5>3', '2>4', '4>2'];

/** Checks the invariants after every step of a history. */
export function checkHistory({ results, record }: History): void {
  for (const result of results) checkResult(result);
  for (const [index, { n }] of record.logs.entries()) expect(n, 'numbers of the log').to.equal(index + 1);
  expect(new Set(record.seenEventIds).size, 'event ids').to.equal(record.seenEventIds.length);
}

function checkResult(result: StepResult): void {
  const { before, after, step, kind, notified } = result;
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
  if (step.type === 'open' || step.type === 'request_refund') return;
  expect(notified, `${step.type} from ${before.statusId}`).to.deep.equal(expectedNotifications(result));
  if (kind === 'refused') {
    const { logs: reported, ...facts } = after;
    const { logs: known, ...unchanged } = before;
    expect(facts, 'what is refused changes nothing').to.deep.equal(unchanged);
    expect(
      reported
        .slice(known.length)
        .every(({ refused, message }) => refused && !/the transition from \d to \d is not allowed/.test(message)),
    ).to.equal(true);
  }
  if (kind === 'changed') expect(after.logs.length, 'one entry per fact').to.equal(before.logs.length + 1);
}

function expectedNotifications({ before, after, step }: StepResult): NotificationType[] {
  const types: NotificationType[] = [];
  const moved = before.statusId !== after.statusId;
  const change = toCents(after.refundedAmount) - toCents(before.refundedAmount);
  const charges = ({ attempts }: PaymentRecord) => attempts.filter(({ outcome }) => outcome === 'succeeded').length;
  const isNewCharge = charges(after) > charges(before);
  if (isNewCharge && moved && (before.paidAmount === null || after.statusId === 2)) types.push('payment.succeeded');
  if (moved && after.statusId === 3) types.push('payment.failed');
  if (moved && after.statusId === 5) types.push('payment.expired');
  if (step.type === 'outcome' && after.statusId === 1) {
    const { n, endedAt } = before.attempts[step.attempt - 1]!;
    if (endedAt === null && n === after.attempts.length) types.push('payment.pending');
  }
  // A charge that was refunded in full before does not make a second charge.
  if (charges(before) > 0 && isNewCharge && before.statusId !== 4) types.push('payment.double_charged');
  if (!isNewCharge && before.paidAmount !== null && toCents(after.paidAmount!) > toCents(before.paidAmount))
    types.push('payment.amount_raised');
  if (after.statusId === 1 && isFirstReservation(before, step)) types.push('payment.authorised');
  if (change > 0) types.push(after.statusId === 4 ? 'payment.refunded' : 'payment.partially_refunded');
  if (change < 0) types.push('payment.refund_reversed');
  const needing = refundsThatAre('needs_merchant', after).filter(
    (id) => !refundsThatAre('needs_merchant', before).includes(id),
  );
  types.push(...needing.map(() => 'payment.refund_needs_merchant' as const));
  // A caller who waits for the outcome of the refund sees the refusal in the answer.
  const isAwaited = step.type === 'refund_outcome' && !step.isByWorker;
  if (!isAwaited)
    types.push(
      ...refundsThatAre('failed', after)
        .filter((id) => !refundsThatAre('failed', before).includes(id))
        .map(() => 'payment.refund_failed' as const),
    );
  if (after.chargedBack && !before.chargedBack) types.push('payment.charged_back');
  if (!after.chargedBack && before.chargedBack) types.push('payment.chargeback_reversed');
  return types;
}

function refundsThatAre(wanted: RefundStatus, record: PaymentRecord): string[] {
  return refundEntries(record).flatMap(({ id, status }) => (status === wanted ? id : []));
}

/** True if the bank reserved the money of an attempt that was neither reserved nor settled before. */
function isFirstReservation(before: PaymentRecord, step: TestStep): boolean {
  if (step.type !== 'outcome' && step.type !== 'event') return false;
  const attempt = before.attempts[step.attempt - 1]!;
  if (attempt.outcome !== 'open' || attempt.authorisedAt) return false;
  if (step.type === 'outcome') return step.outcome.outcome === 'pending' && step.outcome.authorised === true;
  return step.event.kind === 'payment' && step.event.status === 'authorised' && isCredible(step);
}
