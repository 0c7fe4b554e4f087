import { expect } from 'chai';
import { describe, it } from 'mocha';
import { chargedAmount, type Attempt } from '../../../database/collections/attempt.ts';
import type { PaymentRecord } from '../../../database/collections/payment-request.ts';
import { decide } from './decide.ts';
import type { Fact } from './fact.ts';
import { createFeeOf } from './fee.ts';
import { checkHistory } from '../testing/expectations.ts';
import {
  answerWith,
  at,
  declined,
  everyOrder,
  openAttempt,
  paymentEvent,
  paymentRecord,
  newAttempt,
  playHistory,
  refundEvent,
  succeeded,
  withReference,
  type History,
  type TestStep,
} from '../testing/steps.ts';

const authorised = answerWith({ outcome: 'pending', authorised: true, providerReference: 'P-1' });
const reserved = paymentEvent('authorised');
const toAuthorised = [openAttempt(1), authorised] as const;
/** The sum so far, as a provider reports it next to the authorised amount. */
const sum = (capturedAmount: string): TestStep =>
  paymentEvent('succeeded', { capturedAmount, dedupeKey: `sum:${capturedAmount}` });
/** One capture of its own amount. */
const single = (subReference: string, amount: string): TestStep =>
  paymentEvent('succeeded', { subReference, amount, dedupeKey: `${subReference}:${amount}` });

function expectPaid({ record }: History, paidAmount: string | null): void {
  expect([record.statusId, record.paidAmount]).to.deep.equal(paidAmount === null ? [1, null] : [2, paidAmount]);
}

describe('a payment that is captured at the provider', () => {
  const sets: [string, TestStep[], string | null][] = [
    ['a sum below the authorised amount', [sum('4.00')], '4'],
    ['a sum that grows', [sum('4.00'), sum('6.50'), sum('10')], '10'],
    ['a single capture', [single('K-1', '4.00')], '4'],
    ['several single captures', [single('K-1', '4.00'), single('K-2', '4.00'), single('K-3', '1')], '9'],
    ['a single capture that is reported again', [single('K-1', '4.00'), single('K-1', '4.0'), single('K-2', '1')], '5'],
    ['single captures of all', [single('K-1', '4.00'), single('K-2', '6.00')], '10'],
    ['single captures of more: what was authorised', [single('K-1', '8.00'), single('K-2', '6.00')], '10'],
    ['a capture of all', [single('K-1', '10.00')], '10'],
    ['a capture and a plain success, which is about all', [single('K-1', '4.00'), paymentEvent('succeeded')], '10'],
  ];
  for (const [name, steps, paidAmount] of sets) {
    it(`is paid with ${paidAmount} of 10 in every order: ${name}`, () => {
      for (const history of everyOrder([...steps, openAttempt(1), authorised])) {
        checkHistory(history);
        expectPaid(history, paidAmount);
      }
    });
  }

  it('is paid with a capture that is reported before its authorisation, also after a failure', () => {
    const steps = [openAttempt(1), single('K-1', '4'), reserved, paymentEvent('failed', { decline: '51' })];
    for (const history of everyOrder(steps)) {
      checkHistory(history);
      expectPaid(history, '4');
    }
  });

  it('is not paid with a sale of another amount', () => {
    const waiting = [openAttempt(1), answerWith(withReference({ outcome: 'pending' }))] as const;
    for (const event of [
      paymentEvent('succeeded', { amount: '4' }),
      paymentEvent('succeeded', { amount: '4', capturedAmount: '4' }),
      paymentEvent('succeeded', { capturedAmount: '0' }),
      paymentEvent('succeeded', { capturedAmount: '10.01' }),
      single('K-1', '0'),
      single('K-1', '10.01'),
    ]) {
      const { record } = playHistory(...waiting, event);
      expect([record.statusId, record.paidAmount, record.logs.at(-1)!.misfit]).to.deep.equal([1, null, 'payment']);
    }
    // A smaller capture is kept, but pays nothing until the payment is reported as authorised.
    expectPaid(playHistory(...waiting, single('K-1', '4')), null);
  });

  it('is paid in full if the submission was a sale, whatever captures are reported', () => {
    const sale = answerWith(withReference(succeeded));
    for (const history of everyOrder([openAttempt(1), sale, single('K-1', '4'), sum('3')])) expectPaid(history, '10');
  });

  it('reports one single capture that exceeds what was authorised, whichever comes last', () => {
    const exceed = [single('K-1', '8'), single('K-2', '6')];
    for (const [one, other] of [exceed, exceed.toReversed()] as [TestStep, TestStep][]) {
      const { record } = playHistory(...toAuthorised, one, other);
      const entries = record.logs.filter(({ misfit }) => misfit !== undefined);
      expect(entries.map(({ refused, misfit }) => [refused, misfit])).to.deep.equal([[false, 'payment']]);
      expect(entries[0]!.message).to.match(/; captured more than 10\.00 EUR$/);
    }
  });

  it('counts a larger sum under an event id that was seen before', () => {
    const same = (capturedAmount: string): TestStep =>
      paymentEvent('succeeded', { capturedAmount, dedupeKey: 'the same', fetched: true });
    expectPaid(playHistory(...toAuthorised, same('4'), same('6'), same('4')), '6');
  });

  it('adds the capture that it requested itself to those of the provider', () => {
    const { record } = playHistory(...toAuthorised);
    const capture = { reference: 'GW-10042-1-C', amount: '5', state: 'requested', requestedAt: at(15) } as const;
    const requested = paymentRecord({ ...record, attempts: [{ ...record.attempts[0]!, capture }] });
    const answered = { type: 'capture_outcome', attempt: 1, outcome: { outcome: 'succeeded' }, at: at(16) } as const;
    const paidAfter = (...facts: readonly Fact[]): string | null => decideAll(requested, facts).paidAmount;
    const [own, other] = [single('K-1', '5') as Fact, single('K-2', '3') as Fact];
    expect(paidAfter(answered)).to.equal('5');
    for (const order of [
      [answered, own, other],
      [other, answered, own],
      [own, other, answered],
      [other, own],
    ])
      expect(paidAfter(...order)).to.equal('8');
    expect(paidAfter(other, answered)).to.equal('5');
    expect(paidAfter(answered, other)).to.equal('5');
  });

  it('notifies of the first capture as paid, and of each later one', () => {
    const { notified } = playHistory(...toAuthorised, sum('4'), sum('6'), sum('6'), sum('4'));
    expect(notified.slice(1)).to.deep.equal(['payment.authorised', 'payment.succeeded', 'payment.amount_raised']);
  });

  it('lets the deposits of the client be counted again', () => {
    const { record } = playHistory(...toAuthorised, sum('4'));
    const counted = paymentRecord({ ...record, version: 7, depositDue: null });
    expect(decideAll(counted, [sum('6') as Fact]).depositDue).to.equal(8);
    expect(decideAll(counted, [sum('4') as Fact]).depositDue).to.equal(null);
  });

  it('is paid again if more is captured after a full refund', () => {
    const { record, notified } = playHistory(...toAuthorised, sum('4'), refundEvent('succeeded', '4'), sum('6'));
    expect(record).to.include({ statusId: 2, paidAmount: '6', refundedAmount: '4' });
    expect(notified.slice(-2)).to.deep.equal(['payment.refunded', 'payment.amount_raised']);
  });

  it('counts a release of all the money as a refund of what was captured', () => {
    const release = paymentEvent('cancelled', { orRefunded: true, dedupeKey: 'release' });
    for (const history of everyOrder([...toAuthorised, sum('4'), release]))
      expect(history.record).to.include({ statusId: 4, paidAmount: '4', refundedAmount: '4' });
  });

  it('pays the fee of what was captured', () => {
    const feeOf = createFeeOf({ 'provider-1': { fee: { percent: '10', fixed: { EUR: '0.20' } } } });
    const known = playHistory(...toAuthorised).record;
    const [one, two] = [single('K-1', '4') as Fact, single('K-2', '3') as Fact];
    for (const facts of [
      [one, two],
      [two, one],
    ])
      expect(decideAll(known, facts, feeOf).feeAmount).to.equal('0.9');
  });

  it('marks money as missing if the provider takes back a capture', () => {
    const lost = paymentEvent('failed', { amount: '4', failedRequest: 'capture', subReference: 'K-1', dedupeKey: 'f' });
    const { record } = playHistory(...toAuthorised, single('K-1', '4'), lost);
    expect(record.attempts[0]!.captureFailedAt).to.be.instanceOf(Date);
    expect(record.statusId).to.equal(2);
  });

  it('is charged a second time by a capture of an earlier attempt', () => {
    const steps = [
      openAttempt(1),
      reserved,
      answerWith(declined),
      openAttempt(2),
      paymentEvent('succeeded', { attempt: 2 }),
      single('K-1', '4'),
    ];
    for (const history of everyOrder(steps)) {
      checkHistory(history);
      expect(history.record).to.include({ statusId: 2, paidAmount: '14' });
      expect(history.notified).to.include('payment.double_charged');
    }
  });
});

describe('chargedAmount', () => {
  it('reads documents of an earlier version, which have no reports of captures', () => {
    const attempt: Attempt = newAttempt(1);
    const capture = { reference: 'C', amount: '6', state: 'pending', requestedAt: at(2) } as const;
    expect([chargedAmount(attempt), chargedAmount({ ...attempt, capture })]).to.deep.equal(['10', '6']);
  });

  it('keeps what an earlier version has paid, and adds nothing to it that may be the same money', () => {
    const old = newAttempt(1, { outcome: 'succeeded', providerReference: 'P-1', authorisedAt: at(2) });
    const record = paymentRecord({ attempts: [old], statusId: 2, paidAmount: '10', paidCurrency: 'EUR' });
    expect(decideAll(record, [single('K-1', '4') as Fact]).paidAmount).to.equal('10');
  });
});

function decideAll(record: PaymentRecord, facts: readonly Fact[], feeOf = createFeeOf({})): PaymentRecord {
  return facts.reduce((current, fact) => {
    const decision = decide(current, fact, feeOf);
    return decision.kind === 'nothing' ? current : decision.next;
  }, record);
}
