import { expect } from 'chai';
import { before, beforeEach, describe, it } from 'mocha';
import type { Outcome } from '@paywright/contract';
import { alarmModel } from '../../../database/collections/alarm.ts';
import { auditEntryModel } from '../../../database/collections/audit-entry.ts';
import { inboxModel } from '../../../database/collections/inbox-row.ts';
import { nothingGiven, paymentRequestModel } from '../../../database/collections/payment-request.ts';
import { applyFacts } from '../state/apply-facts.ts';
import type { Fact } from '../state/fact.ts';
import { chargebackEvent } from '../testing/steps.ts';
import { caller, cardInput, order, usePayments, type TestPayments } from '../testing/setup.ts';
import { createPaymentDetails, type PaymentDetails } from './payment-details.ts';
import { paymentHistoryOf } from './payment-history.ts';

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

  it('adds up after a refund and a dispute: an open case holds the rest, a lost one takes all of it', async () => {
    payments.providers.first.answerWith({ outcome: 'succeeded', providerReference: 'P-3' });
    const id = await pay();
    await payments.service.refund(caller, id, '4');
    const report = async (stage: 'opened' | 'lost'): Promise<void> => {
      const fact = chargebackEvent(stage, { subReference: 'CASE-3', amount: '10', dedupeKey: `${stage} ${id}` });
      const about = { reference: `GW-${id}-1`, providerReference: 'P-3' };
      const reported = { ...fact, event: { ...fact.event, ...about } };
      await payments.store.change(id, 'r', (one) => applyFacts(one, [reported], payments.feeOf));
    };
    await report('opened');
    expect((await detailsOf(id)).money).to.include({ disputed: '10', held: '6', netAfterAll: '0' });
    await report('lost');
    expect((await detailsOf(id)).money).to.include({ disputed: '10', held: '10', netAfterAll: '-4' });
  });

  it('says why a payment failed that was not declined', async () => {
    payments.providers.first.answerWith({ outcome: 'failed', nothingCharged: true, reason: 'error 500' });
    await pay().catch(() => undefined);
    const { _id } = (await paymentRequestModel(suite.connection()).findOne().sort({ _id: -1 }).lean())!;
    expect((await detailsOf(_id)).attempts[0]!.failure).to.equal(
      'The provider could not process it; nothing was charged.',
    );
    // A bank has declined nothing if 3D Secure failed, whatever code the provider reports.
    payments.providers.first.answerWith({ outcome: 'failed', decline: '05', threeDsResult: 'N' });
    await pay().catch(() => undefined);
    const failed = (await paymentRequestModel(suite.connection()).findOne().sort({ _id: -1 }).lean())!;
    const { attempts } = await detailsOf(failed._id);
    expect(attempts[0]).to.include({ decline: '05', failure: '3D Secure failed: the payer was not authenticated.' });
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
    expect((await detailsOf(id)).next[0]).to.deep.equal({
      at: dueAt,
      what: 'a callback of first is applied',
      adapter: 'first',
    });
  });

  it('shows what waits for the payer or for an operator, with the possible actions', async () => {
    const client = { name: null, email: null, address: null, phone: null, memberId: null };
    const { id } = await payments.service.create(caller, { ...order, ...nothingGiven, client, send: false });
    const created = await detailsOf(id);
    const expiresAt = new Date(created.createdAt.getTime() + 72 * 3_600_000);
    expect(created.next).to.deep.equal([{ at: expiresAt, what: 'it expires unless it is paid' }]);
    expect(created.expiresAt).to.deep.equal(expiresAt);

    payments.providers.first.answerWith({ outcome: 'failed', decline: '51' });
    await pay().catch(() => undefined);
    const records = paymentRequestModel(suite.connection());
    const { _id: declined } = (await records.findOne().sort({ _id: -1 }).lean())!;
    await records.updateOne({ _id: declined }, { $set: { expiresAt } });
    expect((await detailsOf(declined)).next).to.deep.equal([
      { at: expiresAt, what: 'the payer can try again at the link until then' },
    ]);
    await records.updateOne({ _id: declined }, { $set: { expiresAt: new Date(0) } });
    const { next: late, payPath, expiresAt: ended } = await detailsOf(declined);
    expect([late, payPath, ended]).to.deep.equal([[], null, null]);

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

  describe('the next steps of a paid payment', () => {
    let answer: Outcome;
    let id: number;
    before(() => {
      payments = suite.create({}, { first: { adapter: { refund: async () => answer } } });
    });
    beforeEach(async () => {
      payments.providers.first.answerWith({ outcome: 'succeeded', providerReference: 'P-9' });
      id = await pay();
    });
    const stepsOf = async (): Promise<string[]> =>
      (await detailsOf(id)).next.map(({ what, acts = [] }) => [what, ...acts.map(({ act }) => act)].join(' | '));
    const apply = async (fact: Fact): Promise<void> => {
      await payments.store.change(id, 'r', (one) => applyFacts(one, [fact], payments.feeOf));
    };

    it('are none if nothing is open', async () => {
      expect(await stepsOf()).to.deep.equal([]);
    });

    it('name a refund whose result is not known', async () => {
      answer = { outcome: 'unknown' };
      await payments.service.refund(caller, id, '4');
      expect(await stepsOf()).to.deep.equal([
        `the provider is asked for the result of refund GW-${id}-1-R1 of 4.00 EUR, because it gave no readable answer | reconcile`,
      ]);
      expect((await detailsOf(id)).refunds[0]).to.include({ state: 'unknown', doneAt: null });
    });

    it('name a refund that the merchant must send, until its result is recorded', async () => {
      answer = { outcome: 'pending', needsMerchant: true, reason: 'card closed', providerReference: 'R-1' };
      await payments.service.refund(caller, id, '4');
      const refund = `GW-${id}-1-R1`;
      expect(await stepsOf()).to.deep.equal([
        `the provider cannot send refund ${refund} of 4.00 EUR (card closed): the merchant sends the money by other means; then record the result | settle_refund`,
      ]);
      expect((await detailsOf(id)).refunds[0]).to.include({ state: 'needs_merchant', failureReason: 'card closed' });
      await payments.service.settleRefund(caller, id, refund, 'succeeded');
      expect(await stepsOf()).to.deep.equal([]);
      const { money, refunds } = await detailsOf(id);
      expect([money.refunded, money.leftToRefund, refunds[0]!.state]).to.deep.equal(['4', '6', 'succeeded']);
    });

    it('name a refund that failed, until a later one succeeds', async () => {
      answer = { outcome: 'failed', nothingCharged: true, reason: 'no funds' };
      await payments.service.refund(caller, id, '4').catch(() => undefined);
      expect(await stepsOf()).to.deep.equal([
        `refund GW-${id}-1-R1 of 4.00 EUR failed (no funds): refund it again, or record what was found | refund | review`,
      ]);
      answer = { outcome: 'succeeded' };
      await payments.service.refund(caller, id, '4');
      expect(await stepsOf()).to.deep.equal([]);
      const { money, refunds } = await detailsOf(id);
      expect([money.net, money.netAfterRefunds]).to.deep.equal(['10', '6']);
      expect(refunds.map(({ state, failureReason }) => [state, failureReason])).to.deep.equal([
        ['failed', 'no funds'],
        ['succeeded', null],
      ]);
    });

    it('do not name a failed refund that an operator has reviewed since', async () => {
      answer = { outcome: 'failed', nothingCharged: true };
      await payments.service.refund(caller, id, '4').catch(() => undefined);
      const at = new Date(Date.now() + 1000);
      await auditEntryModel(suite.connection()).collection.insertOne({
        _id: id,
        at,
        act: 'payment.review',
        subject: { type: 'payment', id: String(id) },
        state: 'done',
      } as never);
      expect(await stepsOf()).to.deep.equal([]);
    });

    it('name an open chargeback, and the alarm about it', async () => {
      const details = { reason: 'fraud' };
      const opened = chargebackEvent('opened', { subReference: 'CASE-1', amount: '12', details });
      const about = { reference: `GW-${id}-1`, providerReference: 'P-9', dedupeKey: `case ${id}` };
      await apply({ ...opened, event: { ...opened.event, ...about } });
      await alarmModel(suite.connection()).collection.insertOne({
        _id: `dispute_differs:payment:${id}`,
        kind: 'dispute_differs',
        reason: 'disputed: 12.00 EUR',
        state: 'open',
      } as never);
      const [chargeback, alarm, ...rest] = await stepsOf();
      expect(chargeback).to.equal('chargeback CASE-1 of 12.00 EUR is open: answer it in the console of first');
      expect(alarm).to.match(/^the alarm dispute_differs is open \(disputed: 12\.00 EUR\): .+ \| review$/);
      expect(rest).to.deep.equal([]);
      expect((await detailsOf(id)).disputes).to.deep.equal([
        { case: 'CASE-1', stage: 'opened', amount: '12', currency: 'EUR', details, reason: 'fraud', deadline: null },
      ]);
    });
  });

  it('puts the reports about a dispute in the order in which they arrived', async () => {
    payments.providers.first.answerWith({ outcome: 'succeeded', providerReference: 'P-12' });
    const id = await pay();
    const arrived = (seconds: number): Date => new Date(Date.now() - seconds * 1000);
    const about = { reference: `GW-${id}-1`, providerReference: 'P-12' };
    const reports = [
      ['lost', arrived(1)],
      ['opened', arrived(2)],
    ] as const;
    for (const [stage, receivedAt] of reports) {
      const fact = chargebackEvent(stage, { subReference: 'CASE-2', dedupeKey: `${stage} ${id}` });
      const reported = { ...fact, at: new Date(), event: { ...fact.event, ...about } };
      await payments.store.change(id, 'r', (one) => applyFacts(one, [reported], payments.feeOf));
      await inboxModel(suite.connection()).collection.insertOne({
        _id: `${stage} ${id}`,
        adapter: 'first',
        receivedAt,
        events: [{ event: reported.event, paymentRequestId: id, state: 'applied', note: '' }],
        state: 'done',
      } as never);
    }
    const story = paymentHistoryOf(await detailsOf(id)).filter(({ text }) => text.startsWith('Chargeback'));
    expect(story.map(({ at, text }) => [at, text.split(' (')[0]])).to.deep.equal([
      [reports[1][1], 'Chargeback opened'],
      [reports[0][1], 'Chargeback lost'],
    ]);
  });

  it('returns undefined for an id that is not a payment', async () => {
    expect(await detailsOf(1)).to.equal(undefined);
  });
});
