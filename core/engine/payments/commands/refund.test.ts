import type { EventStatus, Outcome } from '@paywright/contract';
import { expect } from 'chai';
import { beforeEach, describe, it } from 'mocha';
import { expectRefusal } from '../../access/testing/expect-refusal.ts';
import type { PaymentRecord } from '../../../database/collections/payment-request.ts';
import type { MappedEvent } from '../../providers/mapped-event.ts';
import { applyFacts } from '../state/apply-facts.ts';
import { caller, cardInput, order, usePayments, type TestPayments } from '../testing/setup.ts';

describe('refund of a payment with chargebacks', () => {
  const suite = usePayments();
  let payments: TestPayments;
  let refunded: string[];
  const refund = async (_: unknown, { money }: { money: { amount: string } }): Promise<Outcome> => {
    refunded.push(money.amount);
    return { outcome: 'succeeded' };
  };
  beforeEach(() => {
    refunded = [];
    payments = suite.create({}, { first: { adapter: { refund } } });
  });

  /** Creates a paid payment of 10 EUR. */
  async function createPaid(): Promise<number> {
    payments.providers.first.answerWith({ outcome: 'succeeded', providerReference: 'P-1' });
    return (await payments.service.payH2h(caller, 41, order, cardInput())).id;
  }

  async function reportDispute(
    id: number,
    status: EventStatus,
    amount: string | null,
    number = 'CB-1',
  ): Promise<PaymentRecord> {
    const event: MappedEvent = {
      kind: 'chargeback',
      providerStatus: status,
      status,
      reference: `GW-${id}-1`,
      providerReference: 'P-1',
      subReference: number,
      amount,
      currency: amount === null ? null : 'EUR',
      dedupeKey: `${number}:${status}:${amount}`,
    };
    const fact = { type: 'event', attempt: 1, event, at: new Date(), fetched: false } as const;
    const { record } = await payments.store.change(id, 'r', (one) => applyFacts(one, [fact], payments.feeOf));
    return record;
  }

  it('refunds no amount that the payer’s bank took back, and names the case', async () => {
    for (const stage of ['opened', 'lost'] as const) {
      const id = await createPaid();
      await reportDispute(id, stage, null);
      const refusal = await expectRefusal('PAYMENT_NOT_PAYABLE', async () =>
        payments.service.refund(caller, id, undefined),
      );
      expect(refusal.message).to.include('CB-1');
    }
    expect(refunded).to.deep.equal([]);
  });

  it('refunds what a case leaves, and no more', async () => {
    const id = await createPaid();
    await reportDispute(id, 'opened', '6');
    // Its furthest stage names no amount, so the case keeps its earlier amount.
    await reportDispute(id, 'lost', null);
    const refusal = await expectRefusal('INVALID_FORMAT', async () => payments.service.refund(caller, id, '4.01'));
    expect(refusal.details).to.deep.include({ field: 'amount' });
    await payments.service.refund(caller, id, undefined);
    expect(refunded).to.deep.equal(['4']);
  });

  it('subtracts several cases, each with the amount of its furthest stage', async () => {
    const id = await createPaid();
    await reportDispute(id, 'opened', '3');
    await reportDispute(id, 'lost', '2');
    await reportDispute(id, 'opened', '5', 'CB-2');
    await payments.service.refund(caller, id, undefined);
    expect(refunded).to.deep.equal(['3']);
  });

  it('refunds the whole amount once the case is won or reversed', async () => {
    for (const stage of ['won', 'reversed'] as const) {
      const id = await createPaid();
      await reportDispute(id, 'opened', '10');
      await reportDispute(id, stage, '10');
      await payments.service.refund(caller, id, undefined);
    }
    expect(refunded).to.deep.equal(['10', '10']);
  });

  it('refunds the same amount for any order of the reports', async () => {
    for (const amounts of [
      [null, '4', '3'],
      ['3', null, '4'],
      ['4', '3', null],
    ]) {
      const id = await createPaid();
      for (const amount of amounts) await reportDispute(id, 'opened', amount);
      await payments.service.refund(caller, id, undefined);
    }
    expect(refunded).to.deep.equal(['6', '6', '6']);
  });
});
