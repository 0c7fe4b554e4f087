import { expect } from 'chai';
import { before, describe, it } from 'mocha';
import { ownerModel } from '../../../database/collections/owner.ts';
import { MINUTE } from '../../../base/async/time.ts';
import { toDecimal } from '../../../database/decimals.ts';
import { expectRefusal } from '../../access/testing/expect-refusal.ts';
import { nothingGiven, paymentRequestModel } from '../../../database/collections/payment-request.ts';
import { caller, cardInput, order, usePayments, type TestPayments } from '../testing/setup.ts';
import { payer } from '../testing/steps.ts';
import { createNoRouteOf } from './no-route.ts';
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
    const client = { ...noClient, name: 'Ben O’Neil', email: 'Ben@Shop.example', phone: '+351 912 345 678' };
    const given = { ...order, amount: '31.07', referenceId: 'order-1', client };
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

  it('finds a payment by a part of the name, of the address or of the phone number', async () => {
    for (const text of ['Zoe', 'muller zo', 'MÜLLER', 'zoe@', 'zoe@exam', '030 123456', '+49 (30) 123456'])
      expect(await idsOf({ text }), text).to.deep.equal([paid]);
    for (const text of ['ben', "o'neil", 'Ben@', 'ben@shop', '00351912345678', '912-345-678'])
      expect(await idsOf({ text }), text).to.deep.equal([open]);
    for (const text of ['zoe2', 'zoe ben', 'shop.example', '345678 912', 'zoe 31.07'])
      expect(await idsOf({ text })).to.deep.equal([]);
  });

  it('finds payments that match every part of the text, and says what each part means', async () => {
    const found = async (text: string): Promise<unknown> =>
      (await search({ text, limit: 20 })).items.map(({ id, foundBy }) => [id, ...foundBy.toSorted()]);
    expect(await found('muller 25.90')).to.deep.equal([[paid, 'amount', 'name']]);
    expect(await found('25,90 € zoe 1111 paid')).to.deep.equal([
      [paid, 'amount', 'email', 'last four digits', 'name', 'status'],
    ]);
    expect(await found('order-1 created')).to.deep.equal([[open, 'merchant reference', 'status']]);
    expect(await found('order-1 first')).to.deep.equal([[paid, 'merchant reference', 'provider']]);
    for (const text of ['muller 31.07', 'ben 25.90', 'order-1 zoe created', 'zoe 25.90 failed', 'order-1 a b c d'])
      expect(await found(text), text).to.deep.equal([]);
    expect(await idsOf({ text: 'zoe 25.90', ownerId: 2 })).to.deep.equal([]);
    expect(await idsOf({ text: 'zoe 25.90', environment: 'live' })).to.deep.equal([]);
    const first = await search({ text: 'order-1 card', limit: 1 });
    expect(first.items.map(({ id }) => id)).to.deep.equal([paid]);
  });

  it('says what the text means in each payment that it finds', async () => {
    const found = async (text: string): Promise<unknown> =>
      (await search({ text, limit: 20 })).items.map(({ id, foundBy }) => [id, ...foundBy]);
    expect(await found('zoe')).to.deep.equal([[paid, 'email', 'name']]);
    expect(await found('25,90 €')).to.deep.equal([[paid, 'amount']]);
    expect(await found('…1111')).to.deep.equal([[paid, 'last four digits']]);
    expect(await found('created')).to.deep.equal([[open, 'status']]);
    expect(await found('First')).to.deep.equal([[paid, 'provider']]);
    expect(await found('order-1')).to.deep.equal([
      [open, 'merchant reference'],
      [paid, 'merchant reference'],
    ]);
  });

  it('finds payments by provider, method, decline and problem, whatever the other filters', async () => {
    const { collection } = paymentRequestModel(suite.connection());
    payments.providers.first.answerWith({ outcome: 'failed', decline: '51' });
    await expectRefusal('CARD_DECLINED', async () => payments.service.payH2h(caller, 41, order, cardInput()));
    const { _id: declined } = (await collection.findOne<{ _id: number }>({ 'attempts.decline': '51' }))!;
    const { id: lost } = await payments.service.payH2h(caller, 42, order, cardInput());
    expect(await idsOf({ adapter: 'second' })).to.deep.equal([lost]);
    expect(await idsOf({ adapter: 'third' })).to.deep.equal([]);
    expect(await idsOf({ method: 'card' })).to.deep.equal([lost, declined, paid]);
    expect(await idsOf({ decline: '51' })).to.deep.equal([declined]);
    expect(await idsOf({ text: 'insufficient funds' })).to.deep.equal([declined]);
    const foundBy = async (): Promise<unknown> =>
      (await search({ text: 'insufficient funds', limit: 20 })).items.map((one) => one.foundBy);
    expect(await foundBy()).to.deep.equal([['decline']]);
    const { attempts } = (await collection.findOne<{ attempts: object[] }>({ _id: declined as never }))!;
    const later = { ...attempts[0], n: 2, decline: null, outcome: 'succeeded' };
    await collection.updateOne({ _id: declined as never }, { $push: { attempts: later } as never });
    expect(await foundBy()).to.deep.equal([['decline of an earlier attempt']]);
    await collection.updateOne({ _id: declined as never }, { $pop: { attempts: 1 } as never });
    expect(await idsOf({ problem: 'outcome_unknown' })).to.deep.equal([lost]);
    expect(await idsOf({ text: 'zoe', problem: 'outcome_unknown' })).to.deep.equal([lost]);
    expect(await idsOf({ text: 'Outcome unknown', adapter: 'first' })).to.deep.equal([]);
    expect(await idsOf({ problem: 'pending_long' })).to.deep.equal([]);
    await collection.updateOne({ _id: lost as never }, { $set: { 'attempts.0.openedAt': new Date(0) } });
    expect(await idsOf({ problem: 'pending_long' })).to.deep.equal([lost]);
    await collection.deleteMany({ _id: { $in: [declined, lost] as never } });
  });

  it('finds payments that no provider can take, page by page, where the routes are known', async () => {
    const { collection } = paymentRequestModel(suite.connection());
    const stored = (await collection.findOne({ _id: open as never }))!;
    const coins = [1, 2, 3].map((n) => ({ ...stored, _id: 900 + n, unit: 'BTC', createdAt: new Date(n) }));
    const late = { ...coins[0]!, _id: 904, expiresAt: new Date(1) };
    await collection.insertMany([...coins, late] as never);
    const whyUnpayable = async ({ unit }: { readonly unit: string }) =>
      unit === 'BTC' ? { field: 'unit', message: 'is not taken' } : undefined;
    const find = createPaymentSearch(suite.connection(), { noRouteOf: createNoRouteOf(whyUnpayable) });
    const first = await find({ problem: 'no_route', limit: 2 });
    expect(first.items.map(({ id, problems, noRoute }) => [id, problems, noRoute])).to.deep.equal([
      [903, ['no_route'], 'BTC is not taken'],
      [902, ['no_route'], 'BTC is not taken'],
    ]);
    const rest = await find({ problem: 'no_route', limit: 2, cursor: first.nextCursor! });
    expect([rest.items.map(({ id }) => id), rest.nextCursor]).to.deep.equal([[901], null]);
    expect((await find({ text: '901', limit: 1 })).items[0]?.problems).to.deep.equal(['no_route']);
    expect((await search({ text: '901', limit: 1 })).items[0]?.problems).to.deep.equal([]);
    await collection.deleteMany({ unit: 'BTC' });
  });

  it('finds a refund problem: failed, pending for long, without an answer, or to be sent by the merchant', async () => {
    const { collection } = paymentRequestModel(suite.connection());
    const refund = { n: 1, attempt: 1, reference: 'r', amount: toDecimal('4'), reportedBefore: [] };
    const store = async (state: string, requestedAt: Date, problem: string): Promise<unknown> =>
      collection.updateOne(
        { _id: paid as never },
        { $set: { refunds: [{ ...refund, state, requestedAt }], problems: [problem] } },
      );
    for (const [state, requestedAt, problem, isFound] of [
      ['pending', new Date(), 'refund_pending', false],
      ['pending', new Date(0), 'refund_pending', true],
      ['unknown', new Date(), 'refund_pending', false],
      ['unknown', new Date(Date.now() - 2 * MINUTE), 'refund_pending', true],
      ['pending', new Date(Date.now() - 2 * MINUTE), 'refund_pending', false],
      ['failed', new Date(), 'refund_failed', true],
      ['needs_merchant', new Date(), 'refund_needs_merchant', true],
    ] as const) {
      await store(state, requestedAt, problem);
      expect(await idsOf({ problem: 'refund' }), `${state} ${requestedAt.getTime()}`).to.deep.equal(
        isFound ? [paid] : [],
      );
      const { items } = await search({ text: `${paid}`, limit: 1 });
      expect(items[0]!.problems).to.deep.equal(isFound ? [problem] : []);
    }
    await collection.updateOne({ _id: paid as never }, { $set: { refunds: [], problems: [] } });
  });

  it('refuses an amount that it cannot read', async () => {
    await expectRefusal('INVALID_FORMAT', async () => idsOf({ amount: 'ten' }));
  });

  it('finds payments by amount, last four digits, status and time', async () => {
    for (const amount of ['25.90', '25,90', '€25.90', '25.9 eur'])
      expect(await idsOf({ amount }), amount).to.deep.equal([paid]);
    expect(await idsOf({ amount: '25.90 USD' })).to.deep.equal([]);
    expect(await idsOf({ amount: '25.90', unit: 'USD' })).to.deep.equal([]);
    expect(await idsOf({ lastFour: '1111' })).to.deep.equal([paid]);
    expect(await idsOf({ lastFour: '1111', amount: '10' })).to.deep.equal([]);
    expect(await idsOf({ status: 'created' })).to.deep.equal([open]);
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
      name: 'Zoe Müller',
      method: 'card',
      cardBrand: 'Visa',
    });
    expect(items[0]!.money).to.include({ currency: 'EUR', paid: '25.9', refunded: '0', netAfterAll: '25.9' });
    expect(items[0]!.paidAt).to.be.instanceOf(Date);
  });
});

const noClient = { name: null, email: null, address: null, phone: null, memberId: null };
