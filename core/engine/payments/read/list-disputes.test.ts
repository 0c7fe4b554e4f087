import { expect } from 'chai';
import { before, describe, it } from 'mocha';
import { paymentRequestModel } from '../../../database/collections/payment-request.ts';
import { DAY } from '../../../base/async/time.ts';
import { applyFacts } from '../state/apply-facts.ts';
import { chargebackEvent } from '../testing/steps.ts';
import { caller, cardInput, order, usePayments, type TestPayments } from '../testing/setup.ts';
import { createDisputeList, type ListDisputes } from './list-disputes.ts';

describe('createDisputeList', () => {
  const suite = usePayments();
  let payments: TestPayments;
  let list: ListDisputes;
  let ids: readonly number[];
  const deadline = (days: number): string => new Date(Date.UTC(2026, 4, 1) + days * DAY).toISOString();

  async function dispute(
    id: number,
    stage: 'opened' | 'lost',
    details: Readonly<Record<string, string>>,
  ): Promise<void> {
    const { event, ...fact } = chargebackEvent(stage, { subReference: `CASE-${id}`, amount: '4', details });
    const named = { ...event, reference: `GW-${id}-1`, providerReference: 'P-1', dedupeKey: `${id} ${stage}` };
    await payments.store.change(id, 'r-1', (record) => applyFacts(record, [{ ...fact, event: named }], payments.feeOf));
  }

  before(async () => {
    payments = suite.create();
    list = createDisputeList(suite.connection());
    const paid: number[] = [];
    for (let count = 0; count < 4; count += 1) {
      payments.providers.first.answerWith({ outcome: 'succeeded', providerReference: 'P-1' });
      paid.push((await payments.service.payH2h(caller, 41, order, cardInput())).id);
    }
    ids = paid;
    await dispute(ids[0]!, 'opened', { reason: 'fraudulent', evidenceDueBy: deadline(9) });
    await dispute(ids[1]!, 'opened', { respondBy: deadline(2) });
    await dispute(ids[2]!, 'opened', { deadline: 'soon' });
    await dispute(ids[3]!, 'lost', { reason: 'duplicate' });
  });

  it('sorts open disputes by their deadline, those without one last', async () => {
    const { items, nextCursor, isComplete } = await list({ stage: 'opened', limit: 50 });
    expect(items.map(({ paymentId }) => paymentId)).to.deep.equal([ids[1], ids[0], ids[2]]);
    expect({ nextCursor, isComplete }).to.deep.equal({ nextCursor: null, isComplete: true });
    expect(items[1]).to.deep.include({
      case: `CASE-${ids[0]}`,
      stage: 'opened',
      amount: '4',
      currency: 'EUR',
      reason: 'fraudulent',
      deadline: new Date(deadline(9)),
      adapter: 'first',
      providerReference: 'P-1',
    });
    expect(items[2]!.deadline).to.equal(null);
  });

  it('lists all disputes page by page, the newest payment first, and those of one stage or merchant', async () => {
    const first = await list({ limit: 3 });
    expect(first.items.map(({ paymentId }) => paymentId)).to.deep.equal([ids[3], ids[2], ids[1]]);
    const second = await list({ limit: 3, cursor: first.nextCursor! });
    expect(second.items.map(({ paymentId }) => paymentId)).to.deep.equal([ids[0]]);
    expect(second.nextCursor).to.equal(null);
    expect((await list({ stage: 'lost', limit: 50 })).items.map(({ case: number }) => number)).to.deep.equal([
      `CASE-${ids[3]}`,
    ]);
    expect((await list({ ownerId: 2, limit: 50 })).items).to.deep.equal([]);
    expect((await list({ stage: 'opened', environment: 'live', limit: 50 })).items).to.deep.equal([]);
  });

  it('reads only disputed payments', async () => {
    const { collection } = paymentRequestModel(suite.connection());
    const plan = async (filter: object): Promise<string> =>
      JSON.stringify(await collection.find(filter).sort({ createdAt: -1, _id: -1 }).limit(5).explain('queryPlanner'));
    expect(await plan({ 'disputeStages.attempt': { $type: 'number' } })).to.contain('"indexName":"disputed"');
    expect(await plan({ problems: 'dispute_open' })).to.contain(
      '"indexName":"problems_1_createdAt_-1__id_-1_environment_1"',
    );
  });
});
