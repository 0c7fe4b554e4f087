/**
 * A provider that does not know a payment yet may still have it in a queue. Its answer counts only after a while and
 * after repeated checks.
 */
import type { StatusReport } from '@paywright/contract';
import { expect } from 'chai';
import { after, before, beforeEach, describe, it } from 'mocha';
import type { LoadedAdapter } from '../../core/engine/providers/index.ts';
import { fakeActive } from '../../core/engine/providers/testing/fake-adapter.ts';
import { HOUR, SECOND } from '../../core/base/async/time.ts';
import { cardBody } from '../support/bodies.ts';
import { startGateway, type TestGateway } from '../support/start-gateway.ts';
import { makeDue, toTestPayment, type TestPayment } from '../support/scenarios.ts';

const code = 58;
const settleSeconds = 300;

describe('a provider that finds nothing', () => {
  let gateway: TestGateway;
  /** The provider's answer to the next fetch. */
  let report: StatusReport;

  before(async () => {
    gateway = await startGateway({
      adapters: [],
      works: false,
      config: (config) => (config.payments.nothingChargedAfterSeconds = settleSeconds),
    });
    const { registry } = gateway.gateway.providers;
    registry.replace([
      ...(registry.all() as LoadedAdapter[]),
      fakeActive({
        manifest: { code, reconcile: { stepsSeconds: [5], thenEverySeconds: 3600, giveUpAfterSeconds: 0 } },
        adapter: { submit: async () => ({ outcome: 'unknown' }), fetchStatus: async () => report },
      }),
    ]);
  });
  beforeEach(() => (report = { result: 'nothing_charged' }));
  after(async () => gateway.close());

  // oxlint-disable-next-line typescript/no-explicit-any -- documents as MongoDB has them
  const payments = () => gateway.gateway.connection.collection<any>('paymentRequests');
  // oxlint-disable-next-line typescript/no-explicit-any
  const loadPayment = async ({ id }: TestPayment): Promise<any> => payments().findOne({ _id: id });
  const pay = async (): Promise<TestPayment> =>
    toTestPayment(gateway, await gateway.post(`/payments/h2h/${code}`, cardBody('4111111111111111')));

  /** Simulates a submission that ended this long ago. */
  async function setEndedAgo(payment: TestPayment, secondsAgo: number): Promise<void> {
    await payments().updateOne(
      { _id: payment.id },
      { $set: { 'attempts.0.endedAt': new Date(Date.now() - secondsAgo * SECOND) } },
    );
  }
  const events = (reference: string): StatusReport => {
    const event = { kind: 'payment', providerStatus: 'paid', reference, providerReference: 'P-1' } as const;
    return { result: 'events', events: [{ ...event, amount: '25.90', currency: 'EUR', dedupeKey: 'paid' }] };
  };

  it('is not trusted immediately, and core itself schedules the check after the settle time', async () => {
    const payment = await pay();
    await makeDue(payment);
    expect((await payment.view()).paymentRequestStatusId).to.equal(1);
    const { attempts, nextCheckAt } = await loadPayment(payment);
    expect(attempts[0].needsReview, 'only the policy of the adapter has ended').to.equal(false);
    expect(nextCheckAt.getTime() - attempts[0].endedAt.getTime()).to.equal(settleSeconds * SECOND);
    await makeDue(payment);
    expect((await payment.view()).paymentRequestStatusId, 'two answers, too early').to.equal(1);
  });

  it('reports the charge that was still in a queue, and no second charge is made', async () => {
    const payment = await pay();
    await makeDue(payment);
    report = events(`GW-${payment.id}-1`);
    await makeDue(payment);
    expect((await payment.view()).paymentRequestStatusId).to.equal(2);
    expect((await loadPayment(payment)).attempts[0].lateChecks).to.equal(null);
  });

  it('is not trusted after a single answer, however late', async () => {
    const payment = await pay();
    await setEndedAgo(payment, 2 * settleSeconds);
    await makeDue(payment);
    expect((await payment.view()).paymentRequestStatusId).to.equal(1);
    expect((await loadPayment(payment)).nextCheckAt).to.be.instanceOf(Date);
  });

  it('is trusted after two answers, then checked after 1, 6 and 24 hours, and a success still counts', async () => {
    const payment = await pay();
    await makeDue(payment);
    await setEndedAgo(payment, settleSeconds);
    await makeDue(payment);
    expect(await payment.view()).to.include({ paymentRequestStatusId: 3, transactionStatusId: 3 });
    const asked: number[] = [];
    for (let next: Date | null; asked.length < 3 && (next = (await loadPayment(payment)).nextCheckAt);) {
      const { settledAt } = (await loadPayment(payment)).attempts[0];
      const hours = (next.getTime() - settledAt.getTime()) / HOUR;
      asked.push(hours);
      if (hours === 24) report = events(`GW-${payment.id}-1`);
      const past = new Date(Date.now() - hours * HOUR);
      await payments().updateOne({ _id: payment.id }, { $set: { 'attempts.0.settledAt': past } });
      await makeDue(payment);
    }
    expect(asked).to.deep.equal([1, 6, 24]);
    expect((await payment.view()).paymentRequestStatusId).to.equal(2);
  });

  it('is checked again after one of these hours when it does not answer', async () => {
    const payment = await pay();
    await makeDue(payment);
    await setEndedAgo(payment, settleSeconds);
    await makeDue(payment);
    const past = new Date(Date.now() - HOUR);
    await payments().updateOne({ _id: payment.id }, { $set: { 'attempts.0.settledAt': past } });
    report = { result: 'no_information', reason: 'no answer' };
    await makeDue(payment);
    const { attempts, nextCheckAt } = await loadPayment(payment);
    expect(attempts[0]).to.include({ lateChecks: 0, fetchFailures: 1 });
    expect(nextCheckAt.getTime() - attempts[0].lastCheckedAt.getTime()).to.equal(5 * SECOND);
    report = { result: 'nothing_charged' };
    await payments().updateOne({ _id: payment.id }, { $set: { 'attempts.0.lastCheckedAt': past } });
    await makeDue(payment);
    expect((await loadPayment(payment)).attempts[0]).to.include({ lateChecks: 1, fetchFailures: 0 });
  });
});
