import { expect } from 'chai';
import fc from 'fast-check';
import { describe, it } from 'mocha';
import { addDecimals, compareDecimals, isAboveZero, type Outcome } from '@paywright/contract';
import { chargesOf } from './charges.ts';
import { refundedSum } from './derive-status.ts';
import { refundEntries } from './refund-entries.ts';
import { refundStatuses } from '../types/refund-status.ts';
import type { PaymentRecord } from '../../../database/collections/payment-request.ts';
import type { EventFact } from './apply-event.ts';
import { attemptOf } from '../../../database/collections/attempt.ts';
import { checkHistory, expectedResult, isSuccess, resultOf } from '../testing/expectations.ts';
import {
  answerWith,
  requestRefund,
  newHistory,
  cancelPayment,
  isPossible,
  continueWith,
  nothingWasCharged,
  openAttempt,
  answerRefund,
  chargebackEvent,
  paymentEvent,
  refundEvent,
  unknownOutcome,
  describeHistory,
  type TestStep,
  type History,
} from '../testing/steps.ts';

const success = paymentEvent('succeeded');
const failure = paymentEvent('failed', { decline: '51' });
const failure2 = paymentEvent('failed', { attempt: 2 });

describe('a payment with any facts in any order', () => {
  it('has the same result for every order', () => {
    fc.assert(
      fc.property(
        anyFacts,
        fc.array(fc.array(fc.nat(1000), { maxLength: 40 }), { minLength: 2, maxLength: 4 }),
        (facts, orders) => {
          const expected = expectedResult(facts);
          for (const picks of orders) {
            const history = playInOrder(facts, picks);
            checkHistory(history);
            expect(resultOf(history.record), describeHistory(history)).to.deep.equal(expected);
          }
        },
      ),
      { numRuns: 400 },
    );
  });

  it('counts each fact once', () => {
    fc.assert(
      fc.property(anyFacts, fc.array(fc.nat(1000), { maxLength: 40 }), (facts, picks) => {
        const { record, results } = playInOrder(facts, picks);
        for (const { step, kind } of results) {
          if (step.type !== 'event') continue;
          const again = continueWith(newHistory(record), step).results[0]!;
          expect(again.notified, step.event.providerStatus).to.deep.equal([]);
          expect(resultOf(again.after)).to.deep.equal(resultOf(record));
          const isKnown = kind === 'changed' && step.event.dedupeKey !== null;
          if (isKnown) expect(again.kind, step.event.providerStatus).to.equal('nothing');
        }
      }),
      { numRuns: 400 },
    );
  });
});

describe('the refunds of a payment with any facts', () => {
  it('have an id each, and sum up to the refunded amount', () => {
    fc.assert(
      fc.property(anyFacts, fc.array(fc.nat(1000), { maxLength: 40 }), (facts, picks) => {
        const { record } = playInOrder(facts, picks);
        const entries = refundEntries(record);
        expect(new Set(entries.map(({ id }) => id)).size).to.equal(entries.length);
        for (const { n } of chargesOf(record)) {
          if (!isPossibleAtProvider(record, n)) continue;
          const given = entries.filter(({ attempt, status }) => attempt === n && status === 'succeeded');
          const sum = addDecimals('0', ...given.map(({ amount }) => amount));
          const known = refundedSum(record, n);
          expect(sum, JSON.stringify([record.refunds, record.reportedRefunds, record.refundTotals])).to.equal(
            isAboveZero(known) ? known : '0',
          );
        }
      }),
      { numRuns: 2000 },
    );
  });
});

/**
 * False for reports that no provider sends: running totals in addition to single refunds, or more money that came back
 * than was refunded.
 */
function isPossibleAtProvider({ refunds, reportedRefunds, refundTotals }: PaymentRecord, n: number): boolean {
  const reports = reportedRefunds.filter(({ attempt }) => attempt === n);
  if (refundTotals.some(({ attempt }) => attempt === n) && (reports.length || refunds.length)) return false;
  return reports.every(({ subReference, state, amount }) => {
    if (state !== 'reversed') return true;
    const given = [
      ...reports.filter((other) => other.state === 'succeeded' && other.subReference === subReference),
      ...refunds.filter((refund) => refund.answeredSucceeded && refund.providerReference === subReference),
    ];
    return subReference !== null && given.every((one) => compareDecimals(amount, one.amount) <= 0);
  });
}

/**
 * Plays the facts. Each pick chooses one of the possible next facts. A success is not chosen while an opening or a
 * cancel is left, because a paid payment cannot be opened or cancelled.
 */
function playInOrder(facts: readonly TestStep[], picks: readonly number[]): History {
  let history = newHistory();
  let left = [...facts];
  for (let turn = 0; left.length; turn += 1) {
    const isOpenLeft = left.some(({ type }) => type === 'open');
    const isCancelLeft = left.some(({ type }) => type === 'cancel');
    const possible = left.filter((step) => {
      if (step.type === 'cancel' && isOpenLeft) return false;
      if (isSuccess(step) && (isCancelLeft || isOpenLeft)) return false;
      if (hasOtherReference(step) && !attemptOf(history.record, step.attempt)?.referenceVerified) return false;
      return isPossible(history.record, step);
    });
    const next = possible[(picks[turn] ?? 0) % possible.length];
    if (!next && left.every(hasOtherReference)) break;
    if (!next) throw new Error(`stuck after ${describeHistory(history)}`);
    history = continueWith(history, next);
    left = left.toSpliced(left.indexOf(next), 1);
  }
  return history;
}

/** True if the event has another reference than the provider's answer. It is possible once that answer is known. */
function hasOtherReference(step: TestStep): step is EventFact {
  return step.type === 'event' && step.event.providerReference === 'X-9';
}

const anyAmount = fc.constantFrom('3', '4.00', '10');
const anyNumber = fc.constantFrom('R-1', 'R-2', undefined);

function anyAnswer(attempt: number): fc.Arbitrary<TestStep> {
  const reference = fc.constantFrom({}, { providerReference: `P-${attempt}` });
  const outcome = fc.oneof(
    reference.map((known): Outcome => ({ outcome: 'succeeded', ...known })),
    reference.map((known): Outcome => ({ outcome: 'failed', decline: '54', ...known })),
    reference.map((known): Outcome => ({ outcome: 'failed', cancelled: true, ...known })),
    fc.constant<Outcome>(nothingWasCharged),
    reference.map((known): Outcome => ({ outcome: 'pending', ...known })),
    fc.constant<Outcome>(unknownOutcome),
  );
  return fc
    .tuple(outcome, fc.boolean())
    .map(([answer, acts]) =>
      answerWith(answer, { attempt, action: acts && answer.outcome === 'pending' ? Buffer.from('encrypted') : null }),
    );
}

function anyPaymentEvent(attempt: number): fc.Arbitrary<TestStep> {
  return fc
    .record({
      status: fc.constantFrom(
        'authorised' as const,
        'pending' as const,
        'succeeded' as const,
        'failed' as const,
        'expired' as const,
        'cancelled' as const,
        'underpaid' as const,
        'overpaid' as const,
        'late' as const,
        'unknown' as const,
      ),
      amount: fc.constantFrom('10.00', '10', null, '9.99', '100'),
      currency: fc.constantFrom('EUR', 'EUR', 'EUR', 'USD', null),
      mode: fc.constantFrom('test' as const, 'test' as const, 'live' as const),
      providerReference: fc.constantFrom(`P-${attempt}`, `P-${attempt}`, null, 'X-9'),
      hasIdentity: fc.boolean(),
      fetched: fc.boolean(),
    })
    .map(({ hasIdentity, ...event }) => {
      const { status, amount, currency, mode, providerReference } = event;
      return paymentEvent(status, {
        ...event,
        attempt,
        dedupeKey: hasIdentity ? `${status}:${amount}:${currency}:${mode}:${providerReference}` : null,
      });
    });
}

/** Captures at the provider: sums next to the authorised amount, and single captures. */
function anyCapture(attempt: number): fc.Arbitrary<TestStep> {
  const part = fc.constantFrom('3', '4.00', '8', '10', '12', '0');
  const number = fc.constantFrom('K-1', 'K-2', 'K-3');
  return fc.tuple(part, number, fc.constantFrom('sum', 'single', 'single', 'authorised')).map(([amount, one, form]) => {
    if (form === 'authorised') return paymentEvent('authorised', { attempt });
    const dedupeKey = `${form}:${amount}:${one}`;
    return form === 'sum'
      ? paymentEvent('succeeded', { attempt, capturedAmount: amount, dedupeKey })
      : paymentEvent('succeeded', { attempt, amount, subReference: one, dedupeKey });
  });
}

function anyRefundEvent(attempt: number): fc.Arbitrary<TestStep> {
  return fc
    .record({
      status: fc.constantFrom(...refundStatuses),
      amount: anyAmount,
      number: anyNumber,
      nth: fc.nat(1),
      isTotal: fc.boolean(),
      orderHint: fc.option(fc.nat(3), { nil: undefined }),
    })
    .map(({ status, amount, number, nth, isTotal, orderHint }) =>
      refundEvent(status, amount, {
        attempt,
        ...(orderHint === undefined ? {} : { orderHint }),
        ...(number !== undefined && !isTotal ? { subReference: number } : {}),
        ...(isTotal ? { cumulative: true } : {}),
        dedupeKey: `${status}:${amount}:${number}:${nth}:${isTotal}:${orderHint}`,
      }),
    );
}

function anyChargeback(attempt: number): fc.Arbitrary<TestStep> {
  return fc
    .record({
      status: fc.constantFrom('opened' as const, 'won' as const, 'lost' as const, 'reversed' as const),
      number: fc.constantFrom('C-1', 'C-2', undefined),
      orderHint: fc.option(fc.nat(3), { nil: undefined }),
      amount: fc.constantFrom('3', '10', '12.00', null),
      currency: fc.constantFrom('EUR', 'EUR', 'USD'),
    })
    .map(({ status, number, orderHint, amount, currency }) =>
      chargebackEvent(status, {
        attempt,
        amount,
        currency,
        ...(number === undefined ? {} : { subReference: number }),
        ...(orderHint === undefined ? {} : { orderHint }),
        dedupeKey: `${status}:${number}:${orderHint}:${amount}:${currency}`,
      }),
    );
}

/** Our own refund and its answers, including those to repetitions. */
function anyOwnRefund(n: number): fc.Arbitrary<TestStep[]> {
  const outcomes: readonly Outcome[] = [
    { outcome: 'succeeded' },
    { outcome: 'pending' },
    { outcome: 'pending', needsMerchant: true },
    { outcome: 'failed' },
    { outcome: 'unknown' },
  ];
  // A provider without numbers for refunds may answer with the reference of the payment.
  const reference = fc.constantFrom(`R-${n}`, 'P-1');
  return fc
    .tuple(anyAmount, reference, fc.array(fc.tuple(fc.constantFrom(...outcomes), fc.boolean()), { maxLength: 3 }))
    .map(([amount, providerReference, answered]) => [
      requestRefund(n, amount),
      ...answered.map(([outcome, isNamed]) => answerRefund(n, isNamed ? { ...outcome, providerReference } : outcome)),
    ]);
}

function anyFactsOf(attempt: number): fc.Arbitrary<TestStep[]> {
  return fc
    .tuple(
      fc.array(anyAnswer(attempt), { maxLength: 2 }),
      fc.array(anyPaymentEvent(attempt), { maxLength: 4 }),
      fc.array(anyCapture(attempt), { maxLength: 4 }),
      fc.array(anyRefundEvent(attempt), { maxLength: 4 }),
      fc.array(anyChargeback(attempt), { maxLength: 4 }),
    )
    .map((lists) => lists.flat());
}

/** Facts about one or two attempts, perhaps with our own refunds, a cancel and duplicates. */
const anyFacts = fc
  .record({
    first: anyFactsOf(1),
    second: fc.option(anyFactsOf(2), { nil: undefined }),
    refunds: fc.tuple(anyOwnRefund(1), anyOwnRefund(2)),
    isCancelled: fc.boolean(),
    isPaid: fc.boolean(),
    doubled: fc.nat(20),
  })
  .map(({ first, second: other, refunds, isCancelled, isPaid, doubled }): TestStep[] => {
    const facts = [openAttempt(1), paymentEvent('pending'), ...first, ...refunds.flat()];
    // Only a failed payment can be opened again or cancelled.
    if (other || isCancelled) facts.push(failure);
    if (other) facts.push(openAttempt(2), ...other);
    if (other && isCancelled) facts.push(failure2);
    if (isCancelled) facts.push(cancelPayment);
    if (isPaid) facts.push(success);
    const repeated = facts[doubled % facts.length];
    return repeated?.type === 'event' ? [...facts, repeated] : facts;
  });
