import { expect } from 'chai';
import { beforeEach, describe, it } from 'mocha';
import type { Outcome, RefundRequest, StoredPayment } from '@paywright/contract';
import type { NotificationType } from '../../../database/collections/payment-request.ts';
import { expectRefusal } from '../../access/testing/expect-refusal.ts';
import { presentCause } from '../present/present-cause.ts';
import { applyFacts } from '../state/apply-facts.ts';
import { caller, cardInput, order, usePayments, type TestPayments } from '../testing/setup.ts';
import { chargebackEvent } from '../testing/steps.ts';

describe('a payment with a dispute about more than was paid', () => {
  const suite = usePayments();
  let given: string[];
  const refund = async (_: StoredPayment, { money }: RefundRequest): Promise<Outcome> => {
    given.push(money.amount);
    return { outcome: 'succeeded' };
  };
  beforeEach(() => {
    given = [];
  });

  async function createDisputed(payments: TestPayments, amount: string, currency: string): Promise<number> {
    payments.providers.first.answerWith({ outcome: 'succeeded', providerReference: 'P-1' });
    const { id } = await payments.service.payH2h(caller, 41, order, cardInput());
    await report(payments, id, 'opened', amount, currency);
    return id;
  }

  async function report(
    { store, feeOf }: TestPayments,
    id: number,
    status: 'opened' | 'won' | 'lost',
    amount: string,
    currency: string,
  ): Promise<void> {
    const reference = `GW-${id}-1`;
    const members = { reference, amount, currency, subReference: 'dp_1', dedupeKey: `dp_1:${status}` };
    await store.change(id, 'r', (one) => applyFacts(one, [chargebackEvent(status, members)], feeOf));
  }

  for (const [amount, currency] of [
    ['10.41', 'EUR'],
    ['11.25', 'USD'],
    ['10.00', 'USD'],
  ] as const) {
    it(`can refund nothing until the dispute of ${amount} ${currency} is won, and alarms an operator`, async () => {
      const payments = suite.create({}, { first: { adapter: { refund } } });
      const id = await createDisputed(payments, amount, currency);
      const { message } = await expectRefusal('PAYMENT_NOT_PAYABLE', async () =>
        payments.service.refund(caller, id, undefined),
      );
      expect(message).to.include('chargeback dp_1 of 10.00 EUR is open');
      expect((await payments.store.load(id))!.chargedBack).to.equal(true);
      const alarms = payments.logged.filter(({ alarmKind }) => alarmKind === 'dispute_differs');
      expect(alarms.map(({ subject, reason }) => [subject, reason])).to.deep.equal([
        [`payment ${id}`, `disputed: ${amount} ${currency}; paid: 10.00 EUR`],
      ]);
      await report(payments, id, 'won', amount, currency);
      await payments.service.refund(caller, id, undefined);
      expect(given).to.deep.equal(['10']);
    });
  }

  it('shows the case with the reported amount and currency in its notification', async () => {
    const payments = suite.create({}, { first: { adapter: { refund } } });
    const id = await createDisputed(payments, '11.25', 'USD');
    const record = (await payments.store.load(id))!;
    const before = { ...record, disputeStages: [], chargedBack: false };
    const shown = (type: NotificationType) => JSON.stringify(presentCause({ type }, record, before));
    expect(shown('payment.charged_back')).to.equal('{"dispute":{"case":"dp_1","amount":11.25,"currency":"USD"}}');
    expect(shown('payment.refunded')).to.equal('{}');
  });
});
