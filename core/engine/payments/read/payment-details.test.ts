import { expect } from 'chai';
import { before, describe, it } from 'mocha';
import { inboxModel } from '../../../database/collections/inbox-row.ts';
import { nothingGiven, paymentRequestModel } from '../../../database/collections/payment-request.ts';
import { caller, cardInput, order, usePayments, type TestPayments } from '../testing/setup.ts';
import { createPaymentDetails, type PaymentDetails } from './payment-details.ts';

describe("a payment's story", () => {
  const suite = usePayments();
  let payments: TestPayments;
  before(() => {
    payments = suite.create({}, { first: { adapter: { refund: async () => ({ outcome: 'succeeded' }) } } });
  });

  const storyOf = async (id: number): Promise<PaymentDetails> => {
    const notificationsOf = async () => [];
    const connection = suite.connection();
    const story = await createPaymentDetails({ connection, notificationsOf })(id);
    return story!;
  };
  const pay = async (): Promise<number> => (await payments.service.payH2h(caller, 41, order, cardInput())).id;

  it('has its money, to the last refund', async () => {
    payments.providers.first.answerWith({ outcome: 'succeeded', providerReference: 'P-1' });
    const id = await pay();
    await payments.service.refund(caller, id, '4');
    const { status, money, refunds, attempts, next } = await storyOf(id);
    expect(status).to.equal('paid');
    expect(money).to.include({ currency: 'EUR', paid: '10', refunded: '4', disputed: '0', leftToRefund: '6' });
    expect(refunds.map(({ reference, state }) => ({ reference, state }))).to.deep.equal([
      { reference: `GW-${id}-1-R1`, state: 'succeeded' },
    ]);
    expect(attempts[0]).to.include({ adapter: 'first', outcome: 'succeeded', providerReference: 'P-1' });
    expect(next).to.deep.equal([]);
  });

  it('says what happens next, and when', async () => {
    payments.providers.first.answerWith({ outcome: 'pending', providerReference: 'P-2' });
    const id = await pay();
    const { nextCheckAt } = (await paymentRequestModel(suite.connection()).findById(id).lean())!;
    expect((await storyOf(id)).next).to.deep.equal([
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
    expect((await storyOf(id)).next[0]).to.deep.equal({ at: dueAt, what: 'a callback of first is applied' });
  });

  it('says what waits for somebody', async () => {
    const client = { name: null, email: null, address: null, phone: null, memberId: null };
    const { id } = await payments.service.create(caller, { ...order, ...nothingGiven, client, send: false });
    const created = await storyOf(id);
    const expiresAt = new Date(created.createdAt.getTime() + 72 * 3_600_000);
    expect(created.next).to.deep.equal([{ at: expiresAt, what: 'it expires unless it is paid' }]);

    payments.providers.first.answerWith({ outcome: 'pending', providerReference: 'P-3' });
    const stuck = await pay();
    await paymentRequestModel(suite.connection()).updateOne(
      { _id: stuck },
      { $set: { 'attempts.0.needsReview': true, nextCheckAt: null } },
    );
    const { next } = await storyOf(stuck);
    expect(next).to.have.lengthOf(1);
    expect(next[0]?.at).to.equal(null);
    expect(next[0]?.what).to.equal(`look up GW-${stuck}-1 at first, then check it again or record what was found`);
    expect(next[0]?.actions).to.deep.equal([
      { action: 'reconcile', id: String(stuck) },
      { action: 'review', id: String(stuck) },
    ]);

    await inboxModel(suite.connection()).collection.insertOne({
      _id: 'dead',
      adapter: 'first',
      receivedAt: new Date(0),
      events: [{ event: {}, paymentRequestId: stuck, state: 'waiting', note: '' }],
      state: 'dead_letter',
    } as never);
    const letter = (await storyOf(stuck)).next.find(({ callbackId }) => callbackId === 'dead');
    expect(letter?.what).to.contain('a callback of first could not be applied');
    expect(letter?.actions?.map(({ action, id: of }) => `${action} ${of}`)).to.deep.equal([
      'requeue dead',
      'discard dead',
    ]);
  });

  it('is there for payments alone', async () => {
    expect(await storyOf(1)).to.equal(undefined);
  });
});
