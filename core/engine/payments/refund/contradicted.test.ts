import { expect } from 'chai';
import { describe, it } from 'mocha';
import {
  statusTable,
  type Outcome,
  type ReportedEvent,
  type RefundRequest,
  type StoredPayment,
} from '@paywright/contract';
import { expectRefusal } from '../../access/testing/expect-refusal.ts';
import { requestFetch } from '../record/request-fetch.ts';
import { applyEvents } from '../state/apply-events.ts';
import { caller, cardInput, order, usePayments } from '../testing/setup.ts';

describe('a payment whose refund fails after it succeeded', () => {
  const suite = usePayments();

  it('starts no other refund before a fetch confirms the failure', async () => {
    const given: string[] = [];
    const refund = async (_: StoredPayment, { money }: RefundRequest): Promise<Outcome> => {
      given.push(money.amount);
      return { outcome: 'pending', providerReference: `rfnd_${given.length}` };
    };
    const mapStatus = statusTable({ refund: { succeeded: 'succeeded', failed: 'failed' } });
    const payments = suite.create({}, { first: { adapter: { refund, mapStatus } } });
    payments.providers.first.answerWith({ outcome: 'succeeded', providerReference: 'P-1' });
    const { id } = await payments.service.payH2h(caller, 41, order, cardInput());
    await payments.service.refund(caller, id, '4');
    const reported = (status: 'succeeded' | 'failed'): ReportedEvent => ({
      kind: 'refund',
      providerStatus: status,
      reference: `GW-${id}-1`,
      providerReference: 'P-1',
      subReference: 'rfnd_1',
      amount: '4',
      currency: 'EUR',
      dedupeKey: `rfnd_1:${status}`,
    });
    for (const status of ['succeeded', 'failed'] as const) {
      await payments.store.change(id, 'r', (one) => {
        const waiting = { adapter: 'first', receivedAt: new Date(), event: { ...reported(status), status } };
        return applyEvents(one, [waiting], payments.feeOf, new Date());
      });
    }
    expect(await payments.store.load(id)).to.include({ refundedAmount: '0', statusId: 2 });
    const { message } = await expectRefusal('PAYMENT_NOT_PAYABLE', async () =>
      payments.service.refund(caller, id, undefined),
    );
    expect(message).to.include('the provider reported refund rfnd_1 as succeeded and as failed');

    payments.providers.first.reportStatus({ result: 'events', events: [reported('failed')] });
    await suite.makeDue(id);
    await payments.reconciler.reconcile((await payments.reconciler.claim([]))!);
    await payments.service.refund(caller, id, undefined);
    expect(given).to.deep.equal(['4', '10']);
  });

  it('is not fetched again and again if the adapter cannot fetch', async () => {
    const payments = suite.create({}, { first: { adapter: { fetchStatus: undefined } as object } });
    payments.providers.first.answerWith({ outcome: 'succeeded', providerReference: 'P-1' });
    const { id } = await payments.service.payH2h(caller, 41, order, cardInput());
    await payments.store.change(id, 'r', (one) => ({ next: requestFetch(one, 1, 'rfnd_1') }));
    await suite.makeDue(id);
    await payments.reconciler.reconcile((await payments.reconciler.claim([]))!);
    const [attempt] = (await payments.store.load(id))!.attempts;
    expect(attempt).to.deep.include({ fetchesRequested: 1, fetchesDone: 1, fetchFailures: 0, needsReview: false });
  });
});
