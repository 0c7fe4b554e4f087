import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import type { RunConfig } from '../../core/base/run-config.ts';
import { until } from '../../core/base/testing/until.ts';
import { cardBody } from '../support/bodies.ts';
import { batchOf, sendBatch } from '../support/provider-a-batch.ts';
import { startReceiver, type Receiver } from '../support/receiver.ts';
import { startGateway, type TestGateway } from '../support/start-gateway.ts';

const script = fileURLToPath(new URL('doomed-worker.js', import.meta.url));

describe('a worker that is killed with -9 between any two steps', function () {
  this.timeout(600_000);
  let gateway: TestGateway;
  let receiver: Receiver;
  before(async () => {
    receiver = await startReceiver();
    gateway = await startGateway({
      adapters: ['provider-a'],
      works: false,
      config: (config) => {
        config.provider.breakerFailures = 100_000;
      },
    });
  });
  after(async () => {
    await gateway.close();
    await receiver.close();
  });

  /** The number of its messages that may change something, or undefined if it was killed before it was done. */
  async function runDoomed(killAt: number): Promise<number | undefined> {
    const child = fork(script, { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
    let changes: number | undefined;
    child.on('message', (report: { changes: number }) => {
      changes = report.changes;
    });
    const run: RunConfig = gateway.run;
    const port = Number(new URL(run.config.database.uri ?? '').port);
    child.send({ run, port, killAt });
    await once(child, 'exit');
    return changes;
  }

  for (const [what, prepare] of [
    ['a callback', makeCallback],
    ['a status fetch', makeUnreadAnswer],
  ] as const) {
    it(`has one effect for ${what}, and at most one extra delivery with the same id and bytes`, async () => {
      const all = (await playRound(prepare, Number.MAX_SAFE_INTEGER)) ?? 0;
      expect(all, 'changing messages of a complete run').to.be.greaterThan(5);
      let killed = 0;
      for (let killAt = 1; killAt <= all; killAt += 1)
        if ((await playRound(prepare, killAt)) === undefined) killed += 1;
      expect(killed, 'runs with a kill').to.be.greaterThan(all / 2);
    });
  }

  const payments = () => gateway.gateway.connection.collection<{ _id: number }>('paymentRequests');

  /** A pending payment, and the callback that completes it. */
  async function makeCallback(): Promise<number> {
    const body = cardBody('4000000000003097', '25.90', { notifyUrl: receiver.url });
    const { id, transactionNumber: txn } = (await gateway.post('/payments/h2h/11', body)).json.paymentRequest;
    await gateway.work();
    await sendBatch(gateway.url, batchOf([{ txn, ref: `GW-${id}-1`, what: 'CAPTURE' }]));
    return id;
  }

  /** A payment that was charged and whose answer could not be read. */
  async function makeUnreadAnswer(): Promise<number> {
    const body = cardBody('4111111111111111', '25.53', { notifyUrl: receiver.url });
    const { json, text } = await gateway.post('/payments/h2h/11', body);
    expect(json.paymentRequest, text).to.be.an('object');
    const { id, logs } = json.paymentRequest;
    expect(logs[0].code).to.equal('OUTCOME_UNKNOWN');
    return id;
  }

  /** One payment: processed by a doomed worker, and completed by the next one. */
  async function playRound(prepare: () => Promise<number>, killAt: number): Promise<number | undefined> {
    const id = await prepare();
    const due = async () =>
      payments().updateMany({ _id: id, nextCheckAt: { $type: 'date' } }, { $set: { nextCheckAt: new Date(0) } });
    await due();
    const changes = await runDoomed(killAt);

    // The supervisor releases what a dead worker held. Then the other workers continue.
    await gateway.gateway.releaseWorker('doomed');
    await payments().updateMany({ outboxSince: { $type: 'date' } }, { $set: { outboxSince: new Date(0) } });
    await until(`notified of ${id}, killed at ${killAt}`, async () => {
      await due();
      await gateway.work();
      return receiver.ofPayment(id).some(({ json }) => json.type === 'payment.succeeded');
    });
    await gateway.work();

    const { json } = await gateway.get(`/payment-requests/${id}`);
    expect(json.paymentRequestStatusId, `killed at ${killAt}`).to.equal(2);
    const paid = json.logs.filter(
      ({ transactionStatusId }: { transactionStatusId: number }) => transactionStatusId === 2,
    );
    expect(paid, `killed at ${killAt}`).to.have.length(1);
    const notified = receiver.ofPayment(id).filter(({ json: one }) => one.type === 'payment.succeeded');
    expect(notified, `killed at ${killAt}`).to.have.length.within(1, 2);
    expect(
      new Set(notified.map(({ headers, body: bytes }) => `${String(headers['webhook-id'])} ${bytes}`)).size,
    ).to.equal(1);
    return changes;
  }
});
