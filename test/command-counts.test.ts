/** How many commands the database gets for one piece of work: what costs a round trip each is done for many at once. */
import { expect } from 'chai';
import { after, before, describe, it } from 'mocha';
import { deliverNotifications } from '../workers/jobs/deliver-notifications.ts';
import { drainCallbacks } from '../workers/jobs/drain-callbacks.ts';
import { until } from '../core/testing/until.ts';
import { cardBody } from './support/bodies.ts';
import { countCommands, type CommandCount } from './support/count-commands.ts';
import { batchOf, sendBatch } from './support/provider-a-batch.ts';
import { startReceiver, type Receiver } from './support/receiver.ts';
import { startGateway, type TestGateway } from './support/start-gateway.ts';

describe('commands to the database', function () {
  this.timeout(300_000);
  let gateway: TestGateway;
  let receiver: Receiver;
  let count: CommandCount;
  before(async () => {
    receiver = await startReceiver();
    gateway = await startGateway({ adapters: ['provider-a'], works: false });
    count = countCommands();
  });
  after(async () => {
    count.end();
    await gateway.close();
    await receiver.close();
  });

  /** Payments that wait, and in the inbox for each the callback that ends it. */
  async function receive(payments: number): Promise<number[]> {
    const ids: number[] = [];
    while (ids.length < payments) {
      const body = cardBody('4000000000003097', '25.90', { notifyUrl: receiver.url });
      const { id, transactionNumber: txn } = (await gateway.post('/payments/h2h/11', body)).json.paymentRequest;
      await sendBatch(gateway.url, batchOf([{ txn, ref: `GW-${id}-1`, what: 'CAPTURE' }]));
      ids.push(id as number);
    }
    // What the submissions announce is none of this.
    await gateway.gateway.payments.outbox.sweep(-60_000, payments);
    await deliver();
    await until('nothing is written in the background', async () => {
      return count.underWay === 0 && performance.now() - count.lastSentAt > 500;
    });
    return ids;
  }

  /** The commands that it takes until all of them are paid. */
  async function drain(ids: readonly number[]): Promise<readonly string[]> {
    count.forget();
    await drainCallbacks.run(gateway.gateway, new AbortController().signal);
    const commands = count.ofWork;
    for (const id of ids) {
      const { json } = await gateway.get(`/payment-requests/${id}`);
      expect(json.paymentRequestStatusId, `payment ${id}`).to.equal(2);
    }
    return commands;
  }

  const deliver = async (): Promise<unknown> => deliverNotifications.run(gateway.gateway, new AbortController().signal);

  it('are at most twelve for a callback that comes alone', async () => {
    await drain(await receive(1)); // reads what is kept from then on
    const ids = await receive(1);
    const drained = await drain(ids);
    // One of them reads the owner again, whose copy is kept for 5 s.
    expect(drained.length, drained.join(', ')).to.be.at.most(12);
  });

  it('are at most a quarter of one for each callback of a hundred', async () => {
    const callbacks = 100;
    const ids = await receive(callbacks);
    const drained = await drain(ids);
    expect(drained.length / callbacks, drained.join(', ')).to.be.at.most(0.25);
    await deliver();
    const told = ids.filter((id) => receiver.ofPayment(id).some(({ json }) => json.type === 'payment.succeeded'));
    expect(told).to.deep.equal(ids);
  });
});
