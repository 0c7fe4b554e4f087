import { expect } from 'chai';
import { describe, it } from 'mocha';
import type { Outcome, RefundRequest, StoredPayment } from '@paywright/contract';
import { expectRefusal } from '../../access/testing/expect-refusal.ts';
import { applyFacts } from '../state/apply-facts.ts';
import { caller, cardInput, order, usePayments, type TestPayments } from '../testing/setup.ts';
import { paymentEvent } from '../testing/steps.ts';

describe('a payment that is captured in part at the provider', () => {
  const suite = usePayments();

  async function createCaptured(payments: TestPayments): Promise<number> {
    payments.providers.first.answerWith({ outcome: 'pending', authorised: true, providerReference: 'P-1' });
    const { id } = await payments.service.payH2h(caller, 41, { ...order, amount: '20' }, cardInput());
    await report(payments, id, '5.00');
    return id;
  }

  async function report({ store, feeOf }: TestPayments, id: number, capturedAmount: string): Promise<void> {
    const members = { reference: `GW-${id}-1`, amount: '20.00', capturedAmount, dedupeKey: `sum:${capturedAmount}` };
    await store.change(id, 'r', (one) => applyFacts(one, [paymentEvent('succeeded', members)], feeOf));
  }

  it('is paid with the captured sum, refunds at most that, and more after a later capture', async () => {
    const given: string[] = [];
    const asked: (string | undefined)[] = [];
    const refund = async (payment: StoredPayment, { money }: RefundRequest): Promise<Outcome> => {
      given.push(money.amount);
      asked.push(payment.capturedAmount);
      return { outcome: 'succeeded' };
    };
    const fee = { percent: '10', fixed: {} };
    const payments = suite.create({ adapters: { first: { fee } } }, { first: { adapter: { refund } } });
    const id = await createCaptured(payments);
    const view = await payments.service.get(caller, id);
    expect(['grossAmount', 'feeAmount', 'netAmount'].map((member) => view[member])).to.deep.equal([
      { text: '5' },
      { text: '0.5' },
      { text: '4.5' },
    ]);
    const refusal = await expectRefusal('INVALID_FORMAT', async () => payments.service.refund(caller, id, '5.01'));
    expect(JSON.stringify(refusal.details)).to.contain('more than is left to refund: 5.00 EUR');
    await payments.service.refund(caller, id, '5');
    expect((await payments.store.load(id))!.statusId).to.equal(4);

    await report(payments, id, '12.00');
    expect(await payments.store.load(id)).to.include({ statusId: 2, paidAmount: '12', feeAmount: '1.2' });
    await payments.service.refund(caller, id, undefined);
    expect([given, asked]).to.deep.equal([
      ['5', '7'],
      ['5', '12'],
    ]);
  });

  it('stores single captures, and counts each once', async () => {
    const payments = suite.create();
    payments.providers.first.answerWith({ outcome: 'pending', authorised: true, providerReference: 'P-1' });
    const { id } = await payments.service.payH2h(caller, 41, { ...order, amount: '20' }, cardInput());
    const paidAfter = async (subReference: string, amount: string): Promise<string | null> => {
      const members = { reference: `GW-${id}-1`, amount, subReference, dedupeKey: `${subReference}:${amount}` };
      const event = paymentEvent('succeeded', members);
      await payments.store.change(id, 'r', (one) => applyFacts(one, [event], payments.feeOf));
      return (await payments.store.load(id))!.paidAmount;
    };
    expect(await paidAfter('K-1', '5.00')).to.equal('5');
    expect(await paidAfter('K-2', '7.50')).to.equal('12.5');
    expect(await paidAfter('K-1', '5.0')).to.equal('12.5');
    expect((await payments.store.load(id))!.attempts[0]!.captures).to.deep.equal([
      { subReference: 'K-1', amount: '5' },
      { subReference: 'K-2', amount: '7.5' },
    ]);
  });

  it('refuses a captured sum above the authorised amount, and raises one alarm', async () => {
    const payments = suite.create();
    const id = await createCaptured(payments);
    await report(payments, id, '20.01');
    await report(payments, id, '21.00');
    expect(await payments.store.load(id)).to.include({ statusId: 2, paidAmount: '5' });
    const alarms = payments.logged.filter(({ alarmKind }) => alarmKind === 'event_without_effect');
    expect(alarms.map(({ subject, reason }) => [subject, reason])).to.deep.equal([
      [`payment ${id}: payment`, 'refused payment succeeded: captured 20.01 EUR of 20.00 EUR does not fit 20.00 EUR'],
    ]);
  });
});
