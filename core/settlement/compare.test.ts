import { expect } from 'chai';
import { describe, it } from 'mocha';
import type { Attempt } from '../database/collections/attempt.ts';
import type { SettlementDifference } from '../database/collections/settlement-run.ts';
import { createComparison } from './compare.ts';
import type { RowKind } from './mapping.ts';
import type { OurPayment } from './movements.ts';
import type { SettlementRow } from './read-rows.ts';

const moved = new Date('2026-03-10T12:00:00Z');
const attempt = {
  n: 1,
  reference: 'GW-1-1',
  adapter: 'one',
  sandbox: false,
  outcome: 'succeeded',
  amount: '100',
  currency: 'EUR',
  capture: null,
  received: null,
  settledAt: moved,
  providerReference: 'pi_1',
} as Partial<Attempt> as Attempt;
const paid: OurPayment = {
  _id: 1,
  attempts: [attempt],
  refunds: [],
  reportedRefunds: [],
  refundTotals: [],
  disputeStages: [],
  feeAmount: '1.25',
};
const refund = (n: number, amount: string, more: object = {}): OurPayment['refunds'][number] =>
  ({
    n,
    attempt: 1,
    reference: `GW-1-1-R${n}`,
    amount,
    state: 'succeeded',
    providerReference: null,
    requestedAt: moved,
    sentAt: moved,
    ...more,
  }) as unknown as OurPayment['refunds'][number];
let line = 1;
const row = (kind: RowKind, amount: string, more: Partial<SettlementRow> = {}): SettlementRow => ({
  line: (line += 1),
  kind,
  reference: 'GW-1-1',
  providerReference: null,
  subReference: null,
  amount: { isNegative: amount.startsWith('-'), amount: amount.replace('-', '') },
  currency: 'EUR',
  fee: null,
  feeCurrency: 'EUR',
  at: moved,
  until: new Date(moved.getTime() + 1000),
  ...more,
});

/** The differences in short form, including movements that the file of one day lacks. */
function differences(payment: OurPayment, ...rows: readonly SettlementRow[]): string[] {
  const found: SettlementDifference[] = [];
  const comparison = createComparison({
    adapter: 'one',
    sandbox: false,
    comparesFees: true,
    onDifference: (one) => found.push(one),
  });
  for (const one of rows) comparison.take([one], [payment]);
  comparison.compareTaken();
  comparison.lookFor(payment, new Date('2026-03-10'), new Date('2026-03-11'));
  return found.map(({ kind, row: about, hereAmount, thereAmount }) => `${kind} ${about} ${hereAmount} ${thereAmount}`);
}

describe('createComparison', () => {
  describe('wrongChoice', () => {
    const wrongChoice = (rows: readonly SettlementRow[], adapter: string, sandbox: boolean): string | undefined => {
      const comparison = createComparison({ adapter, sandbox, comparesFees: false, onDifference: () => undefined });
      comparison.take(rows, [paid]);
      return comparison.wrongChoice();
    };

    it('names the mode of the payments if every row names a payment of the other mode', () => {
      expect(wrongChoice([row('payment', '100'), row('refund', '-1')], 'one', true)).to.equal(
        '2 rows name live payments of one, and none names a test payment: compare the file with live payments',
      );
    });

    it('names the provider of the payments if every row names a payment of another one', () => {
      expect(wrongChoice([row('payment', '100')], 'two', false)).to.equal(
        '1 row names payments of one, and none names a payment of two: choose the provider of the file',
      );
    });

    it('finds nothing wrong if a row fits, or if no row names a payment', () => {
      expect(wrongChoice([row('payment', '100')], 'one', false)).to.equal(undefined);
      expect(wrongChoice([row('payment', '100', { reference: 'GW-9-1' })], 'two', true)).to.equal(undefined);
    });
  });

  it('sums several rows of one charge', () => {
    const captured = { ...paid, attempts: [{ ...attempt, capture: { amount: '60' } as Attempt['capture'] }] };
    expect(differences(captured, row('payment', '100'), row('payment', '-40'))).to.deep.equal([]);
    expect(differences(captured, row('payment', '100'))).to.deep.equal(['amount payment 60 100']);
    expect(differences(paid, row('payment', '100'), row('payment', '100'))).to.deep.equal(['amount payment 100 200']);
  });

  it('finds a payment by either reference, ours first', () => {
    const theirs = { reference: null, providerReference: 'pi_1' };
    expect(differences(paid, row('payment', '100', theirs))).to.deep.equal([]);
    expect(differences(paid, row('payment', '100', { ...theirs, providerReference: 'pi_2' }))).to.deep.equal([
      'missing_here payment null 100',
      'missing_there payment 100 null',
    ]);
  });

  it('finds a payment by any of its ids at the provider', () => {
    const ids = { providerReferences: [{ name: 'order', id: 'or_1' }] };
    const named = { ...paid, attempts: [{ ...attempt, ...ids }] };
    for (const providerReference of ['pi_1', 'or_1'])
      expect(differences(named, row('payment', '100', { reference: null, providerReference }))).to.deep.equal([]);
  });

  it('finds the payment that has an id as its primary reference, and none by an id that several have', () => {
    const other = (id: number, members: Partial<Attempt>): OurPayment => {
      return { ...paid, _id: id, attempts: [{ ...attempt, reference: `GW-${id}-1`, ...members }] };
    };
    const shared = { providerReferences: [{ name: 'basket', id: 'ba_1' }] };
    const found = (others: readonly OurPayment[]): string[] => {
      const kinds: string[] = [];
      const comparison = createComparison({
        adapter: 'one',
        sandbox: false,
        comparesFees: false,
        onDifference: ({ kind, paymentId }) => kinds.push(`${kind} ${paymentId}`),
      });
      comparison.take([row('payment', '90', { reference: null, providerReference: 'ba_1' })], others);
      comparison.compareTaken();
      return kinds;
    };
    const both = [
      other(2, { ...shared, providerReference: 'pi_2' }),
      other(3, { ...shared, providerReference: 'pi_3' }),
    ];
    expect(found(both)).to.deep.equal(['missing_here null']);
    const primary = other(4, { providerReference: 'ba_1' });
    for (const all of [
      [primary, ...both],
      [...both, primary],
    ])
      expect(found(all)).to.deep.equal(['amount 4']);
  });

  it('lacks no refund whose money the merchant sent, and expects it once the provider reports it', () => {
    const byHand = refund(1, '10', { providerReference: 're_1', settledByHand: true });
    const settled = { ...paid, refunds: [byHand] };
    expect(differences(settled, row('payment', '100'))).to.deep.equal([]);
    const report = { attempt: 1, subReference: 're_1', eventId: 'e', amount: '10', state: 'succeeded' } as const;
    const reported = { ...settled, reportedRefunds: [report] };
    expect(differences(reported, row('payment', '100'))).to.deep.equal(['missing_there refund 10 null']);
    const theirs = { ...paid, reportedRefunds: [{ ...report, settledByHand: true as const }] };
    expect(differences(theirs, row('payment', '100'))).to.deep.equal([]);
  });

  it('looks for a refund at the time of its request, whenever it was sent', () => {
    const [before, after] = [new Date('2026-03-09T23:59:00Z'), new Date('2026-03-11T00:01:00Z')];
    const charge = row('payment', '100');
    const sentLater = { ...paid, refunds: [refund(1, '10', { sentAt: after })] };
    expect(differences(sentLater, charge)).to.deep.equal(['missing_there refund 10 null']);
    const requestedBefore = { ...paid, refunds: [refund(1, '10', { requestedAt: before })] };
    expect(differences(requestedBefore, charge)).to.deep.equal([]);
  });

  it('does not mistake one refund for another', () => {
    const payment = {
      ...paid,
      refunds: [refund(1, '10'), refund(2, '10'), refund(3, '5', { providerReference: 're_3' })],
    };
    const all = [row('payment', '100'), row('refund', '-10'), row('refund', '-5', { subReference: 're_3' })];
    expect(differences(payment, ...all)).to.deep.equal(['missing_there refund 10 null']);
    expect(differences(payment, ...all, row('refund', '-10'))).to.deep.equal([]);
    expect(differences(payment, ...all, row('refund', '-10'), row('refund', '-10'))).to.deep.equal([
      'missing_here refund null 10',
    ]);
    expect(differences(payment, ...all, row('refund', '-11', { subReference: 'GW-1-1-R2' }))).to.include(
      'amount refund 10 11',
    );
  });

  it('includes refunds that were made at the provider, and counts none twice', () => {
    const report = { attempt: 1, subReference: 're_9', eventId: 'e', amount: '7', state: 'succeeded' } as const;
    const payment = { ...paid, reportedRefunds: [report] };
    const charge = row('payment', '100');
    expect(differences(payment, charge, row('refund', '-7', { subReference: 're_9' }))).to.deep.equal([]);
    expect(differences(payment, charge), 'the time is unknown').to.deep.equal([]);
    // The same refund as ours, whose answer had no id.
    const ours = { ...payment, refunds: [refund(1, '7')] };
    expect(differences(ours, charge, row('refund', '-7', { subReference: 're_9' }))).to.deep.equal([]);
    expect(differences(ours, charge, row('refund', '-7'), row('refund', '-7'))).to.deep.equal([
      'missing_here refund null 7',
    ]);
  });

  it('compares a chargeback by its amount if known, and a reversal only by its existence', () => {
    const stage = (named: string, amount: string | null): OurPayment['disputeStages'][number] =>
      ({ attempt: 1, subReference: 'du_1', stage: named, amount, order: null }) as OurPayment['disputeStages'][number];
    const charge = row('payment', '100');
    const chargeback = row('chargeback', '-90', { subReference: 'du_1' });
    expect(differences({ ...paid, disputeStages: [stage('opened', null)] }, charge, chargeback)).to.deep.equal([]);
    expect(differences({ ...paid, disputeStages: [stage('opened', '100')] }, charge, chargeback)).to.deep.equal([
      'amount chargeback 100 90',
    ]);
    const reversal = row('chargeback_reversed', '90');
    expect(
      differences({ ...paid, disputeStages: [stage('opened', '90')] }, charge, chargeback, reversal),
    ).to.deep.equal(['missing_here chargeback_reversed null 90']);
    const won = { ...paid, disputeStages: [stage('opened', '90'), stage('won', '90')] };
    expect(differences(won, charge, chargeback, reversal)).to.deep.equal([]);
  });

  it('compares fees only in the currency of the payment, rounded to its decimals', () => {
    const taken = (amount: string, feeCurrency = 'EUR'): SettlementRow =>
      row('payment', '100', { fee: { isNegative: true, amount }, feeCurrency });
    expect(differences(paid, taken('1.2549'))).to.deep.equal([]);
    expect(differences(paid, taken('1.26'))).to.deep.equal(['fee payment 1.25 1.26']);
    expect(differences(paid, taken('1.26', 'USD'))).to.deep.equal([]);
  });

  it('compares a file of one account with the payments of that account alone', () => {
    const ofShop = { ...paid, attempts: [{ ...attempt, account: 'shop' }] };
    const compareWith = (account: string | undefined, payment: OurPayment): readonly (string | null)[] => {
      const found: SettlementDifference[] = [];
      const comparison = createComparison({
        adapter: 'one',
        account,
        sandbox: false,
        comparesFees: false,
        onDifference: (one) => found.push(one),
      });
      comparison.take([row('payment', '100')], [payment]);
      comparison.compareTaken();
      comparison.lookFor(payment, new Date('2026-03-10'), new Date('2026-03-11'));
      return [...found.map(({ note }) => note), comparison.wrongChoice() ?? null];
    };
    expect(compareWith('shop', ofShop)).to.deep.equal([null]);
    expect(compareWith('main', paid)).to.deep.equal([null]);
    expect(compareWith(undefined, ofShop)).to.deep.equal([null]);
    expect(compareWith('main', ofShop)).to.deep.equal([
      'GW-1-1 belongs to one/shop',
      '1 row names payments of one/shop, and none names a payment of one/main: choose the account of the file',
    ]);
    expect(compareWith('shop', paid)[0]).to.equal('GW-1-1 belongs to one/main');
  });

  it('never matches a test payment or a payment of another provider', () => {
    for (const other of [{ sandbox: true }, { adapter: 'two' }])
      expect(differences({ ...paid, attempts: [{ ...attempt, ...other }] }, row('payment', '100'))).to.deep.equal([
        'missing_here payment null 100',
      ]);
  });
});
