import { expect } from 'chai';
import { before, describe, it } from 'mocha';
import { ownerModel } from '../../../database/collections/owner.ts';
import { nothingGiven } from '../../../database/collections/payment-request.ts';
import { caller, cardInput, order, usePayments, type TestPayments } from '../testing/setup.ts';
import { payer } from '../testing/steps.ts';
import { createPaymentSearch, type PaymentSearch, type SearchPayments } from './search.ts';

const owners = 250;

describe('createPaymentSearch', () => {
  const suite = usePayments();
  let payments: TestPayments;
  let search: SearchPayments;
  let paid: number;
  let open: number;

  const idsOf = async (query: Omit<PaymentSearch, 'limit'>, limit = 20): Promise<number[]> =>
    (await search({ ...query, limit })).items.map(({ id }) => id);

  before(async () => {
    payments = suite.create();
    search = createPaymentSearch(suite.connection());
    // More than one range of owners.
    const ids = Array.from({ length: owners }, (_, at) => ({ _id: at + 1, name: `owner ${at + 1}` }));
    await ownerModel(suite.connection()).collection.insertMany(ids as never);
    payments.providers.first.answerWith({ outcome: 'succeeded', providerReference: 'P-77' });
    const mine = { ...order, amount: '25.9', referenceId: 'order-1' };
    paid = (await payments.service.payH2h(caller, 41, mine, cardInput())).id;
    const given = { ...order, referenceId: 'order-1', client: { ...noClient, email: 'Ben@Shop.example' } };
    open = (await payments.service.create({ ...caller, ownerId: owners }, { ...nothingGiven, ...given, send: false }))
      .id;
  });

  it('finds a payment by its id and by every reference', async () => {
    for (const text of [`${paid}`, `GW-${paid}-1`, `GW-${paid}-1-R2`, 'P-77']) {
      expect(await idsOf({ text }), text).to.deep.equal([paid]);
    }
    expect(await idsOf({ text: 'order-1' })).to.deep.equal([open, paid]);
    expect(await idsOf({ text: 'order-1', ownerId: 1 })).to.deep.equal([paid]);
    expect(await idsOf({ text: 'order' })).to.deep.equal([]);
  });

  it('finds the payments of a client by e-mail address, in any spelling and for every owner', async () => {
    expect(await idsOf({ text: payer.email! })).to.deep.equal([paid]);
    expect(await idsOf({ text: 'ben@shop.EXAMPLE' })).to.deep.equal([open]);
    expect(await idsOf({ text: 'ben@shop.example', environment: 'live' })).to.deep.equal([]);
  });

  it('finds payments by amount, last four digits, status and time', async () => {
    expect(await idsOf({ amount: '25.90' })).to.deep.equal([paid]);
    expect(await idsOf({ amount: '25.90', unit: 'USD' })).to.deep.equal([]);
    expect(await idsOf({ lastFour: '1111' })).to.deep.equal([paid]);
    expect(await idsOf({ lastFour: '1111', amount: '10' })).to.deep.equal([]);
    expect(await idsOf({ statusId: 0 })).to.deep.equal([open]);
    expect(await idsOf({ createdFrom: new Date(0) })).to.deep.equal([open, paid]);
    expect(await idsOf({ createdBefore: new Date(0) })).to.deep.equal([]);
  });

  it('returns one summary per payment, page by page', async () => {
    const first = await search({ limit: 1 });
    expect(first.items.map(({ id }) => id)).to.deep.equal([open]);
    const { items, nextCursor } = await search({ limit: 1, cursor: first.nextCursor! });
    expect(nextCursor).to.equal(null);
    expect(items[0]).to.deep.include({
      id: paid,
      ownerId: 1,
      environment: 'test',
      status: 'paid',
      amount: '25.9',
      unit: 'EUR',
      referenceId: 'order-1',
      adapter: 'first',
      providerReference: 'P-77',
      cardLastDigits: '1111',
      chargedBack: false,
      needsReview: false,
    });
  });
});

const noClient = { name: null, email: null, address: null, phone: null, memberId: null };
