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
    gateway = await startGateway({
      adapters: ['provider-a'],
      config(config) {
        config.notifications.keepDays = 40;
        config.provider.keepCallsDays = 20;
        config.alarms.keepResolvedDays = 7;
      },
    });
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

    const daysAgo = (days: number): Date => new Date(Date.now() - days * 86_400_000);
    const old = daysAgo(41);
    for (const state of ['delivered', 'gone', 'exhausted', 'waiting']) {
      await notifications.insertOne({ ...delivered, _id: state, state, createdAt: old });
    }
    await notifications.insertOne({ ...delivered, _id: 'kept', createdAt: daysAgo(39) });
    const atTime = (at: Date) => ({ ...exchange, _id: mongo.ObjectId.createFromTime(at.getTime() / 1000), at });
    const kept = atTime(daysAgo(19));
    await exchanges.insertMany([atTime(daysAgo(21)), kept]);
    await purgeExpired.run(gateway.gateway, new AbortController().signal);

    const left = (await notifications.find().toArray()).map(({ _id }) => _id);
    expect(left)
      .to.include.members([delivered._id, 'exhausted', 'waiting', 'kept'])
      .and.not.include.members(['delivered', 'gone']);
    expect((await exchanges.find().toArray()).map(({ _id }) => String(_id))).to.have.members([
      String(exchange._id),
      String(kept._id),
    ]);

    // What had all its attempts goes only where config says so, and later.
    const config = {
      ...gateway.gateway.config,
      notifications: { ...gateway.gateway.config.notifications, keepUndeliveredDays: 42 },
    };
    await notifications.insertOne({ ...delivered, _id: 'given up', state: 'exhausted', createdAt: daysAgo(43) });
    await purgeExpired.run({ ...gateway.gateway, config }, new AbortController().signal);
    const states = (await notifications.find().toArray()).map(({ _id }) => _id);
    expect(states).to.include.members(['exhausted', 'waiting', 'kept']).and.not.include('given up');
  });

  it('goes, of an alarm, the days of config after it was resolved', async () => {
    const { alarms, connection } = gateway.gateway;
    alarms.raise('charged_twice', { type: 'payment', id: '1' }, 'another attempt succeeded too');
    await until('it is stored', async () => (await alarms.list(1)).length === 1);
    const resolvedAt = Date.now();
    await alarms.resolve('charged_twice:payment:1');
    const { expireAt } = (await connection.collection<{ _id: string; expireAt: Date }>('alarms').findOne({}))!;
    expect(expireAt.getTime() - resolvedAt).to.be.closeTo(7 * 86_400_000, 60_000);
  });
});
