/** A refund that the provider cannot send: the merchant must, and core repeats nothing. */
import { statusTable, type Outcome, type RefundRequest, type StatusReport } from '@paywright/contract';
import { expect } from 'chai';
import { beforeEach, describe, it } from 'mocha';
import type { PaymentRecord } from '../../../database/collections/payment-request.ts';
import { DAY, HOUR } from '../../../base/async/time.ts';
import { GatewayError } from '../../../base/errors.ts';
import { caller, cardInput, order, usePayments, type TestPayments } from '../testing/setup.ts';

const needing: Outcome = {
  outcome: 'pending',
  needsMerchant: true,
  reason: 'the card is closed',
  providerReference: 'R-1',
};

describe('a refund that needs the merchant', () => {
  const suite = usePayments();
  let payments: TestPayments;
  let id: number;
  let requested: RefundRequest[];
  beforeEach(async () => {
    requested = [];
    const refund = async (_: unknown, request: RefundRequest): Promise<Outcome> => {
      requested.push(request);
      return needing;
    };
    const mapStatus = statusTable({ refund: { sent: 'succeeded', stuck: 'needs_merchant' } });
    payments = suite.create({}, { first: { adapter: { refund, mapStatus } } });
    payments.providers.first.answerWith({ outcome: 'succeeded', providerReference: 'P-1' });
    ({ id } = await payments.service.payH2h(
      caller,
      41,
      { ...order, notifyUrl: 'https://shop.example/hook' },
      cardInput(),
    ));
    await payments.service.refund(caller, id, '4');
  });

  const load = async (): Promise<PaymentRecord> => (await payments.store.load(id))!;
  const settle = async (refund: string): Promise<unknown> =>
    payments.service.settleRefund(caller, id, refund, 'succeeded').catch((error: unknown) => error);
  async function checkAfter(ms: number, report: StatusReport): Promise<PaymentRecord> {
    payments.providers.first.reportStatus(report);
    await payments.store.change(id, 'test', (record) => ({
      next: {
        ...record,
        refunds: record.refunds.map((one) => ({ ...one, lastCheckedAt: new Date(Date.now() - ms) })),
      },
    }));
    await suite.makeDue(id);
    await payments.reconciler.reconcile((await payments.reconciler.claim([]))!);
    return load();
  }
  const reportOf = (providerStatus: string): StatusReport => {
    const about = { reference: `GW-${id}-1`, providerReference: 'P-1', subReference: 'R-1', currency: 'EUR' };
    const event = {
      kind: 'refund',
      providerStatus,
      ...about,
      amount: '4.00',
      dedupeKey: `R-1:${providerStatus}`,
    } as const;
    return { result: 'events', events: [event] };
  };

  it('is not repeated: the status is fetched once a day, until it shows a result', async () => {
    const { nextCheckAt, refunds } = await load();
    expect(refunds[0]).to.include({ state: 'needs_merchant', failureReason: 'the card is closed' });
    expect(nextCheckAt!.getTime() - refunds[0]!.requestedAt.getTime()).to.equal(DAY);
    const early = await checkAfter(HOUR, reportOf('sent'));
    expect([early.refunds[0]!.state, payments.providers.first.fetched.length]).to.deep.equal(['needs_merchant', 0]);
    const waiting = await checkAfter(DAY, reportOf('stuck'));
    expect([waiting.refunds[0]!.state, payments.providers.first.fetched.length]).to.deep.equal(['needs_merchant', 1]);
    const done = await checkAfter(DAY, reportOf('sent'));
    expect(done.refunds[0]!.state).to.equal('succeeded');
    expect(done).to.include({ refundedAmount: '4', nextCheckAt: null });
    expect(requested, 'core repeated the refund').to.have.length(1);
  });

  it('is announced once, raises an alarm, and holds its amount', async () => {
    // The payment's success, and that its refund needs the merchant.
    expect((await load()).sequence).to.equal(2);
    expect((await checkAfter(DAY, reportOf('stuck'))).sequence).to.equal(2);
    const alarms = payments.logged.filter(({ alarmKind }) => alarmKind === 'refund_needs_merchant');
    expect(alarms).to.have.length(1);
    expect(alarms[0]!['reason']).to.equal(`refund GW-${id}-1-R1: the card is closed`);
    await payments.service.refund(caller, id, '7').then(
      () => expect.fail('more than is left was refunded'),
      (error: unknown) => expect((error as GatewayError).message).to.contain('more than is left to refund: 6.00 EUR'),
    );
  });

  it('is settled once, and only if there is such a refund', async () => {
    const absent = await settle(`GW-${id}-1-R9`);
    expect((absent as GatewayError).kind).to.equal('NOT_FOUND');
    await settle(`GW-${id}-1-R1`);
    const { refunds, refundedAmount, nextCheckAt } = await load();
    expect(refunds[0]).to.include({ state: 'succeeded', settledByHand: true });
    expect([refundedAmount, nextCheckAt]).to.deep.equal(['4', null]);
    const again = (await settle(`GW-${id}-1-R1`)) as GatewayError;
    expect([again.kind, again.message]).to.deep.equal([
      'PAYMENT_NOT_PAYABLE',
      `refund GW-${id}-1-R1 is succeeded: only a refund that needs the merchant can be settled`,
    ]);
  });
});
