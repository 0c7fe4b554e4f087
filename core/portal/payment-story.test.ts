import { expect } from 'chai';
import { describe, it } from 'mocha';
import type { PaymentDetails } from '../engine/payments/index.ts';
import { textOf } from '../html/components/table.ts';
import { paymentStory } from './payment-story.ts';

describe('paymentStory', () => {
  const at = (seconds: number): Date => new Date(seconds * 1000);
  const attempt = { openedAt: at(1), settledAt: at(2), amount: '80', captured: null, currency: 'EUR', failure: null };
  const empty = {
    amount: '80',
    currency: 'EUR',
    createdAt: at(0),
    attempts: [],
    refunds: [],
    disputes: [],
    timeline: [],
  };

  function told(members: object): string[] {
    const payment = { ...empty, status: 'paid', ...members } as unknown as PaymentDetails;
    return paymentStory(payment, () => 'Visa').map(({ title, text }) =>
      [textOf(title).replace(' :', ':'), textOf(text ?? null)].filter(Boolean).join(': '),
    );
  }

  it('tells a declined attempt, a paid one and a refund', () => {
    const attempts = [
      { ...attempt, outcome: 'failed', failure: 'Insufficient funds (code 51)' },
      { ...attempt, openedAt: at(3), settledAt: at(4), outcome: 'succeeded' },
    ];
    const refunds = [{ amount: '20', currency: 'EUR', state: 'succeeded', failureReason: null, doneAt: at(5) }];
    expect(told({ attempts, refunds })).to.deep.equal([
      'Created',
      'The payer tried to pay by Visa',
      'Not paid: Insufficient funds (code 51)',
      '€80.00 paid by Visa',
      'Refund of €20.00: succeeded',
    ]);
  });

  it('tells the reports about a dispute in the order in which they arrived', () => {
    const entry = (stage: string, seconds: number): object => ({
      at: at(seconds),
      kind: 'event',
      transactionId: 'CASE-1',
      message: `chargeback ${stage} (CB:${stage})`,
    });
    const callback = (stage: string, seconds: number): object => ({
      at: at(seconds),
      kind: 'callback',
      events: [{ kind: 'chargeback', subReference: 'CASE-1', providerStatus: `CB:${stage}` }],
    });
    const timeline = [callback('opened', 6), callback('lost', 7), entry('lost', 8), entry('opened', 9)];
    expect(told({ disputes: [{ case: 'CASE-1' }], timeline })).to.deep.equal([
      'Created',
      'Chargeback opened',
      'Chargeback lost',
    ]);
  });

  it('tells a part of the coins, and the end of an unpaid payment', () => {
    const timeline = [
      { at: at(5), kind: 'event', received: '48.36', message: 'payment underpaid (part)' },
      { at: at(6), kind: 'transition', from: 1, to: 5 },
    ];
    expect(told({ status: 'expired', timeline })).to.deep.equal(['Created', '€48.36 of €80.00 arrived', 'Expired']);
    expect(told({ status: 'cancelled', timeline: [timeline[1]] })).to.deep.equal(['Created', 'Cancelled']);
  });
});
