import { ProviderCallError, type Outcome, type RefundRequest, type StoredPayment } from '@paywright/contract';
import { expect } from 'chai';
import { beforeEach, describe, it } from 'mocha';
import { nothingGiven, type PaymentRecord } from '../../../database/collections/payment-request.ts';
import { createPaymentDetails, type PaymentDetails } from '../read/payment-details.ts';
import { createPaymentSearch } from '../read/search.ts';
import { applyFacts } from '../state/apply-facts.ts';
import { createPaymentAlarms } from '../store/raise-alarms.ts';
import {
  answerWith,
  chargebackEvent,
  declined,
  openAttempt,
  paymentEvent,
  playHistory,
  succeeded,
} from '../testing/steps.ts';
import { expectRefusal } from '../../access/testing/expect-refusal.ts';
import { caller, cardInput, order, usePayments, type TestPayments } from '../testing/setup.ts';

describe('a payment that is charged twice', () => {
  const suite = usePayments();
  let requests: (Pick<RefundRequest, 'reference' | 'isRepetition'> & { readonly amount: string })[];
  let answer: () => Outcome;
  const refund = async (_: StoredPayment, { reference, money, isRepetition }: RefundRequest): Promise<Outcome> => {
    requests.push({ reference, amount: money.amount, isRepetition });
    return answer();
  };
  beforeEach(() => {
    requests = [];
    answer = () => ({ outcome: 'succeeded' });
  });

  function create(refundDoubleCharge: boolean): TestPayments {
    const payments = {
      expireCreatedAfterHours: 72,
      openAllCurrencies: false,
      premiumCardBins: [],
      reportingCurrency: 'EUR',
      exchangeRates: {},
      nothingChargedAfterSeconds: 300,
      refundDoubleCharge,
      catchUpPaidDays: 180,
    };
    return suite.create({ payments }, { first: { adapter: { refund } } });
  }

  /** Creates a payment whose second attempt pays, and whose declined first attempt pays later. */
  async function createDoubleCharge({ service, providers, store, feeOf }: TestPayments): Promise<PaymentRecord> {
    const client = { name: null, email: null, address: null, phone: null, memberId: null };
    const { id } = await service.create(caller, { ...order, ...nothingGiven, client, send: false });
    providers.first.answerWith(
      { outcome: 'failed', decline: '51' },
      { outcome: 'succeeded', providerReference: 'P-2' },
    );
    await service.pay(caller, id, cardInput()).catch(() => undefined);
    await service.pay(caller, id, cardInput());
    const event = {
      kind: 'payment',
      providerStatus: 'paid',
      status: 'succeeded',
      reference: `GW-${id}-1`,
      providerReference: 'P-1',
      amount: '10',
      currency: 'EUR',
      dedupeKey: 'late',
    } as const;
    const fact = { type: 'event', attempt: 1, event, at: new Date(), fetched: false } as const;
    return (await store.change(id, 'r', (one) => applyFacts(one, [fact], feeOf))).record;
  }
  const reconcileNext = async ({ reconciler, store }: TestPayments, { _id }: PaymentRecord): Promise<PaymentRecord> => {
    const claimed = await reconciler.claim([]);
    if (claimed) await reconciler.reconcile(claimed);
    return (await store.load(_id))!;
  };

  it('notifies of the double charge, and logs it', () => {
    const { record, notified } = playHistory(
      openAttempt(1),
      answerWith(declined),
      openAttempt(2),
      answerWith(succeeded, { attempt: 2 }),
      paymentEvent('succeeded'),
    );
    expect(notified).to.deep.equal(['payment.failed', 'payment.succeeded', 'payment.double_charged']);
    expect(record.logs.at(-1)?.code).to.equal('DOUBLE_CHARGE');
  });

  it('raises an alarm, and refunds nothing automatically without the setting', async () => {
    const payments = create(false);
    const record = await createDoubleCharge(payments);
    expect(record.nextCheckAt).to.equal(null);
    expect(await reconcileNext(payments, record)).to.include({ refundedAmount: '0' });
    expect(payments.logged.filter(({ alarmKind }) => alarmKind === 'charged_twice')).to.have.length(1);
    expect(requests).to.deep.equal([]);
  });

  it('refunds the later charge immediately with the setting, and keeps the first charge whole', async () => {
    const payments = create(true);
    const record = await reconcileNext(payments, await createDoubleCharge(payments));
    expect(requests).to.deep.equal([{ reference: `GW-${record._id}-1-R1`, amount: '10', isRepetition: false }]);
    expect(record).to.include({ statusId: 2, refundedAmount: '10', nextCheckAt: null });
    const { view } = await (await payments.service.refund(caller, record._id, undefined)).present();
    expect(requests.slice(1)).to.deep.equal([
      { reference: `GW-${record._id}-2-R1`, amount: '10', isRepetition: false },
    ]);
    expect(view['paymentRequestStatusId']).to.equal(4);
  });

  it('raises an alarm if the provider refuses the refund, because no caller waits for the answer', async () => {
    const payments = create(true);
    answer = () => ({ outcome: 'failed', decline: '05' });
    const record = await reconcileNext(payments, await createDoubleCharge(payments));
    expect(record.refunds.map(({ state }) => state)).to.deep.equal(['failed']);
    const alarms = payments.logged.filter(({ alarmKind }) => alarmKind === 'refund_failed');
    expect(alarms.map(({ subject }) => subject)).to.deep.equal([`payment ${record._id}`]);
  });

  it('sends one refund: it repeats an unanswered request as a repetition, and sends an unsent request again', async () => {
    const payments = create(true);
    answer = () => {
      throw new ProviderCallError('not_sent', 'no connection');
    };
    let record = await reconcileNext(payments, await createDoubleCharge(payments));
    answer = () => ({ outcome: 'unknown' });
    for (let times = 0; times < 2; times += 1) {
      await payments.store.change(record._id, 'r', (one) => {
        const refunds = one.refunds.map((given) => ({ ...given, lastCheckedAt: new Date(0) }));
        return { next: { ...one, refunds } };
      });
      await suite.makeDue(record._id);
      record = await reconcileNext(payments, record);
    }
    expect(requests.map(({ isRepetition }) => isRepetition)).to.deep.equal([false, false, true]);
    expect(record.refunds).to.have.length(1);
  });

  it('refunds the charge that an operator chooses, and no more than its amount', async () => {
    const payments = create(false);
    const { _id: id } = await createDoubleCharge(payments);
    const refusal = await expectRefusal('INVALID_FORMAT', async () => payments.service.refund(caller, id, '10.01', 2));
    expect(JSON.stringify(refusal.details)).to.contain('more than is left to refund: 10.00 EUR');
    await payments.service.refund(caller, id, '10', 2);
    await payments.service.refund(caller, id, undefined, 1);
    expect(requests.map(({ reference }) => reference)).to.deep.equal([`GW-${id}-2-R1`, `GW-${id}-1-R1`]);
  });

  it('raises its alarm once, although the refund of a charge is refused', async () => {
    const payments = create(false);
    const { _id: id } = await createDoubleCharge(payments);
    answer = () => ({ outcome: 'failed', nothingCharged: true, reason: 'no funds' });
    for (let times = 0; times < 2; times += 1)
      await expectRefusal('PAYMENT_NOT_PAYABLE', async () => payments.service.refund(caller, id, '10', 2));
    expect(payments.logged.filter(({ alarmKind }) => alarmKind === 'charged_twice')).to.have.length(1);
  });

  it('refunds nothing automatically after the merchant refunded', async () => {
    const payments = create(true);
    const record = await createDoubleCharge(payments);
    await payments.service.refund(caller, record._id, '4');
    expect((await reconcileNext(payments, record)).refunds).to.have.length(1);
  });
});

describe('a payment in coins', () => {
  const suite = usePayments();
  let refundedAmounts: string[];
  let outcome: Outcome;
  const refund = async (_: StoredPayment, { money }: RefundRequest): Promise<Outcome> => {
    refundedAmounts.push(money.amount);
    return outcome;
  };
  beforeEach(() => {
    refundedAmounts = [];
    outcome = { outcome: 'succeeded' };
  });

  async function createCoinPayment(
    payments: TestPayments,
    status: 'underpaid' | 'overpaid' | 'succeeded' | 'late',
    received: string,
  ): Promise<number> {
    payments.providers.first.answerWith({ outcome: 'pending' });
    const { id } = await payments.service.payH2h(caller, 41, order, cardInput());
    const event = {
      kind: 'payment',
      providerStatus: status,
      status,
      reference: `GW-${id}-1`,
      providerReference: 'P-1',
      amount: '10',
      currency: 'EUR',
      received,
      dedupeKey: `${status}:${received}`,
    } as const;
    const fact = { type: 'event', attempt: 1, event, at: new Date(), fetched: false } as const;
    await payments.store.change(id, 'r', (one) => applyFacts(one, [fact], payments.feeOf));
    return id;
  }

  it('notifies once per received amount', () => {
    const receive = (received: string) => paymentEvent('underpaid', { received, dedupeKey: received });
    const { record, notified } = playHistory(
      openAttempt(1),
      answerWith({ outcome: 'pending' }),
      receive('4'),
      receive('4.00'),
      receive('6'),
      receive('4'),
    );
    expect(notified).to.deep.equal(['payment.pending', 'payment.underpaid', 'payment.underpaid']);
    expect([record.attempts[0]?.received, record.statusId]).to.deep.equal(['6', 1]);
  });

  it('shows the received amount, and refunds it while the payment is underpaid', async () => {
    const payments = suite.create({}, { first: { adapter: { refund } } });
    const id = await createCoinPayment(payments, 'underpaid', '4');
    const view = await payments.service.get(caller, id);
    expect(view['receivedAmount']).to.include({ text: '4' });
    const refunded = await payments.service.refund(caller, id, undefined);
    expect([refundedAmounts, (await refunded.present()).view['paymentRequestStatusId']]).to.deep.equal([['4'], 1]);
    await payments.service.refund(caller, id, undefined).then(
      () => expect.fail('nothing is left to refund'),
      (error: unknown) => expect(error).to.include({ kind: 'PAYMENT_NOT_PAYABLE' }),
    );
  });

  it('shows operators the coins that came in, with a step for them until they are refunded or reviewed', async () => {
    const payments = suite.create({}, { first: { adapter: { refund } } });
    const connection = suite.connection();
    const alarms = new Set<string>();
    const raiseAlarms = createPaymentAlarms({
      raise: (kind, _, reason) => void alarms.add(`${kind}: ${reason}`),
      clear: () => alarms.clear(),
    });
    const id = await createCoinPayment(payments, 'underpaid', '4');
    const text = 'Received 4.00 EUR of 10.00 EUR';
    const show = async () => (await createPaymentDetails({ connection, notificationsOf: async () => [] })(id))!;
    const stepsOf = ({ next }: PaymentDetails) => next.flatMap(({ what, acts }) => (what.startsWith(text) ? acts : []));
    const before = (await payments.store.load(id))!;
    raiseAlarms(before, undefined);
    expect([...alarms]).to.deep.equal([`payment_underpaid: ${text}`]);
    const shown = await show();
    expect(shown.money).to.include({ received: '4', underpaid: text });
    expect(stepsOf(shown)).to.deep.equal([
      { act: 'refund', id: String(id) },
      { act: 'review', id: String(id) },
    ]);
    const found = await createPaymentSearch(connection)({ text: String(id), limit: 1 });
    expect(found.items[0]).to.include({ underpaid: text });
    await payments.service.refund(caller, id, undefined);
    raiseAlarms((await payments.store.load(id))!, before);
    expect([[...alarms], stepsOf(await show())]).to.deep.equal([[], []]);
  });

  it('refunds the excess only if the merchant gives the amount', async () => {
    const payments = suite.create({}, { first: { adapter: { refund } } });
    const id = await createCoinPayment(payments, 'overpaid', '13');
    await payments.service.refund(caller, id, '3');
    expect((await payments.store.load(id))?.statusId).to.equal(2);
    const other = await createCoinPayment(payments, 'overpaid', '13');
    await payments.service.refund(caller, other, undefined);
    expect(refundedAmounts).to.deep.equal(['3', '10']);
  });

  const settledWithLess: [string, 'succeeded' | 'late'][] = [
    ['in time', 'succeeded'],
    ['late', 'late'],
  ];
  for (const [when, status] of settledWithLess) {
    it(`is paid at its price if the provider settled it ${when} with less, and refunds at most what arrived`, async () => {
      const payments = suite.create({}, { first: { adapter: { refund } } });
      const id = await createCoinPayment(payments, status, '6.36');
      expect(await payments.store.load(id)).to.include({ statusId: 2, paidAmount: '10' });
      const refusal = await expectRefusal('INVALID_FORMAT', async () => payments.service.refund(caller, id, '6.37'));
      expect(JSON.stringify(refusal.details)).to.contain('more than is left to refund: 6.36 EUR');
      await payments.service.refund(caller, id, '2');
      expect((await payments.store.load(id))!.statusId).to.equal(2);
      await payments.service.refund(caller, id, undefined);
      expect(refundedAmounts).to.deep.equal(['2', '4.36']);
      expect(await payments.store.load(id)).to.include({ statusId: 4, refundedAmount: '6.36' });
    });
  }

  it('can refund nothing if the provider settled it and names that nothing arrived', async () => {
    const payments = suite.create({}, { first: { adapter: { refund } } });
    const id = await createCoinPayment(payments, 'succeeded', '0');
    for (const amount of [undefined, '0.01'])
      expect(
        (await expectRefusal('PAYMENT_NOT_PAYABLE', async () => payments.service.refund(caller, id, amount))).message,
      ).to.include('nothing is left to refund: the provider reports that nothing arrived');
    expect(await payments.store.load(id)).to.include({ statusId: 2 });
  });

  it('can refund what arrived without what open disputes hold', async () => {
    const payments = suite.create({}, { first: { adapter: { refund } } });
    const id = await createCoinPayment(payments, 'succeeded', '6.36');
    const dispute = chargebackEvent('opened', { reference: `GW-${id}-1`, amount: '4' });
    await payments.store.change(id, 'r', (one) => applyFacts(one, [dispute], payments.feeOf));
    await payments.service.refund(caller, id, undefined);
    expect(refundedAmounts).to.deep.equal(['2.36']);
  });

  it('returns the provider’s reason for a refused refund', async () => {
    const payments = suite.create({}, { first: { adapter: { refund } } });
    outcome = { outcome: 'failed', nothingCharged: true, reason: 'coins do not go back' };
    const id = await createCoinPayment(payments, 'underpaid', '4');
    await payments.service.refund(caller, id, undefined).then(
      () => expect.fail('the refund was not refused'),
      (error: unknown) => expect((error as Error).message).to.include('coins do not go back'),
    );
  });
});
