import { expect } from 'chai';
import { describe, it } from 'mocha';
import type { PaymentRecord } from '../../../database/collections/payment-request.ts';
import {
  answerWith,
  chargebackEvent,
  openAttempt,
  playHistory,
  succeeded,
  withReference,
  type TestStep,
} from '../testing/steps.ts';
import { disputedSum, disputesOf, heldSum } from './disputes.ts';

const paid = [openAttempt(1), answerWith(withReference(succeeded))] as const;
const dispute = (
  status: 'opened' | 'won' | 'lost' | 'reversed',
  amount: string | null,
  currency: string | null = 'EUR',
  members: { readonly orderHint?: number; readonly subReference?: string } = {},
): TestStep =>
  chargebackEvent(status, {
    subReference: 'C-1',
    amount,
    currency,
    dedupeKey: `${status}:${amount}:${currency}`,
    ...members,
  });
const heldBy = (record: PaymentRecord): string => disputedSum(record, record.attempts[0]!);

describe('heldSum', () => {
  for (const [title, stages, refunded, held] of [
    ['an open case holds only what was not refunded before', [dispute('opened', '10')], '3', '7'],
    ['an open case of a part holds that part', [dispute('opened', '4')], '3', '4'],
    ['a lost case takes its full amount, also after a refund', [dispute('lost', '10')], '3', '10'],
    [
      'an open case holds the rest if another case is lost',
      [dispute('lost', '6'), dispute('opened', '4', 'EUR', { subReference: 'C-2' })],
      '3',
      '7',
    ],
  ] as const)
    it(`counts: ${title}`, () => {
      const { record } = playHistory(...paid, ...stages);
      expect(heldSum(record, record.attempts[0]!, refunded)).to.equal(held);
    });
});

describe('disputedSum', () => {
  const held: [string, TestStep[], string][] = [
    ['a part of the amount', [dispute('opened', '4.00')], '4'],
    ['the amount', [dispute('opened', '10.00')], '10'],
    ['more than the amount: at most what was paid', [dispute('opened', '10.41')], '10'],
    ['another currency: all of it', [dispute('opened', '2.00', 'USD')], '10'],
    ['the amount in another currency', [dispute('lost', '10.00', 'USD')], '10'],
    ['no amount: the payment’s own', [dispute('opened', null)], '10'],
    ['the amount of the furthest state', [dispute('opened', '12.00', 'USD'), dispute('lost', '3.00')], '3'],
    ['the largest amount, if the furthest state has none', [dispute('opened', '3.00'), dispute('lost', null)], '3'],
    [
      'another currency, if the furthest state has no amount',
      [dispute('opened', '3', 'USD'), dispute('lost', null)],
      '10',
    ],
    ['two reports of a state, one in another currency', [dispute('opened', '3'), dispute('opened', '3', 'USD')], '10'],
    [
      'several cases: at most what was paid',
      [dispute('opened', '6'), dispute('opened', '7', 'EUR', { subReference: 'C-2' })],
      '10',
    ],
    ['a case that was won', [dispute('opened', '12'), dispute('won', '12')], '0'],
    [
      'a case that was reversed, in another currency',
      [dispute('lost', '12', 'USD'), dispute('reversed', '12', 'USD')],
      '0',
    ],
    [
      'the later report of a state, by the hint',
      [dispute('opened', '12', 'USD', { orderHint: 1 }), dispute('opened', '4', 'EUR', { orderHint: 2 })],
      '4',
    ],
  ];
  for (const [name, steps, sum] of held) {
    it(`is ${sum} of 10 in every order: ${name}`, () => {
      for (const order of [steps, steps.toReversed()])
        expect(heldBy(playHistory(...paid, ...order).record)).to.equal(sum);
    });
  }
});

describe('a dispute', () => {
  it('shows the amount and currency that the provider reports', () => {
    const { record } = playHistory(...paid, dispute('opened', '112.50', 'USD'));
    expect(disputesOf(record, record.attempts[0]!)).to.deep.equal([
      {
        number: 'C-1',
        stage: 'opened',
        amount: '10',
        reported: { amount: '112.50', currency: 'USD' },
        isCounted: true,
      },
    ]);
  });

  it('names the reported amount and currency in the details of its log entry, next to those of the adapter', () => {
    const details = { reason: 'fraudulent' };
    const event = chargebackEvent('opened', { amount: '112.50', currency: 'USD', details });
    expect(playHistory(...paid, event).record.logs.at(-1)).to.deep.include({
      details: { reason: 'fraudulent', amount: '112.50', currency: 'USD' },
      refused: false,
    });
    expect(playHistory(...paid, dispute('opened', null)).record.logs.at(-1)!.details).to.equal(null);
  });

  it('is read from a document of an earlier version, which has no currency', () => {
    const { record } = playHistory(...paid);
    const stage = { attempt: 1, subReference: null, stage: 'opened', amount: '4', order: null } as const;
    expect(heldBy({ ...record, disputeStages: [stage] })).to.equal('4');
  });
});
