import { expect } from 'chai';
import { before, describe, it } from 'mocha';
import { inboxModel } from '../../../database/collections/inbox-row.ts';
import { nothingGiven, paymentRequestModel } from '../../../database/collections/payment-request.ts';
import { caller, cardInput, order, usePayments, type TestPayments } from '../testing/setup.ts';
import { createPaymentDetails, type PaymentDetails } from './payment-details.ts';

describe('createPaymentDetails', () => {
  const suite = usePayments();
  let payments: TestPayments;
  before(() => {
    payments = suite.create({}, { first: { adapter: { refund: async () => ({ outcome: 'succeeded' }) } } });
  });

  const detailsOf = async (id: number): Promise<PaymentDetails> => {
    const notificationsOf = async () => [];
    const connection = suite.connection();
    const details = await createPaymentDetails({ connection, notificationsOf })(id);
    return details!;
  };
  const pay = async (): Promise<number> => (await payments.service.payH2h(caller, 41, order, cardInput())).id;

  it('shows the money of a payment, including its refunds', async () => {
    payments.providers.first.answerWith({ outcome: 'succeeded', providerReference: 'P-1' });
    const id = await pay();
    await payments.service.refund(caller, id, '4');
    const { status, money, refunds, attempts, next } = await detailsOf(id);
    expect(status).to.equal('paid');
    expect(money).to.include({ currency: 'EUR', paid: '10', refunded: '4', disputed: '0', leftToRefund: '6' });
    expect(refunds.map(({ reference, state }) => ({ reference, state }))).to.deep.equal([
      { reference: `GW-${id}-1-R1`, state: 'succeeded' },
    ]);
    expect(attempts[0]).to.include({ adapter: 'first', outcome: 'succeeded', providerReference: 'P-1' });
    expect(next).to.deep.equal([]);
  });

  it('shows the next steps with their times', async () => {
    payments.providers.first.answerWith({ outcome: 'pending', providerReference: 'P-2' });
    const id = await pay();
    const { nextCheckAt } = (await paymentRequestModel(suite.connection()).findById(id).lean())!;
    expect((await detailsOf(id)).next).to.deep.equal([
      { at: nextCheckAt, what: 'its status is checked at the provider' },
    ]);
    const dueAt = new Date(0);
    const event = { event: {}, paymentRequestId: id, state: 'waiting', note: '' };
    await inboxModel(suite.connection()).collection.insertOne({
      _id: 'row',
      adapter: 'first',
      receivedAt: dueAt,
      events: [event],
      state: 'waiting',
      dueAt,
    } as never);
    expect((await detailsOf(id)).next[0]).to.deep.equal({ at: dueAt, what: 'a callback of first is applied' });
  });

  it('shows what waits for the payer or for an operator, with the possible actions', async () => {
    const client = { name: null, email: null, address: null, phone: null, memberId: null };
    const { id } = await payments.service.create(caller, { ...order, ...nothingGiven, client, send: false });
    const created = await detailsOf(id);
    const expiresAt = new Date(created.createdAt.getTime() + 72 * 3_600_000);
    expect(created.next).to.deep.equal([{ at: expiresAt, what: 'it expires unless it is paid' }]);

    payments.providers.first.answerWith({ outcome: 'pending', providerReference: 'P-3' });
    const unresolved = await pay();
    await paymentRequestModel(suite.connection()).updateOne(
      { _id: unresolved },
      { $set: { 'attempts.0.needsReview': true, nextCheckAt: null } },
    );
    const { next } = await detailsOf(unresolved);
    expect(next).to.have.lengthOf(1);
    expect(next[0]?.at).to.equal(null);
    expect(next[0]?.what).to.equal(`look up GW-${unresolved}-1 at first, then check it again or record what was found`);
    expect(next[0]?.acts).to.deep.equal([
      { act: 'reconcile', id: String(unresolved) },
      { act: 'review', id: String(unresolved) },
    ]);

    await inboxModel(suite.connection()).collection.insertOne({
      _id: 'dead',
      adapter: 'first',
      receivedAt: new Date(0),
      events: [{ event: {}, paymentRequestId: unresolved, state: 'waiting', note: '' }],
      state: 'dead_letter',
    } as never);
    const step = (await detailsOf(unresolved)).next.find(({ callbackId }) => callbackId === 'dead');
    expect(step?.what).to.contain('a callback of first could not be applied');
    expect(step?.acts?.map(({ act, id: of }) => `${act} ${of}`)).to.deep.equal(['requeue dead', 'discard dead']);
  });

  it('returns undefined for an id that is not a payment', async () => {
    expect(await detailsOf(1)).to.equal(undefined);
  });
});
