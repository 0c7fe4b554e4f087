/**
 * A refund whose answer was lost, at a provider that cannot recognise a repetition: only its status says what came of
 * it.
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

describe('a refund that was lost and cannot be repeated', () => {
  const suite = usePayments();
  let payments: TestPayments;
  let id: number;
  let requested: RefundRequest[];
  /** What the provider answers to the next refund; `unknown` where nothing is left. */
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

  const give = async (amount: string): Promise<unknown> => payments.service.refund(caller, id, amount);

  /** The provider shows that so much was given back, so long after the refunds were sent; the payment as it then is. */
  async function shows(total: string, secondsAfter: number, more: object = { showsAllRefunds: true }) {
    const about = { reference: `GW-${id}-1`, providerReference: 'P-1' };
    const events = refundTotal(about, 'succeeded', { amount: total, currency: 'EUR' });
    return reports({ result: 'events', events, ...more }, secondsAfter);
  }

  async function reports(report: StatusReport, secondsAfter: number): Promise<PaymentRecord> {
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

  it('fails once its absence is reported twice, the last time late enough, and holds nothing any more', async () => {
    await give('6');
    expect(statesOf(await shows('0.00', settleSeconds))).to.deep.equal(['unknown']);
    expect(statesOf(await shows('0.00', earlySeconds)), 'twice, and too early').to.deep.equal(['unknown']);
    const record = await shows('0.00', settleSeconds);
    expect(statesOf(record)).to.deep.equal(['failed']);
    expect(record).to.include({ refundedAmount: '0' });
    expect(requested, 'core repeated it').to.have.length(1);
    answers = [{ outcome: 'succeeded' }];
    await give('10');
    expect(requested[1]!.money.amount).to.equal('10');
  });

  /** The payment once it was looked for the given hours after it was first not shown. */
  async function showsLate(total: string, hours: number): Promise<PaymentRecord> {
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

  it('is looked for 1, 6 and 24 hours after it was not shown, without a repetition, and counts once it is shown', async () => {
    await give('6');
    await shows('0.00', settleSeconds);
    await shows('0.00', settleSeconds);
    const hoursToNext = [];
    for (const hours of [1, 6]) {
      const { nextCheckAt, refunds, refundedAmount } = await showsLate('0.00', hours);
      expect(refundedAmount).to.equal('0');
      hoursToNext.push((nextCheckAt!.getTime() - refunds[0]!.notShownAt!.getTime()) / HOUR);
    }
    expect(hoursToNext).to.deep.equal([6, 24]);
    const record = await showsLate('6.00', 24);
    expect(record).to.include({ refundedAmount: '6', nextCheckAt: null });
    expect(requested, 'core repeated it').to.have.length(1);
  });

  it('succeeds where it happened late', async () => {
    await give('6');
    await shows('0.00', earlySeconds);
    const record = await shows('6.00', settleSeconds);
    expect(statesOf(record)).to.deep.equal(['succeeded']);
    expect(record.refundedAmount).to.equal('6');
  });

  it('fails beside a second refund of the merchant’s that the sum explains', async () => {
    await give('6');
    await shows('0.00', earlySeconds);
    answers = [{ outcome: 'succeeded' }];
    await give('4');
    expect(statesOf(await shows('4.00', settleSeconds))).to.deep.equal(['failed', 'succeeded']);
  });

  it('succeeds beside a second refund of the merchant’s where the sum is of both', async () => {
    await give('6');
    await shows('0.00', earlySeconds);
    answers = [{ outcome: 'succeeded' }];
    await give('4');
    const record = await shows('10.00', settleSeconds);
    expect(statesOf(record)).to.deep.equal(['succeeded', 'succeeded']);
    expect(record.refundedAmount).to.equal('10');
  });

  it('stays open where the sum lacks a refund that is known to be given back', async () => {
    await give('6');
    await shows('0.00', earlySeconds);
    answers = [{ outcome: 'succeeded' }];
    await give('4');
    expect(statesOf(await shows('0.00', settleSeconds))).to.deep.equal(['unknown', 'succeeded']);
  });

  it('stays open where a status does not say that it shows all refunds', async () => {
    await give('6');
    await shows('0.00', settleSeconds, {});
    expect(statesOf(await shows('0.00', settleSeconds, {}))).to.deep.equal(['unknown']);
  });

  it('stays open while the provider shows one of its amount that is not decided', async () => {
    await give('6');
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
    await reports(report, settleSeconds);
    expect(statesOf(await reports(report, settleSeconds))).to.deep.equal(['unknown']);
  });

  it('stays open at a provider whose refunds are repeated, for the repetition may have arrived since', async () => {
    await start('safe');
    await give('6');
    await shows('0.00', settleSeconds);
    expect(statesOf(await shows('0.00', settleSeconds))).to.deep.equal(['unknown']);
  });
});
