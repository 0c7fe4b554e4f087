import { expect } from 'chai';
import fc from 'fast-check';
import { describe, it } from 'mocha';
import type { Outcome } from '@gateway/contract';
import { checkStory, expectedResult, pays, resultOf } from './test-expectations.ts';
import {
  answers,
  asksRefund,
  beginning,
  cancels,
  canHappen,
  declined,
  everyOrder,
  goOn,
  named,
  nothingWasCharged,
  opens,
  pending,
  refundAnswers,
  succeeded,
  tellsChargeback,
  tellsPayment,
  tellsRefund,
  unknownOutcome,
  type Happening,
  type Story,
} from './test-support.ts';

const partial = { amount: '4.00' } as const;
const second = { attempt: 2 } as const;
const twice = (happening: Happening): Happening[] => [happening, happening];
const success = tellsPayment('succeeded');
const failure = tellsPayment('failed', { decline: '51' });
const failure2 = tellsPayment('failed', second);
const success2 = tellsPayment('succeeded', second);
const refund = (word: 'pending' | 'failed' | 'succeeded' | 'reversed', amount: string, number?: string): Happening =>
  tellsRefund(word, amount, number === undefined ? {} : { subReference: number });
const total = (amount: string): Happening =>
  tellsRefund('succeeded', amount, { cumulative: true, dedupeKey: `total:${amount}` });
const stage = (word: 'opened' | 'won' | 'lost' | 'reversed', number?: string, orderHint?: number): Happening =>
  tellsChargeback(word, {
    ...(number === undefined ? {} : { subReference: number }),
    ...(orderHint === undefined ? {} : { orderHint }),
    dedupeKey: `${word}:${number}:${orderHint}`,
  });

/** Small sets of facts, each told in every order in which it can happen. */
const sets: Record<string, Happening[]> = {
  'an answer, its callbacks and duplicates': [
    opens(1),
    answers(named(succeeded)),
    ...twice(success),
    tellsPayment('pending'),
  ],
  'a callback that beats a pending answer': [
    opens(1),
    answers(named(pending)),
    success,
    tellsPayment('authorised'),
    failure,
  ],
  'an answer that never came': [opens(1), answers(unknownOutcome), success, tellsPayment('pending'), failure],
  'every end of an attempt': [
    opens(1),
    failure,
    tellsPayment('cancelled'),
    tellsPayment('expired'),
    tellsPayment('late'),
    answers(named(declined)),
  ],
  'failed and expired': [opens(1), failure, tellsPayment('expired'), tellsPayment('underpaid'), answers(pending)],
  'expired alone': [opens(1), tellsPayment('expired'), answers(pending), tellsPayment('pending')],
  'failed, then cancelled by the merchant': [opens(1), failure, tellsPayment('expired'), cancels, answers(pending)],
  'paid after the merchant cancelled': [
    opens(1),
    failure,
    cancels,
    tellsPayment('overpaid'),
    refund('succeeded', '10'),
  ],
  'two attempts that fail': [
    opens(1),
    answers(nothingWasCharged),
    opens(2),
    failure2,
    answers(named(pending, 2), second),
  ],
  'a late success of the first attempt': [opens(1), failure, opens(2), success, failure2, tellsPayment('expired')],
  'a double charge': [opens(1), failure, opens(2), success2, success, refund('succeeded', '10', 'R-1')],
  'a double charge of which one is given back': [
    opens(1),
    failure,
    opens(2),
    success,
    answers(named(succeeded, 2), second),
    tellsRefund('succeeded', '10', second),
    refund('reversed', '4'),
  ],
  'what cannot be believed': [
    opens(1),
    answers(named(pending)),
    tellsPayment('succeeded', { amount: '9.99', dedupeKey: 'a' }),
    tellsPayment('succeeded', { currency: 'USD', dedupeKey: 'b' }),
    tellsPayment('overpaid', { amount: null, dedupeKey: 'c' }),
    tellsPayment('late', { mode: 'live', dedupeKey: 'd' }),
  ],
  'refunds and a chargeback before the success': [
    opens(1),
    success,
    ...twice(refund('succeeded', '6', 'R-1')),
    refund('succeeded', '4'),
    stage('opened'),
  ],
  'one numbered refund through all its states': [
    opens(1),
    success,
    refund('pending', '10', 'R-1'),
    refund('failed', '10', 'R-1'),
    refund('succeeded', '10', 'R-1'),
    refund('reversed', '10', 'R-1'),
  ],
  'a numbered refund that is reversed in part': [
    opens(1),
    success,
    refund('succeeded', '10', 'R-1'),
    refund('reversed', '4', 'R-1'),
    refund('succeeded', '3', 'R-2'),
  ],
  'an unnumbered refund that is reversed in part': [
    opens(1),
    success,
    refund('succeeded', '10'),
    refund('reversed', '4'),
    refund('failed', '4'),
  ],
  'refunds and running totals': [
    opens(1),
    success,
    refund('succeeded', '3', 'R-1'),
    total('3'),
    total('8'),
    total('5'),
  ],
  'our own numbered refund': [
    opens(1),
    success,
    asksRefund(1, '4'),
    refundAnswers(1, { outcome: 'pending', providerReference: 'R-1' }),
    refundAnswers(1, { outcome: 'succeeded', providerReference: 'R-1' }),
    refund('succeeded', '4', 'R-1'),
    refund('failed', '4', 'R-1'),
  ],
  'our own refund whose number comes late': [
    opens(1),
    success,
    asksRefund(1, '4'),
    refundAnswers(1, { outcome: 'succeeded' }),
    refundAnswers(1, { outcome: 'pending', providerReference: 'R-1' }),
    refund('succeeded', '4', 'R-1'),
  ],
  'our own refunds without numbers': [
    opens(1),
    answers(named(succeeded)),
    asksRefund(1, '4'),
    refundAnswers(1, { outcome: 'succeeded', providerReference: 'P-1' }),
    tellsRefund('succeeded', partial.amount),
    tellsRefund('failed', partial.amount),
  ],
  'our own refund that the answer fails': [
    opens(1),
    success,
    asksRefund(1, '4'),
    refundAnswers(1, { outcome: 'unknown' }),
    refundAnswers(1, { outcome: 'failed', nothingCharged: true }),
    refundAnswers(1, { outcome: 'succeeded' }),
  ],
  'a chargeback case with hints': [
    opens(1),
    success,
    stage('opened', 'C-1', 1),
    stage('won', 'C-1', 2),
    stage('lost', 'C-1', 3),
    stage('won', 'C-1', 4),
  ],
  'a chargeback case without hints': [
    opens(1),
    success,
    stage('lost', 'C-1'),
    stage('won', 'C-1'),
    stage('reversed', 'C-1', 1),
    stage('opened', 'C-1'),
  ],
  'a nameless chargeback beside a case': [
    opens(1),
    success,
    stage('opened'),
    stage('lost'),
    stage('won', 'C-1'),
    stage('opened', 'C-1'),
  ],
};

describe('the order of arrival', () => {
  for (const [name, happenings] of Object.entries(sets)) {
    it(`does not matter: ${name}`, () => {
      const expected = expectedResult(happenings);
      let orders = 0;
      for (const story of everyOrder(happenings)) {
        orders += 1;
        checkStory(story);
        expect(resultOf(story.record), wordsOf(story)).to.deep.equal(expected);
      }
      expect(orders).to.be.greaterThan(1);
    });
  }

  it('does not matter for any facts', () => {
    fc.assert(
      fc.property(
        anyFacts,
        fc.array(fc.array(fc.nat(1000), { maxLength: 40 }), { minLength: 2, maxLength: 4 }),
        (facts, orders) => {
          const expected = expectedResult(facts);
          for (const picks of orders) {
            const story = inSomeOrder(facts, picks);
            checkStory(story);
            expect(resultOf(story.record), wordsOf(story)).to.deep.equal(expected);
          }
        },
      ),
      { numRuns: 400 },
    );
  });

  it('does not make a duplicate count', () => {
    fc.assert(
      fc.property(anyFacts, fc.array(fc.nat(1000), { maxLength: 40 }), (facts, picks) => {
        const { record, steps } = inSomeOrder(facts, picks);
        for (const { happening, kind } of steps) {
          if (happening.type !== 'event') continue;
          const again = goOn(beginning(record), happening).steps[0]!;
          expect(again.announced, happening.event.word).to.deep.equal([]);
          expect(resultOf(again.after)).to.deep.equal(resultOf(record));
          const isKnown = kind === 'changed' && happening.event.dedupeKey !== null;
          if (isKnown) expect(again.kind, happening.event.word).to.equal('nothing');
        }
      }),
      { numRuns: 400 },
    );
  });
});

function wordsOf({ steps }: Story): string {
  return steps
    .map(({ happening }) => {
      if (happening.type === 'answer' || happening.type === 'refund_answer')
        return `${happening.type} ${happening.outcome.outcome}`;
      if (happening.type !== 'event') return happening.type;
      const { kind, status, subReference = '', amount } = happening.event;
      return `${kind} ${happening.attempt} ${status} ${subReference} ${amount}`;
    })
    .join(' > ');
}

/**
 * Each pick chooses among what can happen next. What a later opening or cancel needs is not spoiled by a success that
 * comes before it: after one there is nothing to open or to cancel.
 */
function inSomeOrder(facts: readonly Happening[], picks: readonly number[]): Story {
  let story = beginning();
  let left = [...facts];
  for (let turn = 0; left.length; turn += 1) {
    const isOpenLeft = left.some(({ type }) => type === 'open');
    const isCancelLeft = left.some(({ type }) => type === 'cancel');
    const possible = left.filter((happening) => {
      if (happening.type === 'cancel' && isOpenLeft) return false;
      if (pays(happening) && (isCancelLeft || isOpenLeft)) return false;
      return canHappen(story.record, happening);
    });
    const next = possible[(picks[turn] ?? 0) % possible.length];
    if (!next) throw new Error(`stuck after ${wordsOf(story)}`);
    story = goOn(story, next);
    left = left.toSpliced(left.indexOf(next), 1);
  }
  return story;
}

const anyAmount = fc.constantFrom('3', '4.00', '10');
const anyNumber = fc.constantFrom('R-1', 'R-2', undefined);

function anyAnswer(attempt: number): fc.Arbitrary<Happening> {
  const reference = fc.constantFrom({}, { providerReference: `P-${attempt}` });
  const outcome = fc.oneof(
    reference.map((known): Outcome => ({ outcome: 'succeeded', ...known })),
    reference.map((known): Outcome => ({ outcome: 'failed', decline: '54', ...known })),
    fc.constant<Outcome>(nothingWasCharged),
    reference.map((known): Outcome => ({ outcome: 'pending', ...known })),
    fc.constant<Outcome>(unknownOutcome),
  );
  return fc
    .tuple(outcome, fc.boolean())
    .map(([told, acts]) =>
      answers(told, { attempt, action: acts && told.outcome === 'pending' ? Buffer.from('sealed') : null }),
    );
}

function anyPaymentEvent(attempt: number): fc.Arbitrary<Happening> {
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
      isKnown: fc.boolean(),
      hasIdentity: fc.boolean(),
      own: fc.boolean(),
    })
    .map(({ isKnown, hasIdentity, ...event }) => {
      const { status, amount, currency, mode } = event;
      return tellsPayment(status, {
        ...event,
        attempt,
        providerReference: isKnown ? `P-${attempt}` : null,
        dedupeKey: hasIdentity ? `${status}:${amount}:${currency}:${mode}:${isKnown}` : null,
      });
    });
}

function anyRefundEvent(attempt: number): fc.Arbitrary<Happening> {
  return fc
    .record({
      status: fc.constantFrom('pending' as const, 'failed' as const, 'succeeded' as const, 'reversed' as const),
      amount: anyAmount,
      number: anyNumber,
      nth: fc.nat(1),
      isTotal: fc.boolean(),
    })
    .map(({ status, amount, number, nth, isTotal }) =>
      tellsRefund(status, amount, {
        attempt,
        ...(number !== undefined && !isTotal ? { subReference: number } : {}),
        ...(isTotal ? { cumulative: true } : {}),
        dedupeKey: `${status}:${amount}:${number}:${nth}:${isTotal}`,
      }),
    );
}

function anyChargeback(attempt: number): fc.Arbitrary<Happening> {
  return fc
    .record({
      status: fc.constantFrom('opened' as const, 'won' as const, 'lost' as const, 'reversed' as const),
      number: fc.constantFrom('C-1', 'C-2', undefined),
      orderHint: fc.option(fc.nat(3), { nil: undefined }),
    })
    .map(({ status, number, orderHint }) =>
      tellsChargeback(status, {
        attempt,
        ...(number === undefined ? {} : { subReference: number }),
        ...(orderHint === undefined ? {} : { orderHint }),
        dedupeKey: `${status}:${number}:${orderHint}`,
      }),
    );
}

/** Our own refund and what is answered, the repetitions included. */
function anyOwnRefund(n: number): fc.Arbitrary<Happening[]> {
  const word = fc.constantFrom('succeeded' as const, 'pending' as const, 'failed' as const, 'unknown' as const);
  // Where a provider has no number for a refund, it may answer with the payment's.
  const reference = fc.constantFrom(`R-${n}`, 'P-1');
  return fc
    .tuple(anyAmount, reference, fc.array(fc.tuple(word, fc.boolean()), { maxLength: 3 }))
    .map(([amount, providerReference, told]) => [
      asksRefund(n, amount),
      ...told.map(([outcome, isNamed]) => refundAnswers(n, isNamed ? { outcome, providerReference } : { outcome })),
    ]);
}

function anyAboutAttempt(attempt: number): fc.Arbitrary<Happening[]> {
  return fc
    .tuple(
      fc.array(anyAnswer(attempt), { maxLength: 2 }),
      fc.array(anyPaymentEvent(attempt), { maxLength: 4 }),
      fc.array(anyRefundEvent(attempt), { maxLength: 4 }),
      fc.array(anyChargeback(attempt), { maxLength: 3 }),
    )
    .map((lists) => lists.flat());
}

/** Facts about one or two attempts, perhaps with our own refunds, a cancel and duplicates. */
const anyFacts = fc
  .record({
    first: anyAboutAttempt(1),
    second: fc.option(anyAboutAttempt(2), { nil: undefined }),
    refunds: fc.tuple(anyOwnRefund(1), anyOwnRefund(2)),
    isCancelled: fc.boolean(),
    isPaid: fc.boolean(),
    doubled: fc.nat(20),
  })
  .map(({ first, second: other, refunds, isCancelled, isPaid, doubled }): Happening[] => {
    const facts = [opens(1), tellsPayment('pending'), ...first, ...refunds.flat()];
    // Only what failed can be opened again, or cancelled.
    if (other || isCancelled) facts.push(failure);
    if (other) facts.push(opens(2), ...other);
    if (other && isCancelled) facts.push(failure2);
    if (isCancelled) facts.push(cancels);
    if (isPaid) facts.push(success);
    const repeated = facts[doubled % facts.length];
    return repeated?.type === 'event' ? [...facts, repeated] : facts;
  });
