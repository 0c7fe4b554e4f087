import { expect } from 'chai';
import { describe, it } from 'mocha';
import type { Outcome, RefundRequest, StoredPayment } from '@paywright/contract';
import { expectRefusal } from '../../access/testing/expect-refusal.ts';
import { applyFacts } from '../state/apply-facts.ts';
import { caller, cardInput, order, usePayments } from '../testing/setup.ts';
import { refundEvent } from '../testing/steps.ts';

describe('a refund in progress that was made at the provider', () => {
  const suite = usePayments();

  it('counts as refunded until it fails', async () => {
    const given: string[] = [];
    const refund = async (_: StoredPayment, { money }: RefundRequest): Promise<Outcome> => {
      given.push(money.amount);
      return { outcome: 'succeeded' };
    };
    const payments = suite.create({}, { first: { adapter: { refund } } });
    payments.providers.first.answerWith({ outcome: 'succeeded', providerReference: 'P-1' });
    const { id } = await payments.service.payH2h(caller, 41, order, cardInput());
    const report = async (status: 'pending' | 'failed'): Promise<void> => {
      const members = { reference: `GW-${id}-1`, currency: 'EUR', subReference: 'R-9', dedupeKey: `R-9:${status}` };
      await payments.store.change(id, 'r', (one) =>
        applyFacts(one, [refundEvent(status, '4', members)], payments.feeOf),
      );
    };

    await report('pending');
    const { message } = await expectRefusal('INVALID_FORMAT', async () => payments.service.refund(caller, id, '6.01'));
    expect(message).to.include('more than is left to refund: 6.00 EUR');
    expect(given).to.deep.equal([]);

    await report('failed');
    await payments.service.refund(caller, id, undefined);
    expect(given).to.deep.equal(['10']);
  });
});
