/** What is kept for a while, and then goes; what is still needed stays. */
import { expect } from 'chai';
import { mongo } from 'mongoose';
import { after, before, describe, it } from 'mocha';
import { until } from '../core/testing/until.ts';
import { purgeExpired } from '../workers/jobs/purge-expired.ts';
import { cardBody } from './support/bodies.ts';
import { startReceiver, type Receiver } from './support/receiver.ts';
import { startGateway, type TestGateway } from './support/start-gateway.ts';
import { toTestPayment } from './support/scenarios.ts';

describe('what is kept', () => {
  let gateway: TestGateway;
  let receiver: Receiver;
  before(async () => {
    receiver = await startReceiver();
    gateway = await startGateway({ adapters: ['provider-a'] });
  });
  after(async () => {
    await gateway.close();
    await receiver.close();
  });

  it('goes after the days of config: calls to providers, and notifications that were delivered', async () => {
    const { connection } = gateway.gateway;
    const body = cardBody('4111111111111111', 25.9, { notifyUrl: receiver.url });
    const payment = toTestPayment(gateway, await gateway.post('/payments/h2h/11', body));
    await payment.has(2);
    const [notifications, exchanges] = [
      connection.collection<{ _id: string; [member: string]: unknown }>('notifications'),
      connection.collection('exchanges'),
    ];
    const delivered = await until(
      'delivered',
      async () => (await notifications.findOne({ state: 'delivered' })) ?? undefined,
    );
    const exchange = await until('kept', async () => (await exchanges.findOne({})) ?? undefined);

    const old = new Date(Date.now() - 91 * 86_400_000);
    for (const state of ['delivered', 'gone', 'exhausted', 'waiting']) {
      await notifications.insertOne({ ...delivered, _id: state, state, createdAt: old });
    }
    await exchanges.insertOne({ ...exchange, _id: mongo.ObjectId.createFromTime(old.getTime() / 1000), at: old });
    await purgeExpired.run(gateway.gateway, new AbortController().signal);

    const left = (await notifications.find().toArray()).map(({ _id }) => _id);
    expect(left)
      .to.include.members([delivered._id, 'exhausted', 'waiting'])
      .and.not.include.members(['delivered', 'gone']);
    expect((await exchanges.find().toArray()).map(({ _id }) => String(_id))).to.deep.equal([String(exchange._id)]);
  });
});
