import { expect } from 'chai';
import { describe, it } from 'mocha';
import { derive, refundedSum } from './derive-status.ts';
import type { Facts } from '../../../database/collections/payment-request.ts';
import type { Refund, ReportedRefund } from '../../../database/collections/refund.ts';
import { at, newAttempt, paymentRecord } from '../testing/steps.ts';

type Reported = [state: ReportedRefund['state'], amount: string, number?: string];
type Ours = [amount: string, number?: string];

/** Facts of a payment of 10 that was paid, with these refunds. */
function paidFacts(reported: readonly Reported[], ours: readonly Ours[], total?: string): Facts {
  return paymentRecord({
    attempts: [newAttempt(1, { outcome: 'succeeded', providerReference: 'P-1' })],
    reportedRefunds: reported.map(([state, amount, number], index): ReportedRefund => {
      return { attempt: 1, subReference: number ?? null, eventId: `event ${index}`, amount, state };
    }),
    refunds: ours.map(([amount, number], index): Refund => {
      return {
        n: index + 1,
        attempt: 1,
        reference: `GW-10042-1-R${index + 1}`,
        amount,
        state: 'succeeded',
        answeredSucceeded: true,
        providerReference: number ?? null,
        requestedAt: at(1),
        sentAt: null,
        reportedBefore: [],
        notShownAt: null,
        checks: 1,
        lastCheckedAt: null,
      };
    }),
    refundTotals: total === undefined ? [] : [{ attempt: 1, amount: total }],
  });
}

const sums: [string, string, Reported[], Ours[], string?][] = [
  ['no refund', '0', [], []],
  [
    'pending and failed refunds, which do not count',
    '0',
    [
      ['pending', '4', 'R-1'],
      ['failed', '3', 'R-2'],
      ['failed', '2'],
    ],
    [],
  ],
  [
    'two numbers, which count once each',
    '7',
    [
      ['succeeded', '4', 'R-1'],
      ['succeeded', '3', 'R-2'],
    ],
    [],
  ],
  ['our answer and an event of the same number', '4', [['succeeded', '4', 'R-1']], [['4', 'R-1']]],
  ['our answer and an event of another number', '8', [['succeeded', '4', 'R-1']], [['4', 'R-2']]],
  ['our answer whose number is only pending', '4', [['pending', '4', 'R-1']], [['4', 'R-1']]],
  [
    'more events than answers without a number',
    '8',
    [
      ['succeeded', '4'],
      ['succeeded', '4'],
    ],
    [['4']],
  ],
  ['more answers than events without a number', '8', [['succeeded', '4']], [['4'], ['4']]],
  ['different amounts without a number', '7', [['succeeded', '4']], [['3']]],
  ['two spellings of one amount', '4', [['succeeded', '4']], [['4.00']]],
  ['the reference of the payment, which is no number of a refund', '4', [['succeeded', '4']], [['4', 'P-1']]],
  [
    'one refund with and one without a number',
    '7',
    [
      ['succeeded', '4', 'R-1'],
      ['succeeded', '3'],
    ],
    [],
  ],
  ['a total that is larger than the refunds', '9', [['succeeded', '4', 'R-1']], [], '9'],
  [
    'refunds that are larger than the total',
    '7',
    [
      ['succeeded', '4', 'R-1'],
      ['succeeded', '3'],
    ],
    [],
    '4',
  ],
  [
    'two refunds of which one was reversed',
    '3',
    [
      ['succeeded', '4', 'R-1'],
      ['reversed', '4', 'R-1'],
      ['succeeded', '3'],
    ],
    [],
  ],
  [
    'a reversal whose success was not reported',
    '3',
    [
      ['reversed', '4', 'R-1'],
      ['succeeded', '3', 'R-2'],
    ],
    [],
  ],
  [
    'a numbered refund that was reversed in part',
    '6',
    [
      ['succeeded', '8', 'R-1'],
      ['reversed', '2', 'R-1'],
    ],
    [],
  ],
  [
    'an unnumbered refund that was reversed in part',
    '6',
    [
      ['succeeded', '8'],
      ['reversed', '2'],
    ],
    [],
  ],
  ['our refund that was reversed in part', '6', [['reversed', '2', 'R-1']], [['8', 'R-1']]],
  ['a total of which a part was reversed', '5', [['reversed', '4', 'R-1']], [], '9'],
  ['a reversal alone, which never goes below zero', '0', [['reversed', '4']], []],
];

describe('refundedSum', () => {
  for (const [name, sum, reported, ours, total] of sums) {
    it(`returns ${sum} for ${name}`, () => {
      expect(refundedSum(paidFacts(reported, ours, total), 1)).to.equal(sum);
      expect(refundedSum(paidFacts(reported.toReversed(), ours.toReversed(), total), 1)).to.equal(sum);
    });
  }

  it('adds decimals exactly', () => {
    expect(
      refundedSum(
        paidFacts(
          [
            ['succeeded', '0.1', 'a'],
            ['succeeded', '0.2', 'b'],
          ],
          [],
        ),
        1,
      ),
    ).to.equal('0.3');
  });

  it('counts the refunds of one attempt only', () => {
    expect(refundedSum(paidFacts([['succeeded', '4']], [['3', 'R-1']], '9'), 2)).to.equal('0');
  });
});

describe('derive', () => {
  it('returns status refunded once the paid amount is refunded', () => {
    expect(derive(paidFacts([['succeeded', '9.99']], []))).to.include({ statusId: 2, refundedAmount: '9.99' });
    expect(derive(paidFacts([['succeeded', '10.00']], []))).to.include({ statusId: 4, refundedAmount: '10' });
  });

  it('keeps the status paid for an amount of 0', () => {
    const attempts = [newAttempt(1, { outcome: 'succeeded', amount: '0' })];
    expect(derive(paymentRecord({ attempts }))).to.include({ statusId: 2, paidAmount: '0' });
  });

  it('returns no money for a payment without a success', () => {
    const facts = paidFacts([['succeeded', '10', 'R-1']], [], '10');
    const disputeStages = [{ attempt: 1, subReference: null, stage: 'opened', amount: null, order: null }] as const;
    expect(derive({ ...facts, attempts: [newAttempt(1, { outcome: 'failed' })], disputeStages })).to.deep.equal({
      statusId: 3,
      paidAmount: null,
      paidCurrency: null,
      refundedAmount: '0',
      chargedBack: false,
    });
  });
});
