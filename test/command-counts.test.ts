/**
 * Counts the database commands for one piece of work. Each command is a round trip, and each write waits for a
 * majority.
 */
import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { after, before, describe, it } from 'mocha';
import type { IdempotencyRecord } from '../core/engine/access/index.ts';
import { until } from '../core/base/testing/until.ts';
import { deliverNotifications } from '../workers/jobs/deliver-notifications.ts';
import { drainCallbacks } from '../workers/jobs/drain-callbacks.ts';
import { cardBody } from './support/bodies.ts';
import { countCommands, type CommandCount } from './support/count-commands.ts';
import { batchOf, sendBatch } from './support/provider-a-batch.ts';
import { startReceiver, type Receiver } from './support/receiver.ts';
import { startGateway, type TestGateway } from './support/start-gateway.ts';

describe('the number of database commands', function () {
  this.timeout(300_000);
  let gateway: TestGateway;
  let receiver: Receiver;
  let count: CommandCount;
  before(async () => {
    receiver = await startReceiver();
    gateway = await startGateway({
      adapters: ['provider-a'],
      works: false,
      deliversHere: true,
      delayMs: 0,
      config: (config) => {
        config.provider.callTimeoutMs = 60_000;
      },
    });
    count = countCommands();
  });
  after(async () => {
    count.end();
    await gateway.close();
    await receiver.close();
  });

  /** Waits until no background write is left: every exchange is stored and no outbox holds an entry. */
  async function waitUntilIdle(): Promise<void> {
    const { connection } = gateway.gateway;
    await until('nothing is written in the background', async () => {
      const calls = gateway.logged.filter((line) => line.includes('"msg":"provider called"')).length;
      const kept = await connection.collection('exchanges').countDocuments();
      const inOutboxes = { outboxSince: { $type: 'date' } };
      const waiting = await connection.collection('paymentRequests').countDocuments(inOutboxes);
      return kept === calls && waiting === 0 && count.inProgress === 0;
    });
  }

  /**
   * Leaves out what `waitUntilIdle` reads, the sandbox's callbacks, and the log of API calls, which no response waits
   * for.
   */
  const commandsOf = (): readonly string[] =>
    count.commands.filter(
      (one) => !/^aggregate (exchanges|paymentRequests)$| (inbox|adapterStates|adapterRuns|apiCalls)$/.test(one),
    );

  describe('for a drain', () => {
    /** Makes pending payments, and for each one a callback in the inbox that completes it. */
    async function receive(payments: number): Promise<number[]> {
      const ids: number[] = [];
      while (ids.length < payments) {
        const body = cardBody('4000000000003097', '25.90', { notifyUrl: receiver.url });
        const { id, transactionNumber: txn } = (await gateway.post('/payments/h2h/11', body)).json.paymentRequest;
        await sendBatch(gateway.url, batchOf([{ txn, ref: `GW-${id}-1`, what: 'CAPTURE' }]));
        ids.push(id as number);
      }
      await waitUntilIdle();
      // The notifications of the submissions do not count.
      await deliver();
      return ids;
    }

    /** The commands until all payments are paid and their merchant is notified. */
    async function drain(ids: readonly number[]): Promise<readonly string[]> {
      const isNotified = (id: number): boolean =>
        receiver.ofPayment(id).some(({ json }) => json.type === 'payment.succeeded');
      count.forget();
      await drainCallbacks.run(gateway.gateway, new AbortController().signal);
      await until('all are notified', () => ids.every(isNotified));
      await until('the results are written', async () => {
        const rows = gateway.gateway.connection.collection('notifications');
        const delivered = { type: 'payment.succeeded', paymentRequestId: { $in: [...ids] }, state: 'delivered' };
        return (await rows.countDocuments(delivered)) === ids.length;
      });
      // The test's own query does not count.
      const commands = count.ofWork.filter((one) => one !== 'aggregate notifications');
      for (const id of ids) {
        const { json } = await gateway.get(`/payment-requests/${id}`);
        expect(json.paymentRequestStatusId, `payment ${id}`).to.equal(2);
      }
      return commands;
    }

    const deliver = async (): Promise<unknown> =>
      deliverNotifications.run(gateway.gateway, new AbortController().signal);

    it('is at most eight for a single callback, with its notification', async () => {
      await drain(await receive(1)); // Fills the caches.
      const ids = await receive(1);
      const drained = await drain(ids);
      // The owner's cached copy lasts 5 s, and pings and endpoints are polled now and then: these reads may happen
      // again.
      const now = / (owners|endpoints)$/;
      expect(drained.filter((one) => !now.test(one)).length, drained.join(', ')).to.be.at.most(8);
    });

    it('is at most half of one per callback in a batch of a hundred, with its notification', async () => {
      const callbacks = 100;
      const ids = await receive(callbacks);
      count.gather();
      const drained = await drain(ids).finally(() => count.scatter());
      expect(drained.length / callbacks, drained.join(', ')).to.be.at.most(0.5);
    });
  });

  describe('for a submit', () => {
    /** Pays by card, each time as another client. */
    async function submit(isKeyed: boolean): Promise<void> {
      const response = await fetch(`${gateway.url}/payments/h2h/11`, {
        method: 'POST',
        headers: {
          'X-API-Key': gateway.key,
          'Content-Type': 'application/json',
          ...(isKeyed && { 'Idempotency-Key': randomUUID() }),
        },
        body: cardBody('4111111111111111', '25.90', { email: `${randomUUID()}@shop.example` }),
      });
      expect(await response.text()).to.equal('OK');
    }

    for (const [what, isKeyed, alone, underLoad] of [
      ['a submit', false, 6, 1.5],
      ['a submit with an Idempotency-Key', true, 8, 2],
    ] as const) {
      it(`is at most ${alone} for ${what} alone`, async () => {
        const counts: (readonly string[])[] = [];
        // API keys and owners are read again every few seconds.
        for (let times = 0; times < 10; times += 1) {
          count.forget();
          await submit(isKeyed);
          await waitUntilIdle();
          counts.push(commandsOf());
        }
        const fewest = counts.reduce((one, other) => (other.length < one.length ? other : one));
        expect(fewest.length, fewest.join(', ')).to.be.within(4, alone);
      });

      it(`is at most ${underLoad} for ${what} when many run concurrently`, async () => {
        const [submits, atOnce, rounds] = [300, 64, 3];
        count.gather();
        const counts: (readonly string[])[] = [];
        // How many submits share one command is chance, and fewer do when other processes use the machine.
        for (let round = 0; round < rounds; round += 1) {
          count.forget();
          let begun = 0;
          const merchant = async (): Promise<void> => {
            while (begun < submits) {
              begun += 1;
              await submit(isKeyed);
            }
          };
          await Promise.all(Array.from({ length: atOnce }, merchant));
          await waitUntilIdle();
          counts.push(commandsOf());
          if (counts.at(-1)!.length / submits <= underLoad) break;
        }
        const commands = counts.reduce((one, other) => (other.length < one.length ? other : one));
        expect(commands.length / submits, describeCounts(commands)).to.be.at.most(underLoad);
      });
    }

    /**
     * Commands for concurrent writes: the first write goes alone. While the server answers, the next ones gather in a
     * batch.
     */
    const batchedCommands = 3;
    const many = 64;

    async function countCommands(what: string, act: (index: number) => Promise<unknown>): Promise<number> {
      count.forget();
      await Promise.all(Array.from({ length: many }, async (_, index) => act(index)));
      return count.commands.filter((one) => one === what).length;
    }

    it(`is at most ${batchedCommands} to store ${many} payments concurrently, and as many to change them`, async () => {
      const { store } = gateway.gateway.payments;
      const { paymentRequest } = (await gateway.post('/payments/h2h/11', cardBody('4111111111111111', '25.90'))).json;
      const record = (await store.load(paymentRequest.id))!;
      const copies = Array.from({ length: many }, (_, index) => ({ ...record, _id: record._id + 1e6 + index }));
      const inserts = await countCommands('insert paymentRequests', async (index) => store.insert(copies[index]!));
      const changes = await countCommands('update paymentRequests', async (index) =>
        store.change(copies[index]!, 'r', (current) => ({ next: { ...current, notes: 'changed' } })),
      );
      expect([inserts, changes].map((commands) => commands >= 1 && commands <= batchedCommands)).to.deep.equal([
        true,
        true,
      ]);
    });

    it(`is at most ${batchedCommands} to start ${many} requests with an Idempotency-Key concurrently, and as many to end them`, async () => {
      const { idempotency } = gateway.gateway.access;
      const records: IdempotencyRecord[] = [];
      const response = { status: 200, headers: {}, body: {} };
      const begins = await countCommands('insert idempotencyRecords', async () => {
        const request = {
          ownerId: 1,
          environment: 'test',
          key: randomUUID(),
          fingerprint: 'f',
          requestId: 'r',
        } as const;
        const begun = await idempotency.begin(request);
        if (begun.state === 'new') records.push(begun.record);
      });
      expect(records).to.have.length(many);
      const ends = await countCommands('update idempotencyRecords', async (index) =>
        idempotency.complete(records[index]!, response),
      );
      expect([begins, ends].map((commands) => commands >= 1 && commands <= batchedCommands)).to.deep.equal([
        true,
        true,
      ]);
    });
  });
});

function describeCounts(commands: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const command of commands) counts.set(command, (counts.get(command) ?? 0) + 1);
  return [...counts].map(([command, times]) => `${times} × ${command}`).join(', ');
}
