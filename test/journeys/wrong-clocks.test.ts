/** A worker with a wrong clock judges payments by the time of the database server. */
import { expect } from 'chai';
import { after, before, describe, it } from 'mocha';
import { withWrongClock } from '../../core/base/testing/wrong-clock.ts';
import { DAY, HOUR } from '../../core/base/async/time.ts';
import { expirePayments } from '../../workers/jobs/expire-payments.ts';
import { cardBody } from '../support/bodies.ts';
import { toTestPayment, type TestPayment, type View } from '../support/scenarios.ts';
import { startGateway, type TestGateway } from '../support/start-gateway.ts';

describe('a worker with a wrong clock', () => {
  let gateway: TestGateway;
  before(async () => {
    gateway = await startGateway({ adapters: ['provider-a'], works: false });
  });
  after(async () => gateway.close());

  // oxlint-disable-next-line typescript/no-explicit-any -- documents as MongoDB has them
  const payments = () => gateway.gateway.connection.collection<any>('paymentRequests');
  const loadPayment = async ({ id }: TestPayment): Promise<View> => payments().findOne({ _id: id });
  const post = async (path: string, body: unknown): Promise<TestPayment> =>
    toTestPayment(gateway, await gateway.post(path, body));

  it('does not treat a submission in progress as one of a dead process', async () => {
    const payment = await post('/payments/h2h/11', cardBody('4000000000003097'));
    // Simulates a provider that has not answered yet.
    const deadlineAt = new Date(Date.now() + 60_000);
    const underWay = { 'attempts.0.endedAt': null, 'attempts.0.deadlineAt': deadlineAt, nextCheckAt: new Date(0) };
    await payments().updateOne({ _id: payment.id }, { $set: underWay });
    await withWrongClock(HOUR, async () => gateway.work());
    const [attempt] = (await loadPayment(payment)).attempts;
    expect([attempt.endedAt, attempt.unknown]).to.deep.equal([null, false]);
    const { nextCheckAt } = await loadPayment(payment);
    expect(nextCheckAt).to.deep.equal(deadlineAt);
  });

  it('leaves the next check until it is due, and expires no recent payment', async () => {
    const open = await post('/payment-requests', { amount: 5, unit: 'EUR' });
    const payment = await post('/payments/h2h/11', cardBody('4000000000003097'));
    await payments().updateOne({ _id: payment.id }, { $set: { nextCheckAt: new Date() } });
    await withWrongClock(30 * DAY, async () => {
      await gateway.work();
      await expirePayments.run(gateway.gateway, new AbortController().signal);
    });
    expect((await loadPayment(open)).statusId).to.equal(0);
    expect((await loadPayment(payment)).nextCheckAt.getTime()).to.be.within(Date.now() - HOUR, Date.now() + DAY);
  });
});
