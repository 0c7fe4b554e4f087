import { expect } from 'chai';
import { after, before, describe, it } from 'mocha';
import { openTestDatabase, type TestDatabase } from '../engine/access/testing/test-database.ts';
import { paymentRequestModel } from '../database/collections/payment-request.ts';
import { createSettlementPayments } from './payments.ts';

const january = new Date('2026-01-31T12:00:00Z');
const february = new Date('2026-02-01T12:00:00Z');
const [from, to] = [new Date('2026-02-01'), new Date('2026-03-01')];

describe('movedBetween', () => {
  let database: TestDatabase;
  before(async () => {
    database = await openTestDatabase();
    const attempt = (n: number, adapter: string, outcome: string, settledAt: Date) => ({
      n,
      adapter,
      outcome,
      settledAt,
      reference: `GW-1-${n}`,
    });
    const first = attempt(1, 'one', 'succeeded', january);
    const refunds = [{ n: 1, attempt: 1, requestedAt: new Date('2026-02-02') }];
    const stored = [
      { _id: 1, attempts: [first], refunds },
      // Charged twice. The second charge, at another adapter, is in the span.
      { _id: 2, attempts: [first, attempt(2, 'two', 'succeeded', february)], refunds },
      { _id: 3, attempts: [attempt(1, 'one', 'failed', february), { ...first, n: 2 }], refunds },
      { _id: 4, attempts: [attempt(1, 'one', 'succeeded', february)], refunds },
      { _id: 5, attempts: [attempt(1, 'one', 'succeeded', february)], refunds: [] },
      { _id: 6, attempts: [first], refunds: [] },
    ];
    await paymentRequestModel(database.here).collection.insertMany(stored as never);
  });
  after(() => database.drop());

  it('returns the payments that the adapter charged or refunded in the span, each once', async () => {
    const found: number[] = [];
    for await (const { _id } of createSettlementPayments(database.here).movedBetween('one', from, to)) found.push(_id);
    expect(found.toSorted((a, b) => a - b)).to.deep.equal([1, 2, 3, 4, 5]);
  });
});
