/**
 * A refund whose answer was lost, at a provider that cannot recognise a repetition. Only the status of the payment
 * shows whether the refund happened.
 */
import {
  refundTotal,
  statusTable,
  unknown,
  type Outcome,
  type RefundRequest,
  type StatusReport,
} from '@paywright/contract';
import { expect } from 'chai';
import { beforeEach, describe, it } from 'mocha';
import type { PaymentRecord } from '../../../database/collections/payment-request.ts';
import type { RefundState } from '../../../database/collections/refund.ts';
import { HOUR, SECOND } from '../../../base/async/time.ts';
import { caller, cardInput, order, usePayments, type TestPayments } from '../testing/setup.ts';

const settleSeconds = 300;
const earlySeconds = 60;

describe('a refund whose answer was lost and that cannot be repeated', () => {
  const suite = usePayments();
  let payments: TestPayments;
  let id: number;
  let requested: RefundRequest[];
  /** The provider's answers to the next refunds. Without a remaining answer, the outcome is `unknown`. */
  let answers: Outcome[];

  async function start(repeatRefund: 'safe' | 'never'): Promise<void> {
    requested = [];
    answers = [];
    const refund = async (_: unknown, request: RefundRequest): Promise<Outcome> => {
      requested.push(request);
      return answers.shift() ?? unknown('lost');
    };
    const mapStatus = statusTable({ refund: { succeeded: 'succeeded', pending: 'pending' } });
    payments = suite.create({}, { first: { manifest: { repeatRefund }, adapter: { refund, mapStatus } } });
    payments.providers.first.answerWith({ outcome: 'succeeded', providerReference: 'P-1' });
    ({ id } = await payments.service.payH2h(caller, 41, order, cardInput()));
  }
  beforeEach(async () => start('never'));

  const requestRefund = async (amount: string): Promise<unknown> => payments.service.refund(caller, id, amount);

  /** Reports the refunded total at the given time after the refunds were sent. Returns the payment after the check. */
  async function reportTotal(total: string, secondsAfter: number, more: object = { showsAllRefunds: true }) {
    const about = { reference: `GW-${id}-1`, providerReference: 'P-1' };
    const events = refundTotal(about, 'succeeded', { amount: total, currency: 'EUR' });
    return checkWithReport({ result: 'events', events, ...more }, secondsAfter);
  }

  async function checkWithReport(report: StatusReport, secondsAfter: number): Promise<PaymentRecord> {
    payments.providers.first.reportStatus(report);
    const sentAt = new Date(Date.now() - secondsAfter * SECOND);
    await payments.store.change(id, 'test', (record) => ({
      next: {
        ...record,
        refunds: record.refunds.map((one) => ({ ...one, requestedAt: sentAt, sentAt, lastCheckedAt: null })),
      },
    }));
    await suite.makeDue(id);
    await payments.reconciler.reconcile((await payments.reconciler.claim([]))!);
    return (await payments.store.load(id))!;
  }
  const statesOf = ({ refunds }: PaymentRecord): RefundState[] => refunds.map(({ state }) => state);

  it('fails once its absence is reported twice, the last time late enough, and then reserves no amount', async () => {
    await requestRefund('6');
    expect(statesOf(await reportTotal('0.00', settleSeconds))).to.deep.equal(['unknown']);
    expect(statesOf(await reportTotal('0.00', earlySeconds)), 'twice, but too early').to.deep.equal(['unknown']);
    const record = await reportTotal('0.00', settleSeconds);
    expect(statesOf(record)).to.deep.equal(['failed']);
    expect(record).to.include({ refundedAmount: '0' });
    expect(requested, 'core repeated it').to.have.length(1);
    answers = [{ outcome: 'succeeded' }];
    await requestRefund('10');
    expect(requested[1]!.money.amount).to.equal('10');
  });

  /** Reports the total at the given hours after the refund was first not shown. Returns the payment after the check. */
  async function reportTotalLater(total: string, hours: number): Promise<PaymentRecord> {
    const { refunds } = (await payments.store.load(id))!;
    const agoMs = hours * HOUR;
    const notShownAt = new Date(Date.now() - agoMs);
    const lastCheckedAt = new Date(notShownAt.getTime() + (refunds[0]!.state === 'failed' ? agoMs / 2 : 0));
    await payments.store.change(id, 'test', (record) => ({
      next: { ...record, refunds: [{ ...record.refunds[0]!, notShownAt, lastCheckedAt }, ...record.refunds.slice(1)] },
    }));
    const about = { reference: `GW-${id}-1`, providerReference: 'P-1' };
    const events = refundTotal(about, 'succeeded', { amount: total, currency: 'EUR' });
    payments.providers.first.reportStatus({ result: 'events', events, showsAllRefunds: true });
    await suite.makeDue(id);
    await payments.reconciler.reconcile((await payments.reconciler.claim([]))!);
    return (await payments.store.load(id))!;
  }

  it('is checked 1, 6 and 24 hours after it was not shown, is not repeated, and counts once it is shown', async () => {
    await requestRefund('6');
    await reportTotal('0.00', settleSeconds);
    await reportTotal('0.00', settleSeconds);
    const hoursToNext = [];
    for (const hours of [1, 6]) {
      const { nextCheckAt, refunds, refundedAmount } = await reportTotalLater('0.00', hours);
      expect(refundedAmount).to.equal('0');
      hoursToNext.push((nextCheckAt!.getTime() - refunds[0]!.notShownAt!.getTime()) / HOUR);
    }
    expect(hoursToNext).to.deep.equal([6, 24]);
    const record = await reportTotalLater('6.00', 24);
    expect(record).to.include({ refundedAmount: '6', nextCheckAt: null });
    expect(requested, 'core repeated it').to.have.length(1);
  });

  it('succeeds if the provider shows it late', async () => {
    await requestRefund('6');
    await reportTotal('0.00', earlySeconds);
    const record = await reportTotal('6.00', settleSeconds);
    expect(statesOf(record)).to.deep.equal(['succeeded']);
    expect(record.refundedAmount).to.equal('6');
  });

  it('fails if a second refund by the merchant explains the total', async () => {
    await requestRefund('6');
    await reportTotal('0.00', earlySeconds);
    answers = [{ outcome: 'succeeded' }];
    await requestRefund('4');
    expect(statesOf(await reportTotal('4.00', settleSeconds))).to.deep.equal(['failed', 'succeeded']);
  });

  it('succeeds if the total includes both it and a second refund by the merchant', async () => {
    await requestRefund('6');
    await reportTotal('0.00', earlySeconds);
    answers = [{ outcome: 'succeeded' }];
    await requestRefund('4');
    const record = await reportTotal('10.00', settleSeconds);
    expect(statesOf(record)).to.deep.equal(['succeeded', 'succeeded']);
    expect(record.refundedAmount).to.equal('10');
  });

  it('stays open if the total lacks a refund that is known to have succeeded', async () => {
    await requestRefund('6');
    await reportTotal('0.00', earlySeconds);
    answers = [{ outcome: 'succeeded' }];
    await requestRefund('4');
    expect(statesOf(await reportTotal('0.00', settleSeconds))).to.deep.equal(['unknown', 'succeeded']);
  });

  it('stays open if a status does not say that it shows all refunds', async () => {
    await requestRefund('6');
    await reportTotal('0.00', settleSeconds, {});
    expect(statesOf(await reportTotal('0.00', settleSeconds, {}))).to.deep.equal(['unknown']);
  });

  it('stays open while the provider shows a pending refund of the same amount', async () => {
    await requestRefund('6');
    const event = {
      kind: 'refund',
      providerStatus: 'pending',
      reference: `GW-${id}-1`,
      providerReference: 'P-1',
      subReference: 'R-1',
      amount: '6.00',
      currency: 'EUR',
      dedupeKey: 'R-1:pending',
    } as const;
    const report = { result: 'events', events: [event], showsAllRefunds: true } as const;
    await checkWithReport(report, settleSeconds);
    expect(statesOf(await checkWithReport(report, settleSeconds))).to.deep.equal(['unknown']);
  });

  it('stays open at a provider that accepts repetitions, because the repetition may have arrived since', async () => {
    await start('safe');
    await requestRefund('6');
    await reportTotal('0.00', settleSeconds);
    expect(statesOf(await reportTotal('0.00', settleSeconds))).to.deep.equal(['unknown']);
  });
});
